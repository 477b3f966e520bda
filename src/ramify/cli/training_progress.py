"""What ``ramify train`` shows: a line for every epoch, and on a terminal a bar between them."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ramify.cli.console import message
from ramify.parsing import EpochDone, Pruned, Started, Step

if TYPE_CHECKING:
    from types import TracebackType

    from ramify.parsing import Event

__all__ = ["TrainingProgress"]

_PATIENCE_SECONDS = 2.0


class TrainingProgress:
    """Call it with the events of a run."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._bar: Progress | None = None
        self._stage = ""
        self._stage_begun = 0.0
        self._words = 0
        self._done_before = 0
        self._scores = ""

    def __enter__(self) -> TrainingProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hide()

    def __call__(self, event: Event) -> None:
        """Show an event."""
        if isinstance(event, Step):
            self._step(event)
            return
        if isinstance(event, Started):
            text = f"{event.sentences:,} sentences, {event.words:,} words"
            if event.without_tree:
                text += f"; {event.without_tree:,} sentences are left out: no whole tree, or too many roots"
        elif isinstance(event, Pruned):
            text = f"pruner: {event.heads_per_word:.2f} heads a word, {100 * event.recall:.2f}% of the right ones"
            text += f" ({event.on})"
        else:
            text = self._epoch(event)
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            message(text)

    def _epoch(self, event: EpochDone) -> str:
        text = f"epoch {event.epoch:>{len(str(event.epochs))}}: loss {event.loss:.3f}"
        if event.uas is not None and event.las is not None:
            self._scores = f"UAS {100 * event.uas:.2f}, LAS {100 * event.las:.2f}"
            text += f", dev {self._scores}" + (" (best so far)" if event.best else "")
        return f"{text}; {100 * event.certified:.1f}% certified, {event.num_weights:,} weights"

    def _step(self, event: Step) -> None:
        if not sys.stderr.isatty():
            return
        now = time.monotonic()
        done = (event.epoch - 1) * event.num_sentences + event.sentences
        if event.stage != self._stage:
            self._hide()
            self._stage, self._stage_begun, self._words = event.stage, now, 0
            self._done_before = done
            return
        self._words += event.words
        if now - self._begun < _PATIENCE_SECONDS:
            return
        speed = self._words / max(now - self._stage_begun, 1e-9)
        title = f"{event.stage} {event.epoch}/{event.epochs}"
        state = f"loss {event.loss:.3f} · {speed:,.0f} words/s" + (f" · {self._scores}" if self._scores else "")
        if self._bar is None:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(bar_width=12),
                TimeRemainingColumn(compact=True),
                TextColumn("{task.fields[state]}"),
            )
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            total = event.epochs * event.num_sentences
            self._bar.add_task(title, total=total, completed=done, state=state)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], description=title, completed=done, state=state)

    def _hide(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
