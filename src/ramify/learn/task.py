"""What a task is: the one thing to write for a new kind of model that is trained, saved, loaded and resumed."""

from __future__ import annotations

import dataclasses
import hashlib
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import ramify
from ramify.errors import InvalidInputError
from ramify.learn.checkpoint import checkpoint_file, remove_checkpoint
from ramify.learn.containers import check_target
from ramify.learn.corpus import Corpus, load_corpus
from ramify.learn.dates import card_date
from ramify.learn.interruption import NOTHING_KEPT, RESUME, interruptible
from ramify.learn.progress import Progress, Report, reporting
from ramify.learn.run import Learner, Run
from ramify.learn.threads import num_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from ramify.learn.configuration import Configuration
    from ramify.learn.interruption import Signals
    from ramify.learn.model_files import ModelFiles

__all__ = ["LearningTask", "Task"]


class Task(ABC):
    """A kind of model and how it is trained.

    Attributes
    ----------
    name : as in ``ramify train --task NAME``
    kind : of its models, as their files say it
    summary : what it trains, for the help of the command line
    preset : name of the options that training starts from
    extras : names of the options of ``ramify train`` that only this task takes, such as ``"language"``
    train : trains a model, with the parameters of `LearningTask.train` and those in `extras`
    """

    name: ClassVar[str]
    kind: ClassVar[str]
    summary: ClassVar[str]
    preset: ClassVar[str]
    extras: ClassVar[frozenset[str]] = frozenset()
    train: Callable[..., Any]

    @property
    @abstractmethod
    def config(self) -> Any:
        """Class of the options."""

    @property
    @abstractmethod
    def model_type(self) -> Any:
        """Class of the models, which is imported only here."""

    def dotted(self) -> dict[str, str]:
        """Return what can be given as ``--section.key VALUE``, and what each option is for."""
        return self.config.dotted()  # type: ignore[no-any-return]

    def seeded(self, seed: int) -> dict[str, str]:
        """Return the options that set the random seed."""
        return {"training.seed": str(seed)}


class LearningTask(Task):
    """A task whose models learn in epochs over sentences.

    Attributes
    ----------
    files : the files of its models
    material : what it learns from, for messages
    unit : what cards count besides sentences
    """

    files: ClassVar[ModelFiles[Any]]
    material: ClassVar[str] = "sentences"
    unit: ClassVar[str] = "words"

    @abstractmethod
    def learner(self, config: Any, train: Corpus[Any], dev: Corpus[Any] | None, threads: int) -> Learner:
        """Return what learns from a corpus, and measures itself on another one."""

    def load_corpus(self, source: Any, role: str, config: Any) -> Corpus[Any]:
        """Read what to learn from; `role` is ``"train"`` or ``"dev"``."""
        return load_corpus(source, role)

    def check(self, config: Any) -> None:
        """Raise an `InvalidInputError` if options contradict each other, before any file is read."""

    def count(self, corpus: Corpus[Any]) -> int:
        """Return the number of units in a corpus."""
        return corpus.num_words

    @property
    def config(self) -> type[Configuration]:
        """Class of the options."""
        return self.files.config

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
        config : all options; its section ``data`` names files and output where the arguments below do not
        train : what to learn from: a path, or paths, or sentences
        dev : what to choose the best epoch on; without it, the last epoch is taken
        output : where the model is written (a directory or a ``.zip``), with a checkpoint after each epoch and when
            SIGTERM or ctrl-C ends the run; nothing is written if neither this nor ``config.data.output`` is given
        overwrite : whether a model, or the checkpoint of an interrupted run, may be replaced
        resume : whether to continue from the checkpoint in `output`; the model is the one that the run would have made
            without the interruption
        threads : how many; 0 is all that the machine has. The model does not depend on it
        licence : of the data, for the model's card
        progress : True shows lines and a bar, ``"auto"`` does so only on a terminal or in a notebook, False shows
            nothing; a function is called with every event of `ramify.learn.progress`

        Raises
        ------
        InterruptedTrainingError
            SIGTERM or ctrl-C ended the run; the message says how to continue. Without `output`, signals do what they
            always do.
        DivergedTrainingError
            The loss or a weight became infinite or not a number; the last good checkpoint is kept.
        """
        source = train if train is not None else config.data.train
        if not source:
            raise InvalidInputError("Training expects sentences: give train (--train FILE, or [data] train = …).")
        target = Path(output) if output else (Path(config.data.output) if config.data.output else None)
        if target is not None:
            _check_output(target, overwrite=overwrite, resume=resume)
        elif resume:
            raise InvalidInputError("Resuming expects the output directory of the run that was broken off.")
        self.check(config)
        advice = NOTHING_KEPT
        if resume:
            advice = f"Training was ended before it went on; the checkpoint is as it was. {RESUME}"
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
                with signals.finishing(f"The signal came when training was over; the model is whole: {target}"):
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
    """Check before any work that nothing is lost by writing there."""
    checkpoint = checkpoint_file(target)
    if checkpoint.exists() and not (overwrite or resume):
        raise InvalidInputError(
            f"{checkpoint.parent} keeps a run that was broken off. Go on with it by --resume, or start anew with "
            "--overwrite (in Python: resume=True, overwrite=True)."
        )
    check_target(target, overwrite=overwrite or (resume and checkpoint.exists()))
