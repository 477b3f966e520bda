"""The examples in docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import ramify

FOUND = ["ramify", *(module.name for module in pkgutil.walk_packages(ramify.__path__, "ramify."))]
MODULES = [name for name in FOUND if name not in ("ramify._core", "ramify.__main__")]


NEED_TORCH = ("ramify.torch", "ramify.neural.", "ramify.parsing.network_training", "ramify.parsing.saliency")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name.startswith(NEED_TORCH):
        pytest.importorskip("torch", reason="ramify.torch and ramify.neural need PyTorch: pip install 'ramify[neural]'")
    if name.startswith("ramify.torch._gpu"):
        pytest.importorskip("triton", reason="the kernels for GPUs need Triton, which comes with PyTorch for GPUs")
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    modules = (importlib.import_module(name) for name in MODULES if not name.startswith(NEED_TORCH))
    assert sum(bool(test.examples) for module in modules for test in finder.find(module)) > 3
