"""The labeller in the manner of scikit-learn."""

from __future__ import annotations

import copy
import json
import math
import pickle

import numpy as np
import pytest

from ramify.errors import InvalidInputError, ModelError
from ramify.learn.containers import read_files, write_files
from ramify.tagging import SequenceLabeller, Tagger

X = [[{"w": "dogs", "s": "s"}, {"w": "bark"}], [["w:cats", "s:s"], ["w:sleep"]], [{"w": "sleep"}]] * 6
Y = [["N", "V"], ["N", "V"], ["V"]] * 6


@pytest.mark.parametrize("loss", ["crf", "softmax-margin", "mira", "perceptron"])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_fit_and_predict(loss, order):
    labeller = SequenceLabeller(loss=loss, order=order).fit(X, Y)
    assert labeller.predict(X) == Y
    assert labeller.predict_single(X[0]) == Y[0]
    assert labeller.score(X, Y) == 1.0
    assert labeller.classes_ == ["N", "V"]
    assert labeller.predict([[{"w": "mice", "s": "s"}, {"w": "bark"}]]) == [["N", "V"]]


def test_marginals():
    labeller = SequenceLabeller().fit(X, Y)
    marginals = labeller.predict_marginals(X[:2])
    assert [len(rows) for rows in marginals] == [2, 2]
    assert set(marginals[0][0]) == {"N", "V"}
    assert sum(marginals[0][0].values()) == pytest.approx(1.0)
    assert marginals[0][0]["N"] > 0.9
    (array, *_) = labeller.marginal_arrays(X[:1])
    np.testing.assert_allclose(array[0], [marginals[0][0]["N"], marginals[0][0]["V"]])


def test_values_of_features_count():
    rng = np.random.default_rng(0)
    x = [[{"x": float(v)} for v in rng.normal(size=5)] for _ in range(50)]
    y = [["+" if word["x"] > 0 else "-" for word in words] for words in x]
    labeller = SequenceLabeller(order=0, epochs=20).fit(x, y)
    assert labeller.score(x, y) > 0.95
    assert labeller.predict([[{"x": 3.0}, {"x": -3.0}]]) == [["+", "-"]]


def test_forms_of_features_that_mean_the_same():
    labeller = SequenceLabeller().fit(X, Y)
    same = [
        {"w": "dogs", "s": "s"},
        ["w:dogs", "s:s"],
        {"w:dogs": True, "s:s": 1.0, "other": False, "none": None},
        {"w": ["dogs"], "s": {"s": 1}},
    ]
    rows = labeller.marginal_arrays([[word] for word in same])
    for row in rows[1:]:
        np.testing.assert_allclose(row, rows[0])


def test_spans():
    x = [[["a"], ["b"], ["c"]]] * 5
    y = [["B-X", "I-X", "O"]] * 5
    labeller = SequenceLabeller(spans="iob2").fit(x, y)
    assert labeller.score(x, y) == 1.0
    assert labeller.predict([[["b"], ["b"]]])[0][0] != "I-X"


def test_parameters():
    labeller = SequenceLabeller(epochs=3)
    assert labeller.get_params()["epochs"] == 3
    assert labeller.set_params(order=2, epochs=4) is labeller
    assert (labeller.order, labeller.epochs) == (2, 4)
    assert repr(labeller) == "SequenceLabeller(order=2, epochs=4)"
    assert SequenceLabeller(**labeller.get_params()).get_params() == labeller.get_params()


@pytest.mark.filterwarnings("default")  # scikit-learn's own are not ours
def test_with_scikit_learn():
    base = pytest.importorskip("sklearn.base", reason="scikit-learn is not a dependency")
    selection = pytest.importorskip("sklearn.model_selection")
    copy = base.clone(SequenceLabeller(epochs=4).fit(X, Y))
    assert copy.epochs == 4
    assert not hasattr(copy, "classes_")
    scores = selection.cross_val_score(SequenceLabeller(), X, Y, cv=3)
    assert scores.shape == (3,)
    assert (scores > 0.9).all()
    search = selection.GridSearchCV(SequenceLabeller(), {"loss": ["crf", "mira"]}, cv=2).fit(X, Y)
    assert search.best_score_ > 0.9


