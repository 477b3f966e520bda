"""Methods of `ramify.inference` as options of a parser."""

from __future__ import annotations

import dataclasses
from typing import Any

from ramify.errors import InvalidInputError
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Relax, Subgradient
from ramify.parsing.config import Config, Inference, Method

__all__ = ["from_method", "with_method"]

_SAME = ("max_iterations", "tolerance", "time_limit", "penalty", "relaxation", "acceleration", "check_every")
_METHODS: dict[type, tuple[Method, dict[str, str]]] = {
    AD3: (Method.AD3, {name: name for name in _SAME}),
    Subgradient: (Method.SUBGRADIENT, {name: name for name in ("max_iterations", "check_every", "time_limit")}),
    BeliefPropagation: (Method.BELIEF_PROPAGATION, {"max_iterations": "bp_iterations", "tolerance": "tolerance"}),
    Relax: (Method.RELAX, {"gain": "relax_gain", "max_rounds": "relax_rounds"}),
    LP: (Method.LINEAR, {"time_limit": "time_limit"}),
    ILP: (Method.INTEGER, {"time_limit": "time_limit"}),
}


def from_method(method: Any) -> Inference:
    """Return the section ``inference`` that stands for a method of `ramify.inference`."""
    if type(method) not in _METHODS:
        names = ", ".join(sorted(kind.__name__ for kind in _METHODS))
        raise InvalidInputError(f"A parser expects as its method {names}, as an object such as AD3(); got {method!r}.")
    chosen, renamed = _METHODS[type(method)]
    values: dict[str, Any] = {ours: getattr(method, theirs) for theirs, ours in renamed.items()}
    if isinstance(method, AD3) and method.exact:
        chosen, values["max_nodes"] = Method.EXACT, method.max_nodes
    return Inference(method=chosen, **values)


def with_method(config: Config, method: Any) -> Config:
    """Return a configuration that uses a method; what was fitted to the dev treebank stays. None changes nothing."""
    if method is None:
        return config
    before, chosen = config.inference, from_method(method)
    fitted = dataclasses.replace(chosen, temperature=before.temperature, curve=before.curve)
    return dataclasses.replace(config, inference=fitted)
