"""The engine as custom operators of PyTorch, with gradients, so that ``torch.compile`` and autocast know them.

A table has shape (batch, parts), and lengths (batch,). Tensors of any device and float type are welcome. Where the
table is on a GPU and `ramify.torch._gpu` has a kernel, that one answers; otherwise the engine does, on the processor,
and the answer goes back to where the table came from. Both compute in double precision.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ramify.errors import UnsupportedError
from ramify.torch import _engine
from ramify.torch._engine import from_name

if TYPE_CHECKING:
    from ramify.torch._engine import Ints

__all__ = ["as_array", "as_lengths", "best", "make_operator", "max_marginals", "products", "sums"]


def as_array(tensor: Tensor) -> Any:
    """Return a tensor as the engine reads it."""
    return np.ascontiguousarray(tensor.detach().to("cpu", torch.float64).numpy())


def as_lengths(tensor: Tensor) -> Ints:
    """Return lengths as the engine reads them."""
    return np.ascontiguousarray(tensor.detach().to("cpu", torch.int32).numpy())


def _gpu_for(table: Tensor, structure: Any) -> Any:
    """Return the module with the kernels if they can answer for this table, or None."""
    if table.device.type != "cuda" or not table.shape[0] or find_spec("triton") is None:
        return None
    from ramify.torch._gpu import sums

    return sums if sums.can_sum(structure) else None


def _tensor(array: Any, like: Tensor) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).to(like.device, like.dtype)


def _run_sums(table: Tensor, lengths: Tensor, structure: str, with_marginals: bool) -> tuple[Tensor, Tensor]:
    """Compute log Z of each item, and the probability of each part, or an empty tensor if nobody needs them."""
    engine = from_name(structure)
    if (gpu := _gpu_for(table, engine)) is not None:
        log_z, marginals = gpu.sums(engine, table, lengths)
        return log_z.to(table.dtype), marginals.to(table.dtype) if with_marginals else table.new_empty(0)
    scores, threads = as_array(table), torch.get_num_threads()
    if not with_marginals:
        log_z = engine.log_partition(scores, as_lengths(lengths), threads)
        return _tensor(log_z, table), table.new_empty(0)
    log_z, marginals = engine.marginals(scores, as_lengths(lengths), threads)
    return _tensor(log_z, table), _tensor(marginals, table)


def _fake_sums(table: Tensor, lengths: Tensor, structure: str, with_marginals: bool) -> tuple[Tensor, Tensor]:
    return table.new_empty(table.shape[0]), torch.empty_like(table) if with_marginals else table.new_empty(0)


def _run_products(table: Tensor, direction: Tensor, lengths: Tensor, structure: str) -> Tensor:
    """Multiply the covariance of the parts, the Hessian of log Z, by a direction."""
    engine, threads = from_name(structure), torch.get_num_threads()
    if (gpu := _gpu_for(table, engine)) is not None:
        return gpu.products(engine, table, direction, lengths).to(table.dtype)
    return _tensor(engine.products(as_array(table), as_array(direction), as_lengths(lengths), threads), table)


def _fake_products(table: Tensor, direction: Tensor, lengths: Tensor, structure: str) -> Tensor:
    return torch.empty_like(table)


def _run_best(table: Tensor, lengths: Tensor, structure: str) -> Tensor:
    """Find the best structure of each item: int64 heads or labels, −1 in the padding; without gradients."""
    found = from_name(structure).best(as_array(table), as_lengths(lengths), torch.get_num_threads())
    return torch.from_numpy(found.astype(np.int64)).to(table.device)


def _fake_best(table: Tensor, lengths: Tensor, structure: str) -> Tensor:
    kind = from_name(structure)
    return torch.empty((table.shape[0], kind.size), dtype=torch.int64, device=table.device)


def _run_max_marginals(table: Tensor, lengths: Tensor, structure: str) -> Tensor:
    """Find the score of the best structure with each part."""
    found = from_name(structure).max_marginals(as_array(table), as_lengths(lengths), torch.get_num_threads())
    return _tensor(found, table)


def _fake_max_marginals(table: Tensor, lengths: Tensor, structure: str) -> Tensor:
    return torch.empty_like(table)


def _run_max_marginals_vjp(table: Tensor, grad: Tensor, lengths: Tensor, structure: str) -> Tensor:
    """Carry a gradient from max-marginals to the scores, through the best structure with each part."""
    arrays = as_array(table), as_array(grad), as_lengths(lengths)
    return _tensor(_engine.max_marginals_vjp(from_name(structure), *arrays, torch.get_num_threads()), table)


def _fake_max_marginals_vjp(table: Tensor, grad: Tensor, lengths: Tensor, structure: str) -> Tensor:
    return torch.empty_like(table)


def _keep_sums(ctx: Any, inputs: Any, output: Any) -> None:
    table, lengths, ctx.structure, ctx.with_marginals = inputs
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(table, lengths, output[1])


def _sums_backward(ctx: Any, grad_log_z: Tensor | None, grad_marginals: Tensor | None) -> Any:
    table, lengths, marginals = ctx.saved_tensors
    if not ctx.with_marginals:
        raise UnsupportedError("ramify::sums expects with_marginals=True where gradients are wanted.")
    grad = None if grad_log_z is None else grad_log_z[:, None] * marginals
    if grad_marginals is not None:
        more = products(table, grad_marginals, lengths, ctx.structure)
        grad = more if grad is None else grad + more
    return grad, None, None, None


def _keep_products(ctx: Any, inputs: Any, output: Any) -> None:
    table, _, lengths, ctx.structure = inputs
    ctx.save_for_backward(table, lengths)


def _products_backward(ctx: Any, grad: Tensor) -> Any:
    if ctx.needs_input_grad[0]:
        raise UnsupportedError(
            "ramify.torch has the first derivative of marginals and of the entropy, and the first two of the "
            "log-partition function; got a graph that needs the next one. Use create_graph=False, or detach the "
            "marginals."
        )
    table, lengths = ctx.saved_tensors
    return None, products(table, grad, lengths, ctx.structure), None, None  # a covariance is symmetric


def _keep_max_marginals(ctx: Any, inputs: Any, output: Any) -> None:
    table, lengths, ctx.structure = inputs
    ctx.save_for_backward(table, lengths, output)


def _max_marginals_backward(ctx: Any, grad: Tensor) -> Any:
    table, lengths, values = ctx.saved_tensors
    wanted = torch.where(values > -torch.inf, grad, 0.0)
    return max_marginals_vjp(table, wanted, lengths, ctx.structure), None, None


def make_operator(name: str, run: Any, fake: Any, backward: Any = None, keep: Any = None) -> Any:
    """Register an operator; plain calls instead of decorators, so that the documentation is built without PyTorch."""
    operator = torch.library.custom_op(f"ramify::{name}", run, mutates_args=())
    torch.library.register_fake(f"ramify::{name}", fake)
    if backward is not None:
        torch.library.register_autograd(f"ramify::{name}", backward, setup_context=keep)
    return operator


sums = make_operator("sums", _run_sums, _fake_sums, _sums_backward, _keep_sums)
products = make_operator("products", _run_products, _fake_products, _products_backward, _keep_products)
best = make_operator("best", _run_best, _fake_best)
max_marginals = make_operator(
    "max_marginals", _run_max_marginals, _fake_max_marginals, _max_marginals_backward, _keep_max_marginals
)
max_marginals_vjp = make_operator("max_marginals_vjp", _run_max_marginals_vjp, _fake_max_marginals_vjp)
