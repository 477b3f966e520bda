"""Training pipelines: the right files, tags that nobody learned by heart, the same bytes every time."""

from __future__ import annotations

import itertools
import shutil
import signal

import pytest

import ramify
from ramify.data import Sentence, read, write
from ramify.errors import InterruptedTrainingError, InvalidInputError
from ramify.learn.dates import card_date, dated
from ramify.parsing import Method, Step
from ramify.pipeline import PipelineConfig, train
from ramify.pipeline.progress import Inner, StepBegun, StepDone
from ramify.pipeline.training import work_folder
from ramify.pipeline.treebank import blocks_of, find_treebank, held_out


@pytest.fixture(autouse=True)
def fixed_date(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


@pytest.fixture(scope="module")
def small(pipeline_config):
    """Options that are faster still."""
    options = {f"{name}.training.epochs": "1" for name in ("upos", "xpos", "feats", "lemma", "parser")}
    return pipeline_config.override(options | {"segmenter.epochs": "1", "parser.pruner.epochs": "1"})


@pytest.fixture(scope="module")
def whole(treebank_folder, small, tmp_path_factory):
    """A pipeline whose training was not broken off."""
    path = tmp_path_factory.mktemp("whole") / "whole.zip"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        train(small, treebank_folder, output=path)
    return path


def test_files_are_found(treebank_folder, tmp_path):
    found = find_treebank(treebank_folder)
    assert (found.name, found.language, found.licence) == ("UD_English-Sample", "en", "CC BY-SA 4.0")
    assert [file.name for file in found.train] == ["en_sample-ud-train.conllu"]
    assert found.dev == found.test == ()
    folder = shutil.copytree(treebank_folder, tmp_path / "several")
    for name in ("x-ud-train-b.conllu", "x-ud-dev.conllu.gz", "x-ud-test.conllu", "x-ud-trainer.conllu"):
        (folder / name).write_text("")
    found = find_treebank(folder)
    assert [file.name for file in found.train] == ["en_sample-ud-train.conllu", "x-ud-train-b.conllu"]
    assert [file.name for file in (*found.dev, *found.test)] == ["x-ud-dev.conllu.gz", "x-ud-test.conllu"]


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("Attribution-ShareAlike 4.0 International\n", "CC BY-SA 4.0"),
        ("Creative Commons Attribution-NonCommercial-ShareAlike 3.0 Unported", "CC BY-NC-SA 3.0"),
        ("GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007", "GNU GPL 3.0"),
        ("All rights reserved", ""),
    ],
)
def test_licences(treebank_folder, tmp_path, text, licence):
    folder = shutil.copytree(treebank_folder, tmp_path / "treebank")
    (folder / "README.md").unlink()
    (folder / "LICENSE.txt").write_text(text)
    assert find_treebank(folder).licence == licence


def test_missing_files_are_named(tmp_path):
    with pytest.raises(InvalidInputError, match="--treebank expects a folder with CoNLL-U files"):
        find_treebank(tmp_path / "none")
    with pytest.raises(InvalidInputError, match=r"has no \.conllu file at all"):
        find_treebank(tmp_path)
    (tmp_path / "x-test.conllu").write_text("")
    with pytest.raises(InvalidInputError, match=r"such as en_ewt-ud-train.conllu; .* has x-test.conllu"):
        find_treebank(tmp_path)


def test_documents_stay_together(sample):
    sentences = list(read(sample))
    blocks = blocks_of(sentences)
    assert list(itertools.chain.from_iterable(blocks)) == list(range(len(sentences)))
    assert all(any("newdoc" in c for c in sentences[block[0]].comments) for block in blocks)
    plain = [Sentence(["Hi"]) for _ in range(25)]
    assert [len(block) for block in blocks_of(plain)] == [10, 10, 5]
    kept, dev = held_out(sentences)
    assert len(kept) + len(dev) == len(sentences)
    assert dev
    assert {s.sent_id for s in kept}.isdisjoint(s.sent_id for s in dev)
    assert [len(part) for part in held_out(plain)] == [20, 5]
    with pytest.raises(InvalidInputError, match="too few to hold some out"):
        held_out(plain[:3])


