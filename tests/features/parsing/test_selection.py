"""Selection of a parser's templates: budgets are kept, runs resume bit for bit, and what is left is all there is."""

from __future__ import annotations

import itertools
import math
import os
import signal
from collections import Counter

import numpy as np
import pytest

from ramify import Parser
from ramify.data import read
from ramify.errors import InterruptedTrainingError, InvalidInputError
from ramify.parsing import Config, EpochDone, Step, train
from ramify.parsing.selection import Selector, finer_templates

pytestmark = pytest.mark.engine

QUICK = {"training.epochs": "2", "pruner.bits": "14", "select.epochs": "2", "select.every": "10"}


@pytest.fixture(scope="module")
def sentences(sample):
    return list(itertools.islice(read(sample), 40))


def trained(sentences, preset="second", **given):
    options = QUICK | {name.replace("__", ".").replace("_", "-"): str(value) for name, value in given.items()}
    return Parser.train(train=sentences, preset=preset, options=options)


def selection_of(parser):
    return parser._state.facts["selection"]


def test_a_budget_leaves_so_many_templates_and_the_model_has_no_others(sentences):
    parser = trained(sentences, select__templates=50)
    names = [f"{t.kind}: {t.pattern}" for t in parser._model.core.templates()]
    assert 40 < len(names) <= 50  # of templates that are equally good, on so few sentences, none is left or all
    assert names == list(parser.config.model.templates)
    assert names == selection_of(parser)["path"][0]["templates"]
    assert {t.kind for t in parser._model.core.templates()} == {"arc", "label", "sibling", "grand"}
    assert not parser.config.select.active  # it would select again if its configuration were trained with
    assert parser.evaluate(sentences).las.f1 > 0.9


def test_what_is_selected_is_trained_as_if_it_had_been_listed(sentences):
    parser = trained(sentences, select__templates=30)
    again = trained(sentences, model__templates=",".join(parser.config.model.templates))
    assert np.array_equal(again._state.weights.keys, parser._state.weights.keys)
    assert np.array_equal(again._state.weights.values, parser._state.weights.values)


def test_kinds_without_templates_are_not_scored(sentences):
    parser = trained(sentences, select__templates=3, select__by_kind="false")
    kinds = {template.partition(": ")[0] for template in parser.config.model.templates}
    assert {part.value for part in parser.config.model.parts} == kinds - {"arc", "label"}


def test_kinds_can_keep_all_of_their_templates(sentences):
    parser = trained(sentences, "first", select__templates=5, select__pool="arc: pool")
    counts = [template.partition(": ")[0] for template in parser.config.model.templates]
    assert counts.count("arc") == 5
    assert counts.count("label") == len(trained(sentences, "first")._model.core.templates()) - 103


def test_a_path_is_one_run_whose_budgets_fall(sentences):
    events = []
    options = QUICK | {"select.path": "40,80,20", "select.templates": "40"}
    parser = Parser.train(train=sentences, preset="second", options=options, progress=events.append)
    path = selection_of(parser)["path"]
    assert [one["budget"] for one in path] == [80, 40, 20]
    assert all(one["budget"] / 2 < len(one["templates"]) <= one["budget"] for one in path)
    assert list(parser.config.model.templates) == path[1]["templates"]
    epochs = [event for event in events if isinstance(event, EpochDone)]
    assert len(epochs) == 4 + 2  # two, and one more for each smaller budget; then the parser
    assert [event.figures["templates"] for event in epochs[1:4]] == [len(one["templates"]) for one in path]


def test_frozen_models_have_no_features_that_the_selection_dropped(sentences):
    frozen, free = (trained(sentences, select__templates=40, select__frozen=choice) for choice in ("true", "false"))
    assert frozen.config.model.templates == free.config.model.templates
    assert frozen.facts["weights"] <= selection_of(frozen)["path"][0]["weights"]
    assert frozen.facts["weights"] < free.facts["weights"]


