"""Training: it learns, and neither threads nor chunks nor interruptions change what."""

from __future__ import annotations

import json
import os
import signal
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors import safe_open

from ramify import Parser
from ramify.data import Sentence, read
from ramify.errors import DivergedTrainingError, InterruptedTrainingError, InvalidInputError, ModelError
from ramify.evaluation import attachment_scores
from ramify.learn import corpus as corpora
from ramify.learn.checkpoint import Checkpoint, Position, save_checkpoint
from ramify.parsing import Config, EpochDone, Pruned, Started, Step, learner, load_model, train, training
from ramify.parsing.model_files import ParserFiles


def small(**options):
    """A configuration that trains in a moment."""
    values = {"training.epochs": "2", "pruner.bits": "16", "pruner.epochs": "1"}
    values |= {name.replace("__", ".").replace("_", "-"): str(value) for name, value in options.items()}
    return Config.preset("first").override(values)


def assert_same(a, b):
    for name in ("keys", "values", "scale", "pruner", "pruner_scale"):
        np.testing.assert_array_equal(getattr(a.weights, name), getattr(b.weights, name), err_msg=name)
    assert a.weights.keys.size > 1000


@pytest.fixture(scope="module")
def few(sample):
    return list(read(sample))[:80]


def test_the_sample_is_learned_by_heart(parser, sample):
    scores = attachment_scores(sample, (result.sentence for result in parser.parse(read(sample))))
    assert scores.uas > 0.99
    assert scores.las > 0.99


def test_events_tell_the_story(few):
    events = []
    train(small(), few, few[:20], progress=events.append)
    assert isinstance(events[0], Started)
    assert (events[0].sentences, events[0].words) == (80, sum(map(len, few)))
    stages = [event.stage for event in events if isinstance(event, Step)]
    assert stages[:6] == ["pruner"] * 2 + ["parser"] * 4  # chunks of 64 and 16
    assert stages[6:] == ["calibration"] * 11 + ["scores on dev"] * 2  # of 20 sentences, each time all of them
    for stage in ("calibration", "scores on dev"):
        last = [event for event in events if isinstance(event, Step) and event.stage == stage][-1]
        assert last.sentences == last.num_sentences
    (pruned,) = (event for event in events if isinstance(event, Pruned))
    assert 1 < pruned.heads_per_word < 10
    assert 0.9 < pruned.recall <= 1
    epochs = [event for event in events if isinstance(event, EpochDone)]
    assert [event.epoch for event in epochs] == [1, 2]
    assert epochs[0].best
    assert 0.5 < epochs[0].scores["LAS"] <= epochs[0].scores["UAS"] <= 1
    assert epochs[1].loss < epochs[0].loss


def test_without_dev_the_last_epoch_is_taken(few):
    events = []
    train(small(), few, progress=events.append)
    epochs = [event for event in events if isinstance(event, EpochDone)]
    assert [(event.scores, event.best) for event in epochs] == [({}, False), ({}, True)]


@pytest.mark.parametrize("batch", [1, 8])
def test_one_thread_equals_four(few, batch):
    config = small(training__batch=batch)
    assert_same(train(config, few, threads=1), train(config, few, threads=4))


def test_chunks_change_nothing(few, monkeypatch):
    config = small(training__batch=3)
    whole = train(config, few)
    monkeypatch.setattr(training.ParserLearner, "chunk", 1)
    assert_same(whole, train(config, few))


def test_seeds_make_a_difference(few):
    a, b = (train(small(training__seed=seed), few) for seed in (1, 2))
    assert a.weights.keys.shape != b.weights.keys.shape or (a.weights.keys != b.weights.keys).any()


