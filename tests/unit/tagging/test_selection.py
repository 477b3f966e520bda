"""Taggers that select their templates before they are trained."""

from __future__ import annotations

import functools
import json
import math
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

from ramify.cli import app
from ramify.data import LabelSequence
from ramify.errors import InvalidInputError
from ramify.learn.templates import template_rows
from ramify.tagging import Config, Tagger, training
from ramify.tagging.pools import expand
from ramify.tagging.selection import Selected, finer_templates
from support.models import check_resuming, stop_after

pytestmark = pytest.mark.engine

POOL = ["w*2[-1:1]", "x*2[-1:1]", "s2*1[-1:1]"]  # 17 templates


def config(**select):
    options = {f"select.{name.replace('_', '-')}": value for name, value in select.items()}
    options = {"select.every": 20, "select.epochs": 2, **options}
    return Config.parse(f'[model]\ntarget = "upos"\n[features]\ntemplates = {json.dumps(POOL)}\n').override(
        {"training.epochs": 2, **options}
    )


def train(sentences, **select):
    return Tagger.train(train=sentences[:80], config=config(**select))


@pytest.mark.parametrize("kind", ["group", "coarse-to-fine", "sparse-group", "information-gain"])
def test_a_budget_leaves_so_many_templates(sentences, kind):
    tagger = train(sentences, templates=5, regularizer=kind, strength=20.0)
    kept = tagger.config.features.templates
    assert 1 <= len(kept) <= 5
    assert set(kept) <= set(expand(POOL))
    assert not tagger.config.select.active
    assert [row.name for row in template_rows(tagger.facts)] == list(kept)
    assert f"templates: {len(kept)} of 17, selected by {kind}" in tagger.card
    right = [a == b for s in sentences[:80] for a, b in zip(tagger.tag(s).labels, s.upos, strict=True)]
    assert np.mean(right) > 0.4


def test_coarse_to_fine_keeps_parts_of_what_it_keeps(sentences):
    tagger = train(sentences, templates=9, regularizer="coarse-to-fine", group_weight="one")
    for name in tagger.config.features.templates:
        parts = set(name.split("|")) & set(expand(POOL))
        assert parts <= set(tagger.config.features.templates), name


@pytest.mark.parametrize("kind", ["lasso", "sparse-group", "label-group"])
def test_a_smaller_c_leaves_fewer_features(sentences, kind):
    sizes = [train(sentences, templates=8, regularizer=kind, strength=c).facts["weights"] for c in (0.3, 1.0, 100.0)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2] / 2


def test_a_path_goes_through_its_budgets_in_one_run(sentences):
    tagger = train(sentences, path=[12, 4, 8], templates=8)
    path = tagger.facts["selection"]["path"]
    assert [step["budget"] for step in path] == [12, 8, 4]
    assert all(len(step["templates"]) <= step["budget"] for step in path)
    assert tagger.config.features.templates == tuple(path[1]["templates"])
    assert len(tagger.facts["selection"]["held"]) == 2 + 2
    most = [most for most, _ in tagger.facts["selection"]["held"]]
    assert most == sorted(most)


def test_frozen_models_have_no_features_that_the_selection_dropped(sentences):
    frozen, free = (train(sentences, templates=6, frozen=choice) for choice in (True, False))
    assert frozen.config.features == free.config.features
    assert frozen.facts["weights"] <= frozen.facts["selection"]["path"][0]["weights"]
    assert frozen.facts["weights"] < free.facts["weights"]
    assert set(frozen._state.weights.keys.tolist()) <= set(free._state.weights.keys.tolist())


def test_one_stage_ends_with_the_templates_that_have_weights(sentences):
    tagger = train(sentences, templates=7, one_stage=True)
    assert len(tagger.config.features.templates) == 7
    assert [row.name for row in template_rows(tagger.facts)] == [
        name for name in expand(POOL) if name in tagger.config.features.templates
    ]
    assert tagger.tag(["I", "see", "it"]).labels


def test_megabytes_choose_the_largest_budget_that_fits(sentences):
    budgets = [15, 10, 5, 2]
    models = {budget: train(sentences, path=budgets, templates=budget) for budget in budgets}
    sizes = {budget: tagger.facts["bytes"] / 1e6 for budget, tagger in models.items()}
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)
    limits = np.linspace(sizes[2] + 0.02, sizes[15] + 0.1, 4)
    chosen = [train(sentences, path=budgets, megabytes=limit) for limit in limits]
    kept = [len(tagger.config.features.templates) for tagger in chosen]
    assert kept == sorted(kept)
    assert kept[0] < kept[-1] == 15
    assert all(tagger.facts["bytes"] / 1e6 <= limit for tagger, limit in zip(chosen, limits, strict=True))
    alone = train(sentences, megabytes=sizes[15])  # goes through budgets of its own: 10, as 17 is the pool
    assert [step["budget"] for step in alone.facts["selection"]["path"]] == [10]
    with pytest.raises(InvalidInputError, match=r"select\.megabytes expects at least 0\.\d\d, the size"):
        train(sentences, path=[15, 10], megabytes=1e-6)


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ({"megabytes": 1.0, "path": [3], "frozen": False}, r"select\.megabytes expects select\.frozen"),
        ({"one_stage": True, "path": [3, 2]}, r"select\.one-stage expects one budget and a penalty"),
        ({"regularizer": "lasso", "strength": 1e-9}, r"select\.strength leaves no feature at all"),
    ],
)
def test_contradictions_are_errors(sentences, select, message):
    with pytest.raises(InvalidInputError, match=message):
        train(sentences, **select)


