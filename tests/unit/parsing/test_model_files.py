"""Models on disk: what is saved is what is loaded, and no file of a stranger does harm."""

from __future__ import annotations

import contextlib
import copy as copies
import hashlib
import json
import pickle
import shutil
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load, save

from ramify import Parser
from ramify.data import read
from ramify.errors import InvalidInputError, ModelError
from ramify.neural.encoder_files import EncoderState
from ramify.neural.quantisation import quantise
from ramify.parsing import is_model, load_model, read_card, read_facts, save_model
from ramify.parsing.model_files import FILES as parser_files  # noqa: N811
from ramify.parsing.state import NetworkWeights
from ramify.parsing.tensors import _pack_keys, _unpack_keys
from support.models import check_no_models, saved_again
from support.networks import random_arrays, random_state
from support.zip_damage import break_deflate, encrypt, overwrite_directory

FILES = ["SHA256SUMS", "card.md", "config.toml", "vocab.json", "weights.safetensors"]


@pytest.fixture
def copy(model, tmp_path):
    """A copy of the model, to be damaged."""
    return shutil.copytree(model, tmp_path / "copy")


def resign(path):
    """Make the checksums right again, as whoever damages on purpose would."""
    names = [name for name in FILES if name != "SHA256SUMS" and (path / name).exists()]
    digests = {name: hashlib.sha256((path / name).read_bytes()).hexdigest() for name in names}
    (path / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in digests.items()))


def edit_json(path, **changes):
    value = json.loads((path / "vocab.json").read_text())
    value |= {key.replace("_", "-"): change for key, change in changes.items()}
    (path / "vocab.json").write_text(json.dumps(value))
    resign(path)


def edit_arrays(path, change):
    arrays = load((path / "weights.safetensors").read_bytes())
    change(arrays)
    (path / "weights.safetensors").write_bytes(save(arrays))
    resign(path)


def zip_of(folder, target):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    return target


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickled_equals_in_memory(parser, sample, protocol):
    changed = parser.with_options({"inference.method": "exact", "model.tree": "projective"})
    other = pickle.loads(pickle.dumps(changed, protocol))
    assert (other.config, other.labels, other.tags) == (changed.config, changed.labels, changed.tags)
    sentences = list(read(sample))[:40]
    for ours, theirs in zip(changed.parse(sentences), other.parse(sentences), strict=True):
        assert ours.sentence == theirs.sentence
        assert (ours.value, ours.bound, ours.certified) == (theirs.value, theirs.bound, theirs.certified)


def test_a_damaged_pickle_is_a_damaged_model(parser):
    files = Parser.task.files.to_files(parser._state)
    with pytest.raises(ModelError, match="<pickled model>: weights"):
        Parser._from_files(files | {"weights.safetensors": b"x"})


def test_copies_are_the_parser_itself(parser):
    assert copies.copy(parser) is copies.deepcopy(parser) is parser


@pytest.mark.parametrize("name", ["saved", "saved.zip"])
def test_loaded_equals_in_memory(parser, sample, tmp_path, name):
    loaded = saved_again(parser, tmp_path / name)
    assert loaded.tags == parser.tags
    for ours, theirs in zip(parser.parse(read(sample)), loaded.parse(read(sample)), strict=True):
        assert ours.sentence == theirs.sentence
        assert (ours.value, ours.bound, ours.certified) == (theirs.value, theirs.bound, theirs.certified)


@pytest.mark.parametrize("name", ["again", "again.zip"])
def test_saving_what_was_loaded_gives_the_same_bytes(model, tmp_path, name):
    state = load_model(model)
    save_model(state, tmp_path / name)
    again = load_model(tmp_path / name)
    save_model(again, tmp_path / "directory")
    for file in FILES:
        assert (tmp_path / "directory" / file).read_bytes() == (model / file).read_bytes()


def test_card_says_what_there_is_to_say(model, parser):
    card = read_card(model)
    for fact in ("ewt-sample-200.conllu (200 sentences, 1,875 words)", "CC BY-SA", "UAS", "MB", "ramify ", "sibling"):
        assert fact in card
    assert read_facts(model)["train"]["sentences"] == 200
    assert "CC BY-SA" in parser.card


def test_escapes_in_a_card_do_not_reach_the_terminal(copy):
    (copy / "card.md").write_text("\x1b[31mred\x07\n")
    resign(copy)
    assert read_card(copy) == "[31mred\n"


def test_is_model(model, tmp_path, sample):
    assert is_model(model)
    assert not is_model(tmp_path)
    assert not is_model(sample)


