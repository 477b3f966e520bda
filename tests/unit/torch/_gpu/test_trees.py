"""The kernels for non-projective trees against the engine: on a GPU, and on the processor in Triton's interpreter."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from ramify import trees

torch = pytest.importorskip("torch", reason="ramify.torch needs PyTorch: pip install 'ramify[neural]'")

pytestmark = pytest.mark.engine

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU: its numbers cannot be compared")

INTERPRETED = """
import sys
import numpy as np
import torch
from ramify.torch._gpu.trees import tree_sums

given = np.load(sys.argv[1])
found = {}
for single in (False, True):
    pair = tree_sums(torch.from_numpy(given["scores"]), torch.from_numpy(given["lengths"]), single)
    found |= {f"{name} {single}": value.numpy() for name, value in zip(("log_z", "marginals"), pair)}
np.savez(sys.argv[2], **found)
"""


def hard_scores(n, dtype=np.float64):
    """Scores and lengths of sentences of which the kernel with weights can answer some, and not the others."""
    scores = np.random.default_rng(n).normal(0, 1, (8, n + 1, n + 1))
    scores[1] *= 1000
    scores[2] *= 30
    scores[3, 1:, 2] = -np.inf  # word 2 must have the root
    scores[4, 0, 1:-1] = -np.inf  # and here no other than the last word can
    scores[5, :, 3] = -np.inf
    scores[5, 2, 3] = 1000.0  # one head only
    # With a single root, the weight of a root that underflows decides here.
    scores[6, :7, :7] = np.random.default_rng(0).normal(0, 1000, (500, 7, 7)).round()[212]
    return scores.astype(dtype), np.array([n, n, n, n, n, n - 1, 6, 1])


def require_equal(log_z, marginals, scores, lengths, single_root, tolerance):
    expected, expected_z = trees.marginals(scores.astype(float), lengths=lengths, single_root=single_root)
    assert np.allclose(log_z, expected_z, rtol=tolerance)
    assert np.allclose(marginals, expected, atol=tolerance)


def test_interpreted(tmp_path):
    pytest.importorskip("triton", minversion="3.7", reason="no Triton 3.7: its interpreter runs kernels without a GPU")
    scores, lengths = hard_scores(6)
    given, found = tmp_path / "given.npz", tmp_path / "found.npz"
    np.savez(given, scores=scores, lengths=lengths)
    command = [sys.executable, "-W", "ignore", "-c", INTERPRETED, str(given), str(found)]
    subprocess.run(command, env=os.environ | {"TRITON_INTERPRET": "1"}, check=True)
    with np.load(found) as answers:
        for single in (False, True):
            log_z, marginals = answers[f"log_z {single}"], answers[f"marginals {single}"]
            require_equal(log_z, marginals, scores, lengths, single, 1e-9)


@needs_gpu
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("n", [6, 15, 31, 32, 63, 127])
def test_equals_engine(n, single_root, dtype):
    from ramify.torch._gpu.trees import tree_sums

    scores, lengths = hard_scores(n, dtype)
    found = tree_sums(torch.from_numpy(scores).cuda(), torch.from_numpy(lengths).cuda(), single_root)
    log_z, marginals = (value.cpu().numpy() for value in found)
    require_equal(log_z, marginals, scores, lengths, single_root, 1e-9)


@needs_gpu
def test_no_tree_is_minus_infinity():
    from ramify.torch._gpu.trees import tree_sums

    scores = torch.zeros(3, 4, 4, device="cuda")
    scores[1, :, 2] = -torch.inf
    log_z, marginals = tree_sums(scores, torch.tensor([3, 3, 3], device="cuda"), False)
    assert log_z.isneginf().tolist() == [False, True, False]
    assert not marginals[1].any()
    assert torch.isfinite(marginals).all()


@needs_gpu
@pytest.mark.parametrize("single_root", [False, True])
def test_derivatives_equal_those_of_the_engine(single_root):
    from ramify.torch import NonprojectiveTrees

    scores, lengths = hard_scores(6)
    weights = torch.from_numpy(np.random.default_rng(0).normal(0, 1, scores.shape))
    grads = []
    for device in ("cpu", "cuda"):
        given = torch.from_numpy(scores).to(device).requires_grad_()
        found = NonprojectiveTrees(given, lengths=lengths.tolist(), single_root=single_root)
        (first,) = torch.autograd.grad(found.log_partition().sum(), given, create_graph=True)
        (second,) = torch.autograd.grad((first * weights.to(device)).sum(), given)
        grads.append((first.detach().cpu(), second.cpu()))
    assert torch.allclose(grads[0][0], grads[1][0], atol=1e-9)
    assert torch.allclose(grads[0][1], grads[1][1], atol=1e-5)
