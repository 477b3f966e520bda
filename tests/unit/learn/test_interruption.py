"""Signals during training: they end it at once, at a good place, or after it; and always with advice."""

from __future__ import annotations

import signal
import threading

import pytest

from ramify.errors import InterruptedTrainingError
from ramify.learn.interruption import interruptible

BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])


@BOTH
def test_anything_can_be_interrupted(number):
    before = signal.getsignal(number)
    with pytest.raises(InterruptedTrainingError, match="go home") as caught, interruptible(lambda: "go home"):
        signal.raise_signal(number)
    assert caught.value.signal == number
    assert signal.getsignal(number) is before


def test_advice_changes_as_training_gets_on():
    def work():
        with interruptible(lambda: "start again") as signals:
            signals.advice = lambda: "resume"
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(InterruptedTrainingError, match="resume"):
        work()


@BOTH
def test_loops_look_for_themselves_but_a_second_signal_does_not_wait(number):
    reached = []

    def work():
        with interruptible(lambda: "advice") as signals, signals.waiting():
            signal.raise_signal(number)
            reached.append(signals.received)
            signal.raise_signal(number)
            reached.append("never")

    with pytest.raises(InterruptedTrainingError, match="advice"):
        work()
    assert reached == [number]


@BOTH
def test_what_is_nearly_done_is_finished(number):
    reached = []

    def work():
        with interruptible(lambda: "x") as signals:
            with signals.finishing("all is written"):
                signal.raise_signal(number)
                signal.raise_signal(number)
                reached.append("end")
            reached.append("never")

    with pytest.raises(InterruptedTrainingError, match="all is written") as caught:
        work()
    assert reached == ["end"]
    assert caught.value.signal == number


def test_without_signals_nothing_changes():
    with interruptible(lambda: "x") as signals, signals.waiting(), signals.finishing("y"):
        pass
    with pytest.raises(KeyboardInterrupt), interruptible(lambda: "x"):
        raise KeyboardInterrupt


def test_other_threads_leave_signals_alone():
    seen = []

    def work():
        with interruptible(lambda: "x"):
            seen.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
