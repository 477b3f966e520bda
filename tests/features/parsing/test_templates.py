"""Which templates a model has: the standard table, a large pool made by rules, or a list."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from ramify import Parser
from ramify.data import read
from ramify.errors import InvalidInputError
from ramify.parsing import Config

pytestmark = pytest.mark.engine

QUICK = {"training.epochs": "1", "pruner.bits": "14"}


@pytest.fixture(scope="module")
def sentences(sample):
    return list(itertools.islice(read(sample), 30))


def trained(sentences, preset="second", **options):
    return Parser.train(train=sentences, preset=preset, options=QUICK | {"model.templates": options.pop("templates")})


def named(parser):
    return [f"{template.kind}: {template.pattern}" for template in parser._model.core.templates()]


def test_a_list_of_all_standard_templates_is_the_standard_table(sentences):
    standard = trained(sentences, templates="standard")
    listed = trained(sentences, templates=",".join(named(standard)))
    assert named(listed) == named(standard)
    assert np.array_equal(listed._state.weights.keys, standard._state.weights.keys)
    assert np.array_equal(listed._state.weights.values, standard._state.weights.values)


def test_the_pool_contains_the_standard_table_and_says_nothing_twice(sentences):
    pool = trained(sentences, "third", templates="pool")
    standard = trained(sentences, "third", templates="standard")
    names = named(pool)
    assert set(named(standard)) < set(names)
    contents = [(name.split(": ")[0], frozenset(name.split(": ")[1].split())) for name in names]
    assert len(set(contents)) == len(names)
    counts = Counter(template.kind for template in pool._model.core.templates())
    assert counts["arc"] > 600
    assert min(counts.values()) > 100
    assert len(names) < 4096


@pytest.mark.parametrize("preset", ["second", "third"])
def test_every_template_of_the_pool_has_its_place_in_a_score(sentences, preset):
    """Explanations compute the features of a part again and refuse what does not add up."""
    parser = trained(sentences, preset, templates="pool")
    explained = parser.explain(max(sentences, key=len), 2)
    for part in [*explained.chosen.parts, *explained.rival.parts]:
        assert math.fsum(feature.weight for feature in part.features) == pytest.approx(part.score, abs=1e-6)


def test_what_is_not_in_the_list_is_not_computed(sentences):
    chosen = ["arc: h.p m.p dist", "arc: dir", "label: m.t dir"]
    parser = trained(sentences, templates=",".join(chosen))
    assert named(parser) == chosen
    explained = parser.explain(sentences[0], 1)
    features = {feature.template for part in explained.chosen.parts for feature in part.features}
    assert features == {"h.p m.p dist", "dir", "m.t dir"}


def test_lists_join_tables_and_templates_and_groups_can_be_left_out(sentences):
    options = QUICK | {"model.templates": "arc: standard, arc: h.x m.x, label: m.p", "model.without": "morphology"}
    parser = Parser.train(train=sentences, preset="first", options=options)
    assert named(parser)[-1] == "label: m.p"
    assert "arc: h.x m.x" in named(parser)
    assert {"morphology", "affix", "pair"} & {t.group for t in parser._model.core.templates()} == {"affix", "pair"}


def test_models_without_the_option_have_the_standard_table(parser, model, tmp_path):
    """Models of before the option was there still load."""
    text = (model / "config.toml").read_text()
    assert 'templates = ["standard"]\n' in text
    assert Config.parse(text.replace('templates = ["standard"]\n', "")) == parser.config


@pytest.mark.parametrize(
    ("templates", "message"),
    [
        ("mine", 'model.templates expects .*got \\["mine"\\].*expected a kind of parts, a colon and a template'),
        ("arcs: h.p", "there are no parts 'arcs'"),
        ("arc: g.p", r"expected dir, dist, btw, b, or a word \(hm\) with a value, such as h.p; found 'g.p'"),
        ("arc: h.p+0", "expected a value of wlptFcsrx, and [+]1 or the like; found 'h.p[+]0'"),
        ("arc: h.q", "expected a value of wlptFcsrx"),
        ("arc: h.p m.f b", "expected b or f, not both"),
        ("sibling: h.p m.p btw", "parts of kind sibling have no btw, b and f"),
        ("grand: m.f", "only the first two words have each of their features"),
        ("prune: h.p", "the templates of the pruner are fixed"),
    ],
)
def test_bad_templates_are_refused(templates, message):
    with pytest.raises(InvalidInputError, match=message):
        Config().override({"model.templates": templates})


def test_more_templates_than_keys_can_name_are_refused(sentences):
    many = [f"arc: h.{a}{x} m.{b}{y}" for a in "wlptcs" for b in "wlptcs" for x in _OFFSETS for y in _OFFSETS]
    assert len(many) > 4096
    with pytest.raises(InvalidInputError, match=r"model\.templates expects at most 4096 templates"):
        Parser.train(train=sentences, preset="first", options=QUICK | {"model.templates": many})


_OFFSETS = ["", *(f"{sign}{number}" for sign in "+-" for number in range(1, 6))]
