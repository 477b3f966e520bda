"""Text of strangers on a terminal: never read as markup, never obeyed."""

from __future__ import annotations

import io

import pytest
from rich.table import Table

from ramify.cli.console import PlainConsole, data_console, message
from ramify.cli.slow_progress import SlowProgress

LABELS = ("[/bold]", "[red]x[/red]", ":smile:", "\x9b31mred", "a\x9bb")


def treebank(label, form="a", name="s1"):
    return f"# sent_id = {name}\n1\t{form}\t_\tX\t_\t_\t0\t{label}\t_\t_\n\n"


@pytest.mark.parametrize("label", LABELS)
def test_evaluation_shows_any_label(run, tmp_path, label):
    path = tmp_path / "a[b]\x1b[1m.conllu"
    path.write_text(treebank(label), encoding="utf-8")
    done = run("evaluate", path, path, "--by", "label", "--subtypes")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert "\x9b" not in done.stdout
    assert label.replace("\x9b", "\ufffd") in done.stdout


@pytest.mark.parametrize("label", LABELS)
def test_tables_and_information_show_any_text(run, tmp_path, label):
    path = tmp_path / f"{label.replace('/', '')}.conllu"
    path.write_text(treebank(label, form=label, name=label), encoding="utf-8")
    for arguments in (("draw", path), ("info", path)):
        done = run(*arguments)
        assert done.returncode == 0
        assert not {"\x1b", "\x9b"} & set(done.stdout + done.stderr)
        assert label.replace("\x9b", "\ufffd") in done.stdout


def test_errors_show_any_text(run, tmp_path):
    path = tmp_path / "[bold]\x1b[31m.conllu"
    path.write_text("1\t\x1b[31mx\t_\t_\t_\t_\tseven\troot\t_\t_\n\n")
    done = run("convert", path, "-")
    assert done.returncode == 1
    assert "[bold]␛[31m.conllu:1: FORM" in done.stderr
    assert "\x1b" not in done.stderr


def test_files_for_programs_keep_every_character(run):
    text = treebank("[/bold]", form="a\x9b31mb:smile:")
    assert run("convert", "-", "-", stdin=text).stdout == text


def test_explanations_show_any_text(run, model):
    done = run("explain", model, stdin=treebank("root", form="[/bold]\x9b31m"))
    assert done.returncode == 0
    assert "[/bold]\ufffd31m" in done.stdout
    assert "\x9b" not in done.stdout


def test_consoles(capsys):
    stream = io.StringIO()
    table = Table("[/x]", title="[bold]\x1b")
    table.add_row(":smile:[/bold]")
    data_console(stream).print(table)
    assert all(text in stream.getvalue() for text in ("[/x]", "[bold]␛", ":smile:[/bold]"))
    message("[/bold] \x1b[31m :smile:", style="red")
    assert capsys.readouterr().err == "[/bold] ␛[31m :smile:\n"


def test_progress_of_a_file_with_an_odd_name(monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("ramify.cli.slow_progress._PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(
        "ramify.cli.slow_progress.PlainConsole", lambda stderr: PlainConsole(file=shown, force_terminal=True, width=200)
    )
    with SlowProgress("Reading [/bold]\x1b]0;x", total=2) as progress:
        progress.advance(1)
    assert "Reading [/bold]␛]0;x" in shown.getvalue()


def test_figures_show_any_text(run, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "a$x.conllu"
    path.write_text(treebank(r"$\frac$"), encoding="utf-8")
    done = run("evaluate", path, path, "--by", "label", "--plot", tmp_path / "a.svg")
    assert done.returncode == 0, done.stderr
    assert r"$\frac$" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_unknown_commands_show_any_text(run):
    done = run("[/bold]")
    assert done.returncode == 2
    assert "[/bold]" in done.stderr
