"""Ctrl-C and SIGTERM while a model is trained: training ends where nothing is lost, and says how to go on."""

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

NOTHING_KEPT = "Training was ended before there was anything to keep; start it again with the same command."
RESUME = "The same command with --resume goes on from there. (In Python, pass resume=True.)"


class Signals:
    """The signals that came while a model was trained.

    Attributes
    ----------
    received : number of the last signal, 0 if there was none
    advice : returns what an interrupted user is told
    """

    def __init__(self, advice: Callable[[], str]) -> None:
        self.received = 0
        self.advice = advice
        self._patience = 0  # how many signals are only noted before one ends what is going on

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Only note a signal in the block, which looks at `received`; a second one does not wait."""
        with self._noting(1):
            yield

    @contextlib.contextmanager
    def finishing(self, done: str) -> Iterator[None]:
        """Let the block end whatever comes, and only then be interrupted; `done` says what there is then."""
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
    """Turn ctrl-C and SIGTERM in the block into an `InterruptedTrainingError` that says how to go on.

    Parameters
    ----------
    advice : returns what the user is told; the block may replace it (`Signals.advice`) as it gets on
    active : whether to do so at all; else signals do what they always do
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
