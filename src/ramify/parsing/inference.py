"""Between the methods of `ramify.inference` and a parser's section ``[inference]``: the same names, the same rules."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from ramify.errors import InvalidInputError
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Relax, Subgradient
from ramify.parsing.config import Config, Inference, Method
from ramify.parsing.programs import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["ad3_of", "from_method", "with_method"]

_SECTION = {made.name for made in fields(Inference)}
_OF_AD3 = [made.name for made in fields(AD3) if made.name in _SECTION]
_OF_SUBGRADIENT = [made.name for made in fields(Subgradient) if made.name in _SECTION]


def ad3_of(section: Inference) -> AD3:
    """Return AD3 as a section has it."""
    return AD3(**{name: getattr(section, name) for name in _OF_AD3})


def from_method(method: object) -> Inference:
    """Return the section ``[inference]`` with which a parser uses a method of `ramify.inference`.

    Every option of the method is taken over. Options of other methods keep the defaults of the section.

    Parameters
    ----------
    method : `AD3`, with ``exact=True`` for branch and bound; `BeliefPropagation`, `Relax`, `Subgradient`, `LP` or `ILP`

    Examples
    --------
    >>> from ramify.inference import AD3
    >>> section = from_method(AD3(max_iterations=200))
    >>> section.method.value, section.max_iterations, section.tolerance
    ('ad3', 200, 1e-06)
    """
    if isinstance(method, AD3):
        kind = Method.EXACT if method.exact else Method.AD3
        return Inference(method=kind, **{name: getattr(method, name) for name in _OF_AD3})
    if isinstance(method, Subgradient):
        return Inference(method=Method.SUBGRADIENT, **{name: getattr(method, name) for name in _OF_SUBGRADIENT})
    if isinstance(method, BeliefPropagation):
        return Inference(method=Method.BELIEF_PROPAGATION, **_of_beliefs(method))
    if isinstance(method, Relax):
        _expect_defaults(method, taken={"inner", "gain", "max_rounds"})
        if not isinstance(method.inner, BeliefPropagation):
            raise InvalidInputError(f"A parser expects Relax with BeliefPropagation as inner; got {method.inner!r}.")
        own: dict[str, Any] = {"relax_gain": method.gain, "relax_rounds": method.max_rounds}
        return Inference(method=Method.RELAX, **own, **_of_beliefs(method.inner))
    if isinstance(method, (LP, ILP)):
        return _of_program(method)
    raise InvalidInputError(
        "A parser expects as its method AD3, BeliefPropagation, ILP, LP, Relax or Subgradient, as an object such as "
        f"AD3(); got {method!r}."
    )


def with_method(config: Config, method: object) -> Config:
    """Return a configuration that uses a method; what was fitted to the dev treebank stays.

    Parameters
    ----------
    config : of a parser
    method : as `from_method` takes it; None changes nothing
    """
    if method is None:
        return config
    fitted: dict[str, Any] = {"temperature": config.inference.temperature, "curve": config.inference.curve}
    return replace(config, inference=replace(from_method(method), **fitted))


def _of_beliefs(method: BeliefPropagation) -> dict[str, Any]:
    _expect_defaults(method, taken={"max_iterations", "tolerance"})
    return {"bp_iterations": method.max_iterations, "bp_tolerance": method.tolerance}


def _of_program(method: LP | ILP) -> Inference:
    for kind, program in PROGRAMS.items():
        if program.within(method.time_limit) == method:
            return Inference(method=kind, time_limit=method.time_limit)
    known = ", ".join(repr(program.method) for program in PROGRAMS.values())
    raise InvalidInputError(f"A parser expects one of {known}, with any time_limit; got {method!r}.")


def _expect_defaults(method: BeliefPropagation | Relax, taken: Collection[str]) -> None:
    """Refuse an option that the parser could only ignore."""
    for made in fields(method):
        value = getattr(method, made.name)
        if made.name not in taken and value != made.default:
            raise InvalidInputError(
                f"A parser takes {' and '.join(sorted(taken))} of {type(method).__name__}, and expects {made.name} "
                f"to be {made.default!r}; got {value!r}."
            )
