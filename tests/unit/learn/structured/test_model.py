"""A structured model learns, predicts, and behaves as scikit-learn's estimators do."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from ramify import FactorGraph
from ramify.errors import DivergedTrainingError, InvalidInputError
from ramify.factors import Budget, Pair
from ramify.inference import AD3, BeliefPropagation, Exact, SparseMAP
from ramify.learn import Loss, Parts, StructuredModel
from support.chains import chain, graph_of

pytestmark = pytest.mark.engine

LOSSES = ["crf", "softmax-margin", "svm", "perceptron", "l2", Loss(3.0, 0.5)]


def same(a, b):
    return all(np.array_equal(a.coef_[name], b.coef_[name]) for name in a.coef_ | b.coef_)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("optimizer", ["adagrad", "automatic", "sgd"])
def test_all_losses_and_optimizers_learn(chains, loss, optimizer):
    X, y = chains
    model = StructuredModel(chain, loss=loss, optimizer=optimizer, epochs=4).fit(X[:40], y[:40])
    alone = np.mean(np.concatenate([x.argmax(axis=1) for x in X[40:]]) == np.concatenate(y[40:]))
    assert model.score(X[40:], y[40:]) > alone
    assert model.n_iter_ == len(model.loss_curve_) == 4
    if loss != "perceptron":
        assert model.loss_curve_[-1] < model.loss_curve_[0]


@pytest.mark.parametrize("inference", [BeliefPropagation(), SparseMAP()])
def test_methods_for_marginals(chains, inference):
    model = StructuredModel(chain, inference=inference, epochs=2).fit(*chains)
    for p in model.predict_marginals(chains[0][:5]):
        assert p.sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_the_crf_reaches_the_optimum_of_its_convex_loss(chains):
    # At the optimum of loss plus penalty, the gradient is the penalty's: expected minus observed features.
    X, y = chains
    strength = 2.0
    model = StructuredModel(
        chain, optimizer="sgd", max_step=0.02, batch_size=60, l2=strength, epochs=400, average=False
    )
    model.fit(X, y)
    expected = np.zeros((3, 3))
    for x, labels, p in zip(X, y, model.predict_marginals(X), strict=True):
        expected += x.T @ (p - np.eye(3)[labels])
    assert -expected / strength == pytest.approx(model.coef_["own"], abs=2e-2)


def test_predictions_maximize_the_learned_score(chains):
    X, y = chains
    model = StructuredModel(chain, epochs=2).fit(X, y)
    best, gold = model.decision_function(X), model.decision_function(X, y)
    assert np.all(best >= gold - 1e-9)
    own = model.coef_["own"], model.coef_["neighbours"].reshape(3, 3)
    labels = y[0]
    by_hand = (X[0] @ own[0])[np.arange(len(labels)), labels].sum() + own[1][labels[:-1], labels[1:]].sum()
    assert gold[0] == pytest.approx(by_hand, abs=1e-5)
    assert model.predict(X[:1])[0].dtype == np.int32


def test_evidence_and_extra_factors(chains):
    X, y = chains
    model = StructuredModel(chain, epochs=2).fit(X, y)
    longest = max(range(len(X)), key=lambda i: len(X[i]))
    x = X[longest]
    free = model.predict([x])[0]
    other = (int(free[0]) + 1) % 3
    assert model.predict([x], evidence=[{0: other}])[0][0] == other
    assert model.predict([x], forbidden=[{0: int(free[0])}])[0][0] != free[0]
    assert model.predict_marginals([x], evidence=[{0: other}])[0][0, other] == pytest.approx(1.0)

    def limited(x):
        parts = chain(x)
        graph = FactorGraph()
        labels = graph.add_variables(len(x), num_states=3)
        sequence = graph.add(type(parts.graph.factors[0])(labels, None))
        return (
            Parts(graph)
            .add("own", labels, x)
            .add("neighbours", sequence)
            .add_scores(labels, [[-np.inf, 0, 0]] * len(x))
        )

    assert 0 not in model.predict([x], parts=limited)[0]
    assert model.problem(x, parts=limited).graph.num_variables == len(x)


def test_constraints_that_only_predictions_have():
    def pairs(x):
        graph = FactorGraph()
        v = graph.add_variables(4)
        return Parts(graph).add("on", v, x).add("pair", graph.add(Pair(v[:2], v[2:], 0.0)))

    def at_most_one(x):
        parts = pairs(x)
        parts.graph.add(Budget(np.arange(4), 1))
        return parts

    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 4, 1))
    y = (X[:, :, 0] > 0).astype(int)
    model = StructuredModel(pairs, epochs=5).fit(X, y)
    assert model.score(X, y) > 0.9
    guesses = np.array(model.predict(X, parts=at_most_one))
    assert guesses.sum(axis=1).max() == 1
    assert np.array(model.predict(X)).sum(axis=1).max() > 1


def test_threads_change_nothing(chains):
    options = {"epochs": 2, "batch_size": 7}
    one, three = (StructuredModel(chain, threads=t, **options).fit(*chains) for t in (1, 3))
    assert same(one, three)
    assert all(map(np.array_equal, one.predict(chains[0]), three.predict(chains[0])))


def test_the_same_seed_gives_the_same_model(chains):
    models = [StructuredModel(chain, epochs=2, seed=seed).fit(*chains) for seed in (1, 1, 2)]
    assert same(models[0], models[1])
    assert not same(models[0], models[2])


def test_early_stopping_keeps_the_best_weights(chains):
    X, y = chains
    model = StructuredModel(chain, epochs=30, early_stopping=True, validation_fraction=0.3, n_iter_no_change=3).fit(
        X, y
    )
    assert model.n_iter_ < 30
    assert len(model.validation_scores_) == model.n_iter_
    order = np.random.default_rng(1).permutation(len(X))[:18]
    held_out = [X[i] for i in sorted(order)], [y[i] for i in sorted(order)]
    assert model.score(*held_out) == max(model.validation_scores_)


def test_training_ends_where_the_loss_stays(chains):
    model = StructuredModel(chain, epochs=200, n_iter_no_change=2, tol=0.05).fit(*chains)
    assert model.n_iter_ < 200


def test_partial_fit_and_warm_start(chains):
    X, y = chains
    model = StructuredModel(chain, epochs=1)
    model.partial_fit(X[:30], y[:30])
    first = model.coef_["own"].copy()
    model.partial_fit(X[30:], y[30:])
    assert model.n_iter_ == 2
    assert not np.array_equal(first, model.coef_["own"])
    again = StructuredModel(chain, epochs=1, warm_start=True).fit(X, y)
    before = again.loss_curve_[0]
    assert again.fit(X, y).loss_curve_[0] < before
    again.set_params(optimizer="sgd")
    with pytest.raises(InvalidInputError, match="same optimizer"):
        again.fit(X, y)


def test_templates_may_come_later(chains):
    X, y = chains
    model = StructuredModel(chain, epochs=1).fit(X[:5], y[:5])
    model.parts = lambda x: chain(x).add("bias", graph_of(len(x))[1])
    model.partial_fit(X, y)
    assert model.coef_["bias"].shape == (1, 3)
    assert np.any(model.coef_["bias"])


def test_variables_that_are_not_observed(chains):
    X, y = chains
    rng = np.random.default_rng(2)
    hidden = [np.where(rng.random(len(labels)) < 0.3, -1, labels) for labels in y]
    model = StructuredModel(chain, epochs=4).fit(X[:40], hidden[:40])
    assert model.score(X[40:], y[40:]) > 0.6
    assert model.score(X, hidden) > 0.6


def test_weights_of_examples(chains):
    X, y = chains
    weights = np.arange(len(X)) < 30
    some = StructuredModel(chain, epochs=3, optimizer="sgd", average=False, batch_size=60).fit(
        X, y, sample_weight=weights
    )
    few = StructuredModel(chain, epochs=3, optimizer="sgd", average=False, batch_size=60).fit(X[:30], y[:30])
    assert some.coef_["own"] == pytest.approx(few.coef_["own"], abs=1e-5)


def test_class_weights_move_the_balance():
    def single(x):
        graph = FactorGraph()
        return Parts(graph).add("x", graph.add_variables(1), x)

    rng = np.random.default_rng(3)
    y = (rng.random((300, 1)) < 0.2).astype(int)
    X = np.stack([y + rng.normal(size=(300, 1)), np.ones((300, 1))], axis=2)
    share = {
        w: np.mean(StructuredModel(single, loss="softmax-margin", class_weight=w, epochs=10).fit(X, y).predict(X))
        for w in (None, "balanced")
    }
    assert share["balanced"] > share[None]
    with pytest.raises(InvalidInputError, match="loss with costs"):
        StructuredModel(single, class_weight="balanced").fit(X, y)


def test_progress(chains, capsys):
    events = []
    StructuredModel(chain, epochs=2, progress=events.append).fit(*chains)
    assert [event.epoch for event in events] == [1, 2]
    assert str(events[0]).startswith("epoch 1: loss ")
    StructuredModel(chain, epochs=1, early_stopping=True, progress=True).fit(*chains)
    assert "held-out" in capsys.readouterr().err


# --- scikit-learn -------------------------------------------------------------------------------------------------


def test_parameters(chains):
    model = StructuredModel(chain, loss="svm", inference=AD3())
    assert model.get_params()["loss"] == "svm"
    assert model.set_params(l2=0.5) is model
    assert "l2=0.5" in repr(model)
    assert "seed" not in repr(model)
    with pytest.raises(InvalidInputError, match=r"has the parameters parts, loss, .*'alpha'"):
        model.set_params(alpha=1)


def test_scikit_learn_clones_and_searches(chains):
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.utils.validation import check_is_fitted

    X, y = chains
    model = StructuredModel(chain, epochs=1, inference=Exact())
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(cross_val_score(model, X, y, cv=3)) == 3
        search = GridSearchCV(model, {"loss": ["crf", "svm"]}, cv=2).fit(X, y)
    assert search.best_params_["loss"] in ("crf", "svm")
    check_is_fitted(model.fit(X, y))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"decoder": "AD3"}, "decoder to be an inference method, such as AD3.., or None; got 'AD3'"),
        ({"inference": 1.0}, "inference to be an inference method"),
        ({"max_step": 10**400}, "max_step to be a finite number at least 0"),
        ({"loss": "hinge"}, "loss to be one of"),
        ({"optimizer": "adam"}, "optimizer to be one of 'adagrad'"),
        ({"epochs": 1.5}, "epochs to be a whole number"),
        ({"epochs": -1}, "epochs"),
        ({"batch_size": 0}, "batch_size to be a whole number, 1 or more"),
        ({"batch_size": 2, "optimizer": "automatic"}, "batch_size=1"),
        ({"l2": math.inf}, "l2 to be a finite number"),
        ({"l2": 1.0, "optimizer": "automatic"}, "no L2 penalty"),
        ({"max_step": "x"}, "max_step"),
        ({"validation_fraction": 2.0}, "a number at least 0 and at most 1"),
        ({"early_stopping": True, "validation_fraction": 1.0}, "besides those held out"),
        ({"n_iter_no_change": 0}, "n_iter_no_change"),
        ({"threads": -1}, "threads"),
        ({"progress": 3}, "progress"),
        ({"parts": lambda x: x}, "returns Parts"),
    ],
)
def test_bad_parameters(chains, params, message):
    with pytest.raises(InvalidInputError, match=message):
        StructuredModel(**({"parts": chain} | params)).fit(*chains)


def test_bad_examples(chains):
    X, y = chains
    model = StructuredModel(chain, epochs=1)
    with pytest.raises(InvalidInputError, match="fit before predict"):
        model.predict(X)
    with pytest.raises(InvalidInputError, match="fit before fit"):
        model.fit(X, y, resume=True)
    for bad_X, bad_y, message in (
        ([], [], "at least one"),
        (X, y[:-1], "as many examples"),
        (X[:1], [[0]], "one state for each"),
        (X[:1], [np.full(len(y[0]), 3)], "from 0 to 2"),
        (X[:1], [np.full(len(y[0]), 0.5)], "integers"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            model.fit(bad_X, bad_y)
    with pytest.raises(InvalidInputError, match="sample_weight"):
        model.fit(X, y, sample_weight=[-1.0] * len(X))
    with pytest.raises(InvalidInputError, match="'own' to have 3 features"):
        model.fit([X[0], np.ones((2, 4))], [y[0], [0, 0]])
    model.fit(X, y)
    with pytest.raises(InvalidInputError, match="templates that it was fitted with"):
        model.predict([np.ones((2, 4))])
    with pytest.raises(InvalidInputError, match="one mapping"):
        model.predict(X, evidence=[{0: 1}])
    with pytest.raises(InvalidInputError, match="none for example 0"):
        model.predict(X[:1], forbidden=[{0: [0, 1, 2]}])
    with pytest.raises(InvalidInputError, match="score expects"):
        model.score(X[:1], [[0] * 50])


def test_divergence_is_an_error(chains):
    X, y = chains
    with pytest.raises(DivergedTrainingError, match="smaller max_step"):
        StructuredModel(chain, optimizer="sgd", max_step=1e30, epochs=30, loss="svm").fit([1e30 * x for x in X], y)
