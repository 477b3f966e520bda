"""The checks agree with the official validator, on treebanks and on what random edits make of them."""

from __future__ import annotations

import collections
import io
import random

import pytest

from ramify.errors import InvalidInputError
from ramify.validation import Validator, validate

SAMPLE = "tests/data/ewt-sample-200.conllu"
HEAD = "# sent_id = {}\n# text = {}\n"


def official(path, level=3):
    """What udtools says: (line, check, whether it is a warning) with counts."""
    from udtools import Validator as Official

    state = Official(lang="ud", level=level, output=None).validate_files([str(path)])
    return without_last((i.lineno, i.testid, str(i.get_type()) == "WARNING") for i in state.error_tracker)


def ours(path, level=3):
    return without_last((f.line, f.check, f.warning) for f in validate(path, level=level))


def without_last(findings):
    """Count findings. The one about the whole file has no certain line in the official validator."""
    return collections.Counter((0 if f[1] == "edeps-identical-to-basic-trees" else f[0], *f[1:]) for f in findings)


def sentence(rows, text="x", name="1"):
    """Ten columns from those that matter: ID FORM UPOS HEAD DEPREL [FEATS [DEPS [MISC]]]."""
    lines = []
    for row in rows.split("\n"):
        identifier, form, upos, head, label, *rest = row.split()
        feats, deps, misc = [*rest, "_", "_", "_"][:3]
        lines.append("\t".join([identifier, form, "_", upos, "_", feats, head, label, deps, misc]) + "\n")
    return HEAD.format(name, text) + "".join(lines) + "\n"


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_treebank(level):
    assert ours(SAMPLE, level) == official(SAMPLE, level)


