"""Shows training to users: a line for every event and, on a terminal or in a notebook, a progress bar."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from ramify.learn.progress import Step
from ramify.printable import printable

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Display"]

_PATIENCE_SECONDS = 2.0
_REFRESH_SECONDS = 0.1


class Display:
    """Shows the events with which it is called. One console writes lines and bar, so that they never overlap."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._begun = time.monotonic()
        self._bar: Progress | None = None
        self._stage = ""
        self._stage_begun = 0.0
        self._words = 0
        self._shown = 0.0

    def __enter__(self) -> Display:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hide()

    def __call__(self, event: Any) -> None:
        """Show an event."""
        step = getattr(event, "step", event)  # that of a component, in the training of a pipeline
        if isinstance(step, Step):
            self._move(step)
        elif text := str(event):
            self._console.print(Text(printable(text, lines=True)), soft_wrap=True)

    def _move(self, step: Step) -> None:
        if not (self._console.is_terminal or self._console.is_jupyter):
            return
        now = time.monotonic()
        if step.stage != self._stage:
            self._hide()
            self._stage, self._stage_begun, self._words = step.stage, now, 0
        self._words += step.words
        if now - self._begun < _PATIENCE_SECONDS:
            return
        title = f"{step.stage} {step.epoch}/{step.epochs}" if step.epochs > 1 else step.stage
        if self._bar is None:
            self._bar = self._start(title, step.epochs * step.num_sentences)
        elif now - self._shown < _REFRESH_SECONDS:
            return
        self._shown = now
        done = (step.epoch - 1) * step.num_sentences + step.sentences
        task, state = self._bar.task_ids[0], self._state(step, now)
        self._bar.update(task, description=title, completed=done, state=state, refresh=True)

    def _state(self, step: Step, now: float) -> str:
        loss = "" if step.loss is None else f"loss {step.loss:.3f} · "
        return f"{loss}{self._words / max(now - self._stage_begun, 1e-9):,.0f} words/s"

    def _start(self, title: str, total: int) -> Progress:
        bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=12),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[state]}", markup=False),
            console=self._console,
            transient=True,
            auto_refresh=False,  # no second thread that writes: lines and bar come from here only
        )
        bar.add_task(title, total=total, state="")
        bar.start()
        return bar

    def _hide(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
