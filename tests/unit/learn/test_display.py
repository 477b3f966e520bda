"""Lines and bar on a terminal: one after the other, never into each other."""

from __future__ import annotations

import io

import pyte
import pytest
from rich.console import Console

from ramify.learn import display
from ramify.learn.display import Display
from ramify.learn.progress import Step
from ramify.parsing import Pruned
from ramify.pipeline.progress import Inner, StepBegun, StepDone


class Terminal:
    """What a person sees of the bytes that are written."""

    def __init__(self, width):
        self.screen = pyte.Screen(width, 60)
        self.stream = pyte.Stream(self.screen)
        self.file = io.StringIO()
        self.console = Console(file=self.file, force_terminal=True, width=width, height=60, color_system=None)

    def lines(self):
        self.stream.feed(self.file.getvalue().replace("\n", "\r\n"))
        self.file.seek(0)
        self.file.truncate()
        return [line.rstrip() for line in self.screen.display if line.strip()]


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(display, "_PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(display, "_REFRESH_SECONDS", 0.0)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_pipeline_leaves_its_lines_and_nothing_else(width):
    terminal = Terminal(width)
    with Display(terminal.console) as show:
        for name in ("upos", "upos, fold 1 of 2", "upos, fold 2 of 2"):
            show(StepBegun(name))
            for epoch in (1, 2):
                for done in (10, 20):
                    show(Inner(name, Step("upos", epoch, 2, done, 20, 100, 1.5)))
            assert terminal.lines()[-1].startswith(name[:15] if width < 80 else f"{name} 2/2 ━"), terminal.lines()
            show(StepDone(name, 1.0))
        show(StepBegun("parser"))
        show(Inner("parser", Step("pruner", 1, 1, 20, 20, 100, 1.5)))
        show(Inner("parser", Pruned(2, 1, "dev")))
        show(Inner("parser", Step("calibration", 1, 1, 10, 20, 100)))
    names = ("upos", "upos, fold 1 of 2", "upos, fold 2 of 2")
    lines = [line for name in names for line in (f"{name} …", f"{name}: 1.0 s")]
    last = "pruner: 2.00 heads per word, 100.00% of the gold heads kept (dev)"
    # A narrow terminal breaks the last line at a space, which is not in what it shows.
    assert "".join(terminal.lines()).replace(" ", "") == "".join([*lines, "parser …", last]).replace(" ", "")


def test_bars_say_what_is_known():
    terminal = Terminal(100)
    with Display(terminal.console) as show:
        show(Step("parser", 1, 2, 10, 20, 100, 1.5))
        assert terminal.lines()[-1].startswith("parser 1/2 ")
        assert "loss 1.500 · " in terminal.screen.display[terminal.screen.cursor.y]
        show(Step("calibration", 1, 1, 10, 20, 100))
        assert terminal.lines()[-1].startswith("calibration ")
        assert not any("loss" in line for line in terminal.lines())
    assert terminal.lines() == []


def test_text_of_strangers_is_shown_as_it_is():
    shown = io.StringIO()
    with Display(Console(file=shown, width=80)) as display:
        display("[/bold] :smile: \x1b[31mred")
    assert shown.getvalue() == "[/bold] :smile: ␛[31mred\n"
