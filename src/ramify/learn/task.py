"""Tasks: a new kind of model that can be trained, saved, loaded and resumed needs only a task."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import ramify
from ramify.errors import InvalidInputError
from ramify.learn.checkpoint import checkpoint_file, remove_checkpoint
from ramify.learn.containers import check_target
from ramify.learn.corpus import Corpus, load_corpus
from ramify.learn.dates import card_date
from ramify.learn.interruption import NOTHING_KEPT, RESUME, interruptible
from ramify.learn.progress import Progress, Report, reporting
from ramify.learn.registry import resolved
from ramify.learn.run import Learner, Run
from ramify.learn.threads import num_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from ramify.learn.configuration import Configuration
    from ramify.learn.interruption import Signals
    from ramify.learn.model_files import ModelFiles

__all__ = ["LearningTask", "Task"]


@runtime_checkable
class Task(Protocol):
    """What the command line, `ramify.load` and pipelines need to know about a kind of model."""

    @property
    def name(self) -> str:
        """As in ``ramify train --task NAME``."""

    @property
    def kind(self) -> str:
        """Kind of model that is written into the model files."""

    @property
    def preset(self) -> str:
        """Name of the default preset."""

    @property
    def extras(self) -> frozenset[str]:
        """Names of the options of ``ramify train`` that only this task has, such as ``"language"``."""

    @property
    def config(self) -> Any:
        """Class of the options."""

    @property
    def model_type(self) -> Any:
        """Class of the models."""

    @property
    def train(self) -> Callable[..., Any]:
        """Train a model. The parameters are those of `LearningTask.train` and those in `extras`."""

    def seeded(self, seed: int) -> dict[str, str]:
        """Return the options that set the random seed."""


def _no_check(config: Any) -> None:
    """Find nothing wrong."""


def _load_corpus(source: Any, role: str, config: Any) -> Corpus[Any]:
    return load_corpus(source, role)


@dataclass(frozen=True)
class LearningTask:
    """A task whose models are trained in epochs over sentences; see `Task`.

    Attributes
    ----------
    name, preset, extras : see `Task`
    model : location of the class of the models, as ``"module:Class"``; it is imported when it is first needed
    files : the files of the models
    learner : function that is called with the options, the training corpus, the dev corpus or None, and the number of
        threads; it returns a `Learner`
    load_corpus : function that is called with the data given by the user, ``"train"`` or ``"dev"``, and the options; it
        returns the sentences
    check : function that is called with the options before any file is read; it raises an `InvalidInputError` if they
        contradict each other
    material : name of the training data in messages
    unit : unit that cards count besides sentences
    count : function that returns the number of these units in a corpus
    """

    name: str
    model: str
    files: ModelFiles[Any]
    learner: Callable[[Any, Corpus[Any], Corpus[Any] | None, int], Learner]
    _: KW_ONLY
    preset: str = "default"
    load_corpus: Callable[[Any, str, Any], Corpus[Any]] = _load_corpus
    check: Callable[[Any], None] = _no_check
    material: str = "sentences"
    unit: str = "words"
    count: Callable[[Corpus[Any]], int] = lambda corpus: corpus.num_words
    extras: frozenset[str] = frozenset()

    @property
    def kind(self) -> str:
        """Kind of model that is written into the model files."""
        return self.files.kind

    @property
    def config(self) -> type[Configuration]:
        """Class of the options."""
        return self.files.config

    @property
    def model_type(self) -> Any:
        """Class of the models."""
        return resolved(self.model)

    def seeded(self, seed: int) -> dict[str, str]:
        """Return the options that set the random seed."""
        return {"training.seed": str(seed)}

    def train(
        self,
        config: Any,
        train: Any = None,
        dev: Any = None,
        *,
        output: str | Path | None = None,
        overwrite: bool = False,
        resume: bool = False,
        threads: int = 1,
        licence: str = "",
        progress: Progress = "auto",
    ) -> Any:
        """Train a model and return its state.

        Parameters
        ----------
        config : all options; its section ``data`` is used for files and output that the arguments below do not give
        train : training data: a path, several paths, or sentences
        dev : dev data on which the best epoch is chosen; without them, the last epoch is used
        output : path of the model to write (a directory or a ``.zip``). A checkpoint is saved there after each epoch
            and when SIGTERM or ctrl-C ends the run. Nothing is written if neither this nor ``config.data.output`` is
            given
        overwrite : whether an existing model, or the checkpoint of an interrupted run, can be replaced
        resume : whether to continue from the checkpoint in `output`; the result is the same model as without the
            interruption
        threads : number of threads; 0 uses all cores. The model does not depend on this number
        licence : licence of the data, for the card of the model
        progress : True shows lines and a progress bar, ``"auto"`` shows them only on a terminal or in a notebook, False
            shows nothing; a function is called with every event of `ramify.learn.progress`

        Raises
        ------
        InterruptedTrainingError
            SIGTERM or ctrl-C ended the run; the message says how to continue. Without `output`, signals have their
            usual effect.
        DivergedTrainingError
            The loss or a weight became infinite or NaN; the last good checkpoint is kept.
        """
        source = train if train is not None else config.data.train
        if not source:
            raise InvalidInputError(
                f"Training expects {self.material}: give train (--train FILE, or [data] train = …)."
            )
        target = Path(output) if output else (Path(config.data.output) if config.data.output else None)
        if target is not None:
            _check_output(target, overwrite=overwrite, resume=resume)
        elif resume:
            raise InvalidInputError("Resuming expects the output directory of the interrupted run.")
        self.check(config)
        advice = NOTHING_KEPT
        if resume:
            advice = f"Training was interrupted before it continued; the checkpoint is unchanged. {RESUME}"
        with reporting(progress) as report, interruptible(lambda: advice, active=target is not None) as signals:
            corpus = self.load_corpus(source, "train", config)
            dev_source = dev if dev is not None else config.data.dev
            dev_corpus = self.load_corpus(dev_source, "dev", config) if dev_source else None
            learner = self.learner(config, corpus, dev_corpus, num_threads(threads))
            run = self._run(config, learner, corpus, dev_corpus, target, report, signals)
            state = run.result(resume=resume)
            with signals.waiting():
                state = self._described(state, run, corpus, dev_corpus, licence)
            if target is not None:
                with signals.finishing(
                    f"Training had already finished when the signal came; the model is complete: {target}"
                ):
                    self.files.save(state, target)
                    remove_checkpoint(checkpoint_file(target))
        return state

    def _run(
        self,
        config: Any,
        learner: Learner,
        train: Corpus[Any],
        dev: Corpus[Any] | None,
        output: Path | None,
        report: Report,
        signals: Signals,
    ) -> Run:
        options = dataclasses.replace(config, data=type(config.data)()).to_toml()
        parts = [options, train.digest(), dev.digest() if dev else "no dev", *learner.inputs()]
        identity = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        return Run(learner, identity, None if output is None else checkpoint_file(output), report, signals)

    def _described(self, state: Any, run: Run, train: Corpus[Any], dev: Corpus[Any] | None, licence: str) -> Any:
        """Return a state with its facts, and with names of files that are the same on any machine."""
        learner = run.learner
        facts: dict[str, Any] = {"train": self._size(train), "licence": licence, **learner.facts(state)}
        facts |= {"date": card_date(), "version": ramify.__version__}
        if dev is not None:
            facts["dev"] = self._size(dev)
            facts["scores"] = learner.dev_scores(state, run)
        facts["bytes"] = len(self.files.pack(state))
        data = dataclasses.replace(state.config.data, train=train.files, dev=dev.files if dev else (), output="")
        return dataclasses.replace(state, config=dataclasses.replace(state.config, data=data), facts=facts)

    def _size(self, corpus: Corpus[Any]) -> dict[str, Any]:
        size = {"sentences": len(corpus.sentences), self.unit: self.count(corpus)}
        return {"files": list(corpus.files), **size}


def _check_output(target: Path, *, overwrite: bool, resume: bool) -> None:
    """Check before training starts that writing the model does not overwrite anything by mistake."""
    checkpoint = checkpoint_file(target)
    if checkpoint.exists() and not (overwrite or resume):
        raise InvalidInputError(
            f"{checkpoint.parent} contains an interrupted training run. Continue it with --resume, or start "
            "over with --overwrite (in Python: resume=True, overwrite=True)."
        )
    check_target(target, overwrite=overwrite or (resume and checkpoint.exists()))
