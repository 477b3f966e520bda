"""Structured models on disk: nothing is lost, nothing damaged or strange is accepted, training goes on bit for bit."""

from __future__ import annotations

import copy
import json
import math
import pickle

import numpy as np
import pytest

from ramify.errors import InvalidInputError, ModelError
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Exact, Relax, SparseMAP, Subgradient
from ramify.learn import Loss, StructuredModel
from ramify.learn.containers import checksum, read_card
from ramify.learn.structured.methods import CODE, from_json, to_json
from support.chains import chain

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("name", ["model", "model.zip"])
def test_a_model_comes_back(chains, tmp_path, name):
    X, y = chains
    model = StructuredModel(chain, loss=Loss(math.inf, 0.5), inference=AD3(), cost=np.ones((3, 3)), epochs=2).fit(X, y)
    model.save(tmp_path / name)
    again = StructuredModel.load(tmp_path / name, chain)
    assert again.loss == model.loss
    assert again.inference == model.inference
    assert again.decoder is None
    assert np.array_equal(again.cost, model.cost)
    assert again.n_iter_ == 2
    assert again.loss_curve_ == model.loss_curve_
    assert list(again.coef_) == list(model.coef_)
    assert all(np.array_equal(again.coef_[t], model.coef_[t]) for t in model.coef_)
    assert all(map(np.array_equal, again.predict(X), model.predict(X)))
    assert "own:        3 features, 3 weights of each" in read_card(tmp_path / name)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"optimizer": "automatic", "loss": "svm"},
        {"optimizer": "sgd", "average": False, "batch_size": 4, "l2": 0.1},
        {"early_stopping": True, "n_iter_no_change": 4},
    ],
)
def test_training_goes_on_bit_for_bit(chains, tmp_path, options):
    X, y = chains
    whole = StructuredModel(chain, epochs=6, **options).fit(X, y)
    StructuredModel(chain, epochs=2, **options).fit(X, y, checkpoint=tmp_path / "m")
    resumed = StructuredModel.load(tmp_path / "m", chain, epochs=6)
    assert resumed.n_iter_ == 2
    resumed.fit(X, y, resume=True)
    assert resumed.loss_curve_ == whole.loss_curve_
    assert resumed.validation_scores_ == whole.validation_scores_
    assert all(np.array_equal(resumed.coef_[t], whole.coef_[t]) for t in whole.coef_)


def test_a_checkpoint_is_the_model_of_its_epoch(chains, tmp_path):
    X, y = chains

    def stop(event):
        if event.epoch == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        StructuredModel(chain, epochs=6, progress=stop).fit(X, y, checkpoint=tmp_path / "m")
    left = StructuredModel.load(tmp_path / "m", chain)
    assert left.n_iter_ == 2
    whole = StructuredModel(chain, epochs=6).fit(X, y)
    assert left.fit(X, y, resume=True).loss_curve_ == whole.loss_curve_


@pytest.mark.parametrize("again", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_pickles_and_copies(chains, again):
    """They predict the same, and learn on from where they are."""
    X, y = chains
    model = StructuredModel(chain, epochs=2).fit(X, y)
    other = again(model)
    assert all(np.array_equal(a, b) for a, b in zip(other.predict(X), model.predict(X), strict=True))
    for one in (model, other):
        one.set_params(epochs=4).fit(X, y, resume=True)
    assert all(np.array_equal(other.coef_[t], model.coef_[t]) for t in model.coef_)


def test_code_is_given_again(chains, tmp_path):
    def cost(x, y):
        return np.ones((len(y), 3))

    model = StructuredModel(chain, loss="svm", cost=cost, epochs=1).fit(*chains)
    model.save(tmp_path / "m")
    with pytest.raises(InvalidInputError, match="cost to be given"):
        StructuredModel.load(tmp_path / "m", chain)
    assert StructuredModel.load(tmp_path / "m", chain, cost=cost).cost is cost


@pytest.mark.parametrize(
    "value",
    [
        AD3(max_iterations=3),
        BeliefPropagation(product="max", damping=0.5),
        BeliefPropagation(temperature=(2.0, 1.0)),
        Exact(max_assignments=7),
        ILP(),
        LP(time_limit=2.0),
        SparseMAP(gamma=0.5),
        Subgradient(),
        Relax(inner=AD3(tolerance=0.1)),
        Loss(math.inf, 1.0),
        {0: 1.0, 2: 3.5},
        [1, 2.5, "x", None, True],
    ],
)
def test_parameters_survive_json(value):
    assert from_json(json.loads(json.dumps(to_json(value), allow_nan=False))) == value


def test_methods_of_the_users_are_code():
    class Mine(AD3):
        pass

    assert to_json(Mine()) == CODE
    assert to_json(Relax(inner=Mine())) == CODE


def test_unfitted_models_are_not_saved(tmp_path):
    with pytest.raises(InvalidInputError, match="fit before save"):
        StructuredModel(chain).save(tmp_path / "m")


def change(folder, edit):
    """Edit vocab.json so that only its content is wrong."""
    path = folder / "vocab.json"
    value = json.loads(path.read_text())
    edit(value)
    path.write_text(json.dumps(value))
    sums = folder / "SHA256SUMS"
    lines = [line for line in sums.read_text().splitlines() if not line.endswith("vocab.json")]
    sums.write_text("\n".join([*lines, f"{checksum(path.read_bytes())}  vocab.json"]) + "\n")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda v: v.update(kind="tagger"), "another kind"),
        (lambda v: v["parameters"].pop("loss"), "parameters: expected"),
        (lambda v: v["parameters"].update(loss="hinge"), "loss"),
        (lambda v: v["parameters"].update(epochs="x"), "epochs"),
        (lambda v: v["parameters"].update(inference={"class": "os.system", "options": {}}), "inference method"),
        (lambda v: v["parameters"].update(inference={"class": "AD3", "options": {"x": 1}}), "inference"),
        (lambda v: v["parameters"].update(inference={"class": "LP", "options": {"tree": "x"}}), "no choice"),
        (lambda v: v["parameters"].update(inference={"pairs": 1}), "inference"),
        (lambda v: v.update(templates=["own", "own"]), "templates"),
        (lambda v: v.update(shapes=[[3, 3]]), "templates"),
        (lambda v: v.update(shapes=[[3, 3], [0, 1]]), "shapes"),
        (lambda v: v.update(epochs=-1), "epochs"),
        (lambda v: v.update(losses=["a"]), "losses"),
        (lambda v: v.update(arrays={"a": "F8"}), "arrays"),
        (lambda v: v["arrays"].popitem(), "weights.safetensors"),
    ],
)
def test_strange_content_is_refused(chains, tmp_path, edit, message):
    StructuredModel(chain, epochs=1).fit(*chains).save(tmp_path / "m")
    change(tmp_path / "m", edit)
    with pytest.raises(ModelError, match=message):
        StructuredModel.load(tmp_path / "m", chain)


def test_damaged_files_are_refused(chains, tmp_path):
    StructuredModel(chain, epochs=1).fit(*chains).save(tmp_path / "m")
    weights = tmp_path / "m" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    with pytest.raises(ModelError, match="checksum"):
        StructuredModel.load(tmp_path / "m", chain)
    with pytest.raises(ModelError):
        StructuredModel.load(tmp_path / "none", chain)