@pytest.mark.parametrize("features", ["complete", "supported", "buckets"])
def test_kinds_of_features(few, features, tmp_path):
    config = small(training__features=features, training__num_buckets=2000)
    state = train(config, few, few, output=tmp_path / "model")
    assert state.facts["scores"]["uas"] > 0.8
    if features == "buckets":
        assert state.weights.keys.size <= 2000
    assert Parser.load(tmp_path / "model").parse(few[0]).sentence == Parser(state).parse(few[0]).sentence


def test_most_weights_are_kept_to(few):
    state = train(small(training__max_weights=500), few)
    assert 500 <= state.weights.keys.size < 520  # equal ones at the cut all stay


def test_patience_ends_training(few):
    events = []
    train(small(training__epochs=50, training__patience=1), few, few[:5], progress=events.append)
    epochs = [event for event in events if isinstance(event, EpochDone)]
    assert len(epochs) < 50
    assert [event.best for event in epochs][-2:] == [True, False]


@pytest.mark.parametrize(("beta", "gamma", "least"), [(1, 0, 0.8), (1, 1, 0.8), (3, 1, 0.8), ("inf", 0, 0.5)])
def test_other_losses_learn(few, beta, gamma, least):
    state = train(small(training__beta=beta, training__gamma=gamma), few, few)
    assert state.facts["scores"]["uas"] > least


def test_gamma_scales_costs(few):
    plain = train(small(training__head_cost=2, training__label_cost=2), few)
    scaled = train(small(training__gamma=2), few)
    assert_same(plain, scaled)


@pytest.mark.parametrize(
    "option", ["model__tree=projective", "model__parts=head-bigram,any-sibling", "model__without=lemma"]
)
def test_other_models_train(few, option):
    name, _, value = option.partition("=")
    state = train(small(**{name: value}), few, few)
    assert state.facts["scores"]["uas"] > 0.8


# -- interruption ------------------------------------------------------------------------------------------------------


def stop_after(steps, number=signal.SIGTERM):
    """Return a report that sends this process a signal after so many chunks of the parser."""
    seen = 0

    def report(event):
        nonlocal seen
        if isinstance(event, Step) and event.stage == "parser":
            seen += 1
            if seen == steps:
                os.kill(os.getpid(), number)

    return report


@pytest.mark.parametrize("steps", [[1], [2], [3], [1, 1, 1]])
@pytest.mark.parametrize("features", ["complete", "supported"])
def test_resumed_equals_uninterrupted(few, tmp_path, steps, features):
    config = small(training__features=features)
    output = tmp_path / "model"
    whole = train(config, few, few[:20], output=tmp_path / "whole")
    for number, count in enumerate(steps):
        with pytest.raises(InterruptedTrainingError, match="run the same command with --resume") as caught:
            train(config, few, few[:20], output=output, resume=number > 0, progress=stop_after(count))
        assert caught.value.signal == signal.SIGTERM
        assert [path.name for path in output.iterdir()] == ["checkpoint"]
    assert_same(train(config, few, few[:20], output=output, resume=True), whole)
    assert (output / "weights.safetensors").read_bytes() == (tmp_path / "whole" / "weights.safetensors").read_bytes()
    assert not (output / "checkpoint").exists()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_ctrl_c_keeps_a_checkpoint_beside_a_zip(few, tmp_path):
    with pytest.raises(InterruptedTrainingError):
        train(small(), few, output=tmp_path / "model.zip", progress=stop_after(1, signal.SIGINT))
    assert (tmp_path / "model.checkpoint" / "state.safetensors").exists()
    train(small(), few, output=tmp_path / "model.zip", resume=True)
    assert [path.name for path in tmp_path.iterdir()] == ["model.zip"]