def test_options():
    config = PipelineConfig().override({"upos.training.epochs": "3", "parser.model.parts": "sibling"})
    assert config.taggers["upos"].training.epochs == 3
    assert config.taggers["xpos"] == PipelineConfig().taggers["xpos"]
    assert [part.value for part in config.parser.model.parts] == ["sibling"]
    assert config.method is Method.AD3
    assert config.override({"parser.inference.method": "exact"}).method is None
    for wrong, message in {
        "training.epochs": "there is no component 'training'",
        "parse.training.epochs": "Did you mean 'parser'",
        "segmenter.epoch": "there is no option 'epoch'.*Did you mean 'epochs'",
        "upos.training.epoch": "there is no option 'training.epoch'",
    }.items():
        with pytest.raises(InvalidInputError, match=message):
            PipelineConfig().override({wrong: "3"})
    with pytest.raises(InvalidInputError, match="folds expects a whole number, 2 to 100; got 1"):
        PipelineConfig(folds=1)


def test_the_card_says_how_good_it_is(nlp, treebank_folder):
    facts = nlp.facts
    assert facts["data"]["treebank"] == "UD_English-Sample"
    assert facts["data"]["tuned-on"] == "every tenth document of the same"
    assert 0.3 < facts["raw"]["LAS"] < facts["raw"]["UAS"] < facts["raw"]["UPOS"] < facts["raw"]["Words"] <= 1
    assert set(facts["gold-tokens"]) == {"UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"}
    _, dev = held_out(list(read(treebank_folder / "en_sample-ud-train.conllu")))
    right = sum(
        s.upos[i] == r.sentence.upos[i] for s, r in zip(dev, nlp.annotate(dev), strict=True) for i in range(len(s))
    )
    assert facts["gold-tokens"]["UPOS"] == right / sum(map(len, dev))
    assert "predicted tags" in nlp.parser.card
    assert nlp.parser.config.inference.method is Method.AD3


def test_the_same_bytes_every_time(treebank_folder, small, whole, tmp_path):
    train(small, treebank_folder, output=tmp_path / "again.zip", threads=3)
    assert (tmp_path / "again.zip").read_bytes() == whole.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["again.zip"]


class BrokenError(Exception):
    pass


@pytest.mark.parametrize("stop", ["upos, fold 2 of 2", "lemma", "parser", "scores on dev"])
def test_resumed_runs_end_the_same(treebank_folder, small, whole, tmp_path, stop):
    broken = tmp_path / "broken.zip"

    def breaking(event):
        if isinstance(event, StepBegun) and event.name == stop:
            raise BrokenError

    with pytest.raises(BrokenError):
        train(small, treebank_folder, output=broken, progress=breaking)
    assert not broken.exists()
    events = []
    train(small, treebank_folder, output=broken, progress=events.append, resume=True)
    assert broken.read_bytes() == whole.read_bytes()
    assert not work_folder(broken).exists()
    steps = {event.name: event.seconds for event in events if isinstance(event, StepDone)}
    assert steps["segmenter"] is steps["upos"] is None
    assert steps[stop] is not None
    if stop != "scores on dev":
        assert any(isinstance(event, Inner) and event.name == "parser" for event in events)


@pytest.mark.parametrize("stage", ["segmenter", "upos", "lemma", "pruner", "parser"])
def test_a_signal_ends_a_component_where_it_can_go_on(treebank_folder, small, whole, tmp_path, stage):
    target = tmp_path / "model.zip"

    def interrupting(event):
        if isinstance(event, Inner) and isinstance(event.event, Step) and event.event.stage == stage:
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(
        InterruptedTrainingError, match=r"saved in .*model.zip.work. To continue, run the same command with --resume"
    ):
        train(small, treebank_folder, output=target, progress=interrupting)
    checkpoints = [path.parent.parent.name for path in work_folder(target).rglob("state.safetensors")]
    assert checkpoints == ([] if stage == "pruner" else ["parser-run" if stage == "parser" else stage])
    train(small, treebank_folder, output=target, resume=True)
    assert target.read_bytes() == whole.read_bytes()


def test_a_fold_goes_on_too(treebank_folder, small, whole, tmp_path):
    target = tmp_path / "model.zip"

    def interrupting(event):
        if isinstance(event, Inner) and event.name == "xpos, fold 2 of 2":
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(
        InterruptedTrainingError, match=r"saved in .*model.zip.work. To continue, run the same command with --resume"
    ):
        train(small, treebank_folder, output=target, progress=interrupting)
    (checkpoint,) = work_folder(target).rglob("state.safetensors")
    assert checkpoint.parent.parent.name == "xpos-fold-2.model"
    train(small, treebank_folder, output=target, resume=True)
    assert target.read_bytes() == whole.read_bytes()


