"""The face that all families of factors share."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from ramify._core import factors as _core
from ramify.arrays import as_int32, as_numbers
from ramify.derived import Derived
from ramify.errors import InvalidInputError, UnsupportedError
from ramify.factors.capability import Capability, Trait
from ramify.factors.results import FactorArgmax, FactorConstraints, FactorMarginals, FactorMessages, FactorProjection
from ramify.factors.slots import Slots
from ramify.options import Integer, check_argument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Factor"]

_Choice = TypeVar("_Choice", bound=Enum)


class Factor:
    """A group of factors of one family: arrays in, arrays out, no object per factor.

    Every method takes and returns arrays of the whole group, factor after factor. A binary variable has one
    coordinate (scores: its log-odds; marginals: the probability of being on), one with k >= 3 states has k. Scores
    may be -inf (that state is forbidden) and, on binary coordinates, +inf (forced on; it counts as 0 in values).
    """

    _families: ClassVar[dict[str, type[Factor]]] = {}

    def __init_subclass__(cls) -> None:
        Factor._families.setdefault(cls.__name__, cls)  # a user's class of the same name is not the family's

    def __init__(self, group: Any, slots: Slots, scores: NDArray[np.float64], **arguments: Any) -> None:
        self._group = group
        self._slots = slots
        self._own_arguments = arguments
        self._scores = scores
        self._scores.setflags(write=False)

    # --- what it is -------------------------------------------------------------------------------------------------

    @property
    def variables(self) -> NDArray[np.int64]:
        """Variable indexes, one factor after the other; shape (num_slots,)."""
        return self._slots.variables

    @property
    def num_states(self) -> NDArray[np.int32]:
        """Number of states of each slot; shape (num_slots,)."""
        return self._slots.num_states

    @property
    def scores(self) -> NDArray[np.float64]:
        """Log-potentials of the factors' own parts, read-only; shape (num_parts,)."""
        return self._scores

    @property
    def num_factors(self) -> int:
        """Number of factors in the group."""
        return int(self._group.num_factors)

    slot_offsets = Derived["NDArray[np.int64]"](
        lambda factor: factor._group.slot_offsets(),
        "Factor f's variables are ``variables[slot_offsets[f]:slot_offsets[f + 1]]``; shape (num_factors + 1,).",
    )
    coordinate_offsets = Derived["NDArray[np.int64]"](
        lambda factor: factor._group.coord_offsets(), "The same for coordinates."
    )
    state_offsets = Derived["NDArray[np.int64]"](
        lambda factor: factor._group.state_offsets(), "The same for states, as `max_marginals` returns them."
    )
    part_offsets = Derived["NDArray[np.int64]"](lambda factor: factor._group.part_offsets(), "The same for parts.")

    @property
    def capabilities(self) -> Capability:
        """What this family can be asked for."""
        return Capability(self._group.capabilities)

    @property
    def traits(self) -> Trait:
        """What this family is."""
        return Trait(self._group.traits)

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}({self.num_factors} factors, {self.variables.size} slots, {self.scores.size} parts)"

    # --- taking it apart and putting it together --------------------------------------------------------------------

    def arguments(self) -> dict[str, NDArray[Any]]:
        """Arrays from which `from_arguments` builds the same group: what a file of it holds."""
        slots = self._slots
        own = {name: np.asarray(value) for name, value in self._own_arguments.items()}
        return {
            "variables": slots.variables,
            "num_states": slots.num_states,
            "offsets": slots.offsets,
            "scores": self._scores,
            **own,
        }

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, NDArray[Any]]) -> Factor:
        """Build a group from what `arguments` returned; everything is checked as in the constructor.

        Parameters
        ----------
        arguments : arrays by name
        """
        own = dict(arguments)
        try:
            variables, num_states, offsets = (own.pop(name) for name in ("variables", "num_states", "offsets"))
            slots = Slots.checked(cls.__name__, variables, num_states, offsets)
            return cls._rebuild(slots.grouped(), np.asarray(own.pop("scores"), dtype=np.float64), **own)
        except (AttributeError, KeyError, TypeError, IndexError) as error:
            raise InvalidInputError(f"{cls.__name__}.from_arguments expects what arguments() gives: {error}") from error

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_arguments, (self.arguments(),)

    @classmethod
    def adopt(
        cls, group: _core.FactorGroup, variables: NDArray[np.int64], num_states: NDArray[np.int32], scores: ArrayLike
    ) -> Factor:
        """Give a group that C++ built the class of its family.

        Parameters
        ----------
        group : the C++ group, whose family names the class
        variables, num_states : arrays of shape (num_slots,)
        scores : array of shape (num_parts,)
        """
        family = Factor._families[group.family]
        slots = Slots(variables, num_states, group.slot_offsets())
        values = check_scores(scores, int(group.part_offsets()[-1]), f"{family.__name__} expects scores")
        factor = family.__new__(family)
        Factor.__init__(factor, group, slots, values, **family._adopted(group.arguments(), slots))
        return factor

    @classmethod
    def _adopted(cls, arguments: dict[str, NDArray[np.int32]], slots: Slots) -> dict[str, Any]:
        """Return arguments of a C++ group as the constructor keeps them."""
        return arguments

    @classmethod
    def _rebuild(cls, variables: Any, scores: NDArray[np.float64], **own: Any) -> Factor:
        make: Any = cls  # the families' constructors differ from the base's
        return make(variables, scores, **own)  # type: ignore[no-any-return]

    # --- what it can do ---------------------------------------------------------------------------------------------

    def score(self, y: ArrayLike, scores: ArrayLike | None = None) -> NDArray[np.float64]:
        """Log-potentials of assignments, -inf if forbidden.

        Parameters
        ----------
        y : integer array of shape (num_slots,), one state per variable
        scores : array of shape (num_parts,), optional
            Instead of the stored ones.

        Returns
        -------
        array of shape (num_factors,)
        """
        self._need(Capability.SCORE)
        states = as_int32(f"{type(self).__name__}.score expects states", y).ravel()
        if states.shape != self.variables.shape:
            raise InvalidInputError(
                f"{type(self).__name__}.score expects one state for each of {self.variables.size} slots; "
                f"got {states.size}."
            )
        if np.any(states < 0) or np.any(states >= self.num_states):
            raise InvalidInputError(f"{type(self).__name__}.score expects states from 0 to num_states - 1.")
        return self._group.score(states, self._parts(scores))  # type: ignore[no-any-return]

    def marginals(self, q: ArrayLike, scores: ArrayLike | None = None) -> FactorMarginals:
        """Marginals of variables and parts, and log-partition functions.

        Parameters
        ----------
        q : array of shape (num_coordinates,)
        scores : array of shape (num_parts,), optional
        """
        self._need(Capability.MARGINALS)
        return FactorMarginals(*self._group.marginals(self._coords(q), self._parts(scores)))

    def messages(self, q: ArrayLike, scores: ArrayLike | None = None, *, maximise: bool = False) -> FactorMessages:
        """Outgoing messages: log-odds minus `q`, without subtracting nearly equal numbers.

        Parameters
        ----------
        q, scores : as for `marginals`
        maximise : bool
            Max-product instead of sum-product.
        """
        self._need(Capability.MAX_MARGINALS if maximise else Capability.MARGINALS)
        return FactorMessages(*self._group.messages(maximise, self._coords(q), self._parts(scores)))

    def marginals_vjp(
        self,
        q: ArrayLike,
        grad_marginals: ArrayLike,
        grad_part_marginals: ArrayLike | None = None,
        scores: ArrayLike | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Hessian of log Z times a vector: gradients with respect to `q` and `scores`.

        Parameters
        ----------
        q, grad_marginals : arrays of shape (num_coordinates,)
        grad_part_marginals, scores : arrays of shape (num_parts,), optional
        """
        self._need(Capability.MARGINALS_VJP)
        grads = self._coords(grad_marginals), self._grad_parts(grad_part_marginals)
        return self._group.marginals_vjp(self._coords(q), self._parts(scores), *grads)  # type: ignore[no-any-return]

    def argmax(self, q: ArrayLike, scores: ArrayLike | None = None) -> FactorArgmax:
        """Best assignment of each factor.

        Parameters
        ----------
        q, scores : as for `marginals`
        """
        self._need(Capability.ARGMAX)
        return FactorArgmax(*self._group.argmax(self._coords(q), self._parts(scores)))

    def max_marginals(self, q: ArrayLike, scores: ArrayLike | None = None) -> NDArray[np.float64]:
        """Best value with each variable at each state, shape (total number of states,).

        Parameters
        ----------
        q, scores : as for `marginals`
        """
        self._need(Capability.MAX_MARGINALS)
        return self._group.max_marginals(self._coords(q), self._parts(scores))  # type: ignore[no-any-return]

    def projection_state(self) -> Any:
        """Warm start for `project`, to be kept by the caller from call to call."""
        self._need(Capability.PROJECT)
        return self._group.make_state()

    def project(self, a: ArrayLike, scores: ArrayLike | None = None, state: Any = None) -> FactorProjection:
        """Points of the polytopes that maximise ``<a, z> + <scores, parts> - |z|**2 / 2``.

        Parameters
        ----------
        a : array of shape (num_coordinates,)
        scores : array of shape (num_parts,), optional
        state : result of `projection_state`, optional
            Filled by the call; the next call starts from it, and `project_vjp` needs it.
        """
        self._need(Capability.PROJECT)
        state = self._group.make_state() if state is None else self._state(state)
        return FactorProjection(*self._group.project(self._coords(a), self._parts(scores), state))

    def project_vjp(
        self,
        a: ArrayLike,
        state: Any,
        grad_point: ArrayLike,
        grad_parts: ArrayLike | None = None,
        scores: ArrayLike | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Gradients of `project` with respect to `a` and `scores`, on the face where the point lies.

        Parameters
        ----------
        a, grad_point : arrays of shape (num_coordinates,)
        state : as `project` left it, called with the same `a` and `scores`
        grad_parts, scores : arrays of shape (num_parts,), optional
        """
        self._need(Capability.PROJECT_VJP)
        grads = self._coords(grad_point), self._grad_parts(grad_parts)
        return self._group.project_vjp(  # type: ignore[no-any-return]
            self._coords(a), self._parts(scores), self._state(state), *grads
        )

    def entropy(self, q: ArrayLike, scores: ArrayLike | None = None) -> NDArray[np.float64]:
        """Entropies ``log Z - <marginals, q> - <part marginals, scores>``, shape (num_factors,).

        Parameters
        ----------
        q, scores : as for `marginals`
        """
        self._need(Capability.ENTROPY)
        return self._group.entropy(self._coords(q), self._parts(scores))  # type: ignore[no-any-return]

    def constraints(self, factor: int = 0) -> FactorConstraints:
        """Rows of one factor's polytope, for linear and integer programs.

        Parameters
        ----------
        factor : index within the group
        """
        self._need(Capability.CONSTRAINTS)
        return FactorConstraints.from_core(self._group.constraints(self._index(factor)))

    # --- checks -----------------------------------------------------------------------------------------------------

    def _index(self, factor: int) -> int:
        """Position of a factor within the group."""
        return check_argument(type(self).__name__, "factor", Integer(0, self.num_factors - 1), factor)

    def _need(self, capability: Capability) -> None:
        if capability not in self.capabilities:
            raise UnsupportedError(
                f"{type(self).__name__} has no {capability.names[0]}; it can: {', '.join(self.capabilities.names)}."
            )

    def _state(self, state: Any) -> Any:
        if not isinstance(state, _core.ProjectionState):
            raise InvalidInputError(
                f"{type(self).__name__} expects a state that its projection_state made; got {type(state).__name__}."
            )
        return state

    def _coords(self, values: ArrayLike) -> NDArray[np.float64]:
        return _checked(values, int(self.coordinate_offsets[-1]), f"{type(self).__name__} expects q", "coordinate")

    def _parts(self, scores: ArrayLike | None) -> NDArray[np.float64]:
        if scores is None:
            return self._scores
        return check_scores(scores, self._scores.size, f"{type(self).__name__} expects scores")

    def _grad_parts(self, values: ArrayLike | None) -> NDArray[np.float64]:
        if values is None:
            return np.zeros_like(self._scores)
        return _checked(values, self._scores.size, f"{type(self).__name__} expects gradients", "part")


def _checked(values: ArrayLike, size: int, who: str, unit: str) -> NDArray[np.float64]:
    array = as_numbers(who, values).ravel()
    if array.size != size:
        raise InvalidInputError(f"{who} with one number per {unit}, {size} in all; got {array.size}.")
    if np.isnan(array).any():
        raise InvalidInputError(f"{who} without NaN; got NaN at position {int(np.isnan(array).argmax())}.")
    return array


def check_scores(scores: ArrayLike, size: int, who: str) -> NDArray[np.float64]:
    """Scores of parts as a flat array; NaN and +inf are refused.

    Parameters
    ----------
    scores : array with `size` elements, any shape
    size : expected number of parts
    who : beginning of the error message
    """
    array = _checked(scores, size, who, "part")
    if np.isposinf(array).any():
        raise InvalidInputError(f"{who} below +inf; got +inf at position {int(np.isposinf(array).argmax())}.")
    return array


class _Formulated(Factor):
    """A family whose polytope can be described in several ways.

    Attributes
    ----------
    formulations : their names, the first of which linear programs use by default
    """

    formulations: ClassVar[type[Enum]]

    def constraints(self, factor: int = 0, formulation: Enum | str | None = None) -> FactorConstraints:
        """Rows of one factor's polytope.

        Parameters
        ----------
        factor : index within the group
        formulation : one of `formulations`, or its value; the first if None
        """
        name = type(self).__name__
        first = next(iter(self.formulations))
        chosen = check_choice(self.formulations, formulation or first, f"{name}.constraints expects formulation")
        return FactorConstraints.from_core(self._rows(self._index(factor), chosen))

    def _rows(self, factor: int, formulation: Any) -> Any:
        """Return the rows of the C++ core."""
        raise NotImplementedError


def check_choice(kind: type[_Choice], choice: _Choice | str, who: str) -> _Choice:
    """Return the member of an enumeration that is meant, by itself or by its value.

    Parameters
    ----------
    kind : the enumeration
    choice : a member or its value
    who : beginning of the error message
    """
    try:
        return kind(choice)
    except ValueError:
        allowed = ", ".join(repr(member.value) for member in kind)
        raise InvalidInputError(f"{who} to be one of {allowed}; got {choice!r}.") from None
