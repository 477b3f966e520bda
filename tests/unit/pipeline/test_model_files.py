"""Pipelines on disk: what is saved is what is loaded, and no file of a stranger does harm."""

from __future__ import annotations

import hashlib
import shutil
import zipfile

import pytest

import ramify
from ramify.errors import InvalidInputError, ModelError
from ramify.learn.containers import kind_of
from ramify.parsing import Parser
from ramify.pipeline import Pipeline
from ramify.segmentation import Segmenter
from ramify.tagging import Tagger
from support.models import check_no_models

TEXT = "I like it. You don't!"


@pytest.fixture
def copy(pipeline_model, tmp_path):
    """A copy of the pipeline, to be damaged."""
    return shutil.copytree(pipeline_model, tmp_path / "copy")


def resign(path):
    """Make the checksums right again, as whoever damages on purpose would."""
    names = [line.split("  ")[1] for line in (path / "SHA256SUMS").read_text().splitlines()]
    lines = [f"{hashlib.sha256((path / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (path / "SHA256SUMS").write_text("".join(lines))


def edit(path, old, new):
    file = path / "pipeline.toml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    resign(path)


@pytest.mark.parametrize("name", ["again", "again.zip"])
def test_round_trip(nlp, tmp_path, name):
    nlp.save(tmp_path / name)
    nlp.save(tmp_path / name)  # over the one before
    again = ramify.load(tmp_path / name)
    assert again(TEXT).to_conllu() == nlp(TEXT).to_conllu()
    assert (again.card, again.facts, again.components) == (nlp.card, nlp.facts, nlp.components)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_saved_twice_is_the_same(nlp, tmp_path):
    for name in ("a.zip", "b.zip"):
        nlp.save(tmp_path / name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


@pytest.mark.parametrize("name", ["parts", "parts.zip"])
def test_components_can_be_loaded_alone(nlp, tmp_path, name):
    path = tmp_path / name
    nlp.save(path)
    words = ["I", "like", "it"]
    assert Tagger.load(path / "upos").tag(words).labels == nlp.taggers["upos"].tag(words).labels
    assert Parser.load(path / "parser").labels == nlp.parser.labels
    assert Segmenter.load(path / "segmenter").segment(TEXT).tokens
    for part, kind in {"parser": "parser", "lemma": "tagger", "segmenter": "segmenter"}.items():
        assert kind_of(path / part) == kind
        assert type(ramify.load(path / part)).__name__.lower() == kind
        with pytest.raises(ModelError, match=f"expected a pipeline; this is a {kind}: use ramify"):
            ramify.Pipeline.load(path / part)
    with pytest.raises(ModelError, match=r"whole pipeline: ramify.load reads it; .*parser and the like"):
        Parser.load(path)
    with pytest.raises(ModelError, match="there is no such model"):
        Parser.load(path / "other")


def test_checksums_cover_everything(pipeline_model, copy):
    files = [path.relative_to(pipeline_model) for path in pipeline_model.rglob("*") if path.is_file()]
    assert len(files) == 3 + 5 * 6
    for file in files:
        content = (copy / file).read_bytes()
        (copy / file).write_bytes(bytes([content[0] ^ 1]) + content[1:])
        with pytest.raises(ModelError):
            ramify.load(copy)
        (copy / file).write_bytes(content)
    ramify.load(copy)


def test_parts_of_another_pipeline_are_refused(copy, nlp):
    shutil.rmtree(copy / "upos")
    nlp.taggers["xpos"].save(copy / "upos")
    with pytest.raises(ModelError, match="upos/SHA256SUMS: the content does not match its checksum"):
        ramify.load(copy)
    resign(copy)
    with pytest.raises(ModelError, match="upos: expected a tagger of upos; it fills column xpos"):
        ramify.load(copy)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format-version = 1", "format-version = 2", "format version 2, this ramify knows up to 1"),
        ("format-version = 1", "", "expected a format version"),
        ('language = "en"', "language = 3", "language: expected a code"),
        ('"segmenter", "upos"', '"upos", "segmenter"', "components: expected some of"),
        ('"segmenter", "upos"', '"segmenter", "../upos"', "components: expected some of"),
        ('"segmenter", ', "", "components: expected a segmenter and a parser among them"),
        ("[data]", "data = 3\n[other]", "expected sections"),
        ("[data]", "[data", "expected TOML"),
    ],
)
def test_bad_manifests(copy, old, new, message):
    edit(copy, old, new)
    with pytest.raises(ModelError, match=message):
        ramify.load(copy)


def test_missing_parts(copy):
    shutil.rmtree(copy / "lemma")
    with pytest.raises(ModelError, match="lemma: there is no such model"):
        ramify.load(copy)


def test_no_pipelines(tmp_path):
    check_no_models(ramify.load, tmp_path)


@pytest.mark.parametrize("entry", ["../evil", "upos/evil", "a/b/card.md", "/card.md", "evil"])
def test_odd_entries_of_zips(nlp, tmp_path, entry):
    path = tmp_path / "odd.zip"
    nlp.save(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(entry, "x")
    with pytest.raises(ModelError, match="expected a zip of"):
        ramify.load(path)


def test_targets_that_hold_other_things(nlp, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("important")
    with pytest.raises(InvalidInputError, match=r"holds other files \('thesis.txt'\)"):
        nlp.save(tmp_path / "mine")
    with pytest.raises(InvalidInputError, match="is a file already"):
        nlp.save(tmp_path / "mine" / "thesis.txt")
    (tmp_path / "folder.zip").mkdir()
    with pytest.raises(InvalidInputError, match="is a directory"):
        nlp.save(tmp_path / "folder.zip")


def test_a_failed_save_leaves_nothing(nlp, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(Parser, "save", fail)
    for name in ("model", "model.zip"):
        with pytest.raises(OSError, match="disk full"):
            nlp.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    assert isinstance(nlp, Pipeline)