def test_ctrl_c_without_output_is_as_ever(few):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs may start with it ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            train(small(), few, progress=stop_after(1, signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_crash_can_be_resumed_from_the_last_epoch(few, tmp_path):
    def crash(event):
        if isinstance(event, Step) and event.stage == "parser" and event.epoch == 2:
            raise MemoryError

    with pytest.raises(MemoryError):
        train(small(), few, few[:20], output=tmp_path / "model", progress=crash)
    resumed = train(small(), few, few[:20], output=tmp_path / "model", resume=True)
    assert_same(resumed, train(small(), few, few[:20]))


@pytest.mark.parametrize("stage", ["calibration", "scores on dev"])
def test_after_the_last_epoch_nothing_is_learned_again(few, tmp_path, stage):
    """Neither the trainer nor the pruner run again, and temperatures that were tried are known."""
    output = tmp_path / "model"
    whole = train(small(), few, few[:20])
    seen = []

    def stop(event):
        if isinstance(event, Step) and event.stage == stage:
            seen.append(event)
            if len(seen) == (5 if stage == "calibration" else 1):
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(
        InterruptedTrainingError, match=rf"{stage} of the learned model.*run the same command with --resume"
    ):
        train(small(), few, few[:20], output=output, progress=stop)
    events = []
    resumed = train(small(), few, few[:20], output=output, resume=True, progress=events.append)
    assert_same(resumed, whole)
    assert (resumed.config, resumed.facts) == (whole.config, whole.facts)
    assert str(events[1]) == "resumed after 2 of 2 epochs; only calibration remains to be done"
    steps = [event for event in events if isinstance(event, Step)]
    assert {step.stage for step in steps} == {"calibration", "scores on dev"}
    left = sum(step.stage == "calibration" for step in steps)
    assert left == (11 - 4 if stage == "calibration" else 1)  # the curve is fitted in the last turn


def test_a_second_ctrl_c_does_not_wait(few, tmp_path):
    def twice(event):
        if isinstance(event, Step) and event.stage == "parser" and event.epoch == 2:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(
        InterruptedTrainingError, match=r"the progress until then is saved in .*the same command with --resume"
    ):
        train(small(), few, output=tmp_path / "model", progress=twice)
    assert_same(train(small(), few, output=tmp_path / "model", resume=True), train(small(), few))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("where", ["load_corpus", "frame_of", "save", "prepare"])
def test_signals_at_any_moment(few, tmp_path, monkeypatch, where, number):
    owner = {"load_corpus": corpora, "frame_of": learner, "save": ParserFiles, "prepare": training.ParserLearner}[where]
    original = getattr(owner, where)

    def interrupted(*arguments):
        signal.raise_signal(number)
        return original(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(owner, where, interrupted)
        with pytest.raises(InterruptedTrainingError) as caught:
            train(small(), few, output=tmp_path / "model")
    assert caught.value.signal == number
    if where == "save":
        assert (
            str(caught.value)
            == f"Training had already finished when the signal came; the model is complete: {tmp_path / 'model'}"
        )
        assert_same(load_model(tmp_path / "model"), train(small(), few))
        assert not (tmp_path / "model" / "checkpoint").exists()
    else:
        assert "start it again with the same command" in str(caught.value)
        assert list(tmp_path.iterdir()) == []


def test_a_break_before_a_resumed_run_goes_on(few, interrupted, monkeypatch):
    before = (interrupted / "checkpoint" / "state.safetensors").read_bytes()
    monkeypatch.setattr(corpora, "load_corpus", lambda *_: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(
        InterruptedTrainingError, match=r"the checkpoint is unchanged. .*the same command with --resume"
    ):
        train(small(), few, output=interrupted, resume=True)
    assert (interrupted / "checkpoint" / "state.safetensors").read_bytes() == before


@pytest.fixture
def interrupted(few, tmp_path):
    with pytest.raises(InterruptedTrainingError):
        train(small(), few, output=tmp_path / "model", progress=stop_after(1))
    return tmp_path / "model"


def test_checkpoints_serve_their_own_run_only(few, interrupted):
    for config, sentences in ((small(training__epochs=3), few), (small(), few[1:])):
        with pytest.raises(InvalidInputError, match="checkpoint of another run: options or treebanks differ"):
            train(config, sentences, output=interrupted, resume=True)


def test_damaged_checkpoints(few, interrupted):
    file = interrupted / "checkpoint" / "state.safetensors"
    content = file.read_bytes()
    for damaged in (b"", content[:-1], content[:100]):
        file.write_bytes(damaged)
        with pytest.raises(ModelError, match=r"expected a checkpoint; .*; train without --resume"):
            train(small(), few, output=interrupted, resume=True)


def test_flipped_bits_of_checkpoints_are_noticed(few, interrupted):
    file = interrupted / "checkpoint" / "state.safetensors"
    content = file.read_bytes()
    rng = np.random.default_rng(1)
    for place in rng.integers(0, len(content), 30):
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        file.write_bytes(damaged)
        with pytest.raises((ModelError, InvalidInputError), match="train without --resume"):
            train(small(), few, output=interrupted, resume=True)


def cut(name, size):
    """Return a change that makes an array shorter, or longer where the size is negative."""

    def change(position, arrays):
        arrays[name] = arrays[name][size:] if size > 0 else np.ones(len(arrays[name]) - size, arrays[name].dtype)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda position, arrays: arrays["trainer.weights"].__setitem__(7, np.nan), "numbers that are not finite"),
        (lambda position, arrays: arrays["trainer.totals"].__setitem__(7, np.inf), "numbers that are not finite"),
        (lambda position, arrays: arrays["kept.scales"].__setitem__(1, np.nan), "numbers that are not finite"),
        (lambda position, arrays: position.sums.update(loss="soon"), "numbers that are not finite"),
        (lambda position, arrays: position.notes.update(pruning={"recall": np.inf}), "numbers that are not finite"),
        (lambda position, arrays: setattr(position, "notes", [1]), "no attribute 'values'"),
        (cut("trainer.weights", 1), "do not fit together"),
        (cut("kept.best_keys", -1), "do not fit together"),
        (cut("kept.pruner", 10), "do not fit together"),
        (lambda position, arrays: arrays.pop("trainer.keys"), "do not fit together"),
    ],
)
def test_wrong_checkpoints_with_right_checksums(few, interrupted, change, message):
    file = interrupted / "checkpoint" / "state.safetensors"
    with safe_open(file, framework="numpy") as opened:
        facts = json.loads(opened.metadata()["ramify"])
        arrays = {name: opened.get_tensor(name).copy() for name in opened.keys()}  # noqa: SIM118 - no mapping
    position = Position(**facts["position"])
    change(position, arrays)
    save_checkpoint(Checkpoint(position, facts["identity"], arrays), file)
    with pytest.raises(ModelError, match=rf"expected a checkpoint; .*{message}; train without --resume"):
        train(small(), few, output=interrupted, resume=True)


# -- numbers that are not finite ---------------------------------------------------------------------------------------


def broken_trainer(monkeypatch, **results):
    """Let the C++ trainer return something else for some of its methods, from the second epoch on."""

    core = training._core

    class Broken:
        def __init__(self, *arguments):
            self._trainer = core.Trainer(*arguments)
            self._sentences = 0

        def __getattr__(self, name):
            return getattr(self._trainer, name)

        def run(self, chunk):
            stats = self._trainer.run(chunk)
            self._sentences += len(chunk)
            if "loss" in results and self._sentences > 80:
                return SimpleNamespace(**{n: getattr(stats, n) for n in training._COUNTS} | {"loss": results["loss"]})
            return stats

        def state(self):
            state = self._trainer.state()
            if "weight" in results and self._sentences > 80:
                state["weights"][5] = results["weight"]
            return state

        def train_pruner(self, chunk, rate):
            return results.get("pruner", self._trainer.train_pruner(chunk, rate))

    monkeypatch.setattr(training, "_core", SimpleNamespace(**vars(core) | {"Trainer": Broken}))


@pytest.mark.parametrize("broken", [{"loss": np.nan}, {"loss": np.inf}, {"weight": np.nan}, {"weight": -np.inf}])
def test_divergence_keeps_the_last_good_checkpoint(few, tmp_path, monkeypatch, broken):
    whole = train(small(), few)
    with monkeypatch.context() as patch:
        broken_trainer(patch, **broken)
        what = "the loss" if "loss" in broken else "a weight"
        message = (
            rf"parser \(epoch 2\) expects finite numbers; {what} is no longer finite"
            ".*good checkpoint is kept in .*max-step"
        )
        with pytest.raises(DivergedTrainingError, match=message):
            train(small(), few, output=tmp_path / "model")
    assert [path.name for path in (tmp_path / "model").iterdir()] == ["checkpoint"]
    assert_same(train(small(), few, output=tmp_path / "model", resume=True), whole)


def test_divergence_of_the_pruner(few, tmp_path, monkeypatch):
    broken_trainer(monkeypatch, pruner=np.nan)
    with pytest.raises(DivergedTrainingError, match=r"pruner \(epoch 1\) expects finite .* smaller pruner.rate"):
        train(small(), few, output=tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


# -- what is there already ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["model", "model.zip"])
def test_models_are_not_overwritten_unasked(few, tmp_path, name):
    output = tmp_path / name
    train(small(), few, output=output)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    seen = []
    with pytest.raises(InvalidInputError, match=r"There is a model at .* already; .* --overwrite .*overwrite=True"):
        train(small(), "none.conllu", output=output, progress=seen.append)
    with pytest.raises(InvalidInputError, match=r"There is no checkpoint|There is a model at"):
        train(small(), few, output=output, resume=True)
    assert seen == []
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files
    train(small(training__seed=2), few, output=output, overwrite=True)
    assert load_model(output).config.training.seed == 2


def test_unfinished_runs_are_not_overwritten_unasked(few, interrupted):
    file = interrupted / "checkpoint" / "state.safetensors"
    before = file.read_bytes()
    with pytest.raises(InvalidInputError, match=r"contains an interrupted training run. Continue it with --resume, or"):
        train(small(), few, output=interrupted)
    assert file.read_bytes() == before
    whole = train(small(training__seed=3), few, output=interrupted, overwrite=True)
    assert_same(load_model(interrupted), whole)
    assert not file.exists()


def test_a_run_that_replaces_a_model_can_be_resumed(few, tmp_path):
    train(small(), few, output=tmp_path / "model")
    with pytest.raises(InterruptedTrainingError):
        train(small(training__seed=2), few, output=tmp_path / "model", overwrite=True, progress=stop_after(1))
    assert load_model(tmp_path / "model").config.training.seed == 1  # still there
    train(small(training__seed=2), few, output=tmp_path / "model", overwrite=True, resume=True)
    assert load_model(tmp_path / "model").config.training.seed == 2


@pytest.mark.parametrize("names", [["config.toml"], ["card.md", "vocab.json"], ["checkpoint", "card.md"], ["a.txt"]])
def test_other_directories_are_never_removed(few, tmp_path, names):
    for name in names:
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine" / name).write_text("mine")
    with pytest.raises(InvalidInputError, match="holds other files"):
        train(small(), few, output=tmp_path / "mine", overwrite=True)
    (tmp_path / "mine.zip").write_bytes(b"mine")
    with zipfile.ZipFile(tmp_path / "mine2.zip", "w") as archive:
        archive.writestr("thesis.tex", "mine")
    for name in ("mine.zip", "mine2.zip"):
        with pytest.raises(InvalidInputError, match="holds other files"):
            train(small(), few, output=tmp_path / name, overwrite=True)
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == sorted(names)


def test_strange_files_beside_a_checkpoint_stay(few, tmp_path):
    (tmp_path / "model" / "checkpoint").mkdir(parents=True)
    (tmp_path / "model" / "checkpoint" / "notes.txt").write_text("mine")
    train(small(), few, output=tmp_path / "model")
    assert (tmp_path / "model" / "checkpoint" / "notes.txt").read_text() == "mine"


def test_nothing_to_resume(few, tmp_path):
    with pytest.raises(InvalidInputError, match="There is no checkpoint to resume from"):
        train(small(), few, output=tmp_path / "model", resume=True)
    with pytest.raises(InvalidInputError, match="expects the output directory"):
        train(small(), few, resume=True)


# -- data --------------------------------------------------------------------------------------------------------------


def test_data_of_the_configuration(sample, tmp_path):
    config = small(data__train=sample, data__output=tmp_path / "model")
    train(config)
    kept = load_model(tmp_path / "model").config
    assert kept.data.train == (sample.name,)  # no folders of the machine it was trained on
    assert kept.data.output == ""


def test_columns_that_are_empty(few):
    bare = [Sentence(s.forms, upos=s.upos, heads=s.heads, deprels=s.deprels) for s in few]
    assert train(small(), bare).frame.empty == ("lemma", "xpos", "feats")
    assert train(small(), few).frame.empty == ()


@pytest.mark.parametrize(("choice", "expected"), [("auto", False), ("true", True), ("false", False)])
def test_several_roots(few, choice, expected):
    heads = np.zeros(len(few[0]), np.int32)
    several = Sentence(few[0].forms, heads=heads, deprels=["root"] * len(heads), multiple_roots=True)
    events = []
    state = train(small(model__single_root=choice), [*few, several], progress=events.append)
    assert state.frame.single_root is expected
    assert events[0].left_out == int(expected)


def test_conllx_treebanks_train(samples):
    path = samples / "treebanks" / "da_cdt-sample.conll"
    state = train(small(), path, path)
    assert not state.frame.single_root
    assert state.facts["scores"]["uas"] > 0.5


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "Training expects a treebank"),
        ([Sentence(["Hi"])], "expected sentences with heads .* A treebank is needed, not tagged text"),
        ([1], "train expects paths or sentences; got int"),
        (None, "Training expects a treebank"),
    ],
)
def test_nothing_to_learn_from(sentences, message):
    with pytest.raises(InvalidInputError, match=message):
        train(small(), sentences)


