"""Weights as bytes with a scale for each row."""

from __future__ import annotations

import numpy as np
import pytest

from ramify.neural.quantisation import quantise


@pytest.fixture
def weights():
    random = np.random.default_rng(0)
    shapes = {"dense.weight": (6, 40), "dense.bias": (6,), "arc": (41, 40), "label": (11, 7, 11)}
    return {name: random.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}


def test_matrices_become_bytes_and_vectors_stay(weights):
    arrays = quantise(weights)
    pairs = {f"{name}.{kind}" for name in ("dense.weight", "arc", "label") for kind in ("q", "scale")}
    assert set(arrays) == {"dense.bias"} | pairs
    np.testing.assert_array_equal(arrays["dense.bias"], weights["dense.bias"])
    assert {arrays[f"{x}.q"].dtype for x in ("dense.weight", "arc", "label")} == {np.dtype(np.int8)}


def test_the_scales_are_those_of_the_vectors_that_are_multiplied(weights):
    arrays = quantise(weights)
    shapes = {x: arrays[f"{x}.scale"].shape for x in ("dense.weight", "arc", "label")}
    assert shapes == {"dense.weight": (6, 1), "arc": (1, 40), "label": (1, 7, 11)}


@pytest.mark.parametrize("name", ["dense.weight", "arc", "label"])
def test_no_weight_moves_by_more_than_half_a_step(weights, name):
    arrays = quantise(weights)
    step = arrays[f"{name}.scale"]
    moved = np.abs(arrays[f"{name}.q"] * step - weights[name])
    assert (moved <= step * 0.5001).all()
    assert np.abs(arrays[f"{name}.q"]).max() == 127


def test_rows_of_zeros_stay_zeros():
    arrays = quantise({"words.weight": np.array([[0.0, 0.0], [1.0, -2.0]], np.float32)})
    np.testing.assert_array_equal(arrays["words.weight.q"], [[0, 0], [64, -127]])
    np.testing.assert_array_equal(arrays["words.weight.scale"], np.float32([[0], [2 / 127]]))
