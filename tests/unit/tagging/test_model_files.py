"""Taggers on disk: what is written is read, what is damaged is refused."""

from __future__ import annotations

import copy as copies
import hashlib
import json
import pickle
import zipfile

import numpy as np
import pytest

from ramify.errors import ModelError
from ramify.learn.arrays import read_arrays, write_arrays
from ramify.tagging import Tagger, load_model
from ramify.tagging.model_files import _ARRAYS
from support.models import saved_again
from unit.tagging.conftest import entities, ner_config

pytestmark = pytest.mark.engine


@pytest.fixture
def folder(upos, tmp_path):
    upos.save(tmp_path / "model")
    return tmp_path / "model"


def rewrite(folder, name, content):
    (folder / name).write_bytes(content)
    names = ("config.toml", "vocab.json", "weights.safetensors", "card.md")
    sums = "".join(f"{hashlib.sha256((folder / n).read_bytes()).hexdigest()}  {n}\n" for n in names)
    (folder / "SHA256SUMS").write_text(sums)


def change_arrays(folder, **changed):
    arrays = read_arrays((folder / "weights.safetensors").read_bytes(), _ARRAYS)
    rewrite(folder, "weights.safetensors", write_arrays({**arrays, **changed}))


def change_vocabulary(folder, **changed):
    value = json.loads((folder / "vocab.json").read_text()) | changed
    rewrite(folder, "vocab.json", json.dumps(value).encode())


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickles(upos, sentences, protocol):
    other = pickle.loads(pickle.dumps(upos, protocol))
    assert (other.config, other.labels) == (upos.config, upos.labels)
    ours = upos.tag(sentences[:20], marginals=True, k=2)
    for mine, theirs in zip(ours, other.tag(sentences[:20], marginals=True, k=2), strict=True):
        for result in (theirs, pickle.loads(pickle.dumps(mine, protocol)), copies.copy(mine), copies.deepcopy(mine)):
            assert (result.labels, result.value, result.k_best) == (mine.labels, mine.value, mine.k_best)
            assert result.sentence == mine.sentence
            assert result.log_probability == mine.log_probability
            np.testing.assert_array_equal(result.marginals, mine.marginals)
    assert copies.copy(upos) is copies.deepcopy(upos) is upos


@pytest.mark.parametrize("name", ["model", "model.zip"])
def test_round_trip(upos, sentences, name, tmp_path):
    loaded = saved_again(upos, tmp_path / name)
    assert loaded.card.splitlines()[0] == "# Tagger of column upos"
    for a, b in zip(upos.tag(sentences, marginals=True), loaded.tag(sentences, marginals=True), strict=True):
        assert (a.labels, a.value) == (b.labels, b.value)
        np.testing.assert_array_equal(a.marginals, b.marginals)
    loaded.save(tmp_path / "again.zip")
    upos.save(tmp_path / "first.zip")
    with zipfile.ZipFile(tmp_path / "again.zip") as one, zipfile.ZipFile(tmp_path / "first.zip") as two:
        assert one.read("weights.safetensors") == two.read("weights.safetensors")


@pytest.mark.parametrize("order", [0, 1, 2])
def test_every_order_and_spans(order, tmp_path):
    tagger = Tagger.train(train=entities(), config=ner_config(**{"model.order": str(order)}), output=tmp_path / "m.zip")
    loaded = Tagger.load(tmp_path / "m.zip")
    words = ["Ann", "Lee", "met", "Bob"]
    assert loaded.tag(words).labels == tagger.tag(words).labels
    assert loaded.tag(words).value == tagger.tag(words).value


def test_a_parser_is_no_tagger(folder):
    value = json.loads((folder / "vocab.json").read_text())
    del value["kind"]
    rewrite(folder, "vocab.json", json.dumps(value).encode())
    with pytest.raises(ModelError, match=r"vocab.json: expected a tagger; this is another kind of model"):
        load_model(folder)


@pytest.mark.parametrize("name", ["config.toml", "vocab.json", "weights.safetensors", "card.md"])
def test_changed_bytes_are_noticed(folder, name):
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(ModelError, match="does not match its checksum"):
        load_model(folder)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"labels": []}, "labels: expected a list of 1 to 4096"),
        ({"labels": ["A", "A"]}, "labels: expected"),
        ({"labels": ["A\n"]}, "labels: expected"),
        ({"labels": "AB"}, "labels: expected"),
        ({"labels": ["A", "B"]}, "expected"),
        ({"clusters": None}, "clusters: expected"),
        ({"written-scheme": "iob3"}, "written-scheme: expected"),
        ({"format-version": 99}, "install a newer ramify"),
        ({"format-version": "1"}, "expected a format version"),
        ({"facts": []}, "facts: expected an object"),
    ],
)
def test_wrong_vocabularies(folder, changed, message):
    change_vocabulary(folder, **changed)
    with pytest.raises(ModelError, match=message):
        load_model(folder)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"labels": np.array([250] * 7, np.uint8)}, "labels: expected"),
        ({"counts": np.array([1, 2], np.uint8)}, "keys: expected 6 bytes"),
        ({"scale": np.array([1e9])}, "scales: expected weights"),
        ({"scale": np.array([np.nan])}, "scales: expected weights"),
        ({"scale": np.array([1.0, 2.0])}, "scale: expected 1 values"),
        ({"pairs": np.zeros(4, np.float16)}, "pairs: expected"),
        ({"pairs": np.full(18 * 18, np.nan, np.float16)}, "pairs: expected finite"),
        ({"triples": np.full(7, 0, np.float16)}, "triples: expected"),
        ({"set_keys": np.array([5, 3], np.uint64)}, "set_keys: expected ascending"),
        ({"cluster_ids": np.array([1], np.uint32)}, "cluster_ids: expected 0"),
        ({"weights": np.zeros(3, np.float64)}, "weights: expected one axis of I8 or I16"),
    ],
)
def test_wrong_arrays(folder, changed, message):
    if "triples" in changed and Tagger.load(folder).config.model.order == 2:
        changed = {"triples": np.full(7, 0, np.float16)}
    change_arrays(folder, **changed)
    with pytest.raises(ModelError, match=message):
        load_model(folder)


def test_labels_of_a_feature_in_disorder(folder):
    arrays = read_arrays((folder / "weights.safetensors").read_bytes(), _ARRAYS)
    labels = arrays["labels"].copy()
    at = int(np.cumsum(arrays["counts"])[int(np.argmax(arrays["counts"] > 1)) - 1])
    labels[at], labels[at + 1] = labels[at + 1], labels[at]
    change_arrays(folder, labels=labels)
    with pytest.raises(ModelError, match="expected ascending numbers"):
        load_model(folder)


def test_wrong_configuration(folder):
    text = (folder / "config.toml").read_text()
    rewrite(folder, "config.toml", text.replace('"bias"', '"bias[["').encode())
    with pytest.raises(ModelError, match=r"config.toml: features.templates expects"):
        load_model(folder)
    rewrite(folder, "config.toml", b"[model]\norder = 7\n")
    with pytest.raises(ModelError, match=r"config.toml: model.order expects"):
        load_model(folder)


def test_missing_and_strange(tmp_path, folder):
    with pytest.raises(ModelError, match="there is no such model"):
        load_model(tmp_path / "nothing")
    (folder / "card.md").unlink()
    with pytest.raises(ModelError, match=r"card.md: this file is missing"):
        load_model(folder)
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.writestr("../evil", "x")
    with pytest.raises(ModelError, match="expected a zip of"):
        load_model(tmp_path / "odd.zip")
