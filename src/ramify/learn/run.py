"""One training run: epochs over shuffled sentences, the best weights, checkpoints, signals.

A task supplies a `Learner`, which knows what is learned; the run knows everything else, so that every task can be
interrupted at any moment and resumed bit for bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InterruptedTrainingError
from ramify.learn.checkpoint import (
    Checkpoint,
    Position,
    load_checkpoint,
    refused,
    remove_checkpoint,
    save_checkpoint,
)
from ramify.learn.divergence import check_finite
from ramify.learn.interruption import NOTHING_KEPT, RESUME, Signals
from ramify.learn.progress import EpochDone, Report, Resumed, Started, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

__all__ = ["Arrays", "Learner", "Run"]

Arrays = dict[str, "npt.NDArray[Any]"]


class Learner(ABC):
    """What a task knows of one training run.

    Attributes
    ----------
    title : what messages call the model
    stage : name of the steps in which sentences are learned
    remedy : what a user can do when the loss or a weight becomes infinite
    left : what is still to do after the last epoch
    epochs, patience, seed : as in the options
    batch : number of sentences that learn from the same weights
    chunk : number of sentences between two checks for signals, and between two steps that are reported
    phases : how often all epochs are run
    lengths : words of each sentence, shape (sentences,)
    unbounded : names of arrays of the state that may hold infinities
    trainer : learns; it is made by `started` or by `begin`
    """

    title: str
    stage: str
    remedy: str
    left: str = "scores on dev"
    epochs: int
    patience: int = 0
    seed: int
    batch: int = 1
    chunk: int = 64
    phases: int = 1
    lengths: npt.NDArray[np.int64]
    unbounded: tuple[str, ...] = ()
    trainer: Any

    @abstractmethod
    def started(self) -> Started:
        """Return the first event of the run, or raise an error if there is nothing to learn from."""

    def prepare(self, run: Run) -> None:  # noqa: B027 - not every task needs it
        """Do what comes before the first epoch; a resumed run does not repeat it."""

    def begin(self, run: Run) -> None:  # noqa: B027 - not every task needs it
        """Make ready for the first epoch, or for that of a resumed run."""

    def order(self, epoch: int) -> npt.NDArray[np.int64]:
        """Return the numbers of all sentences in the order of an epoch, shape (sentences,)."""
        return np.random.default_rng([self.seed, epoch]).permutation(len(self.lengths)).astype(np.int64)

    def cut(self, order: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
        """Yield the sentences of an order, shape (sentences,), in chunks of whole batches."""
        size = self.batch * max(1, self.chunk // self.batch)
        for begin in range(0, len(order), size):
            yield order[begin : begin + size]

    @abstractmethod
    def learn(self, chunk: npt.NDArray[np.int64]) -> Mapping[str, float]:
        """Learn from sentences, shape (chunk,).

        Returns
        -------
        What is summed over the epoch, ``loss`` and ``sentences`` among it
        """

    def end_epoch(self) -> None:  # noqa: B027 - not every task needs it
        """Tell the trainer that an epoch is over."""

    def next_phase(self) -> None:  # noqa: B027 - not every task needs it
        """Make ready for the next phase."""

    def scores(self) -> Mapping[str, float]:
        """Return the scores on the dev data after an epoch, the one that counts last; none without dev data."""
        return {}

    def figures(self, sums: Mapping[str, float]) -> Mapping[str, float]:
        """Return other numbers that are reported after an epoch."""
        return {}

    @abstractmethod
    def keep(self) -> None:
        """Remember the weights as they are now: they are the best so far."""

    @abstractmethod
    def kept(self) -> Arrays:
        """Return the arrays of the best weights so far, and all that `prepare` made."""

    def state(self) -> Arrays:
        """Return the arrays of the trainer from which it can go on."""
        state: Arrays = self.trainer.state()
        return state

    @abstractmethod
    def restore(self, kept: Arrays) -> None:
        """Take back what `kept` returned; raises a ValueError or KeyError if the arrays do not fit together."""

    def restore_state(self, state: Arrays) -> None:
        """Take back what `state` returned, after `begin`; raises as `restore` does."""
        self.trainer.restore(state)

    @abstractmethod
    def result(self, run: Run) -> Any:
        """Return the state of the model with the best weights."""

    def facts(self, state: Any) -> dict[str, Any]:
        """Return what the card says of the model besides data, date and scores."""
        return {}

    def dev_scores(self, state: Any, run: Run) -> dict[str, Any]:
        """Return what the card says of the model on the dev data, as it will be saved."""
        return {}

    def inputs(self) -> list[str]:
        """Return checksums of other files that the run depends on."""
        return []


@dataclass(eq=False)
class Run:
    """One training run and its position.

    Parameters
    ----------
    learner : of the task
    identity : checksum of all that the run depends on
    checkpoint : where checkpoints go; None: there are none
    report : is called with all events
    signals : that came so far
    """

    learner: Learner
    identity: str
    checkpoint: Path | None
    report: Report
    signals: Signals
    position: Position = field(default_factory=Position, init=False)

    def result(self, *, resume: bool) -> Any:
        """Learn to the end and return the state of the model."""
        self.report(self.learner.started())
        arrays = self._restore() if resume else None
        self.signals.advice = self._advice
        if arrays is None:
            if self.checkpoint is not None:
                remove_checkpoint(self.checkpoint)  # of a run that this one replaces
            with self.signals.waiting():
                self.learner.prepare(self)
        with self.signals.waiting():
            if not self._is_done():
                self.learner.begin(self)
                if arrays is not None:
                    self._taking(self.learner.restore_state, arrays, "trainer.")
                self._learn()
            return self.learner.result(self)

    # -- what learners call ------------------------------------------------------------------------------------------

    def counter(self, stage: str, total: int) -> Callable[[Sequence[Any]], None]:
        """Return a function that is to be called with every few sentences that are done after the last epoch."""
        done = 0

        def count(sentences: Sequence[Any]) -> None:
            nonlocal done
            done += len(sentences)
            self.report(Step(stage, 1, 1, done, total, sum(map(len, sentences))))
            if self.signals.received:
                self._stop(f"{stage} of the learned model")

        return count

    @property
    def best(self) -> dict[str, int]:
        """Which epoch was the best, and how many there are, for the card."""
        return {"epoch": self.position.best_epoch + 1, "epochs": self.learner.epochs}

    def chunks(self, order: npt.NDArray[np.int64], start: int = 0) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
        """Yield sentences in whole batches, each with the number of those done after it; order has shape (n,)."""
        done = 0
        for chunk in self.learner.cut(order):
            done += len(chunk)
            if done > start:
                yield done, chunk

    def step(self, stage: str, epoch: int, epochs: int, done: int, chunk: npt.NDArray[np.int64], loss: float) -> None:
        """Report that sentences are learned from, shape (chunk,)."""
        words = int(self.learner.lengths[chunk].sum())
        self.report(Step(stage, epoch + 1, epochs, done, len(self.learner.lengths), words, loss))

    def save(self, state: Arrays | None = None) -> None:
        """Write a checkpoint if there is a place for it; after the last epoch, nothing of the trainer is needed.

        Parameters
        ----------
        state : of the trainer, where the caller has it
        """
        if self.checkpoint is None:
            return
        arrays = {f"kept.{name}": array for name, array in self.learner.kept().items()}
        if not self._is_done():
            state = state or self.learner.state()
            self._check_weights(state)
            arrays |= {f"trainer.{name}": array for name, array in state.items()}
        save_checkpoint(Checkpoint(self.position, self.identity, arrays), self.checkpoint)

    # -- epochs ------------------------------------------------------------------------------------------------------

    def _learn(self) -> None:
        while True:
            while not self._is_phase_done():
                self._learn_epoch()
            if self._is_done():
                return
            self.learner.next_phase()
            self.position = Position(phase=self.position.phase + 1, notes=self.position.notes)

    def _is_done(self) -> bool:
        return self.position.phase + 1 == self.learner.phases and self._is_phase_done()

    def _is_phase_done(self) -> bool:
        position, learner = self.position, self.learner
        tired = position.best_score >= 0 and 0 < learner.patience <= position.epoch - 1 - position.best_epoch
        return position.epoch >= learner.epochs or tired

    def _learn_epoch(self) -> None:
        position, learner, sums = self.position, self.learner, self.position.sums
        for done, chunk in self.chunks(learner.order(position.epoch), position.sentence):
            for name, value in learner.learn(chunk).items():
                sums[name] = sums.get(name, 0) + value
            position.sentence = done
            self._check(self._loss(), "the loss")
            self.step(learner.stage, position.epoch, learner.epochs, done, chunk, self._loss())
            if self.signals.received:
                self._stop(f"epoch {position.epoch + 1}, sentence {position.sentence:,}")
        learner.end_epoch()
        state = learner.state()
        self._check_weights(state)
        self._end_epoch()
        self.save(state)
        if self.signals.received:
            self._stop(f"epoch {position.epoch}, all sentences")

    def _loss(self) -> float:
        sums = self.position.sums
        return sums["loss"] / max(sums["sentences"], 1)

    def _end_epoch(self) -> None:
        position, learner = self.position, self.learner
        scores = learner.scores()
        score = list(scores.values())[-1] if scores else -1.0
        last = position.epoch + 1 == learner.epochs
        better = score > position.best_score if scores else last
        if better:
            learner.keep()
            position.best_epoch, position.best_score = position.epoch, score
        figures = learner.figures(position.sums)
        self.report(EpochDone(position.epoch + 1, learner.epochs, self._loss(), scores, figures, better))
        position.epoch += 1
        position.sentence = 0
        position.sums = {}

    # -- what can go wrong -------------------------------------------------------------------------------------------

    def _check_weights(self, state: Arrays) -> None:
        for name, array in state.items():
            if name not in self.learner.unbounded:
                self._check(array, "a weight")

    def _check(self, values: npt.ArrayLike, what: str) -> None:
        def kept() -> str:
            there = self.checkpoint is not None and self.checkpoint.is_file()
            return f"The last good checkpoint is kept in {self.checkpoint}. " if there else ""

        who = f"{self.learner.title} (epoch {self.position.epoch + 1})"
        check_finite(who, values, what, kept, remedy=self.learner.remedy)

    def _restore(self) -> Arrays:
        assert self.checkpoint is not None  # noqa: S101 - whoever resumes has an output
        unbounded = {f"trainer.{name}" for name in self.learner.unbounded}
        restored = load_checkpoint(self.checkpoint, self.identity, unbounded)
        self.position = position = restored.position
        self._taking(self.learner.restore, restored.arrays, "kept.")
        left = self.learner.left if self._is_done() else ""
        self.report(Resumed(position.epoch, self.learner.epochs, position.sentence, left))
        return restored.arrays

    def _taking(self, take: Callable[[Arrays], None], arrays: Arrays, prefix: str) -> None:
        mine = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        try:
            take(mine)
        except (KeyError, ValueError, TypeError) as error:
            assert self.checkpoint is not None  # noqa: S101 - it was read
            found = str(error).rstrip(".")
            raise refused(self.checkpoint, f"{found}, so that its arrays do not fit together") from None

    def _advice(self) -> str:
        if self.checkpoint is None or not self.checkpoint.is_file():
            return NOTHING_KEPT
        return f"Training was interrupted; the progress until then is saved in {self.checkpoint}. {RESUME}"

    def _stop(self, where: str) -> None:
        self.save()
        raise InterruptedTrainingError(
            f"Training was interrupted ({where}); the progress is saved in {self.checkpoint}. {RESUME}",
            self.signals.received,
        )
