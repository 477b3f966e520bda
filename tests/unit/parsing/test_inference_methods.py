"""Inference methods as objects, and the section of a parser's configuration that they become."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from ramify.data import read
from ramify.errors import InvalidInputError
from ramify.factors import SiblingFormulation, TreeFormulation
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Exact, Relax, SparseMAP, Subgradient
from ramify.options import rule_of
from ramify.parsing import Config, Inference, Method, Parser
from ramify.parsing.inference import ad3_of, from_method, with_method

UNUSUAL = AD3(
    max_iterations=77,
    tolerance=1e-3,
    time_limit=9.0,
    penalty=0.7,
    adapt_penalty=False,
    relaxation=1.2,
    acceleration=3,
    check_every=4,
    idle=0.01,
    node_iterations=11,
    max_nodes=12,
)


@pytest.mark.parametrize(("exact", "kind"), [(False, Method.AD3), (True, Method.EXACT)])
def test_every_option_of_ad3_arrives(exact, kind):
    for made in fields(AD3):
        assert made.name == "exact" or getattr(UNUSUAL, made.name) != made.default
    section = from_method(replace(UNUSUAL, exact=exact))
    assert section.method is kind
    assert ad3_of(section) == UNUSUAL


def test_other_methods():
    step = from_method(Subgradient(max_iterations=7, step=0.3, check_every=2, time_limit=3.0))
    assert (step.method, step.max_iterations, step.step) == (Method.SUBGRADIENT, 7, 0.3)
    assert (step.check_every, step.time_limit) == (2, 3.0)
    beliefs = from_method(BeliefPropagation(max_iterations=7, tolerance=0.1))
    assert (beliefs.method, beliefs.bp_iterations, beliefs.bp_tolerance) == (Method.BELIEF_PROPAGATION, 7, 0.1)
    relaxed = from_method(Relax(inner=BeliefPropagation(max_iterations=7, tolerance=0.1), gain=0.2, max_rounds=3))
    assert (relaxed.method, relaxed.bp_iterations, relaxed.bp_tolerance) == (Method.RELAX, 7, 0.1)
    assert (relaxed.relax_gain, relaxed.relax_rounds) == (0.2, 3)
    concise = {"tree": TreeFormulation.SINGLE_COMMODITY, "siblings": SiblingFormulation.DYNAMIC}
    assert from_method(LP()).method is Method.LINEAR
    assert from_method(ILP(time_limit=5)) == Inference(method=Method.INTEGER, time_limit=5)
    assert from_method(LP(**concise)).method is Method.CONCISE_LINEAR
    assert from_method(ILP(**concise)).method is Method.CONCISE_INTEGER


def test_what_was_fitted_stays():
    before = Config().override({"inference.temperature": "2", "inference.curve": "0.1,0.9", "model.parts": "grand"})
    after = with_method(before, AD3(max_iterations=7))
    assert (after.inference.temperature, after.inference.curve) == (2.0, (0.1, 0.9))
    assert (after.inference.max_iterations, after.model) == (7, before.model)
    assert with_method(before, None) is before


@pytest.mark.parametrize("method", [AD3(exact=True, max_nodes=5), BeliefPropagation(max_iterations=5), Subgradient()])
def test_parsers_of_such_a_section_parse(method, tmp_path):
    """Through the model file, where the section is text."""
    sample = "tests/data/ewt-sample-200.conllu"
    config = Config().override(
        {"training.epochs": "1", "pruner.bits": "12", "model.parts": "grand", "inference.temperature": "1"}
    )
    config = with_method(config, method)
    parser = Parser.train(train=sample, config=config, progress=False)
    parser.save(tmp_path / "model")
    again = Parser.load(tmp_path / "model")
    assert again.config.inference == config.inference
    sentence = next(iter(read(sample)))
    assert again.parse(sentence).heads.tolist() == parser.parse(sentence).heads.tolist()


def test_limits_are_those_of_the_methods():
    same = {made.name: rule_of(made) for made in fields(AD3)}
    for made in fields(Inference):
        if made.name in same and made.name != "time_limit":
            assert rule_of(made) == same[made.name]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("ad3", r"expects as its method AD3, .* such as AD3\(\); got 'ad3'"),
        (AD3, "as an object"),
        (Exact(), "got Exact"),
        (SparseMAP(), "got SparseMAP"),
        (BeliefPropagation(damping=0.5), "max_iterations and tolerance of BeliefPropagation, and expects damping"),
        (BeliefPropagation(product="max"), "expects product to be"),
        (BeliefPropagation(temperature=2.0), "expects temperature to be 1.0; got 2.0"),
        (Relax(inner=AD3()), "expects Relax with BeliefPropagation as inner"),
        (Relax(max_bound=1.0), "expects max_bound to be 0.0; got 1.0"),
        (ILP(gap=0.1), r"expects one of LP\(.*, with any time_limit; got ILP\("),
        (AD3(time_limit=0.0), "inference.time-limit expects a number above 0"),
    ],
)
def test_what_a_parser_cannot_do_is_refused(method, message):
    with pytest.raises(InvalidInputError, match=message):
        from_method(method)
