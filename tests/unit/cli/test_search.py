"""``ramify search``: what it finds, and how it is written."""

from __future__ import annotations

import io
import json

import pytest

from ramify.data import Sentence, read, write
from ramify.search import search

SAMPLE = "tests/data/ewt-sample-200.conllu"
PASSIVE = "V [upos=VERB]; V -[nsubj:pass]-> S"


@pytest.fixture
def treebank(tmp_path):
    sentence = Sentence(
        ["[bold]Dogs", "bark", "!"],
        upos=["NOUN", "VERB", "PUNCT"],
        heads=[2, 0, 2],
        deprels=["nsubj", "root", "[/red]"],
        misc=["_", "SpaceAfter=No", "_"],
        comments=["# sent_id = s\x1b[31m1"],
    )
    write([sentence, Sentence(["Hi"], upos=["INTJ"])], tmp_path / "small.conllu")
    return tmp_path / "small.conllu"


def test_text(run, treebank):
    done = run("search", "V -[nsubj]-> S", treebank)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "s␛[31m1: [S [bold]Dogs] [V bark]!\n"
    piped = run("search", "V -[nsubj]-> S", stdin=treebank.read_text(encoding="utf-8"))
    assert piped.stdout == done.stdout
    assert run("search", "X [upos=X]", treebank).stdout == ""


def test_counts(run, treebank, tmp_path):
    wanted = list(search(SAMPLE, PASSIVE))
    sentences = {match.sentence.sent_id for match in wanted}
    done = run("search", PASSIVE, SAMPLE, "--count")
    assert done.stdout == f"{len(wanted)} matches in {len(sentences)} sentences\n"
    done = run("search", "e: X -> Y", treebank, "--by", "X.upos,e.label")
    assert done.stdout == "matches\tX.upos\te.label\n1\tVERB\t[/red]\n1\tVERB\tnsubj\n"
    done = run("search", "X []", treebank, SAMPLE, "--by", "X.Tense", "--limit", 3, "--output", tmp_path / "counts.txt")
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "counts.txt").read_text() == "matches\tX.Tense\n3\t_\n"


def test_conllu(run, tmp_path):
    wanted = list(search(SAMPLE, PASSIVE))
    done = run("search", PASSIVE, SAMPLE, "--output", tmp_path / "found.conllu")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    found = list(read(tmp_path / "found.conllu"))
    assert [s.sent_id for s in found] == list(dict.fromkeys(match.sentence.sent_id for match in wanted))
    assert found[0].metadata("match") == " ".join(f"{name}:{word}" for name, word in wanted[0].words.items())
    assert run("search", PASSIVE, tmp_path / "found.conllu", "--count").stdout.startswith(f"{len(wanted)} matches")


def test_json(run):
    done = run("search", PASSIVE, SAMPLE, "--format", "json", "--limit", 2)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        match.to_json() for match in list(search(SAMPLE, PASSIVE))[:2]
    ]


@pytest.mark.parametrize("format", ["svg", "html"])
def test_drawings(run, treebank, format):
    done = run("search", "V -[nsubj]-> S", treebank, "--format", format)
    assert done.returncode == 0, done.stderr
    assert "<svg" in done.stdout
    assert 'class="ramify-marked"' in done.stdout
    assert "[bold]Dogs" in done.stdout


def test_patterns_from_files(run, treebank, tmp_path):
    (tmp_path / "verbs.req").write_text("\ufeff% verbs\npattern { V [upos=VERB] }\n", encoding="utf-8")
    assert run("search", f"@{tmp_path / 'verbs.req'}", treebank, "--count").stdout == "1 match in 1 sentence\n"
    assert "no.req" in run("search", "@no.req", treebank).stderr
    (tmp_path / "wrong.req").write_text("V [upos=VERB")  # a mistake in a file is not one in the command
    assert run("search", f"@{tmp_path / 'wrong.req'}", treebank).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["X [upos=VERB"], 2, "search pattern, column 13: expected , or ]; found the end."),
        (["X []", "--format", "pdf"], 2, "'pdf' is not one of text, conllu, json, svg, html"),
        (["X []", "--output", "x.doc"], 2, "the suffix of 'x.doc' is not one of"),
        (["X []", "--by", "Y.upos"], 2, "'Y.upos' is not NAME.FEATURE with a name of the pattern (X)"),
        (["X []", "--by", "X"], 2, "'X' is not NAME.FEATURE"),
        (["X []", "--by", "X.form", "--count"], 2, "--count and --by exclude each other"),
        (["X []", "--from", "pdf"], 2, "'pdf' is not one of"),
        (["X []", "missing.conllu"], 1, "missing.conllu: No such file"),
    ],
)
def test_wrong_usage(run, arguments, status, message):
    done = run("search", *arguments, stdin="1\tHi\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert done.returncode == status
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_text_has_to_be_parsed_first(run, tmp_path):
    (tmp_path / "book.txt").write_text("Dogs bark.")
    done = run("search", "X []", tmp_path / "book.txt")
    assert done.returncode == 1
    assert "expected a treebank, in CoNLL-U or CoNLL-X; this is text. Parse it first: ramify parse" in done.stderr


def test_probabilities_of_parsed_text(run, pipeline_model):
    parsed = run("parse", pipeline_model, "--text", "I like it. You do not.", "--marginals").stdout
    low = [
        s for s in read(io.StringIO(parsed)) for misc in s.misc if float(misc.split("ArcProb=")[1].split("|")[0]) < 0.9
    ]
    done = run("search", "X [prob<0.9]", "--count", stdin=parsed)
    assert done.stdout.startswith(f"{len(low)} match")