def test_an_empty_file(tmp_path):
    (tmp_path / "empty.conllu").write_text("")
    with pytest.raises(InvalidInputError, match=r"expected sentences with words; found none in empty.conllu"):
        train(small(), tmp_path / "empty.conllu")


def test_cycles_are_found(few):
    bad = few[3].copy()
    bad.heads[:3] = [2, 3, 1]
    with pytest.raises(InvalidInputError, match=r"sentence 81 of .* has a cycle"):
        train(small(), [*few, bad])


def test_only_sentences_of_several_roots(few):
    many = [Sentence(s.forms, heads=[0] * len(s), deprels=["root"] * len(s), multiple_roots=True) for s in few]
    with pytest.raises(InvalidInputError, match=r"set model.single-root to false"):
        train(small(model__single_root="true"), many)


def test_output_is_looked_at_before_the_work(few, tmp_path):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(InvalidInputError, match="holds other files"):
        train(small(), few, output=tmp_path)


@pytest.mark.parametrize("threads", [-1, 1.5, True, 5000])
def test_threads_are_checked(few, threads):
    with pytest.raises(InvalidInputError, match="threads expects a whole number, 0"):
        train(small(), few, threads=threads)


def test_parsers_are_trained_from_configurations(few, tmp_path):
    (tmp_path / "config.toml").write_text(small().to_toml())
    ways = ({"config": small()}, {"config": tmp_path / "config.toml"}, {"config": str(tmp_path / "config.toml")})
    parsers = [Parser.train(train=few, **way) for way in ways]
    assert parsers[0].config == parsers[1].config == parsers[2].config
    assert Parser.train(train=few, config=small(), options={"training.epochs": "1"}).config.training.epochs == 1
