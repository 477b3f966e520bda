"""Conversions to and from other representations."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

from ramify.data import (
    Sentence,
    from_conllu,
    from_head_array,
    from_lists,
    from_spacy,
    read,
    to_conllu,
    to_head_array,
    to_lists,
    to_spacy,
)
from ramify.errors import InvalidInputError, MissingExtraError


@pytest.fixture
def sentences(samples):
    return list(read(samples / "treebanks" / "en_ewt-sample.conllu"))


def test_lists(sentences):
    for sentence in sentences:
        again = from_lists(to_lists(sentence))
        assert to_lists(again) == to_lists(sentence)
    with pytest.raises(InvalidInputError, match="expects 'forms'"):
        from_lists({"heads": [0]})
    with pytest.raises(InvalidInputError, match="got \\['forms', 'words'\\]"):
        from_lists({"forms": ["a"], "words": ["a"]})


def test_head_arrays():
    sentence = Sentence(["a", "b"], heads=[2, 0])
    heads = to_head_array(sentence)
    assert heads.tolist() == [-1, 2, 0]
    assert heads.dtype == np.int32
    changed = from_head_array(sentence, np.array([-1, 0, 1]))
    assert changed.heads.tolist() == [0, 1]
    assert sentence.heads.tolist() == [2, 0]
    for wrong in ([2, 0], [0, 2, 0], []):
        with pytest.raises(InvalidInputError, match="from_head_array expects shape"):
            from_head_array(sentence, np.array(wrong))


def test_conllu_package(sentences):
    for sentence in sentences:
        tokens = to_conllu(sentence)
        assert [t["form"] for t in tokens if isinstance(t["id"], int)] == list(sentence.forms)
        assert from_conllu(tokens) == sentence
    tokens[0]["head"] = 999
    with pytest.raises(InvalidInputError, match="from_conllu expects a well-formed token list"):
        from_conllu(tokens)


def test_spacy(sentences):
    doc = to_spacy(sentences)
    assert len(list(doc.sents)) == len(sentences)
    for sentence, again in zip(sentences, from_spacy(doc), strict=True):
        assert again.forms == sentence.forms
        assert again.upos == sentence.upos
        assert again.xpos == sentence.xpos
        assert again.lemmas == sentence.lemmas
        assert again.deprels == sentence.deprels
        assert again.heads.tolist() == sentence.heads.tolist()
        assert again.text == sentence.text
        assert to_spacy(sentence).text.strip() == sentence.text


def test_spacy_without_trees():
    doc = to_spacy(Sentence(["a", "b"], heads=[2, -1]))
    assert not doc.has_annotation("DEP")
    (again,) = from_spacy(doc)
    assert again.heads.tolist() == [-1, -1]


def test_missing_packages_name_the_extra(monkeypatch):
    real_import = builtins.__import__

    def without(name, *arguments):
        if name.split(".")[0] in ("spacy", "conllu"):
            raise ImportError(name)
        return real_import(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'ramify\[spacy\]'"):
        to_spacy(Sentence(["a"]))
    with pytest.raises(MissingExtraError, match=r"pip install 'ramify\[conllu\]'"):
        to_conllu(Sentence(["a"]))