@pytest.mark.parametrize("value", [[3, 3], [0], "3", [2.5]])
def test_paths_are_different_whole_numbers(value):
    with pytest.raises(InvalidInputError, match=r"select\.path expects a list of whole numbers of at least 1"):
        Config().override({"select.path": [*value] if isinstance(value, list) else 3})
    assert Config().override({"select.path": "10,30, 20"}).select.path == (30, 20, 10)


def test_information_gain_is_that_of_counts():
    rows = [("a b a", "X Y X"), ("b b c", "Y X X"), ("a c", "Y X")]
    data = [LabelSequence({"form": tuple(w.split()), "label": tuple(t.split())}) for w, t in rows]
    pool = Config.parse('[features]\ntemplates = ["w[0]", "w[-1]", "bias"]\n').override(
        {"select.templates": 3, "select.regularizer": "information-gain"}
    )
    learner = training.TaggerLearner(pool, type("Corpus", (), {"sentences": data}), None, 1)
    learner._make_trainer(pool)
    pairs = {
        "w[0]": [(w, t) for s in data for w, t in zip(s.forms, s.labels, strict=True)],
        "w[-1]": [(w, t) for s in data for w, t in zip(("<", *s.forms), s.labels, strict=False)],
    }
    expected = []
    for found in pairs.values():
        both, left, right = Counter(found), Counter(w for w, _ in found), Counter(t for _, t in found)
        n = len(found)
        expected.append(sum(c / n * math.log2(c * n / (left[w] * right[t])) for (w, t), c in both.items()))
    np.testing.assert_allclose(learner.trainer.information_gain(), [*expected, 0.0], atol=1e-12)
    assert learner._selects_first


def test_finer_templates_contain_their_parts():
    assert finer_templates(["w[0]|x[0]", "x[0]", "w[0]", "bias"]) == [[0], [0, 1], [0, 2], [3]]


def test_features_are_found_again_when_templates_have_new_numbers():
    keys = np.array([(9 << 12) | 3, (8 << 12) | 0, (7 << 12) | 3], np.uint64)
    none = np.empty(0, np.uint16)
    found = Selected(2, (3, 0), (2.0, 1.0), 3, keys, none, none).renumbered()
    assert found.tolist() == [(9 << 12) | 0, (8 << 12) | 1, (7 << 12) | 0]


@pytest.mark.parametrize("select", [{"path": "9,5", "templates": "5"}, {"templates": "5", "one-stage": "true"}])
@pytest.mark.parametrize("steps", [[1], [3, 1]])
def test_resumed_equals_uninterrupted(sentences, tmp_path, monkeypatch, select, steps):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setattr(training.TaggerLearner, "chunk", 30)
    options = {f"select.{name}": value for name, value in select.items()}
    settings = {"train": sentences[:60], "dev": sentences[60:80], "config": config(), "options": options}
    run = functools.partial(Tagger.train, **settings)
    check_resuming(run, tmp_path, [stop_after(n, stage="upos") for n in steps])


def test_info_shows_templates_and_draws_the_path(sentences, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    tagger = train(sentences, path=[6, 3], templates=6)
    model, picture = tmp_path / "model", tmp_path / "path.svg"
    tagger.save(model)
    runner = CliRunner()
    done = runner.invoke(app, ["info", str(model), "--templates", "--plot", str(picture)])
    assert done.exit_code == 0, done.output
    assert "selected from 17 templates by group: 6 left at budget 6" in done.output
    rows = [line for line in done.output.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == 6
    shares = [float(row.split("|")[-2].strip().rstrip("%")) for row in rows]
    assert sum(shares) == pytest.approx(100, abs=0.5)
    text = picture.read_text(encoding="utf-8")
    assert all(name in text for name in tagger.config.features.templates)
    plain = Tagger.train(train=sentences[:20], config=config())
    plain.save(tmp_path / "plain")
    failed = runner.invoke(app, ["info", str(tmp_path / "plain"), "--plot", str(picture)])
    assert "--plot expects a model whose templates were selected" in str(failed.exception)
    done = runner.invoke(app, ["info", str(model), str(tmp_path / "plain"), "--templates", "--plot", str(picture)])
    table = done.output.partition("| templates that see |")[2].splitlines()[2:]
    assert sum(int(row.split("|")[2]) for row in table) == 6
    assert sum(int(row.split("|")[3]) for row in table) == 17
    assert all(row.split("|")[1].strip() in picture.read_text(encoding="utf-8") for row in table)


def test_models_of_old_have_no_list_of_templates():
    with pytest.raises(InvalidInputError, match="the model has no list of templates"):
        template_rows({"weights": 3})
