"""The callable over batches: the same types and rows come back, with annotation, and failures are rows."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import ramify
from ramify.distributed import annotator
from ramify.distributed.batches import loaded_model
from ramify.errors import InvalidInputError

TEXTS = ["Dogs bark. Cats sleep.", None, "She saw it.", "lone \ud800 surrogate", ""]
ORDER = [3, 1, 4, 0, 5]
NEW = ["conllu", "sentences", "words", "error"]


@pytest.fixture(scope="module")
def annotate(pipeline_model):
    return annotator(str(pipeline_model))


@pytest.fixture(scope="module")
def wanted(nlp):
    """The same by calling the pipeline itself."""
    docs = [nlp(text) if text in ("Dogs bark. Cats sleep.", "She saw it.", "") else None for text in TEXTS]
    return [doc and doc.to_conllu() for doc in docs], [len(doc.sentences) if doc else 0 for doc in docs]


def check(columns, wanted):
    assert [value or None for value in columns["conllu"]] == [value or None for value in wanted[0]]
    assert list(columns["sentences"]) == wanted[1]
    errors = list(columns["error"])
    assert errors[0] is None
    assert errors[1] == "expected a string; got NoneType"
    assert "surrogate" in errors[3]


def test_a_dict_of_lists(annotate, wanted):
    batch = {"id": list("abcde"), "text": TEXTS}
    found = annotate(batch)
    assert list(found) == ["id", "text", *NEW]
    assert list(batch) == ["id", "text"]  # as it was
    assert found["id"] == list("abcde")
    check(found, wanted)


def test_a_dict_of_arrays_gets_arrays(annotate, wanted):
    found = annotate({"text": np.array(TEXTS, object)})
    assert all(isinstance(column, np.ndarray) for column in found.values())
    assert found["words"].dtype == np.int64
    check(found, wanted)


def test_a_frame_as_spark_and_dask_give_it(annotate, wanted):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"id": list("abcde"), "text": pandas.Series(TEXTS, dtype=object, index=ORDER)}, index=ORDER
    )
    found = annotate(frame)
    assert list(found.columns) == ["id", "text", *NEW]
    assert list(found.index) == ORDER
    check({name: [None if value != value else value for value in found[name]] for name in NEW}, wanted)
    assert annotate(frame[:0]).shape == (0, 6)


@pytest.mark.parametrize("kind", ["Table", "RecordBatch"])
def test_arrow(annotate, kind):
    pyarrow = pytest.importorskip("pyarrow")
    batch = getattr(pyarrow, kind).from_pydict({"id": [1, 2], "text": ["Dogs bark.", None]})
    found = annotate(batch)
    assert type(found) is type(batch)
    assert found.schema.names == ["id", "text", *NEW]
    assert found["words"].to_pylist() == [3, 0]
    assert annotate(batch.slice(0, 0)).schema == found.schema


def test_a_pickle_holds_no_model_and_a_process_loads_it_once(annotate, monkeypatch):
    assert len(pickle.dumps(annotate)) < 1000
    loads = []
    monkeypatch.setattr("ramify.distributed.batches.load", lambda name: loads.append(name) or ramify.load(name))
    loaded_model.cache_clear()
    again = pickle.loads(pickle.dumps(annotate))
    assert again({"text": ["One."]})["words"] == again({"text": ["Two."]})["words"] == [2]
    assert loads == [annotate.model]


def test_sentences_without_a_tree_are_errors_of_their_document(pipeline_model):
    found = annotator(str(pipeline_model), max_words=3)({"text": ["One two three four five. Go."]})
    assert found["error"] == ["sentence 1 is too long"]
    assert "five" in found["conllu"][0]


def test_what_is_no_batch_or_has_no_texts(annotate, model):
    with pytest.raises(InvalidInputError, match=r"a column 'text' of texts; the batch has 'body'.*text=NAME"):
        annotate({"body": ["x"]})
    with pytest.raises(InvalidInputError, match=r"expects a dict of lists.*; got list"):
        annotate(["x"])
    with pytest.raises(InvalidInputError, match="adds the column 'error', which the batch already has"):
        annotate({"text": ["x"], "error": [1]})
    with pytest.raises(InvalidInputError, match=r"annotator expects a pipeline.* is a parser"):
        annotator(str(model))({"text": ["x"]})
    with pytest.raises(InvalidInputError, match="max_words"):
        annotator(max_words=-1)
