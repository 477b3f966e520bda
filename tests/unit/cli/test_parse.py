"""Options of ``ramify parse``: probabilities, further trees, constraints, limits."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from ramify.data import read

SENTENCE = (
    "# sent_id = s1\n"
    "1\tI\t_\tPRON\t_\t_\t_\t_\t_\tKept=Yes|ArcProb=0.1\n"
    "2\tlike\t_\tVERB\t_\t_\t_\t_\t_\t_\n"
    "3\tit\t_\tPRON\t_\t_\t_\t_\t_\t_\n"
    "\n"
)


def run(*arguments, stdin=SENTENCE):
    command = [sys.executable, "-m", "ramify", "parse", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, timeout=120)
    assert "Traceback" not in done.stderr
    return done


def sentences_of(done):
    return list(read(io.StringIO(done.stdout)))


def test_probabilities_go_into_misc(model):
    done = run(model, "--marginals", "--top-heads", 2)
    assert done.returncode == 0
    (sentence,) = sentences_of(done)
    for token in sentence:
        items = dict(item.split("=") for item in token.misc.split("|"))
        heads = dict(pair.split(":") for pair in items["HeadProbs"].split(","))
        assert len(heads) <= 2
        assert heads[str(token.head)] == items["ArcProb"]
        assert 0 < float(items["ArcProb"]) <= 1
    assert sentence.misc[0].startswith("Kept=Yes|ArcProb=")
    assert sentence.misc[0].count("ArcProb") == 1


def test_probabilities_need_a_place(model, samples):
    done = run(model, samples / "treebanks" / "da_cdt-sample.conll", "--marginals")
    assert done.returncode == 1
    assert "which CoNLL-X does not have" in done.stderr


def test_k_best(model, sample):
    longest = max(read(sample), key=len)
    done = run(model, "--k-best", 3, stdin=longest.to_conllu())
    assert done.returncode == 0
    found = sentences_of(done)
    assert [s.metadata("tree_rank") for s in found] == ["1", "2", "3"]
    scores = [float(s.metadata("tree_score")) for s in found]
    assert scores == sorted(scores, reverse=True)
    assert found[0].heads.tolist() != found[1].heads.tolist()
    assert found[0].sent_id == longest.sent_id


def test_constraints_of_a_file(model, tmp_path):
    file = tmp_path / "constraints.tsv"
    file.write_text("s1\t3\tRoot=Yes\n1\t1\tDeprel=obj\n7\t1\tRoot=Yes\n")
    done = run(model, "--constraints", file)
    assert done.returncode == 0
    (sentence,) = sentences_of(done)
    assert sentence.heads[2] == 0
    assert sentence.deprels[0] == "obj"
    assert "has constraints for sentences that are not in the input: 7" in done.stderr


def test_constraints_of_misc(model):
    constrained = SENTENCE.replace("Kept=Yes", "Head=3|NotHead=2")
    (free,) = sentences_of(run(model, stdin=constrained))
    assert free.heads[0] == 2
    done = run(model, "--misc-constraints", stdin=constrained)
    (sentence,) = sentences_of(done)
    assert sentence.heads[0] == 3
    assert sentence.misc[0] == "Head=3|NotHead=2|ArcProb=0.1"  # nothing is taken away


def test_contradictions_are_reported_and_the_rest_goes_on(model):
    bad = SENTENCE.replace("Kept=Yes", "Head=2|NotHead=2").replace("s1", "s2")
    done = run(model, "--misc-constraints", "--k-best", 2, stdin=SENTENCE + bad + SENTENCE)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "sentence 2 (s2): no tree satisfies all constraints; these contradict one another: "
        "word 1: Head=2; word 1: NotHead=2",
        "ramify: 1 of 3 sentences have no tree",
    ]
    found = sentences_of(done)
    bad_one = next(sentence for sentence in found if sentence.sent_id == "s2")
    assert (bad_one.heads == -1).all()
    assert [s.sent_id for s in found if s.metadata("tree_rank") in (None, "1")] == ["s1", "s2", "s1"]


def test_long_sentences_are_reported(model):
    done = run(model, "--max-words", 2)
    assert done.returncode == 1
    assert "sentence 1 (s1): 3 words are too many, no tree; see --max-words" in done.stderr


def test_other_trees(model, sample):
    done = run(model, "--projective", "--decoder", "mbr", "--time-limit", 10)
    assert done.returncode == 0
    assert len(sentences_of(done)) == 1


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--constraints", "none.tsv"], 1, "none.tsv: No such file or directory"),
        (["--decoder", "best"], 2, "decoder to be one of 'map', 'mbr'; got 'best'"),
        (["--time-limit", "0"], 2, "time_limit above 0 seconds"),
    ],
)
def test_what_is_wrong_is_said(model, arguments, status, message):
    done = run(model, *arguments)
    assert done.returncode == status
    assert done.stdout == ""
    assert message in done.stderr


def test_constraints_that_do_not_fit_name_their_line(model, tmp_path):
    file = tmp_path / "constraints.tsv"
    file.write_text("# mine\n1\t9\tRoot=Yes\n")
    done = run(model, "--constraints", file)
    assert done.returncode == 1
    assert f"{file}:2: expected a word of the sentence, 1 to 3; found word 9: Root=Yes" in done.stderr