def test_files_instead_of_a_folder(treebank_folder, small, tmp_path):
    file = treebank_folder / "en_sample-ud-train.conllu"
    sentences = list(read(file))
    write(sentences[:40], tmp_path / "de_x-train.conllu")
    write(sentences[40:60], tmp_path / "de_x-dev.conllu")
    nlp = ramify.Pipeline.train(tmp_path / "de_x-train.conllu", [tmp_path / "de_x-dev.conllu"], config=small)
    assert (nlp.language, nlp.facts["data"]["treebank"]) == ("de", "de_x-train")
    assert nlp.facts["data"]["tuned-on"] == ["de_x-dev.conllu"]
    with pytest.raises(InvalidInputError, match="A pipeline expects train to be the folder of a treebank, or files"):
        ramify.Pipeline.train(sentences, config=small)
    with pytest.raises(InvalidInputError, match="train to be the folder of a treebank, or files; got none"):
        ramify.Pipeline.train([], config=small)


@pytest.mark.parametrize(
    ("step", "number"),
    [("segmenter", signal.SIGINT), ("lemma, fold 1 of 2", signal.SIGTERM), ("scores on dev", signal.SIGINT)],
)
def test_a_signal_in_any_component(treebank_folder, small, whole, tmp_path, step, number):
    target = tmp_path / "model.zip"

    def interrupting(event):
        if isinstance(event, StepBegun) and event.name == step:
            signal.raise_signal(number)

    with pytest.raises(
        InterruptedTrainingError, match=r"saved in .*model.zip.work. To continue, run the same command with --resume"
    ) as e:
        train(small, treebank_folder, output=target, progress=interrupting)
    assert e.value.signal == number
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.zip.work"]
    train(small, treebank_folder, output=target, resume=True)
    assert target.read_bytes() == whole.read_bytes()


def test_a_signal_while_files_are_read_keeps_nothing(treebank_folder, small, tmp_path, monkeypatch):
    monkeypatch.setattr("ramify.pipeline.training.read_all", lambda files: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(InterruptedTrainingError, match="before anything was saved; start it again"):
        train(small, treebank_folder, output=tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["model", "model.zip"])
def test_pipelines_are_not_overwritten_unasked(treebank_folder, small, nlp, tmp_path, name):
    nlp.save(tmp_path / name)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    events = []
    for resume in (False, True):
        with pytest.raises(InvalidInputError, match=r"There is a pipeline at .* already; .* --overwrite"):
            train(small, treebank_folder, output=tmp_path / name, resume=resume, progress=events.append)
    assert events == []
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "card.md").write_text("mine")
    with pytest.raises(InvalidInputError, match="holds other files"):
        train(small, treebank_folder, output=tmp_path / "mine", overwrite=True)


def test_pipelines_are_overwritten_and_unfinished_runs_too_if_asked(treebank_folder, small, whole, nlp, tmp_path):
    target = tmp_path / "model.zip"
    nlp.save(target)

    def breaking(event):
        if isinstance(event, StepBegun) and event.name == "upos":
            raise BrokenError

    with pytest.raises(BrokenError):
        train(small, treebank_folder, output=target, overwrite=True, progress=breaking)
    with pytest.raises(InvalidInputError, match="contains an interrupted training run"):
        train(small, treebank_folder, output=target)
    train(small, treebank_folder, output=target, overwrite=True)
    assert target.read_bytes() == whole.read_bytes()


