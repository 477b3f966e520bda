"""Orders, progress and search."""

from __future__ import annotations

import numpy as np
import pytest

from ramify.annotation.queue import order, progress, search
from ramify.data import read
from ramify.errors import InvalidInputError


@pytest.fixture
def scanned(session, english):
    session.scan.run()
    return session


def test_progress_and_orders(scanned, english, sample):
    sentences = list(read(sample))
    results = english.parser.parse(sentences, marginals=True)
    sure = [r.marginals[s.heads, np.arange(1, len(s) + 1)] for s, r in zip(sentences, results, strict=True)]
    found = progress(scanned)
    assert found["expected_errors"] == pytest.approx(sum(np.sum(1 - p) for p in sure), abs=0.1)
    assert order(scanned, "least-sure")[0] == int(np.argmin([p.min() for p in sure]))
    assert order(scanned, "file") == list(range(200))
    scanned.act(7, {"do": "accept"})
    after = progress(scanned)
    assert (after["done"], after["looked_at"] >= 199) == (1, True)
    assert after["expected_errors"] == pytest.approx(found["expected_errors"] - np.sum(1 - sure[7]), abs=0.1)
    scanned.act(8, {"do": "head", "word": 1, "head": int(sentences[8].heads[0]) or 2})
    with pytest.raises(InvalidInputError, match="Only one file is open"):
        order(scanned, "disagreement")
    with pytest.raises(InvalidInputError, match="The order must be one of"):
        order(scanned, "alphabet")


def test_search(scanned, sample):
    verbs = {
        (i, t.id) for i, s in enumerate(read(sample)) for t in s if t.upos == "VERB" and t.deprel.split(":")[0] == "acl"
    }
    assert {(f["number"], f["word"]) for f in search(scanned, "upos:VERB label:acl")} == verbs
    doubtful = search(scanned, "p<0.2")
    assert doubtful
    assert all(scanned.scan.of(f["number"])[f["word"] - 1] < 0.2 for f in doubtful)
    assert search(scanned, "p>1") == []
    assert {f["form"].lower() for f in search(scanned, "form:the")} == {"the"}
    assert all("feats" not in f for f in search(scanned, "feats:Number=Plur", most=3))
    assert search(scanned, "arafat")[0]["form"] == "Arafat"
    with pytest.raises(InvalidInputError, match="A query consists of terms"):
        search(scanned, " ")


def test_disagreement(open_session, sample, tmp_path):
    other = tmp_path / "other.conllu"
    other.write_bytes(sample.read_bytes().replace(b"1\tFrom\tfrom\tADP\tIN\t_\t3\t", b"1\tFrom\tfrom\tADP\tIN\t_\t6\t"))
    session = open_session(sample, others=[other])
    assert order(session, "disagreement")[0] == 0
    view = session.view(0)
    assert [(o["name"], o["differ"], o["heads"][0]) for o in view["others"]] == [("other.conllu", [1], 6)]
    found = session.act(0, {"do": "head", "word": 1, "head": 6, "label": "case"})
    assert found["others"][0]["differ"] == []
    session.act(0, {"do": "split_sentence", "word": 3})
    assert session.view(0)["others"][0]["heads"] is None
    short = tmp_path / "short.conllu"
    short.write_text("1\tHi\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    session.document.close()
    with pytest.raises(InvalidInputError, match="must have the same sentences"):
        open_session(sample, others=[short])
