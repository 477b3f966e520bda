"""Sentences as the pieces of pretrained encoders."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("transformers", reason="encoders need transformers: pip install 'ramify[encoders]'")
pytest.importorskip("torch", reason="encoders need PyTorch: pip install 'ramify[encoders]'")

from ramify.errors import InvalidInputError
from ramify.neural.pieces import Splitter
from support.encoders import VOCABULARY, make_encoder

CLS, SEP = VOCABULARY.index("[CLS]"), VOCABULARY.index("[SEP]")


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    return (make_encoder(tmp_path_factory.mktemp("encoder")) / "tokenizer.json").read_text(encoding="utf-8")


def test_words_are_where_their_first_piece_is(tokenizer):
    split = Splitter(tokenizer, 20).split(["The", "cat", "is", "tired"])
    spelled = [VOCABULARY[i] for i in split.windows[0]]
    assert spelled == ["[CLS]", "the", "c", "##a", "##t", "i", "##s", "t", "##i", "##r", "##ed", "[SEP]"]
    assert split.places == [(0, 0), (0, 1), (0, 2), (0, 5), (0, 7)]


def test_long_sentences_have_several_windows(tokenizer):
    forms = ["cat", "antelope", "the", "of", "dog"]
    split = Splitter(tokenizer, 6).split(forms)  # room for four pieces
    assert all(len(w) <= 6 and w[0] == CLS and w[-1] == SEP for w in split.windows)
    assert len(split.windows) == 4  # the third word stands alone: nothing fits beside its neighbours
    found = [VOCABULARY[split.windows[window][place]] for window, place in split.places]
    assert found == ["[CLS]", "c", "a", "the", "of", "d"]


def test_words_without_pieces_and_empty_sentences_have_a_place(tokenizer):
    splitter = Splitter(tokenizer, 20)
    assert splitter.split(["a", "\u200b", "b"]).places == [(0, 0), (0, 1), (0, 0), (0, 2)]
    assert splitter.split([]) == ([[CLS, SEP]], [(0, 0)])


def test_words_of_byte_level_tokenizers_start_after_a_space():
    from tokenizers import Tokenizer, models, pre_tokenizers

    made = Tokenizer(models.BPE({"a": 0, "Ġ": 1, "Ġa": 2}, [("Ġ", "a")]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert Splitter(made.to_str(), 20).split(["a", "a"]).windows == [[2, 2]]


@pytest.mark.parametrize("content", ["", "[]", json.dumps({"model": {"type": "none"}})])
def test_broken_tokenizers_are_refused(content):
    with pytest.raises(InvalidInputError, match=r"encoder\.path expects a tokenizer\.json that can be read"):
        Splitter(content, 20)
