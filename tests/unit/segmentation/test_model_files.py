"""Segmenters on disk: what is saved is what is loaded, and no file of a stranger does harm."""

from __future__ import annotations

import copy as copies
import hashlib
import json
import pickle
import shutil

import numpy as np
import pytest
from safetensors.numpy import load, save

from ramify.errors import ModelError
from ramify.segmentation import Segmenter
from support.models import check_no_models

pytestmark = pytest.mark.engine
TEXT = "I don't like it. You do!\n\nBye (now)."


@pytest.fixture(scope="module")
def saved(segmenter, tmp_path_factory):
    path = tmp_path_factory.mktemp("segmenter") / "model"
    segmenter.save(path)
    return path


@pytest.fixture
def copy(saved, tmp_path):
    """A copy of the model, to be damaged."""
    return shutil.copytree(saved, tmp_path / "copy")


def resign(path):
    """Make the checksums right again, as whoever damages on purpose would."""
    names = ["config.toml", "vocab.json", "weights.safetensors", "card.md"]
    lines = [f"{hashlib.sha256((path / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (path / "SHA256SUMS").write_text("".join(lines))


def edit(path, **changes):
    value = json.loads((path / "vocab.json").read_text(encoding="utf-8"))
    value |= {key.replace("_", "-"): change for key, change in changes.items()}
    (path / "vocab.json").write_text(json.dumps(value), encoding="utf-8")
    resign(path)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickles(segmenter, protocol):
    other = pickle.loads(pickle.dumps(segmenter, protocol))
    assert (other.config, other.card) == (segmenter.config, segmenter.card)
    ours, theirs = segmenter.segment(TEXT), pickle.loads(pickle.dumps(other.segment(TEXT), protocol))
    assert ours.sentences == theirs.sentences
    np.testing.assert_array_equal(ours.starts, theirs.starts)
    assert copies.copy(segmenter) is copies.deepcopy(segmenter) is segmenter


@pytest.mark.parametrize("name", ["model", "model.zip"])
def test_round_trip(segmenter, tmp_path, name):
    segmenter.save(tmp_path / name)
    again = Segmenter.load(tmp_path / name)
    assert [s.forms for s in again.segment(TEXT)] == [s.forms for s in segmenter.segment(TEXT)]
    assert again.card == segmenter.card
    assert again.config == segmenter.config


def test_saved_twice_is_the_same(segmenter, tmp_path):
    for name in ("a.zip", "b.zip"):
        segmenter.save(tmp_path / name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_size_of_a_model(sample, tmp_path):
    Segmenter.train(sample, options={"epochs": 1}).save(tmp_path / "model")
    assert sum(file.stat().st_size for file in (tmp_path / "model").iterdir()) < 1_500_000


def test_not_a_model(tmp_path):
    check_no_models(Segmenter.load, tmp_path)


def test_a_model_of_another_kind(model):
    with pytest.raises(ModelError, match="expected a segmenter; this is another kind of model"):
        Segmenter.load(model)


def test_damage_is_found(copy):
    content = bytearray((copy / "weights.safetensors").read_bytes())
    content[-1] ^= 1
    (copy / "weights.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match="does not match its checksum"):
        Segmenter.load(copy)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 2}, "format version 2, this ramify knows up to 1"),
        ({"format_version": "1"}, "expected a format version"),
        ({"sentence_bias": "x"}, "sentence-bias: expected a number"),
        ({"sentence_bias": float("inf")}, "sentence-bias: expected a number"),
        ({"spaces_inside": 1}, "spaces-inside: expected true or false"),
        ({"facts": []}, "facts: expected an object"),
        ({"known-share": 2}, "known-share: expected a number from 0 to 1"),
        ({"known-share": "all"}, "known-share: expected a number from 0 to 1"),
        ({"multiword": {}}, "multiword: expected endings"),
        ({"multiword": [["a"]]}, "multiword: expected endings"),
        ({"multiword": [["a", [[0, 0, "x"]]]]}, "multiword: expected endings"),
        ({"multiword": [["a", [[0, -1, "x"], [0, 0, "y"]]]]}, "multiword: expected endings"),
        ({"multiword": [["a", [[0, 0, "x\ty"], [0, 0, "y"]]]]}, "multiword: expected endings"),
        ({"multiword": [["a", [[0, 0, "\ud800"], [0, 0, "y"]]]]}, "multiword: expected endings"),
    ],
)
def test_bad_names(copy, changes, message):
    edit(copy, **changes)
    with pytest.raises(ModelError, match=message):
        Segmenter.load(copy)


def test_odd_rules_do_no_harm(copy):
    edit(copy, multiword=[["t", [[900, 5, ""], [0, 900, "x"], [3, 7, ""]]], ["o", [[0, 0, "ab"], [1, 0, "c"]]]])
    segmenter = Segmenter.load(copy)
    assert segmenter.segment("it t o").tokens == ["it", "t", "o"]


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("token", np.zeros(8, np.float16), "token: expected 65,536 values; found 8"),
        ("token", np.zeros(65536, np.float32), "token: expected one axis of F16; found F32"),
        ("sentence", np.full(65536, np.nan, np.float16), "expected finite weights"),
        ("inside", np.zeros(1, np.uint8), "inside: expected"),
        ("other", np.zeros(1, np.uint8), "expected the arrays"),
    ],
)
def test_bad_arrays(copy, name, array, message):
    arrays = load((copy / "weights.safetensors").read_bytes())
    (copy / "weights.safetensors").write_bytes(save(arrays | {name: array}))
    resign(copy)
    with pytest.raises(ModelError, match=message):
        Segmenter.load(copy)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("weights.safetensors", b"x", "expected a safetensors file"),
        ("vocab.json", b"[", "expected JSON"),
        ("config.toml", b"[models]\n", "there is no section 'models'"),
        ("config.toml", b"\xff", "config.toml"),
    ],
)
def test_bad_files(copy, file, content, message):
    (copy / file).write_bytes(content)
    resign(copy)
    with pytest.raises(ModelError, match=message):
        Segmenter.load(copy)
