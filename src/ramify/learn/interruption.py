"""Handle ctrl-C and SIGTERM during training: training stops without losing progress and says how to continue."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Any

from ramify.errors import InterruptedTrainingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

__all__ = ["NOTHING_KEPT", "RESUME", "Signals", "interruptible"]

NOTHING_KEPT = "Training was interrupted before anything was saved; start it again with the same command."
RESUME = "To continue, run the same command with --resume. (In Python, pass resume=True.)"


class Signals:
    """The signals that were received during training.

    Attributes
    ----------
    received : number of the last signal; 0 if there was none
    advice : function that returns the message for the user after an interruption
    """

    def __init__(self, advice: Callable[[], str]) -> None:
        self.received = 0
        self.advice = advice
        self._patience = 0  # how many signals are only noted before one ends what is going on

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Record a signal in the block, which checks `received`. A second signal interrupts the block at once."""
        with self._noting(1):
            yield

    @contextlib.contextmanager
    def finishing(self, done: str) -> Iterator[None]:
        """Let the block finish before a signal interrupts the program; `done` is the message in this case."""
        with self._noting(1 << 30):
            yield
        if self.received:
            raise InterruptedTrainingError(done, self.received)

    @contextlib.contextmanager
    def _noting(self, patience: int) -> Iterator[None]:
        before, self._patience = self._patience, patience
        try:
            yield
        finally:
            self._patience = before

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.received = number
        if self._patience == 0:
            raise KeyboardInterrupt
        self._patience -= 1


@contextlib.contextmanager
def interruptible(advice: Callable[[], str], *, active: bool = True) -> Iterator[Signals]:
    """Turn ctrl-C and SIGTERM in the block into an `InterruptedTrainingError` that says how to continue.

    Parameters
    ----------
    advice : function that returns the message for the user; the block can replace it later (`Signals.advice`)
    active : whether signals are handled; otherwise they have their usual effect
    """
    signals = Signals(advice)
    old: dict[signal.Signals, Any] = {}
    try:
        # Only the main thread may set handlers.
        if active and threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                old[number] = signal.signal(number, signals._receive)
        yield signals
    except KeyboardInterrupt:
        if not signals.received:
            raise
        raise InterruptedTrainingError(signals.advice(), signals.received) from None
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
