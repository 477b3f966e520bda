"""Structured layers on a GPU beside the usual versions in plain PyTorch, and beside the engine.

python bench/torch_layers.py --make reference.npz   # where ramify is compiled: random scores and the engine's answers
python bench/torch_layers.py reference.npz          # where the GPU is: equal to the engine? how fast?

The second command needs PyTorch and Triton only. The usual versions are those that SuPar and torch-struct have: the
determinant of the Laplacian, Eisner's algorithm and the forward algorithm in tensors, with automatic differentiation.
"""

from __future__ import annotations

import argparse
import types

import numpy as np
import torch
from bare_package import replace_package

KINDS = ("nonprojective", "nonprojective single root", "projective", "projective single root", "chain")


def make(path: str) -> None:
    from ramify.torch import _engine

    rng, arrays = np.random.default_rng(0), {}
    for scale in (1, 1000):
        lengths = np.array([40, 33, 1, 7, 40, 25, 40, 2], np.int32)
        scores = rng.normal(0, scale, (8, 41, 41))
        scores[5, 3, 7] = scores[5, 0, 9] = -np.inf
        table = np.concatenate([rng.normal(0, scale, (8, 40 * 17)), rng.normal(0, scale, (8, 39 * 17 * 17))], 1)
        for kind in KINDS:
            structure = structure_of(_engine, kind, 41, 40, 17)
            given = table if kind == "chain" else scores.reshape(8, -1)
            direction = rng.normal(0, 1, given.shape)
            log_z, marginals = structure.marginals(given, lengths, 2)
            products = structure.products(given, direction, lengths, 2)
            values = {"given": given, "direction": direction, "log_z": log_z, "marginals": marginals}
            values |= {"products": products, "lengths": lengths}
            arrays |= {f"{kind}|{scale}|{name}": value for name, value in values.items()}
    np.savez_compressed(path, **arrays)


def structure_of(kinds, kind: str, size: int, words: int, labels: int):
    if kind == "chain":
        return kinds.Chains(words, labels)
    single = kind.endswith("root")
    return kinds.ProjectiveTrees(size, single, "ARC") if kind[0] == "p" else kinds.Trees(size, single)


def kernels():
    """Return the module with the kernels, and structures, also where ramify is not compiled."""
    try:
        from ramify.torch import _engine as structures
    except ImportError:
        replace_package()

        def kind(name, fields):
            return type(
                name, (), {"__init__": lambda self, *values: vars(self).update(zip(fields, values, strict=True))}
            )

        structures = types.SimpleNamespace(
            Chains=kind("Chains", ("size", "labels")),
            Trees=kind("Trees", ("size", "single_root")),
            ProjectiveTrees=kind("ProjectiveTrees", ("size", "single_root", "order")),
        )
    from ramify.torch._gpu import sums

    return sums, structures


# -- the usual versions ----------------------------------------------------------------------------------------------


def matrix_tree(scores, lengths, single):
    """log Z by the determinant of the Laplacian (Koo et al. 2007), words as rows."""
    n = scores.shape[1] - 1
    words = torch.arange(1, n + 1, device=scores.device)
    inside = words <= lengths[:, None]
    both = inside[:, :, None] & inside[:, None, :] & ~torch.eye(n, dtype=torch.bool, device=scores.device)
    top = scores.amax((1, 2)).detach()
    weights = torch.exp(scores - top[:, None, None])
    arcs = torch.where(both, weights[:, 1:, 1:], 0.0)  # [head, modifier]
    roots = torch.where(inside, weights[:, 0, 1:], 0.0)
    laplacian = torch.diag_embed(arcs.sum(1)) - arcs
    laplacian = torch.cat([roots[:, None], laplacian[:, 1:]], 1) if single else laplacian + torch.diag_embed(roots)
    laplacian = laplacian + torch.diag_embed((~inside).to(scores.dtype))
    return torch.slogdet(laplacian)[1] + top * lengths


def eisner(scores, lengths, single):
    """log Z of projective trees; all spans of one width at once, by strided views of the charts."""
    b, size, _ = scores.shape
    low, zeros = -1e30, scores.new_zeros(b, size)
    done = [[zeros], [zeros]]
    to = [[None], [None]]
    for w in range(1, size):
        count = size - w
        ways = torch.stack([done[0][r][:, :count] + done[1][w - 1 - r][:, r + 1 : r + 1 + count] for r in range(w)], -1)
        if single and w > 1:
            mask = torch.zeros_like(ways, dtype=torch.bool)
            mask[:, 0, 1:] = True
            ways = ways.masked_fill(mask, low)
        shared = ways.logsumexp(-1)
        right = scores.diagonal(w, 1, 2)
        left = scores.diagonal(-w, 1, 2)
        left = torch.cat([torch.full_like(left[:, :1], low), left[:, 1:]], 1)
        to[0].append(shared + right)
        to[1].append(shared + left)
        ways = torch.stack(
            [to[0][r + 1][:, :count] + done[0][w - 1 - r][:, r + 1 : r + 1 + count] for r in range(w)], -1
        )
        done[0].append(ways.logsumexp(-1))
        ways = torch.stack([done[1][r][:, :count] + to[1][w - r][:, r : r + count] for r in range(w)], -1)
        done[1].append(ways.logsumexp(-1))
    return torch.stack([done[0][int(n)][i, 0] for i, n in enumerate(lengths.tolist())])