def test_saving_replaces_a_model_and_nothing_else(parser, tmp_path, copy):
    parser.save(copy)  # a model gives way to a model
    assert sorted(path.name for path in copy.iterdir()) == FILES
    assert [path.name for path in copy.parent.iterdir()] == ["copy"]
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("")
    with pytest.raises(InvalidInputError, match=r"holds other files \('chapter.tex'\)"):
        parser.save(tmp_path / "thesis")
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match="is a file already"):
        parser.save(tmp_path / "file")
    (tmp_path / "directory.zip").mkdir()
    with pytest.raises(InvalidInputError, match="is a directory"):
        parser.save(tmp_path / "directory.zip")


# -- damage ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES)
def test_missing_file(copy, file):
    (copy / file).unlink()
    with pytest.raises(
        ModelError, match=f"{file}: this file is missing; the copy is damaged; fetch or train"
    ) as caught:
        Parser.load(copy)
    assert caught.value.file == file


@pytest.mark.parametrize("file", ["card.md", "config.toml", "vocab.json", "weights.safetensors"])
@pytest.mark.parametrize("how", ["truncated", "changed", "emptied"])
def test_damage_is_noticed(copy, file, how):
    content = bytearray((copy / file).read_bytes())
    content[len(content) // 2] ^= 1
    damaged = {"truncated": bytes(content[:-1]), "changed": bytes(content), "emptied": b""}[how]
    (copy / file).write_bytes(damaged)
    with pytest.raises(ModelError, match=f"{file}: the content does not match its checksum in SHA256SUMS"):
        Parser.load(copy)


def test_no_checksum(copy):
    (copy / "SHA256SUMS").write_text("nothing here\n")
    with pytest.raises(ModelError, match=r"SHA256SUMS: there is no checksum of config.toml"):
        Parser.load(copy)


@pytest.mark.parametrize("share", [0.0, 0.0001, 0.3, 0.9999])
def test_truncated_weights_with_right_checksums(copy, share):
    content = (copy / "weights.safetensors").read_bytes()
    (copy / "weights.safetensors").write_bytes(content[: int(share * len(content))])
    resign(copy)
    with pytest.raises(ModelError, match="expected a safetensors file"):
        Parser.load(copy)


@pytest.mark.parametrize("seed", range(40))
def test_random_bytes_in_the_header_never_crash(copy, seed):
    rng = np.random.default_rng(seed)
    content = bytearray((copy / "weights.safetensors").read_bytes())
    for place in rng.integers(0, 700, size=3):
        content[place] = rng.integers(0, 256)
    (copy / "weights.safetensors").write_bytes(content)
    resign(copy)
    with contextlib.suppress(ModelError):  # a space more or less does no harm
        Parser.load(copy)


def set_array(name, value):
    return lambda arrays: arrays.__setitem__(name, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_array("longest", np.zeros(3, np.int32)), "longest: expected .* values; found 3"),
        (set_array("allowed", np.zeros(3, np.uint8)), "allowed: expected .* values; found 3"),
        (set_array("pruner", np.zeros(1000, np.int16)), "pruner: expected 131,072 values; found 1,000"),
        (set_array("pruner", np.zeros(1 << 17, np.int32)), "pruner: expected one axis of I16; found I32"),
        (set_array("pruner", np.zeros((1 << 8, 1 << 9), np.int16)), "pruner: expected one axis"),
        (set_array("scales", np.array([np.nan, 1.0])), "scales: expected weights of at most"),
        (set_array("scales", np.array([1e-3, 1e300])), "scales: expected weights of at most"),
        (set_array("scales", np.array([-1.0, 1.0])), "scales: expected weights of at most"),
        (set_array("scales", np.array([1.0])), "scales: expected 2 values"),
        (set_array("frequent", np.array([2, 1], np.uint64)), "frequent: expected ascending"),
        (set_array("keys", np.zeros(5, np.uint8)), "keys: expected .* bytes, three a key; found 5"),
        (lambda a: a.update(keys=a["keys"] * 0), "keys: expected ascending keys"),
        (lambda a: a.update(keys=a["keys"] * 0 + 255), "keys: expected keys of 40 bits"),
        (set_array("code", np.zeros(1, np.uint8)), "'code' is odd or missing"),
        (lambda a: a.pop("keys"), "'keys' is odd or missing"),
    ],
)
def test_arrays_that_do_not_fit(copy, change, message):
    edit_arrays(copy, change)
    with pytest.raises(ModelError, match=message) as caught:
        Parser.load(copy)
    assert caught.value.file == "weights.safetensors"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 2}, "format version 2, this ramify knows up to 1; install a newer ramify"),
        ({"format_version": "1"}, "expected a format version; found '1'"),
        ({"format_version": True}, "expected a format version; found True"),
        ({"tags": []}, "tags: expected a list of 2 to 4096 different names"),
        ({"tags": ["a"] * 5}, "tags: expected a list"),
        ({"tags": [f"t{i}" for i in range(5000)]}, "tags: expected a list"),
        ({"labels": "nsubj"}, "labels: expected a list"),
        ({"labels": ["a\tb"]}, "labels: expected a list"),
        ({"labels": ["a", 1]}, "labels: expected a list"),
        ({"labels": ["\ud800"]}, "labels: expected a list"),
        ({"empty_columns": ["head"]}, "empty-columns: expected some of lemma, xpos, feats"),
        ({"single_root": 1}, "single-root: expected true or false"),
        ({"facts": []}, "facts: expected an object"),
        (
            {"tags": [f"t{i}" for i in range(4096)], "labels": [f"l{i}" for i in range(60_000)]},
            "expected at most 268,435,456 pairs",
        ),
        ({"tags": ["a", "b", "c"]}, "longest: expected 18 values"),
    ],
)
def test_vocabularies_that_do_not_fit(copy, changes, message):
    edit_json(copy, **changes)
    with pytest.raises(ModelError, match=message):
        Parser.load(copy)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "\x00"])