@pytest.mark.parametrize(
    ("parameters", "x", "y", "message"),
    [
        ({}, X, Y[:-1], "as many sentences as label lists; got 18 and 17"),
        ({}, [[["a"]]], [["N", "V"]], "sentence 1 has 1 words and 2 labels"),
        ({}, [], [], "labels that are texts; got none"),
        ({}, [[["a"]]], [[3]], "labels that are texts"),
        ({}, [["a"]], [["N"]], "a dict of features, or a list of names; got 'a'"),
        ({}, [[[3]]], [["N"]], r"names of features, or a dict; got \[3\]"),
        ({}, [[{"x": math.nan}]], [["N"]], "a finite number; got nan for 'x'"),
        ({}, [[{"x": object}]], [["N"]], "text, a number, a flag or several"),
        ({"loss": "hinge"}, X, Y, "loss expects one of 'crf'"),
        ({"order": 5}, X, Y, "model.order expects"),
        ({"spans": "iob3"}, X, Y, "model.spans expects one of"),
    ],
)
def test_wrong_input(parameters, x, y, message):
    with pytest.raises(InvalidInputError, match=message):
        SequenceLabeller(**parameters).fit(x, y)


def test_wrong_use():
    with pytest.raises(InvalidInputError, match="fit before predict"):
        SequenceLabeller().predict(X)
    with pytest.raises(InvalidInputError, match=r"has the parameters order, .*got 'C'"):
        SequenceLabeller().set_params(C=1)


def same(one, other):
    assert other.get_params() == one.get_params()
    assert other.classes_ == one.classes_
    assert other.predict(X) == one.predict(X)
    for a, b in zip(other.marginal_arrays(X), one.marginal_arrays(X), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickles(protocol):
    labeller = SequenceLabeller(order=2, loss="crf", epochs=3).fit(X, Y)
    same(labeller, pickle.loads(pickle.dumps(labeller, protocol)))
    fresh = pickle.loads(pickle.dumps(SequenceLabeller(epochs=3), protocol))
    assert repr(fresh) == "SequenceLabeller(epochs=3)"
    assert not hasattr(fresh, "classes_")


def test_copies_are_independent():
    labeller = SequenceLabeller().fit(X, Y)
    for other in (copy.copy(labeller), copy.deepcopy(labeller)):
        same(labeller, other)
        other.set_params(order=2).fit([[["a"]]], [["Z"]])
        assert labeller.classes_ == ["N", "V"]
        assert labeller.predict(X) == Y


@pytest.mark.parametrize("name", ["labeller", "labeller.zip"])
def test_save_and_load(tmp_path, name):
    labeller = SequenceLabeller(spans="none", order=2, max_step=np.float64(0.1), seed=4).fit(X, Y)
    labeller.save(tmp_path / name)
    same(labeller, SequenceLabeller.load(tmp_path / name))
    card = read_files(tmp_path / name)["card.md"].decode()
    assert "# Sequence labeller" in card
    assert "features that the caller makes" in card
    with pytest.raises(ModelError, match="expected a tagger; this is another kind of model"):
        Tagger.load(tmp_path / name)


def test_a_tagger_is_no_labeller(upos, tmp_path):
    upos.save(tmp_path / "upos")
    with pytest.raises(ModelError, match="expected a sequence labeller; this is another kind of model"):
        SequenceLabeller.load(tmp_path / "upos")


@pytest.mark.parametrize(
    "parameters",
    [None, {}, {"order": 1}, {"order": 7}, {"order": "x"}, {"threads": -1}, {"threads": "x"}, {"loss": []}, {"C": 1}],
)
def test_damaged_parameters(tmp_path, parameters):
    SequenceLabeller().fit(X, Y).save(tmp_path / "good")
    files = read_files(tmp_path / "good")
    del files["SHA256SUMS"]
    vocabulary = json.loads(files["vocab.json"])
    if not parameters or parameters == {"order": 1}:
        vocabulary["facts"]["parameters"] = parameters
    else:
        vocabulary["facts"]["parameters"] |= parameters
    write_files(files | {"vocab.json": json.dumps(vocabulary).encode()}, tmp_path / "bad")
    with pytest.raises(ModelError, match="parameters: "):
        SequenceLabeller.load(tmp_path / "bad")


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(InvalidInputError, match="fit before save"):
        SequenceLabeller().save(tmp_path / "m")
    with pytest.raises(InvalidInputError, match=r"model\.order expects"):
        SequenceLabeller().fit(X, Y).set_params(order=9).save(tmp_path / "m")
    with pytest.raises(InvalidInputError, match="labels that can be written into a file"):
        SequenceLabeller().fit([[["a"]]], [["a\tb"]]).save(tmp_path / "m")
