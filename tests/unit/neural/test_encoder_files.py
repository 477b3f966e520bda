"""Folders of encoders, and what model files say of them: no library is needed to check them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ramify.errors import InvalidInputError
from ramify.neural.encoder_files import EncoderState, encoder_of, encoder_to_json, facts_of, read_folder, shaped
from ramify.neural.files import BadNetworkError

SUM = "ab" * 32
GOOD = {"checksum": SUM, "width": 16, "config": "{}", "tokenizer": "{}", "shapes": {"w": [2, 3]}}


@pytest.fixture
def folder(tmp_path):
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_text('{"model_type": "bert"}', encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    return tmp_path


def test_every_file_counts_for_the_checksum(folder):
    sums = {read_folder(str(folder))[2]}
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (folder / name).write_bytes((folder / name).read_bytes() + b" ")
        sums.add(read_folder(str(folder))[2])
    assert len(sums) == 4


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("config.json", r"a folder with config\.json; .* has none: save a model"),
        ("tokenizer.json", r"a folder with tokenizer\.json; .* has none: save a fast tokenizer"),
        ("model.safetensors", "weights as safetensors, which cannot run code"),
    ],
)
def test_incomplete_folders_are_refused(folder, name, message):
    (folder / name).unlink()
    (folder / "pytorch_model.bin").write_bytes(b"a pickle")
    with pytest.raises(InvalidInputError, match=rf"encoder\.path expects {message}"):
        read_folder(str(folder))


def test_other_folders_are_refused(folder):
    with pytest.raises(
        InvalidInputError, match=r"encoder\.path expects a local folder; there is none at 'google/bert'"
    ):
        read_folder("google/bert")
    (folder / "config.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="expects tables of JSON in config"):
        read_folder(str(folder))


def test_facts_are_those_of_the_files(folder):
    config = json.dumps({"model_type": "bert", "_name_or_path": "some\nname"})
    assert facts_of(str(folder), config) == {"kind": "bert"}  # what is not printable is left out
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: mit\n---\n", encoding="utf-8")
    assert facts_of(str(folder), "{}") == {"name": folder.name, "licence": "mit"}


def test_what_is_written_is_read_back():
    state = EncoderState(SUM, 16, "{}", "{}", {"w": np.ones((2, 3), np.float16)})
    found, shapes = encoder_of(json.loads(json.dumps(encoder_to_json(state))))
    assert (found.checksum, found.width, found.config, shapes) == (SUM, 16, "{}", {"w": (2, 3)})
    assert shaped({"w": np.ones(6, np.float16)}, shapes)["w"].shape == (2, 3)
    assert encoder_to_json(EncoderState(SUM, 16)) == {"checksum": SUM, "width": 16}


@pytest.mark.parametrize(
    "content",
    [
        [],
        GOOD | {"width": 0},
        GOOD | {"width": True},
        GOOD | {"checksum": 1},
        GOOD | {"checksum": ""},
        GOOD | {"config": 1},
        GOOD | {"shapes": {"w": [-1]}},
        GOOD | {"shapes": []},
    ],
)
def test_odd_contents_are_refused(content):
    with pytest.raises(BadNetworkError, match="encoder: expected"):
        encoder_of(content)


@pytest.mark.parametrize("array", [np.ones(5, np.float16), np.full(6, np.inf, np.float16)])
def test_odd_weights_are_refused(array):
    with pytest.raises(BadNetworkError, match=r"encoder\.w: expected finite numbers of shape \(2, 3\)"):
        shaped({"w": array}, {"w": (2, 3)})
