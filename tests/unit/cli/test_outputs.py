"""What commands write: the format that a suffix names, every option in every format or an error, ranks of trees."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import subprocess
import sys

import pytest

from ramify.cli.pictures import FORMATS
from ramify.data import read
from ramify.pipeline import Doc
from ramify.viz import Format

TEXT = "I like it. You like them."
needs_cairo = pytest.mark.skipif(importlib.util.find_spec("cairosvg") is None, reason="needs the extra pictures")


def test_the_command_line_knows_every_format():
    assert sorted(FORMATS) == sorted(Format)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("x.svg", "<svg"),
        ("x.html", "<!DOCTYPE"),
        ("x.tex", "\\documentclass"),
        ("x.gv", "digraph"),
        ("x.json", '{"version": 1, "language": "en", "sentences"'),
        ("x.txt", "# 1"),
        ("x.conllu", "# newpar\n# sent_id"),
        ("x.conllx", "1\tI\t"),
        ("x", "# newpar\n# sent_id"),
    ],
)
def test_the_suffix_chooses(run, pipeline_model, tmp_path, name, start):
    done = run("parse", pipeline_model, "--text", TEXT, "-o", tmp_path / name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize("command", ["parse", "draw"])
def test_unknown_suffixes_are_wrong_usage(run, sample, tmp_path, command):
    done = run(command, sample, "-o", tmp_path / "x.jpg")
    assert done.returncode == 2
    assert "--output expects a file whose suffix names its format (.svg, .png" in done.stderr
    assert "x.jpg'. Use another name, or say the format with --format." in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_format_that_is_given_wins(run, sample, tmp_path):
    done = run("draw", sample, "--sentences", 1, "--format", "html", "-o", tmp_path / "x.svg")
    assert done.returncode == 0
    assert (tmp_path / "x.svg").read_text().startswith("<!DOCTYPE")
    done = run("draw", sample, "--sentences", 1, "--format", "svg", "-o", tmp_path / "x.jpg")
    assert (tmp_path / "x.jpg").read_text().startswith("<svg")


@needs_cairo
@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_pictures_of_pixels_and_pages(run, sample, tmp_path, suffix, magic):
    path = tmp_path / f"tree{suffix}"
    assert run("draw", sample, "--sentences", "1-2", "-o", path).returncode == 0
    assert path.read_bytes().startswith(magic)


def test_pictures_name_the_extra(run, sample, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    done = run("draw", sample, "--sentences", 1, "-o", tmp_path / "tree.png")
    assert done.returncode == 1
    assert "pip install 'ramify[pictures]'" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "arguments", "wanted"),
    [
        ("parse", ("--width", 500), "--width has no meaning in the format conllu; it is for svg, png, pdf, html"),
        ("parse", ("--format", "table", "--width", 500), "--width has no meaning in the format table"),
        ("parse", ("--format", "displacy", "--alternatives", 0.1), "--alternatives has no meaning in the format disp"),
        ("parse", ("--format", "json", "--top-heads", 2), "--top-heads writes to CoNLL-U; got the format json"),
        (
            "parse",
            ("-o", "x.conllx", "--k-best", 2),
            "--k-best has no place in CoNLL-X, which 'x.conllx' is by its suffix",
        ),
        ("parse", ("-o", "x.conll.gz", "--top-heads", 2), "--top-heads has no place in CoNLL-X"),
        ("parse", ("-o", "x.conllx", "--marginals"), "--marginals has no place in CoNLL-X"),
        ("parse", ("-o", "x.conllx", "--probabilities"), "--probabilities has no place in CoNLL-X"),
        ("parse", ("-o", "x.conllx", "--alternatives", 0.1), "--alternatives has no place in CoNLL-X"),
        ("parse", ("--format", "svg", "--json"), "--json is the same as --format json; got --format svg too"),
        ("draw", ("--format", "conllu", "--lemmas"), "--lemmas has no meaning in the format conllu"),
        ("draw", ("--format", "json", "--tags", "xpos"), "--tags has no meaning in the format json"),
    ],
)
def test_options_that_mean_nothing_are_refused(run, sample, command, arguments, wanted):
    done = run(command, sample, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert wanted in done.stderr


def test_probabilities_in_conllu(run, pipeline_model):
    plain = run("parse", pipeline_model, "--text", TEXT, "--probabilities").stdout
    assert plain == run("parse", pipeline_model, "--text", TEXT, "--marginals").stdout
    assert plain.count("ArcProb=") == 8
    assert "HeadProbs" not in plain
    (first, _) = read(io.StringIO(run("parse", pipeline_model, "--text", TEXT, "--alternatives", 0.0001).stdout))
    for head, misc in zip(first.heads.tolist(), first.misc, strict=True):
        found = dict(pair.split(":") for pair in re.search(r"HeadProbs=([^|]+)", misc)[1].split(","))
        assert all(float(p) >= 0.0001 for p in found.values())
        assert str(head) in found


def test_k_best_trees_have_probabilities_of_their_own_arcs(run, model, sample):
    longest = max(read(sample), key=len)
    done = run("parse", model, "--k-best", 2, "--marginals", "--top-heads", 9, stdin=longest.to_conllu())
    for sentence in read(io.StringIO(done.stdout)):
        for head, misc in zip(sentence.heads.tolist(), sentence.misc, strict=True):
            known = dict(pair.split(":") for pair in re.search(r"HeadProbs=([^|]+)", misc)[1].split(","))
            assert f"ArcProb={known.get(str(head), '0.0000')}" in misc


@pytest.mark.parametrize("format", [name for name in FORMATS if name not in ("png", "pdf", "json", "conllu")])
def test_k_best_trees_carry_their_rank(run, model, sample, format):
    done = run("parse", model, "--k-best", 3, "--format", format, stdin=max(read(sample), key=len).to_conllu())
    found = re.findall(r"tree (\d): score (-?\d+\.\d{4}), probability (\d\.\d{4})", done.stdout)
    assert sorted({int(rank) for rank, _, _ in found}) == [1, 2, 3]
    assert sum({int(rank): float(p) for rank, _, p in found}.values()) == pytest.approx(1, abs=1e-3)


def test_k_best_trees_carry_their_rank_in_data(run, model, sample):
    text = max(read(sample), key=len).to_conllu()
    as_json = json.loads(run("parse", model, "--k-best", 3, "--json", stdin=text).stdout)
    conllu = list(read(io.StringIO(run("parse", model, "--k-best", 3, stdin=text).stdout)))
    for rank, (value, sentence) in enumerate(zip(as_json["sentences"], conllu, strict=True), 1):
        tree = value["tree"]
        assert tree["rank"] == int(sentence.metadata("tree_rank")) == rank
        assert tree["score"] == float(sentence.metadata("tree_score"))
        assert tree["probability"] == float(sentence.metadata("tree_probability"))
        assert value["start"] == 0
        assert [word["head"] for word in value["words"]] == sentence.heads.tolist()
    # CoNLL-X has no comments, but pictures of it have captions.
    tagged = run("convert", "-", "--to", "conllx", stdin=text).stdout
    done = run("parse", model, "--k-best", 2, "--format", "table", "--from", "conllx", stdin=tagged)
    assert "# tree 2: score" in done.stdout
    done = run("parse", model, "--k-best", 2, "--from", "conllx", stdin=tagged)
    assert done.returncode == 1
    assert "--k-best writes ranks into comments, which CoNLL-X does not have" in done.stderr


def test_json_is_one_document(run, pipeline_model, nlp):
    done = run("parse", pipeline_model, "--text", TEXT, "--json")
    assert done.stdout == run("parse", pipeline_model, "--text", TEXT, "--format", "json").stdout
    value = json.loads(done.stdout)
    whole = nlp(TEXT).to_json()
    assert value["sentences"] == whole["sentences"]
    assert Doc.from_json(value).to_json() == whole
    assert len(done.stdout.splitlines()) == len(whole["sentences"]) + 2


def test_unwritable_output_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "x.svg"
    command = [sys.executable, "-m", "ramify", "draw", "-", "-o", str(target)]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"ramify: {target}: Not a directory\n"
