"""``ramify draw``, ``ramify explain`` and ``ramify parse --format``."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from ramify.data import Sentence, read


def test_draw_writes_what_the_suffix_says(run, sample, tmp_path):
    for suffix, start in ((".svg", "<svg"), (".html", "<!DOCTYPE"), (".tex", "\\documentclass"), (".dot", "digraph")):
        done = run("draw", sample, "--sentences", "2", "-o", tmp_path / f"tree{suffix}")
        assert done.returncode == 0
        assert done.stdout == ""
        assert (tmp_path / f"tree{suffix}").read_text().startswith(start)
    assert ET.fromstring((tmp_path / "tree.svg").read_text()).tag.endswith("svg")


def test_draw_prints_tables(run, sample):
    done = run("draw", sample, "--sentences", "1-2,5")
    assert done.returncode == 0
    assert done.stdout.count("id  form") == 3


def test_draw_reads_a_pipe(run, sample):
    done = run("draw", "--format", "json", stdin=next(read(sample)).to_conllu())
    assert json.loads(done.stdout)["sentences"][0]["words"][3]["form"] == "comes"


def test_sentences_by_name(run, sample):
    name = list(read(sample))[7].sent_id
    done = run("draw", sample, "--sentences", f"{name},1", "--format", "conllu")
    assert done.stdout.count("# sent_id") == 2
    assert f"# sent_id = {name}" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "wanted"),
    [
        (
            ("--sentences", "999"),
            1,
            "--sentences expects numbers (from 1), ranges or sent_ids of the input; '999' is none",
        ),
        (("--sentences", "nobody"), 1, "'nobody' is none"),
        (("--format", "gif"), 2, "--format expects one of conllu, table, json, svg"),
        (("--tags", "pos"), 2, "tags to be one of"),
        (("--width", "-5"), 2, "width to be a number at least 100"),
    ],
)
def test_wrong_drawings_are_named(run, sample, tmp_path, arguments, status, wanted):
    done = run("draw", sample, "-o", tmp_path / "tree.svg", *arguments)
    assert done.returncode == status
    assert wanted in done.stderr
    assert not (tmp_path / "tree.svg").exists()


@pytest.mark.parametrize("kind", ["svg", "html", "tikz", "dot", "table", "json", "displacy", "conllu"])
def test_parse_draws(run, model, sample, kind):
    sentence = next(read(sample))
    done = run("parse", model, "--format", kind, stdin=sentence.to_conllu())
    assert done.returncode == 0
    for form in sentence.forms:
        assert form in done.stdout


def test_parse_draws_what_it_doubts(run, model, sample):
    longest = max(read(sample), key=len)
    strange = Sentence(longest.forms[::-1], upos=longest.upos[::-1])  # so that there is doubt
    text = strange.to_conllu() * 2
    done = run("parse", model, "--format", "json", "--alternatives", "0.000001", stdin=text)
    words = [word for sentence in json.loads(done.stdout)["sentences"] for word in sentence["words"]]
    assert all(0 < word["probability"] <= 1 for word in words)
    assert any("alternatives" in word for word in words)
    assert "probability" not in run("parse", model, "--format", "json", stdin=text).stdout
    assert run("parse", model, "--format", "svg", "--k-best", 2, stdin=text).stdout.count("<desc>") == 4


def test_probabilities_survive_a_file(run, model, sample):
    text = list(read(sample))[3].to_conllu()
    parsed = run("parse", model, "--marginals", "--top-heads", 3, stdin=text).stdout
    direct = json.loads(run("parse", model, "--format", "json", "--alternatives", "0.01", stdin=text).stdout)
    through = json.loads(run("draw", "--format", "json", "--alternatives", "0.01", stdin=parsed).stdout)
    for a, b in zip(direct["sentences"][0]["words"], through["sentences"][0]["words"], strict=True):
        assert a["probability"] == pytest.approx(b["probability"], abs=1e-4)


def test_explain(run, model, sample, tmp_path):
    done = run("explain", model, sample, "--sentence", 2, "--word", 3)
    assert done.returncode == 0
    assert done.stdout.startswith("Why is ")
    facts = json.loads(run("explain", model, sample, "--sentence", 2, "--word", 3, "--format", "json").stdout)
    assert f"{facts['difference']:+.4f}" in done.stdout
    page = tmp_path / "why.html"
    assert run("explain", model, sample, "--word", 2, "--format", "html", "-o", page).returncode == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    text = tmp_path / "why.txt"
    assert run("explain", model, sample, "--sentence", 2, "--word", 3, "-o", text).returncode == 0
    assert text.read_text().startswith("Why is ")


def test_explain_prices_constraints(run, model, sample):
    sentence = next(read(sample))
    sentence.misc = ["NotHead=3", *["_"] * (len(sentence) - 1)]
    done = run("explain", model, "--word", 2, "--misc-constraints", stdin=sentence.to_conllu())
    assert "word 1: NotHead=3" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "wanted"),
    [
        (("--word", 99), 1, "explain expects word to be a whole number, 1 to "),
        (("--sentence", "1-2", "--word", 1), 2, "--sentence expects one sentence; '1-2' names 2"),
        (("--format", "svg"), 2, "--format expects one of text, json, html; got 'svg'"),
        (
            ("-o", "why.pdf"),
            2,
            "--output expects a file whose suffix names its format (.txt, .json, .html, .htm); got 'why.pdf'",
        ),
        (("--word", 1, "--label", "nonsense"), 1, "a label that the model has"),
    ],
)
def test_wrong_questions_are_named(run, model, sample, arguments, status, wanted):
    done = run("explain", model, sample, *arguments)
    assert done.returncode == status
    assert wanted in done.stderr


def test_empty_input_is_named(run):
    for command in (("explain",), ("draw", "--sentences", "1")):
        done = run(*command, stdin="")
        assert (done.returncode, done.stdout) == (1, "")
        assert "The input has no sentences. Name a file, or pipe text" in done.stderr
