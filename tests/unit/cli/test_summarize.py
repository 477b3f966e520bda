from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ramify.cli import app

TEXT = "The old mill burned down on Friday. Nobody was hurt in the fire. The owner wants to build a new mill."


def run(*arguments, text=""):
    result = CliRunner().invoke(app, ["summarize", *arguments], input=text)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def test_formats(tmp_path):
    path = tmp_path / "mill.txt"
    path.write_text(TEXT, encoding="utf-8")
    text = run(str(path), "--words", "8")
    assert 0 < len(text.split()) <= 8
    found = json.loads(run(str(path), "--words", "8", "--format", "json", "--explain"))
    assert found["text"] + "\n" == text
    assert found["sentences"][0]["file"] == "mill.txt"
    assert len(found["explanation"]) == len(found["sentences"])
    page = run(str(path), "--words", "8", "--format", "html")
    assert page.startswith("<!doctype html>")
    assert 'href="#s1"' in page
    assert 'id="s1"' in page
    assert "<mark>" in page
    assert "mill.txt" in run(str(path), "--format", "table")
    assert "brings" in run(str(path), "--explain")


def test_clusters_files_and_threads(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(TEXT.replace("mill", f"mill{name}"), encoding="utf-8")
    together = run(str(tmp_path), "--words", "12")
    assert together == run(str(tmp_path), "--words", "12", "--threads", "2")
    each = [json.loads(line) for line in run(str(tmp_path), "--each", "--format", "json", "--words", "8").splitlines()]
    assert [row["id"] for row in each] == ["a.txt", "b.txt"]
    lines = tmp_path / "c.jsonl"
    lines.write_text(json.dumps({"id": "x", "text": TEXT}) + "\n" + json.dumps({"documents": [TEXT]}), encoding="utf-8")
    rows = [json.loads(line) for line in run(str(lines), "--format", "json", "--no-compress").splitlines()]
    assert [row["id"] for row in rows] == ["x", "2"]
    assert run("-", "--words", "8", text=TEXT)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ratio", "2"], "above 0 and at most 1"), (["--format", "x"], "text, html"),
        (["--words", "3", "--ratio", "0.5"], "exclude each other"), (["--model", "zz"], "no built-in summarizer"),
    ],
)  # fmt: skip
def test_wrong_options(options, message):
    assert message in str(CliRunner().invoke(app, ["summarize", "-", *options], input=TEXT).exception)
