"""A layer for any factor graph: inference over a batch of graphs of any shape, with gradients."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
import torch
from torch import Tensor

from ramify.errors import InvalidInputError, UnsupportedError
from ramify.graph import FactorGraph
from ramify.inference import BeliefPropagation, Exact, SparseMAP, Status, backward
from ramify.learn.structured.examples import indicators
from ramify.options import Integer, check_argument
from ramify.torch._operators import as_array, make_operator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ramify.graph import Method, Problem
    from ramify.inference import Result

__all__ = ["FactorGraphLayer", "GraphAnswer"]

_handles = itertools.count()
_layers: WeakValueDictionary[int, FactorGraphLayer] = WeakValueDictionary()


class GraphAnswer(NamedTuple):
    """What inference says of a batch of graphs.

    Attributes
    ----------
    values : tensor of shape (batch,): the log-partition function, or its approximation, for `BeliefPropagation` and
        `Exact`; else the objective that the method reaches
    marginals : of the states of the variables, in the form of the scores
    part_marginals : of the factors' own scores, in the form of the part scores
    """

    values: Tensor
    marginals: Any
    part_marginals: Any


class FactorGraphLayer:
    """Inference in factor graphs as a layer.

    Parameters
    ----------
    graphs : a graph, or a list of graphs of any shapes
    method : inference method. `BeliefPropagation` has gradients through its messages, `Exact` those of the distribution
        itself, and `SparseMAP` those of its sparse marginals. `AD3` and the other methods for the best assignment have
        the gradient of their values, which is what a structured hinge loss needs

    Notes
    -----
    Scores are given as for `FactorGraph.solve`: one for each coordinate, and optionally one for each part of the
    factors. For one graph they have shape (num_coordinates,) or (batch, num_coordinates); for a list of graphs they are
    a list of tensors of shape (num_coordinates,). The items of a batch are spread over ``torch.get_num_threads()``
    cores. The backward pass solves a problem again where it needs more than the answer.

    Examples
    --------
    >>> import torch
    >>> from ramify import FactorGraph
    >>> from ramify.factors import ExactlyOne
    >>> from ramify.inference import Exact
    >>> graph = FactorGraph()
    >>> _ = graph.add(ExactlyOne(graph.add_variables(3)))
    >>> layer = FactorGraphLayer(graph, Exact())
    >>> layer(torch.tensor([0.0, 0.0, 1.0])).marginals  # a softmax
    tensor([0.2119, 0.2119, 0.5761])
    """

    def __init__(self, graphs: FactorGraph | Sequence[FactorGraph], method: Method | None = None) -> None:
        given = [graphs] if isinstance(graphs, FactorGraph) else list(graphs)
        if not given or not all(isinstance(graph, FactorGraph) for graph in given):
            raise InvalidInputError("FactorGraphLayer expects a factor graph or a list of at least one.")
        self.graphs, self.single = given, isinstance(graphs, FactorGraph)
        self.method: Any = BeliefPropagation() if method is None else method
        for graph in given:
            graph.freeze()
        self._sizes = [int(graph.num_coordinates) for graph in given]
        self._part_sizes = [int(graph.num_parts) for graph in given]
        self._own = [torch.from_numpy(graph.part_scores) for graph in given]
        self._handle = next(_handles)
        _layers[self._handle] = self

    def __call__(self, scores: Any, part_scores: Any = None) -> GraphAnswer:
        """Solve the graphs with these scores.

        Parameters
        ----------
        scores : log-potentials of the states of the variables; −inf forbids
        part_scores : the factors' own scores; those they were built with if None
        """
        flat, form = self._flat(scores, "scores", self._sizes)
        parts = self._flat_parts(part_scores, flat, form)
        values, marginals, part_marginals = graph_solve(flat, parts, self._handle, self._count(form))
        given = self._give(marginals, form, self._sizes), self._give(part_marginals, form, self._part_sizes)
        return GraphAnswer(values[0] if form == "vector" else values, *given)

    def score(self, assignments: Any, scores: Any, part_scores: Any = None) -> Tensor:
        """Add up the scores of assignments, with gradients: shape (batch,).

        Parameters
        ----------
        assignments : int tensor or array of shape (num_variables,), with a batch axis or in a list as the scores are
        scores, part_scores : as for calls
        """
        flat, form = self._flat(scores, "scores", self._sizes)
        parts = self._flat_parts(part_scores, flat, form)
        masses = self._masses(assignments, form)
        on = torch.from_numpy(np.concatenate([a for a, _ in masses])).to(flat)
        parts_on = torch.from_numpy(np.concatenate([b for _, b in masses])).to(flat)
        # What is off may be forbidden: zero times −inf is not a number.
        chosen = torch.where(on > 0, flat * on, 0.0), torch.where(parts_on > 0, parts * parts_on, 0.0)
        sums = [_sums_by_item(c, [m[i].size for m in masses]) for i, c in enumerate(chosen)]
        total = sums[0] + sums[1]
        return total[0] if form == "vector" else total

    def log_prob(self, assignments: Any, scores: Any, part_scores: Any = None) -> Tensor:
        """Compute the logarithm of the probability of assignments, with the values of the method for log Z.

        Parameters
        ----------
        assignments, scores, part_scores : as for `score`
        """
        if not isinstance(self.method, (BeliefPropagation, Exact)):
            raise self._refuse("the log-partition function; Exact() and BeliefPropagation() have it")
        return self.score(assignments, scores, part_scores) - self(scores, part_scores).values

    def hinge(self, assignments: Any, scores: Any, part_scores: Any = None, *, cost: float = 1.0) -> Tensor:
        """Compute the structured hinge loss: how much better another assignment is, with costs for wrong variables.

        Parameters
        ----------
        assignments, scores, part_scores : as for `score`; the gold assignments
        cost : of each variable in another state than the gold one (Hamming)

        Returns
        -------
        tensor of shape (batch,). With a relaxation such as AD3 it is an upper bound of the loss.
        """
        flat, form = self._flat(scores, "scores", self._sizes)
        on = torch.from_numpy(np.concatenate([a for a, _ in self._masses(assignments, form)])).to(flat)
        # A binary variable has one coordinate: being on costs where it is off in gold, and being off, where it is on.
        binary = torch.from_numpy(np.concatenate([_is_binary(graph) for graph in self._of(form)])).to(flat.device)
        raised = flat + cost * torch.where(binary, 1 - 2 * on, 1 - on)
        always = _sums_by_item(torch.where(binary, cost * on, 0.0), [g.num_coordinates for g in self._of(form)])
        best = self(self._give(raised, form, self._sizes), part_scores).values
        return best + (always[0] if form == "vector" else always) - self.score(assignments, scores, part_scores)

    def perturb_and_map(
        self, scores: Any, part_scores: Any = None, *, num_samples: int = 1, seed: int | None = None
    ) -> GraphAnswer:
        """Find the best assignment under Gumbel noise, several times (Papandreou & Yuille 2011).

        Parameters
        ----------
        scores, part_scores : as for calls
        num_samples : number of times
        seed : of the noise; by default, PyTorch's generator decides

        Returns
        -------
        Means over the samples. `values` have a gradient, the `marginals` of the samples, so that
        ``values - layer.score(gold, scores)`` is a loss.
        """
        check_argument("FactorGraphLayer.perturb_and_map", "num_samples", Integer(1), num_samples)
        if isinstance(self.method, (BeliefPropagation, SparseMAP, Exact)):
            raise self._refuse("the best assignment as its value; AD3(), ILP() and LP() have it")
        flat, form = self._flat(scores, "scores", self._sizes)
        generator = torch.Generator().manual_seed(
            int(torch.randint(2**62, ()).item())
            if seed is None
            else check_argument("perturb_and_map", "seed", Integer(0), seed)
        )
        binary = torch.from_numpy(np.concatenate([_is_binary(graph) for graph in self._of(form)]))
        found = []
        for _ in range(num_samples):
            on, off = (
                -torch.empty(flat.shape, dtype=torch.float64).exponential_(generator=generator).log() for _ in "ab"
            )
            noise = torch.where(binary, on - off, on).to(flat)
            found.append(self(self._give(flat + noise, form, self._sizes), part_scores))
        values = torch.stack([answer.values for answer in found]).mean(0)
        return GraphAnswer(values, *(_mean([answer[i] for answer in found]) for i in (1, 2)))

    # -- forms of scores ---------------------------------------------------------------------------------------------

    def _flat(self, scores: Any, name: str, sizes: list[int]) -> tuple[Tensor, str]:
        """Return all scores in a row, and in which form they came: a vector, a matrix or a list."""
        expected = f"FactorGraphLayer expects {name} as "
        if not self.single:
            listed = list(scores) if isinstance(scores, (list, tuple)) else None
            if listed is None or [tuple(getattr(t, "shape", ())) for t in listed] != [(size,) for size in sizes]:
                raise InvalidInputError(f"{expected}a list of tensors of shapes {[(size,) for size in sizes][:5]} … .")
            return torch.cat(listed), "list"
        shape = tuple(getattr(scores, "shape", ()))
        if not isinstance(scores, Tensor) or shape[-1:] != (sizes[0],) or len(shape) > 2:
            raise InvalidInputError(
                f"{expected}a float tensor of shape ({sizes[0]},) or (batch, {sizes[0]}); got "
                f"{type(scores).__name__} of shape {shape}."
            )
        return scores.reshape(-1), "vector" if len(shape) == 1 else f"matrix {shape[0]}"

    def _count(self, form: str) -> int:
        return int(form.split()[1]) if form.startswith("matrix") else len(self.graphs)

    def _of(self, form: str) -> list[FactorGraph]:
        return self.graphs * self._count(form) if self.single else self.graphs

    def _flat_parts(self, part_scores: Any, flat: Tensor, form: str) -> Tensor:
        if part_scores is None:
            return torch.cat(self._own * (self._count(form) if self.single else 1)).to(flat)
        parts, own_form = self._flat(part_scores, "part_scores", self._part_sizes)
        if own_form == form:
            return parts
        if own_form == "vector":  # the same for all items of the batch
            return parts.repeat(self._count(form))
        raise InvalidInputError("FactorGraphLayer expects part_scores in the form of the scores, or of one item.")

    def _give(self, flat: Tensor, form: str, sizes: list[int]) -> Any:
        if form == "list":
            return list(flat.split(sizes))
        return flat if form == "vector" else flat.reshape(self._count(form), sizes[0])

    def _masses(self, assignments: Any, form: str) -> list[tuple[Any, Any]]:
        rows = [assignments] if form == "vector" else list(assignments)
        graphs, found = self._of(form), []
        if len(rows) != len(graphs):
            raise InvalidInputError(f"FactorGraphLayer expects {len(graphs)} assignments; got {len(rows)}.")
        for i, (graph, row) in enumerate(zip(graphs, rows, strict=True)):
            states = np.asarray(row.cpu() if isinstance(row, Tensor) else row).astype(np.int32)
            masses = indicators(graph, states) if states.shape == (graph.num_variables,) else None
            if masses is None:
                raise InvalidInputError(
                    f"FactorGraphLayer expects an assignment of {graph.num_variables} variables that the factors "
                    f"allow; item {i} is none."
                )
            found.append((masses[: graph.num_coordinates], masses[graph.num_coordinates :]))
        return found

    # -- inference ---------------------------------------------------------------------------------------------------

    def _spread(self, count: int, run: Callable[[int, Problem], tuple[Any, ...]], flat: Any, parts: Any) -> list[Any]:
        """Run something on every problem; the engine leaves the global lock, so that threads work side by side."""
        graphs = self.graphs * count if self.single else self.graphs
        starts = np.cumsum([0] + [graph.num_coordinates for graph in graphs])
        part_starts = np.cumsum([0] + [graph.num_parts for graph in graphs])

        def one(i: int) -> tuple[Any, ...]:
            own = flat[starts[i] : starts[i + 1]], parts[part_starts[i] : part_starts[i + 1]]
            return run(i, graphs[i].problem(*own))

        threads = min(torch.get_num_threads(), len(graphs))
        if threads <= 1:
            return [one(i) for i in range(len(graphs))]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(one, range(len(graphs))))

    def _solve(self, number: int, problem: Problem, method: Any = None) -> Result:
        result = (method or self.method).solve(problem)
        if result.status is Status.INFEASIBLE:
            raise InvalidInputError(f"Item {number} has no assignment that its factors allow: {result.message}.")
        return result

    def _refuse(self, needed: str) -> UnsupportedError:
        return UnsupportedError(f"FactorGraphLayer expects an inference method with {needed}. Got {self.method!r}.")

    def answers(self, flat: Any, parts: Any, count: int) -> tuple[Any, Any, Any]:
        """Solve all problems, for the operator: values, marginals, part marginals, all in a row."""

        def run(number: int, problem: Problem) -> tuple[Any, Any, Any]:
            result = self._solve(number, problem)
            if isinstance(self.method, (BeliefPropagation, Exact)):
                value = result.log_partition
            else:
                value = result.value if result.relaxed_value is None else result.relaxed_value
            own = np.zeros(problem.part_scores.size) if result.part_marginals is None else result.part_marginals
            return value, result.marginals, own

        found = self._spread(count, run, flat, parts)
        marginals, part_marginals = (np.concatenate([f[i] for f in found]) for i in (1, 2))
        return np.array([value for value, _, _ in found]), marginals, part_marginals

    def gradients(self, flat: Any, parts: Any, grads: tuple[Any, Any, Any], count: int) -> tuple[Any, Any]:
        """Carry gradients from the answers to the scores, for the operator."""
        grad_values, grad_marginals, grad_parts = grads
        graphs = self.graphs * count if self.single else self.graphs
        by_item = [
            np.split(grad, np.cumsum([getattr(graph, size) for graph in graphs])[:-1])
            for grad, size in ((grad_marginals, "num_coordinates"), (grad_parts, "num_parts"))
        ]

        def run(number: int, problem: Problem) -> tuple[Any, Any]:
            return self._gradient(number, problem, float(grad_values[number]), *(side[number] for side in by_item))

        found = self._spread(count, run, flat, parts)
        return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])

    def _gradient(self, number: int, problem: Problem, value: float, marginals: Any, parts: Any) -> tuple[Any, Any]:
        if isinstance(self.method, Exact):
            return self.method.backward(problem, marginals, parts, value)
        if isinstance(self.method, BeliefPropagation):
            result = self._solve(number, problem, replace(self.method, keep_tape=True))
            return backward(result, grad_marginals=marginals, grad_part_marginals=parts, grad_log_partition=value)
        result = self._solve(number, problem)
        own = np.zeros(problem.part_scores.size) if result.part_marginals is None else result.part_marginals
        out = value * result.marginals, value * own  # of a maximum: where it is reached
        if isinstance(self.method, SparseMAP):
            more = self.method.backward(problem, result, marginals, parts)
            return out[0] + more[0], out[1] + more[1]
        if marginals.any() or parts.any():
            raise self._refuse("gradients of marginals; Exact(), BeliefPropagation() and SparseMAP() have them")
        return out


def _is_binary(graph: FactorGraph) -> Any:
    return np.repeat(graph.num_states == 2, np.diff(graph.coordinate_offsets))


def _sums_by_item(values: Tensor, sizes: list[int]) -> Tensor:
    items = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes)).to(values.device)
    return values.new_zeros(len(sizes)).index_add(0, items, values)


def _mean(found: list[Any]) -> Any:
    if isinstance(found[0], list):
        return [torch.stack(items).mean(0).detach() for items in zip(*found, strict=True)]
    return torch.stack(found).mean(0).detach()


def _layer(handle: int) -> FactorGraphLayer:
    return _layers[handle]


def _run_solve(flat: Tensor, parts: Tensor, handle: int, count: int) -> tuple[Tensor, Tensor, Tensor]:
    found = _layer(handle).answers(as_array(flat), as_array(parts), count)
    values, marginals, part_marginals = (torch.from_numpy(array).to(flat.device, flat.dtype) for array in found)
    return values, marginals, part_marginals


def _fake_solve(flat: Tensor, parts: Tensor, handle: int, count: int) -> tuple[Tensor, Tensor, Tensor]:
    return flat.new_empty(count), torch.empty_like(flat), torch.empty_like(parts)


def _run_gradient(
    flat: Tensor, parts: Tensor, values: Tensor, marginals: Tensor, part_marginals: Tensor, handle: int, count: int
) -> tuple[Tensor, Tensor]:
    grads = as_array(values), as_array(marginals), as_array(part_marginals)
    found = _layer(handle).gradients(as_array(flat), as_array(parts), grads, count)
    first, second = (torch.from_numpy(np.ascontiguousarray(array)).to(flat.device, flat.dtype) for array in found)
    return first, second


def _fake_gradient(
    flat: Tensor, parts: Tensor, values: Tensor, marginals: Tensor, part_marginals: Tensor, handle: int, count: int
) -> tuple[Tensor, Tensor]:
    return torch.empty_like(flat), torch.empty_like(parts)


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    flat, parts, ctx.handle, ctx.count = inputs
    ctx.layer = _layers.get(ctx.handle)  # so that it lives until then
    ctx.save_for_backward(flat, parts)


def _backward(ctx: Any, values: Tensor, marginals: Tensor, part_marginals: Tensor) -> Any:
    flat, parts = ctx.saved_tensors
    grads = graph_gradient(flat, parts, values, marginals, part_marginals, ctx.handle, ctx.count)
    return *grads, None, None


graph_solve = make_operator("graph_solve", _run_solve, _fake_solve, _backward, _keep)
graph_gradient = make_operator("graph_gradient", _run_gradient, _fake_gradient)
