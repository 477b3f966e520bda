"""Trainers of all tasks stop and go on anywhere, and learn the same with any number of threads, bit for bit."""

from pathlib import Path

import numpy as np
import pytest

from ramify._core import learn as core
from ramify._core import parsing, tagging
from ramify.data import read
from ramify.errors import InvalidInputError
from ramify.parsing import Config as ParserConfig
from ramify.parsing.corpus import core_sentences, frame_of, load_corpus
from ramify.parsing.state import core_model as parser_model
from ramify.parsing.training import trainer_options
from ramify.segmentation import Config as SegmenterConfig
from ramify.segmentation.training import _prepare
from ramify.tagging import Config as TaggerConfig
from ramify.tagging.sentences import column_of, source_of
from ramify.tagging.state import Frame
from ramify.tagging.state import core_model as tagger_model
from ramify.tagging.training import options_for_core

pytestmark = pytest.mark.engine
SIZE = 24
ORDER = np.random.default_rng(0).permutation(SIZE)


@pytest.fixture(scope="module")
def sentences():
    return list(read(Path("tests/data/ewt-sample-200.conllu")))[:SIZE]


class ParserRun:
    """Twice the pruner, then the parser."""

    steps = 3

    def __init__(self, sentences, threads, **options):
        values = {"pruner.bits": "12", "training.batch": "4", **options}
        config = ParserConfig().override(values)
        corpus = load_corpus(sentences, "train", config)
        self.model = parser_model(config, frame_of(corpus, config), np.zeros(1 << 12, np.int16), 0.0)
        self.trainer = parsing.Trainer(self.model, trainer_options(config, threads), core_sentences(corpus), [])

    def go(self, step):
        if step < 2:
            self.trainer.train_pruner(ORDER, 0.1)
        else:
            self.trainer.prune()
            self.trainer.run(ORDER)

    def result(self):
        return [*self.trainer.freeze(10_000), self.model.pruner_weights(), *self.trainer.state().values()]


class PartsRun(ParserRun):
    """The same after the pruner, whose weights the model has."""

    steps = 2

    def __init__(self, sentences, threads, **options):
        super().__init__(sentences, threads, **options)
        self.trainer.train_pruner(ORDER, 0.1)
        self.trainer.prune()

    def go(self, step):
        self.trainer.run(ORDER if step == 0 else ORDER[:12])


class TaggerRun:
    steps = 3

    def __init__(self, sentences, threads, **options):
        values = {"model.target": "upos", "training.batch": "4", "training.decay": "0.5", **options}
        config = TaggerConfig.preset("upos").override(values)
        gold = [column_of(sentence, "upos") for sentence in sentences]
        labels = tuple(sorted(set().union(*gold)))
        self.model = tagger_model(config, Frame(labels, None))
        self.trainer = tagging.Trainer(self.model, **options_for_core(config, threads))
        numbers = [[labels.index(label) for label in tags] for tags in gold]
        source = source_of(sentences, config.model.columns)
        self.trainer.load(self.model, source, source, numbers)

    def go(self, step):
        if step == 2:
            self.trainer.refit(2000, 0.0)
        self.trainer.run(ORDER)
        self.trainer.end_epoch()

    def result(self):
        frozen = [*self.trainer.freeze(10_000, 0.0), *self.trainer.ngram_weights(), self.trainer.predict_dev()]
        return [*frozen, *self.trainer.state().values()]


class SegmenterRun:
    steps = 3

    def __init__(self, sentences, threads):
        self.trainer = _prepare(SegmenterConfig().override({"model.bits": 12}), sentences)

    def go(self, step):
        self.trainer.run_pass(step)

    def result(self):
        return [self.trainer.token_weights(), self.trainer.sentence_weights(), *self.trainer.state().values()]


ADAGRAD = {"training.optimizer": "adagrad", "training.loss": "l2", "training.regularization": "0.1"}
RUNS = [
    (ParserRun, {}),
    (PartsRun, {"model.parts": "sibling"}),
    (PartsRun, ADAGRAD),
    (PartsRun, {"training.features": "supported"}),
    (PartsRun, {"training.features": "buckets", "training.num-buckets": "5000"}),
    (TaggerRun, {"training.dropout": "0.2"}),
    (TaggerRun, {"training.steps": "automatic", "training.beta": "inf", "training.gamma": "1", "model.order": "2"}),
    (TaggerRun, {"training.features": "supported", "training.average": "false"}),
    (SegmenterRun, {}),
]


def finished(run):
    for step in range(run.steps):
        run.go(step)
    return run.result()


@pytest.mark.parametrize(("kind", "options"), RUNS)
def test_resuming_is_exact(sentences, kind, options):
    whole = finished(kind(sentences, 1, **options))
    for stop in range(1, kind.steps):
        first = kind(sentences, 1, **options)
        for step in range(stop):
            first.go(step)
        second = kind(sentences, 1, **options)
        second.trainer.restore(first.trainer.state())
        for step in range(stop, kind.steps):
            second.go(step)
        for expected, got in zip(whole, second.result(), strict=True):
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(("kind", "options"), RUNS)
def test_threads_change_nothing(sentences, kind, options):
    for expected, got in zip(
        finished(kind(sentences, 1, **options)), finished(kind(sentences, 3, **options)), strict=True
    ):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("kind", [ParserRun, TaggerRun, SegmenterRun])
def test_states_of_others(sentences, kind):
    run = kind(sentences, 1)
    with pytest.raises(InvalidInputError, match="state to go on from expects an array"):
        run.trainer.restore({})
    state = run.trainer.state()
    name = next(name for name in state if name.endswith("weights"))
    with pytest.raises(InvalidInputError, match="state to go on from expects"):
        run.trainer.restore(state | {name: np.zeros(state[name].size + 1, np.float32)})


def test_taggers_without_sentences():
    config = TaggerConfig.preset("upos")
    model = tagger_model(config, Frame(("A", "B"), None))
    trainer = tagging.Trainer(model, **options_for_core(config, 1))
    with pytest.raises(InvalidInputError, match="expects sentences before it has a state"):
        trainer.state()
    with pytest.raises(InvalidInputError, match="expects sentences before it goes on"):
        trainer.restore({})


def test_templates_of_a_parser(sentences):
    """Every weight of a parser knows its template; those of different templates stay apart."""
    run = PartsRun(sentences, 1)
    run.go(0)
    keys = run.trainer.state()["keys"]
    templates, counts = np.unique(keys % core.MOST_TEMPLATES, return_counts=True)
    assert len(templates) > 30
    assert counts.max() < len(keys) / 5
    assert len(np.unique(keys >> np.uint64(12))) == len(keys)