def test_vocabulary_is_no_object(copy, text):
    (copy / "vocab.json").write_text(text)
    resign(copy)
    with pytest.raises(ModelError, match=r"vocab.json: expected (JSON|a JSON object)"):
        Parser.load(copy)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[model]\nparts = 3", "config.toml: model.parts expects"),
        ("[models]", "config.toml: there is no section 'models'"),
        ("[pruner]\nbits = 60", "config.toml: pruner.bits expects a whole number, 8 to 26; got 60"),
        ("[pruner]\nbits = 21", "weights.safetensors: pruner: expected 2,097,152 values"),
        ("\x00", "config.toml: expected TOML"),
    ],
)
def test_configurations_that_do_not_fit(copy, text, message):
    (copy / "config.toml").write_text(text)
    resign(copy)
    with pytest.raises(ModelError, match=message):
        Parser.load(copy)


def test_oversized_files_are_not_read_whole(copy):
    with (copy / "card.md").open("wb") as file:
        file.truncate(1 << 40)  # sparse: a terabyte that takes no room
    with pytest.raises(ModelError, match=r"card.md: expected at most 1,048,576 bytes"):
        Parser.load(copy)


def test_a_directory_for_a_file(copy):
    (copy / "card.md").unlink()
    (copy / "card.md").mkdir()
    with pytest.raises(ModelError, match=r"card.md: this file is missing"):
        Parser.load(copy)


def test_no_model_at_all(tmp_path):
    check_no_models(Parser.load, tmp_path)


def test_pickles_are_never_opened(copy, tmp_path):
    class Trap:
        def __reduce__(self):
            return (tmp_path.joinpath("sprung").touch, ())

    (copy / "weights.safetensors").write_bytes(pickle.dumps(Trap()))
    resign(copy)
    with pytest.raises(ModelError, match="expected a safetensors file"):
        Parser.load(copy)
    assert not (tmp_path / "sprung").exists()


# -- zips --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../evil.txt", "/evil.txt", "folder/card.md", "evil.py"])
def test_zips_hold_models_only(copy, tmp_path, name):
    path = zip_of(copy, tmp_path / "model.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, "evil")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ModelError, match=r"expected a zip of config.toml"):
        Parser.load(path)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_zips_with_a_file_twice(copy, tmp_path):
    path = zip_of(copy, tmp_path / "model.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("card.md", "another")
    with pytest.raises(ModelError, match=r"found 'card.md'"):
        Parser.load(path)


def test_zip_bombs_are_refused(copy, tmp_path):
    (copy / "card.md").write_bytes(bytes(1 << 24))
    path = zip_of(copy, tmp_path / "model.zip")
    with pytest.raises(ModelError, match=r"card.md: expected at most 1,048,576 bytes"):
        Parser.load(path)


def test_zips_that_lie_about_sizes(copy, tmp_path):
    (copy / "card.md").write_bytes(bytes(1 << 24))
    path = zip_of(copy, tmp_path / "model.zip")
    content = path.read_bytes()
    true_size, false_size = (1 << 24).to_bytes(4, "little"), (100).to_bytes(4, "little")
    assert content.count(true_size) >= 2  # in the entry and in the directory
    path.write_bytes(content.replace(true_size, false_size))
    with pytest.raises(ModelError):
        Parser.load(path)


@pytest.mark.parametrize("share", [0.2, 0.9, 0.9999])
def test_truncated_zips(copy, tmp_path, share):
    path = zip_of(copy, tmp_path / "model.zip")
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ModelError, match="expected a model directory or a zip of one"):
        Parser.load(path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (encrypt, r"a zip of one; '.*' is encrypted, and there is no password"),
        (break_deflate, "a zip of one; Error -3 while decompressing data"),
        (lambda c: overwrite_directory(c, 10, b"\x0c"), r"a zip of one; '.*' is compressed by method 12"),
    ],
)
def test_zips_of_other_kinds(copy, tmp_path, damage, message):
    path = zip_of(copy, tmp_path / "model.zip")
    path.write_bytes(damage(bytearray(path.read_bytes())))
    with pytest.raises(ModelError, match=message):
        Parser.load(path)


