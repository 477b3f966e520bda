"""``ramify validate``: what it prints, and its exit status."""

from __future__ import annotations

import json

import pytest

WRONG = "# sent_id = \n# text = \x1b[31mHi\n1\t\x1b[31mHi\t_\tDET\t_\t_\t0\tdep\t_\t_\n\n"


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(WRONG, encoding="utf-8")
    return path


def test_text(run, treebank):
    done = run("validate", treebank)
    assert done.returncode == 1
    assert done.stdout == (
        f"{treebank}:3: error: A sentence is named by '# sent_id = NAME', a name without spaces; found '# sent_id = '. "
        "[invalid-sent-id]\n"
        f"{treebank}:3: error: A sentence has one line '# sent_id = NAME'; found 0. [missing-sent-id]\n"
        f"{treebank}:3: word 1: error: HEAD is 0, so DEPREL is root; found dep. [0-is-not-root]\n"
    )
    assert done.stderr == "3 errors, 0 warnings\n"
    assert run("validate", stdin=WRONG).stdout == done.stdout.replace(str(treebank), "<stdin>")


def test_levels_and_choices(run, treebank):
    assert run("validate", treebank, "--level", 1).returncode == 0
    done = run("validate", treebank, "--level", 2, "--exclude", "missing-sent-id, invalid-sent-id")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "0 errors, 0 warnings\n")
    done = run("validate", "tests/data/ewt-sample-200.conllu", "--count")
    assert (done.returncode, done.stdout.split("\n")[0]) == (0, "25\twarning\tverbform-fin-without-mood"), done.stdout
    done = run("validate", "tests/data/ewt-sample-200.conllu", "--no-warnings")
    assert (done.stdout, done.stderr) == ("", "0 errors, 0 warnings\n")


def test_json(run, treebank):
    done = run("validate", treebank, "--format", "json", "--level", 3)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(f["line"], f["word"], f["check"]) for f in found][-1] == (3, "1", "0-is-not-root")
    assert found[0]["file"] == str(treebank)
    assert done.stderr == ""


def test_wrong_use(run, tmp_path):
    assert run("validate", "--format", "xml").returncode == 2
    assert "No such file" in run("validate", tmp_path / "no.conllu").stderr
