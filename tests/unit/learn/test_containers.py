"""Models of strangers: whatever was changed in a file, with right checksums, is refused or does no harm."""

from __future__ import annotations

import hashlib
import itertools
import shutil

import pytest

import ramify
from ramify import Parser
from ramify.data import read
from ramify.errors import ModelError
from ramify.parsing import read_facts
from ramify.segmentation import Segmenter
from ramify.tagging import Tagger
from support.model_damage import HUGE, damaged_toml, damages, resign

ONE_EPOCH = {"training.epochs": "1"}
TEXT = "I don't like it. You do!"


@pytest.fixture(scope="module")
def few(sample):
    return list(read(sample))[:40]


def make(task, few, folder):
    """Train a small model; return how to load one like it, and what to do with it."""
    if task == "segmenter":
        Segmenter.train(few, dev=few[:10], options={"bits": 10, "epochs": 1}).save(folder)
        return Segmenter.load, lambda model: model.segment(TEXT)
    if task == "parser":
        options = ONE_EPOCH | {"pruner.bits": "9", "pruner.epochs": "1"}
        Parser.train(train=few, dev=few[:10], preset="second", options=options).save(folder)
        return Parser.load, lambda model: model.parse(few[1], marginals=True, k=2)
    Tagger.train(train=few, dev=few[:10], preset=task, options=ONE_EPOCH).save(folder)
    return Tagger.load, lambda model: model.tag(few[1], marginals=True, k=2)


@pytest.mark.parametrize(("task", "step"), [("segmenter", 3), ("upos", 9), ("lemma", 11), ("parser", 19)])
def test_every_value_may_be_wrong(task, step, few, tmp_path):
    """One damage in so many, to be quick; primes, so that each kind of damage meets many values."""
    folder = tmp_path / "model"
    load, use = make(task, few, folder)
    use(load(folder))
    outcomes = {"refused": 0, "works": 0}
    for file, damage, content in itertools.islice(damages(folder), 0, None, step):
        whole = (folder / file).read_bytes()
        (folder / file).write_bytes(content)
        resign(folder)
        try:
            model = load(folder)
        except ModelError:
            outcomes["refused"] += 1
        else:
            use(model)
            assert model.card, (file, damage)
            model.save(tmp_path / "again")
            outcomes["works"] += 1
        (folder / file).write_bytes(whole)
    assert min(outcomes.values()) > 5, outcomes


@pytest.mark.parametrize(("task", "file"), [("upos", "vocab.json"), ("segmenter", "config.toml")])
def test_damages_that_once_escaped(task, file, few, tmp_path):
    load, _ = make(task, few, tmp_path / "model")
    text = (tmp_path / "model" / file).read_text(encoding="utf-8")
    changed = text.replace('"written-scheme": null,', "").replace("epochs = 1", f"epochs = {HUGE}")
    assert changed != text
    (tmp_path / "model" / file).write_text(changed, encoding="utf-8")
    resign(tmp_path / "model")
    with pytest.raises(
        ModelError, match=r"written-scheme: expected null|config.toml: expected TOML; Exceeds the limit"
    ):
        load(tmp_path / "model")


def test_every_line_of_a_pipeline_may_be_wrong(pipeline_model, tmp_path):
    folder = shutil.copytree(pipeline_model, tmp_path / "model")
    file, sums = folder / "pipeline.toml", folder / "SHA256SUMS"
    whole, old = file.read_text(encoding="utf-8"), sums.read_text()
    digest = hashlib.sha256(whole.encode()).hexdigest()
    refused = 0
    for damage, text in itertools.islice(damaged_toml(whole), 0, None, 13):
        file.write_bytes(text.encode())
        sums.write_text(old.replace(digest, hashlib.sha256(text.encode()).hexdigest()))
        try:
            model = ramify.load(folder)
        except ModelError:
            refused += 1
        else:
            assert model.card, damage
            model.save(tmp_path / "again")
    assert refused > 5


def test_facts_are_read_alone_too(few, tmp_path):
    make("upos", few, tmp_path / "model")
    assert read_facts(tmp_path / "model")["train"]["sentences"] == 40