@pytest.mark.parametrize("beta", ["inf", "1"])
def test_one_stage_learns_with_its_own_loss_while_it_selects(sentences, beta):
    epochs = []
    options = QUICK | {"select.one-stage": "true", "select.templates": "40", "training.beta": beta}
    parser = Parser.train(
        train=sentences[:30], dev=sentences[30:], preset="second", options=options, progress=epochs.append
    )
    done = [event for event in epochs if isinstance(event, EpochDone)]
    assert len(done) == 2  # those of training, and none before
    names = [f"{t.kind}: {t.pattern}" for t in parser._model.core.templates()]
    assert names == list(parser.config.model.templates)
    assert 20 < len(names) <= 40
    assert not parser.config.select.active
    counts = {name: count for name, count, *_ in parser.facts["templates"]}
    assert sum(counts.values()) == pytest.approx(parser.facts["weights"], rel=0.02)
    assert parser.evaluate(sentences[:30]).las.f1 > 0.5


def test_lasso_selects_features(sentences):
    small, large = (
        trained(sentences, select__regularizer="lasso", select__strength=c, select__pool="arc: standard")
        for c in (0.5, 50)
    )
    for parser in (small, large):
        fixed = sum(count for name, count, *_ in parser.facts["templates"] if not name.startswith("arc: "))
        selected = selection_of(parser)["path"][0]["weights"]
        assert 0 < parser.facts["weights"] - fixed <= selected
    assert small.facts["weights"] < large.facts["weights"]


def test_megabytes_bound_the_size_of_the_model(sentences, tmp_path):
    parser = trained(sentences, select__megabytes=0.3)
    parser.save(tmp_path / "model")
    keys = parser._state.weights.keys
    assert 5 * len(keys) <= 300_000
    path = selection_of(parser)["path"]
    chosen = next(one for one in path if one["templates"] == list(parser.config.model.templates))
    assert chosen["weights"] * 5 <= 300_000
    assert all(one["weights"] * 5 > 300_000 for one in path if one["budget"] > chosen["budget"])
    with pytest.raises(InvalidInputError, match=r"select\.megabytes expects at least 0\.\d+, the size at the smallest"):
        trained(sentences, select__megabytes=0.001)


@pytest.mark.parametrize("regularizer", ["coarse-to-fine", "sparse-group", "information-gain"])
def test_other_ways_to_select(sentences, regularizer):
    parser = trained(sentences, select__templates=40, select__regularizer=regularizer, select__strength=100)
    assert 0 < len(parser._model.core.templates()) <= 40
    assert selection_of(parser)["regularizer"] == regularizer
    assert parser.evaluate(sentences).las.f1 > 0.8


def test_coarse_templates_come_before_fine_ones():
    names = ["arc: h.p m.p", "arc: h.w m.p", "arc: h.w m.w", "arc: h.p m.p dist", "label: h.p m.p", "arc: h.p h.w m.p"]
    finer = finer_templates(names)
    assert finer[0] == [0, 1, 2, 3, 5]
    assert finer[1] == [1, 2, 5]  # the fourth says the same in more words, and comes after it
    assert finer[5] == [2, 5] or finer[5] == [5]
    assert finer[4] == [4]


def test_information_gain_is_that_of_counts(sentences):
    """Equation 16 from counts of the candidate arcs, which are all pairs where sentences are short."""
    from ramify._core import parsing as _core
    from ramify.parsing.corpus import core_sentences, frame_of, load_corpus
    from ramify.parsing.state import core_model
    from ramify.parsing.training import trainer_options

    short = [sentence for sentence in sentences if len(sentence) <= 9]
    everything = {"pruner.threshold": "0", "pruner.max-heads": "100", "pruner.lengths": "false"}
    config = Config.preset("first").override(
        QUICK | everything | {"training.threshold": "0", "model.templates": "arc: h.p m.p, arc: m.t, label: m.p"}
    )
    corpus = load_corpus(short, "train", config)
    model = core_model(config, frame_of(corpus, config), np.zeros(1 << 14, np.int16), 0.0)
    trainer = _core.Trainer(model, trainer_options(config, 1), core_sentences(corpus), [])
    trainer.prune()
    gains = {t.pattern: trainer.information_gain()[t.number] for t in model.templates() if t.kind == "arc"}
    for pattern, value in (("h.p m.p", lambda h, m: (h and h.upos, m.upos)), ("m.t", lambda h, m: m.xpos)):
        events = Counter(  # templates see whether the head is left, as the root is
            ((h is None or h.id < m.id, value(h, m)), m.head == (h.id if h else 0))
            for sentence in short
            for m in sentence
            for h in (None, *sentence)
            if h is None or h.id != m.id
        )
        assert gains[pattern] == pytest.approx(relative_information(events))
    twice = _core.Trainer(model, trainer_options(config, 2), core_sentences(corpus), [])
    twice.prune()
    assert np.array_equal(twice.information_gain(), trainer.information_gain())


