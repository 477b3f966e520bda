"""Treebanks as tables: every word is a row with the cells that its line of CoNLL-U has."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from ramify.data import Sentence, read, to_arrow, to_frame
from ramify.errors import InvalidInputError, MissingExtraError

NAMES = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"]


@pytest.fixture(scope="module")
def treebank(pytestconfig):
    return list(read(pytestconfig.rootpath / "tests/data/ewt-sample-200.conllu"))


@pytest.fixture(scope="module")
def rows(pytestconfig):
    """The lines of words in the file itself."""
    lines = (pytestconfig.rootpath / "tests/data/ewt-sample-200.conllu").read_text(encoding="utf-8").splitlines()
    return [cells for cells in (line.split("\t") for line in lines) if cells[0].isdecimal()]


def test_a_frame_has_the_cells_of_the_file(treebank, rows):
    pytest.importorskip("pandas")
    frame = to_frame(treebank)
    assert list(frame.columns) == ["sentence", "sent_id", *NAMES]
    assert frame[NAMES].astype(str).to_numpy().tolist() == rows
    assert frame.groupby("sentence").size().tolist() == [len(sentence) for sentence in treebank]
    assert frame["sent_id"].unique().tolist() == [sentence.sent_id for sentence in treebank]


def test_arrow_has_the_same(treebank, rows):
    pytest.importorskip("pyarrow")
    table = to_arrow(iter(treebank))
    columns = [list(map(str, table[name].to_pylist())) for name in NAMES]
    assert list(map(list, zip(*columns, strict=True))) == rows
    assert table.schema.field("sentence").type == "int64"


def test_no_sentences(treebank):
    pytest.importorskip("pandas")
    assert to_frame([]).shape == (0, 12)
    assert to_frame(treebank[0]).shape == (len(treebank[0]), 12)


def test_probabilities_are_those_of_the_heads():
    pytest.importorskip("pandas")
    one = Sentence(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])
    dense = np.array([[0, 0.3, 0.9], [0, 0, 0.1], [0, 0.7, 0]])
    frame = to_frame([one, Sentence(["No", "tree"])], [dense, None])
    assert frame["probability"].tolist()[:2] == [0.7, 0.9]
    assert frame["probability"].isna().tolist() == [False, False, True, True]
    assert frame["head"].tolist() == [2, 0, -1, -1]
    with pytest.raises(InvalidInputError, match="each of the 1 sentences; got 2"):
        to_frame(one, [None, None])
    with pytest.raises(InvalidInputError, match=r"shape \(3, 3\) for a sentence of 2 words; got \(2, 2\)"):
        to_frame(one, [dense[:2, :2]])


def test_documents(nlp):
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    doc = nlp("Dogs bark. Cats sleep.")
    frame = doc.to_frame(probabilities=True)
    assert frame["form"].tolist() == [token.form for token in doc]
    wanted = [float(view.marginals[head, i]) for view in doc.sentences for i, head in enumerate(view.heads.tolist(), 1)]
    assert frame["probability"].tolist() == wanted
    assert doc.to_arrow()["head"].to_pylist() == frame["head"].tolist()


@pytest.mark.parametrize(("function", "package"), [(to_frame, "pandas"), (to_arrow, "pyarrow")])
def test_without_the_library_the_error_names_the_extra(monkeypatch, function, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"'{package}'; install it with: pip install 'ramify\[frames\]'"):
        function([])