@pytest.mark.parametrize("seed", range(30))
def test_random_bytes_in_zips_never_crash(copy, tmp_path, seed):
    rng = np.random.default_rng(seed)
    path = zip_of(copy, tmp_path / "model.zip")
    content = bytearray(path.read_bytes())
    places = np.concatenate([rng.integers(0, 200, size=3), len(content) - 1 - rng.integers(0, 400, size=5)])
    for place in places:
        content[place] = rng.integers(0, 256)
    path.write_bytes(content)
    with contextlib.suppress(ModelError):
        Parser.load(path)


def test_missing_in_zip(copy, tmp_path):
    (copy / "vocab.json").unlink()
    with pytest.raises(ModelError, match=r"vocab.json: this file is missing"):
        Parser.load(zip_of(copy, tmp_path / "model.zip"))


def test_errors_cross_process_borders():
    error = pickle.loads(pickle.dumps(ModelError("model", "card.md", "is wrong")))
    assert (str(error), error.path, error.file) == ("model: card.md: is wrong", "model", "card.md")


# -- keys --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 3, 1000, 300_000])
def test_keys_survive_packing(size):
    rng = np.random.default_rng(size)
    short = np.unique(rng.integers(0, 1 << 40, size=size, dtype=np.uint64))
    short = np.union1d(short, np.array([0, (1 << 40) - 1], np.uint64)) if size == 3 else short
    keys = short << np.uint64(24)
    values = rng.choice([-32767, -1, 1, 32767], size=len(keys)).astype(np.int16)
    packed, spread = _pack_keys(keys, values)
    assert packed.size == 3 * spread.size
    again, weights = _unpack_keys(packed, spread)
    np.testing.assert_array_equal(again, keys)
    np.testing.assert_array_equal(weights, values)


def with_encoder(sample, **options):
    """The files of a parser with an encoder that nobody has to run."""
    state = random_state(list(read(sample))[:20], {"encoder.path": "somewhere"} | options)
    tuned = {} if state.config.encoder.frozen else {"w": np.ones((2, 3), np.float16)}
    vocabulary = replace(state.network.vocabulary, encoder_width=4)
    arrays = quantise(random_arrays(state.config.network, vocabulary))
    network = NetworkWeights(vocabulary, arrays, EncoderState("ab" * 32, 4, "{}", "{}", tuned))
    return parser_files.to_files(replace(state, network=network))


def test_encoders_are_kept(sample):
    kept = parser_files.from_files(with_encoder(sample, **{"encoder.frozen": False}), "model").network
    assert (kept.encoder.width, kept.vocabulary.encoder_width) == (4, 4)
    np.testing.assert_array_equal(kept.encoder.arrays["w"], np.ones((2, 3)))
    assert parser_files.from_files(with_encoder(sample), "model").network.encoder.arrays == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"encoder": None}, "encoder: expected a table"),
        ({"encoder": {"checksum": "ab" * 32, "width": 4, "shapes": {"w": [1]}}}, "expected weights if, and only if"),
        ({"encoder": {"checksum": "ab" * 32, "width": 5}}, r"layers\.0\.weight_ih_l0\S*: expected"),
    ],
)
def test_damaged_encoders_are_refused(change, message, sample):
    files = with_encoder(sample)
    vocabulary = json.dumps(json.loads(files["vocab.json"]) | change).encode()
    with pytest.raises(ModelError, match=message):
        parser_files.from_files(files | {"vocab.json": vocabulary}, "model")


def test_damaged_weights_of_encoders_are_refused(sample):
    files = with_encoder(sample, **{"encoder.frozen": False})
    arrays = load(files["weights.safetensors"])
    arrays["encoder.w"] = np.full(6, np.nan, np.float16)
    with pytest.raises(ModelError, match=r"encoder\.w: expected finite numbers"):
        parser_files.from_files(files | {"weights.safetensors": save(arrays)}, "model")