CASES = {
    "lines": "x\n# c\n1\tA\n\n\n# sent_id = 1\n\n \n1\ta\n# text = a\n\n1\ta\n   \n",
    "ids": sentence("1 a X 0 root\n3 b X 1 dep\n2-1 c _ _ _\n2.1 e X _ _")
    + sentence(
        "1-2 ab _ _ _\n0.1 x X _ _\n1 a X 0 root\n1.2 x X _ _\n2 b X 1 dep\n2-4 z _ _ _\n9-9 z _ _ _\n1a q X 1 x"
    )
    + sentence("1-2 ab _ _ _\n2-3 bc _ _ _\n1 a X 0 root\n2 b X 1 dep\n3 c X 1 dep")
    + sentence("2-1 ab _ _ _\n1 a X 0 root\n2 b X 1 dep")
    + sentence("1 a X 0 root\n3-2 ab _ _ _\n2 b X 1 dep\n3 b X 1 dep"),
    "cells": "1\ta b \t  a\tX X\t\t_\t0\troot\t_\t_\n\n1-2\ta b\tc  d\t_\t_\t_\t_\t_\t_\t_\n"
    "1\te\u0301\t\ufffd\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\n\n",
    "heads": sentence("1 a X 01 root\n2 b X 7 dep\n3 c X _ dep\n4 d X 1 dep _ 9:dep|x\n5 e X 1 dep _ 01:dep|1.7:y")
    + sentence("1 a X 1 root")
    + sentence("1 a X 0 root\n2 b X 0 root")
    + sentence("1 a X 0 root\n2 b X 3 dep\n3 c X 2 dep"),
    "values": sentence(
        "1-2 ab X _ _ Typo=Yes _ lang=x|Ref=1|Ref=2\n1 a x 0 Root b=C|A=c _ SpaceAfter=Yes|=3||gloss=1\n"
        "2 b NOUN 1 foo B=C|A=B,A,A|A=B 1:x|0:root|2:é_ü:gen\n2.1 e _ 3 dep _ 2:Dep|2:ref|2:dep:a:b:c|2:dep:a:b:c\n"
        "3 f X 1 dep:É C=D,E|D 1:dep:_:x",
    )
    + sentence("1 a X 0 root A=B 0:root|0:dep|0:dep\n2 b ADV 1 advmod b=1 1:foo"),
    "metadata": "# sent_id = 1/2/3\n# sent_id=\n# parallel_id = a/1\n# newdoc\n# newdoc id = 2\n# newpar\n# newpar\n"
    + sentence("1 a X 0 root _ _ SpaceAfter=No", "a ")
    + "# parallel_id = a/2/alt2\n# newpar\n"
    + sentence("1 a X 0 root\n2 b X 1 dep", "ab c", "2")
    + "# parallel_id = a/2\n# parallel_id A\n"
    + sentence("1-2 ab _ _ _\n1 a X 0 root _ _ SpaceAfter=No\n1.1 e X _ _ _ _ SpaceAfter=No\n2 b X 1 dep", "b", "2")
    + "# parallel_id = a/2/alt1\n# parallel_id = b/1/alt1part1\n# text = b\n"
    + sentence("1 a X 0 root _ _ NoSpaceAfter=Yes", "", "3")
    + "# parallel_id = b/1/alt2part3\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    + "# parallel_id = b/1/alt2part3\n"
    + sentence("1 a X 0 root\n2 b X 1 dep", "a  ", "4"),
    "enhanced": sentence("1 a X 0 root\n2 b X 1 orphan", "a b")
    + sentence("1 a X 0 root _ 0:root\n2 b X 1 orphan _ 1:orphan", "a b", "2")
    + sentence("1 a X 0 root _ 0:dep\n1.1 b X _ _ _ 1:root\n2 b X 1 orphan _ 2:orphan", "a b", "3"),
    "copies": sentence("1 a X 0 root _ 0:root\n2 b X 1 dep _ 1:dep", "a b"),
    "relations": "".join(
        sentence(f"1 a NOUN 0 root\n2 b {upos} 1 {label}\n3 c ADV 2 {below} Polarity={polarity}", "a b c", upos + label)
        for upos in ("NOUN", "PRON", "PUNCT", "PROPN", "AUX")
        for label in ("det", "nummod", "advmod", "aux", "cop", "case", "mark", "cc", "punct", "fixed", "expl", "clf")
        for below, polarity in (("goeswith", "Pos"), ("advmod", "Neg"), ("nmod", "Pos"), ("fixed", "Pos"))
    ),
    "content": sentence(
        "1 a VERB 2 conj VerbForm=Fin\n2 b NOUN 0 dep\n3 c X 2 flat:foreign\n4 d PRON 2 nsubj\n"
        "5 e DET 2 csubj Poss=Yes\n"
        "6 f NOUN 2 obj _ _ Subject=Outer\n7 g X 2 obj\n8 h X 6 obl\n9 i X 5 orphan ExtPos=ADV\n10 j X 6 root",
        "a b c d e f g h i j",
    )
    + sentence(
        "1 a X 2 goeswith\n2 b NOUN 0 root\n3 c X 2 goeswith\n4 d PUNCT 2 punct\n"
        "5 e NOUN 2 goeswith A=B 1:x SpaceAfter=No\n6 f X 5 fixed\n"
        "7 g X 4 punct\n8 h X 5 fixed\n9 i X 2 nsubj:outer\n10 j X 2 nsubj",
        "a b c d ef g h i j",
        "2",
    ),
    "punctuation": sentence(
        "1 a X 4 dep\n2 b PUNCT 1 punct\n3 c X 1 dep\n4 d X 0 root\n5 e PUNCT 3 punct\n6 f X 4 dep", "a b c d e f"
    )
    + sentence(
        "1 a X 3 dep\n2 b PUNCT 4 punct\n3 c X 4 dep\n4 d X 0 root\n5 e X 2 dep\n6 f PUNCT 5 punct", "a b c d e f", "2"
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_check(tmp_path, case):
    path = tmp_path / "case.conllu"
    path.write_text(CASES[case], encoding="utf-8")
    wanted = official(path)
    assert wanted
    assert ours(path) == wanted


def test_random_edits(tmp_path):
    with open(SAMPLE, encoding="utf-8") as file:
        blocks = file.read().split("\n\n")
    words = [
        "_",
        "0",
        "1",
        "2",
        "3",
        "5",
        "7",
        "-",
        "root",
        "punct",
        "det",
        "conj",
        "nsubj",
        "goeswith",
        "fixed",
        "aux",
        "NOUN",
        "PUNCT",
        "PRON",
        "A=B",
        "Typo=Yes",
        "SpaceAfter=No",
        "1:dep",
    ]
    rng = random.Random(0)
    edited = []
    for _ in range(150):
        lines = [line.split("\t") for line in rng.choice(blocks).strip("\n").split("\n")]
        rows = [line for line in lines if len(line) == 10]
        if not 1 < len(rows) < 25:
            continue
        for _ in range(rng.randint(1, 3)):
            rng.choice(rows)[rng.choice([0, 1, 2, 3, 5, 6, 6, 7, 7, 8, 9])] = rng.choice(words)
        edited.append("\n".join("\t".join(line) for line in lines))
    path = tmp_path / "edited.conllu"
    path.write_text("\n\n".join(edited) + "\n\n", encoding="utf-8")
    wanted = official(path)
    assert len({check for _, check, _ in wanted}) > 25
    assert ours(path) == wanted


def test_line_ends_and_bytes(tmp_path):
    path = tmp_path / "bytes.conllu"
    path.write_bytes(b"# sent_id = 1\r\n# text = a\r\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\r\n\r\n")
    assert ours(path) == official(path) == {(4, "non-unix-newline", False): 1}
    found = list(validate(io.BytesIO(b"# text = \xff\n\n"), level=1))
    assert [(f.line, f.check) for f in found] == [(1, "invalid-utf"), (2, "empty-sentence")]


def test_findings_say_where(tmp_path):
    path = tmp_path / "case.conllu"
    path.write_text(sentence("1 a X 0 root\n2 b VERB 1 det", "a b", "one"), encoding="utf-8")
    (found,) = validate(path)
    assert (found.line, found.word, found.column, found.sent_id, found.level) == (4, "2", "UPOS", "one", 3)
    assert found.message == "A word with the relation det is tagged DET, PRON; found VERB."
    assert found.to_dict()["check"] == "rel-upos-det"


def test_a_validator_remembers():
    lines = [*sentence("1 a PRON 0 root", "a").rstrip("\n").split("\n"), ""]
    validator = Validator()
    assert validator.check(lines) == []  # whether PronType is missing depends on whether there are features at all
    featured = [*sentence("1 a X 0 root A=B", "a").rstrip("\n").split("\n"), ""]
    assert [(f.line, f.check) for f in validator.check(featured, 5)] == [
        (3, "pron-det-without-prontype"),
        (7, "non-unique-sent-id"),
    ]


def test_wrong_levels():
    with pytest.raises(InvalidInputError, match="a level from 1 to 3; got 4"):
        Validator(4)