def test_a_pipeline_without_output(treebank_folder, small, whole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    events = []
    nlp = ramify.Pipeline.train(treebank_folder, config=small, progress=events.append)
    assert list(tmp_path.iterdir()) == []
    assert nlp("I like it.").to_conllu() == ramify.load(whole)("I like it.").to_conllu()
    assert {event.name for event in events} >= {"segmenter", "upos, fold 2 of 2", "parser", "scores on dev"}
    with pytest.raises(InvalidInputError, match="Resuming expects the output"):
        ramify.Pipeline.train(treebank_folder, config=small, resume=True)


def test_evaluation_is_what_the_card_says(treebank_folder, nlp):
    _, dev = held_out(list(read(treebank_folder / "en_sample-ud-train.conllu")))
    raw, gold = nlp.evaluate(dev), nlp.evaluate(dev, gold_tokens=True, threads=2)
    assert {name: raw[name].f1 for name in nlp.facts["raw"]} == nlp.facts["raw"]
    assert {name: gold[name].f1 for name in nlp.facts["gold-tokens"]} == nlp.facts["gold-tokens"]
    assert gold["Words"].f1 == 1.0


def test_work_of_other_runs_is_not_mixed_in(treebank_folder, small, tmp_path):
    target = tmp_path / "model"

    def breaking(event):
        if isinstance(event, StepBegun) and event.name == "xpos":
            raise BrokenError

    with pytest.raises(BrokenError):
        train(small, treebank_folder, output=target, progress=breaking)
    other = small.override({"upos.training.seed": "2"})
    with pytest.raises(InvalidInputError, match="belongs to another run"):
        train(other, treebank_folder, output=target, resume=True)
    (tmp_path / "taken.work").mkdir()
    (tmp_path / "taken.work" / "thesis.txt").write_text("important")
    with pytest.raises(InvalidInputError, match=r"taken.work .* holds other files"):
        train(small, treebank_folder, output=tmp_path / "taken")


def test_the_parser_learns_from_tags_that_were_predicted(treebank_folder, small, tmp_path):
    """Tags of a fold come from a tagger that has not seen it: some are wrong, and they are the parser's."""
    seen = {}

    def keep(event):
        if isinstance(event, StepBegun) and event.name == "parser":
            for number in (1, 2):
                file = work_folder(tmp_path / "model") / f"upos-fold-{number}.conllu"
                seen.update({s.sent_id: s.upos for s in read(file)})

    train(small, treebank_folder, output=tmp_path / "model", progress=keep)
    gold = {s.sent_id: s.upos for s in held_out(list(read(treebank_folder / "en_sample-ud-train.conllu")))[0]}
    assert seen.keys() == gold.keys()
    wrong = sum(a != b for name in gold for a, b in zip(gold[name], seen[name], strict=True))
    assert 0.1 < wrong / sum(map(len, gold.values())) < 0.6


def test_treebanks_without_some_columns(treebank_folder, small, tmp_path):
    folder = tmp_path / "UD_Plain"
    folder.mkdir()
    sentences = list(read(treebank_folder / "en_sample-ud-train.conllu"))[:80]
    for sentence in sentences:
        sentence.xpos = sentence.feats = sentence.lemmas = ["_"] * len(sentence)
    write(sentences[:60], folder / "plain-train.conllu")
    write(sentences[60:], folder / "plain-dev.conllu")
    nlp = train(small, folder, output=tmp_path / "model", licence="mine", language="en-x")
    assert nlp.components == ("segmenter", "upos", "parser")
    assert (nlp.language, nlp.facts["data"]["licence"]) == ("en-x", "mine")
    assert nlp.facts["data"]["tuned-on"] == ["plain-dev.conllu"]
    assert set(nlp.facts["gold-tokens"]) == {"UPOS", "UAS", "LAS"}
    doc = ramify.load(tmp_path / "model")("I like it.")
    assert {(t.lemma, t.xpos, t.feats) for t in doc} == {("_", "_", "_")}
    for sentence in sentences:
        sentence.upos = ["_"] * len(sentence)
    write(sentences, folder / "plain-train.conllu")
    with pytest.raises(InvalidInputError, match="expects tags in column UPOS; plain-train"):
        train(small, folder, output=tmp_path / "other")


def test_dates(monkeypatch):
    assert card_date() == "2023-11-14"
    with dated("2026-01-31"), dated(None):
        assert card_date() == "2026-01-31"
    assert card_date() == "2023-11-14"
    with pytest.raises(InvalidInputError, match="date expects YYYY-MM-DD; got 'today'"), dated("today"):
        pass
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    with pytest.raises(InvalidInputError, match="SOURCE_DATE_EPOCH expects seconds since 1970; got 'soon'"):
        card_date()


def test_too_many_folds(treebank_folder, small, tmp_path):
    config = PipelineConfig(folds=100, parser=small.parser, taggers=small.taggers, segmenter=small.segmenter)
    with pytest.raises(InvalidInputError, match="--folds 100 expects as many documents"):
        train(config, treebank_folder, output=tmp_path / "model")