def relative_information(events):
    """Return the mutual information of what is seen and whether it is gold, as a share of the entropy of the latter."""
    total = sum(events.values())
    seen, gold = Counter(), Counter()
    for (value, right), count in events.items():
        seen[value] += count
        gold[right] += count
    information = sum(
        count / total * math.log2(count * total / (seen[value] * gold[right]))
        for (value, right), count in events.items()
    )
    return information / -sum(n / total * math.log2(n / total) for n in gold.values())


@pytest.mark.parametrize("stop", [("selection", 1, 20), ("selection", 2, 40), ("selection", 3, 30), ("parser", 1, 20)])
@pytest.mark.parametrize("frozen", ["false", "true"])
def test_interrupted_runs_resume_bit_for_bit(sentences, tmp_path, stop, frozen):
    options = {"select.path": "60,30", "select.templates": "30", "model.parts": "sibling", "select.frozen": frozen}
    check_resuming(QUICK | options, sentences, tmp_path, stop)


def test_one_stage_resumes_bit_for_bit(sentences, tmp_path):
    check_resuming(
        QUICK | {"select.templates": "30", "select.one-stage": "true"}, sentences, tmp_path, ("parser", 2, 20)
    )


def check_resuming(options, sentences, tmp_path, stop):
    config = Config().override(options)

    def interrupt(event):
        if isinstance(event, Step) and (event.stage, event.epoch, event.sentences) >= stop and event.stage == stop[0]:
            os.kill(os.getpid(), signal.SIGTERM)

    from ramify.parsing.training import ParserLearner

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ParserLearner, "chunk", 10)
        train(config, sentences, output=tmp_path / "whole")
        with pytest.raises(InterruptedTrainingError):
            train(config, sentences, output=tmp_path / "broken", progress=interrupt)
        train(config, sentences, output=tmp_path / "broken", resume=True)
    for name in ("weights.safetensors", "vocab.json", "config.toml"):
        ours, theirs = ((tmp_path / folder / name).read_bytes() for folder in ("broken", "whole"))
        assert ours.replace(b"broken", b"whole") == theirs


def test_selection_does_not_depend_on_threads(sentences):
    options = QUICK | {"select.templates": "30", "training.batch": "4"}
    one, two = (Parser.train(train=sentences, preset="second", options=options, threads=n) for n in (1, 2))
    assert one.config == two.config
    assert np.array_equal(one._state.weights.values, two._state.weights.values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"select.regularizer": "label-group", "select.templates": "5"}, r"'label-group' is for taggers"),
        ({"select.one-stage": "true", "select.path": "5,3"}, r"select\.one-stage expects one budget and a penalty"),
        ({"select.megabytes": "5", "select.regularizer": "information-gain"}, r"select\.megabytes expects a penalty"),
        ({"select.path": "5,x"}, r"select\.path expects a list of whole numbers"),
    ],
)
def test_options_that_contradict_each_other_are_refused(sentences, options, message):
    with pytest.raises(InvalidInputError, match=message):
        Parser.train(train=sentences, preset="first", options=QUICK | options)


def test_budgets_of_kinds_have_the_shares_of_the_standard_table(sentences):
    parser = trained(sentences, select__templates=41)
    selector = Selector(Config.preset("second").override({"select.templates": "41"}))
    selector.set_templates(trained(sentences, model__templates="pool")._model.core.templates())
    assert selector._budgets(0).sum() == 41
    counts = [template.partition(": ")[0] for template in parser.config.model.templates]
    kinds = ("arc", "label", "sibling", "grand")
    assert all(counts.count(kind) <= most for kind, most in zip(kinds, selector._budgets(0), strict=True))
    assert selector._budgets(0).tolist() == [21, 10, 5, 5]  # as 103, 50, 27 and 26 of the standard table