def forward(labels, pairs, lengths):
    """log Z of chains: one word after the other."""
    alpha = labels[:, 0]
    for t in range(1, labels.shape[1]):
        after = torch.logsumexp(alpha[:, :, None] + pairs[:, t - 1], 1) + labels[:, t]
        alpha = torch.where((t < lengths)[:, None], after, alpha)
    return alpha.logsumexp(-1)


def forward_scan(labels, pairs, lengths):
    """log Z of chains by a scan of products of matrices, in logarithmic depth, as torch-struct has it; full lengths."""
    steps = pairs + labels[:, 1:, None]
    steps = torch.cat([steps[:, :1] + labels[:, :1, :, None], steps[:, 1:]], 1)
    while steps.shape[1] > 1:
        if steps.shape[1] % 2:
            steps = torch.cat([steps[:, :-2], product(steps[:, -2:-1], steps[:, -1:])], 1)
        else:
            steps = product(steps[:, 0::2], steps[:, 1::2])
    return steps[:, 0].logsumexp((1, 2))


def product(a, b):
    return torch.logsumexp(a[..., :, :, None] + b[..., None, :, :], -2)


# -- comparisons -----------------------------------------------------------------------------------------------------


def compare(gpu, structures, path: str, device: str, kinds: list[str]) -> None:
    reference = np.load(path)
    for kind in kinds:
        for scale in (1, 1000):
            get = lambda name, k=kind, s=scale: torch.from_numpy(reference[f"{k}|{s}|{name}"]).to(device)  # noqa: E731
            structure = structure_of(structures, kind, 41, 40, 17)
            log_z, marginals = gpu.sums(structure, get("given"), get("lengths"))
            products = gpu.products(structure, get("given"), get("direction"), get("lengths"))
            pairs = ((log_z, get("log_z")), (marginals, get("marginals")), (products, get("products")))
            worst = [float((a - b).abs().max() / max(1.0, float(b.abs().max()))) for a, b in pairs]
            fine = worst[0] < 1e-10 and worst[1] < 1e-5 and worst[2] < 1e-5 and bool(torch.isfinite(marginals).all())
            print(
                f"{'ok  ' if fine else 'FAIL'} {kind}, scores of ±{scale}: relative error of log Z {worst[0]:.1e}, "
                f"of marginals {worst[1]:.1e}, of Hessian products {worst[2]:.1e}",
                flush=True,
            )


def milliseconds(function, repeat: int = 20) -> float:
    for _ in range(3):
        function()
    times = []
    for _ in range(repeat):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        function()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def with_gradient(function, *tensors):
    def run():
        given = [tensor.detach().requires_grad_() for tensor in tensors]
        function(*given).sum().backward()
        return [tensor.grad for tensor in given]

    return run


def race(gpu, structures, kinds: list[str], batch: int, n: int, labels: int) -> None:
    torch.manual_seed(0)
    scores = torch.randn(batch, n + 1, n + 1, device="cuda")
    lengths = torch.full((batch,), n, device="cuda")
    words, pairs = (
        torch.randn(batch, n, labels, device="cuda"),
        torch.randn(batch, n - 1, labels, labels, device="cuda"),
    )
    table = torch.cat([words.flatten(1), pairs.flatten(1)], 1)
    print(f"log Z and marginals (its gradient), batch {batch}, n = {n}, {labels} labels; median of 20", flush=True)
    peers = {
        "nonprojective": {"determinant, double": lambda s: matrix_tree(s.double(), lengths, False)},
        "nonprojective single root": {
            "determinant, float": lambda s: matrix_tree(s, lengths, True),
            "determinant, double": lambda s: matrix_tree(s.double(), lengths, True),
        },
        "projective": {"Eisner in tensors": lambda s: eisner(s, lengths, False)},
        "projective single root": {"Eisner in tensors": lambda s: eisner(s, lengths, True)},
    }
    for kind in kinds:
        structure = structure_of(structures, kind, n + 1, n, labels)
        given = table if kind == "chain" else scores.flatten(1)
        own = milliseconds(lambda st=structure, g=given: gpu.sums(st, g, lengths))
        mine = gpu.sums(structure, given, lengths)[1]
        if kind == "chain":
            usual = {
                "forward, word by word": with_gradient(lambda w, p: forward(w, p, lengths), words, pairs),
                "scan of products": with_gradient(lambda w, p: forward_scan(w, p, lengths), words, pairs),
            }
        else:
            usual = {name: with_gradient(function, scores) for name, function in peers[kind].items()}
        for name, function in usual.items():
            found = torch.cat([grad.flatten(1) for grad in function()], 1)
            other = milliseconds(function, 5)
            print(
                f"  {kind}: ramify {own:.3f} ms, {name} {other:.3f} ms, ratio {other / own:.1f}, "
                f"largest difference {float((found - mine).abs().max()):.1e}",
                flush=True,
            )
        hessian = milliseconds(lambda st=structure, g=given: gpu.products(st, g, g, lengths), 5)
        print(f"  {kind}: Hessian product {hessian:.3f} ms", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    args = parser.parse_args()
    if args.make:
        make(args.path)
        return
    gpu, structures = kernels()
    compare(gpu, structures, args.path, args.device, args.kinds)
    if args.device == "cuda":
        for batch, n in ((256, 40), (64, 100), (32, 120)):
            race(gpu, structures, args.kinds, batch, n, 17)


if __name__ == "__main__":
    main()
