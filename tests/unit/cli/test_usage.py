"""Wrong usage is exit status 2 in every command; what is wrong in a file is 1."""

from __future__ import annotations

import pytest

WRONG = [
    ("parse", "--format", "gif"),
    ("parse", "--decoder", "best"),
    ("parse", "--from", "xml"),
    ("parse", "--time-limit", "-1"),
    ("parse", "in.txt", "--text", "x"),
    ("parse", "--alternatives", "2"),
    ("draw", "in.conllu", "--format", "gif"),
    ("draw", "in.conllu", "--from", "xml"),
    ("draw", "in.conllu", "--tags", "pos"),
    ("explain", "--format", "pdf"),
    ("explain", "in.txt", "--text", "x"),
    ("convert", "in.conllu", "--to", "xml"),
    ("convert", "in.conllu", "--from", "xml"),
    ("convert", "in.conllu", "out.xml"),
    ("evaluate", "-", "-"),
    ("evaluate", "gold", "a", "a"),
    ("evaluate", "a", "b", "--by", "colour"),
    ("evaluate", "a", "b", "--punctuation", "some"),
    ("evaluate", "a", "b", "--plot", "x.gif"),
    ("evaluate", "a", "b", "--test", "luck"),
    ("evaluate", "a", "b", "--sequences", "--by", "label"),
    ("train", "--task", "foo"),
    ("train", "--preset", "foo", "--train", "x", "--output", "y"),
    ("train", "--train", "x"),
    ("train", "--output", "y"),
    ("train", "--task", "tag", "--output", "y"),
    ("train", "--train", "x", "--output", "y", "--training.epochs", "many"),
    ("train", "--train", "x", "--output", "y", "--training.colour", "red"),
    ("train", "--task", "tag", "--preset", "foo", "--train", "x", "--output", "y"),
    ("train", "--task", "tag", "--train", "x", "--output", "y", "--training.colour", "red"),
    ("train", "--task", "pipeline", "--output", "y"),
    ("train", "--task", "pipeline", "--treebank", "x"),
    ("train", "--task", "pipeline", "--treebank", "x", "--output", "y", "--preset", "foo"),
    ("train", "--task", "pipeline", "--treebank", "x", "--output", "y", "--parser.colour", "red"),
    ("reproduce", "everything", "--data", "x"),
    ("reproduce", "languages", "--data", "x", "--plot", "y.svg"),
    ("reproduce", "languages", "--data", "x", "--page", "y.md"),
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_is_status_2(run, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_is_wrong_in_a_file_is_status_1(run, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text("[training]\nepochs = 'many'\n")
    done = run("train", config, "--train", "x", "--output", tmp_path / "y")
    assert done.returncode == 1
    assert "training.epochs expects" in done.stderr
