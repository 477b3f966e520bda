"""Treebanks as running text."""

from __future__ import annotations

import pytest

from ramify.data import Sentence, read
from ramify.data.sentence import MultiwordToken
from ramify.segmentation.gold_text import gold_text, raw_text, surface_tokens, unescape_spaces


def made(forms, text=None, misc=None, comments=()):
    lines = [*comments, *([f"# text = {text}"] if text is not None else [])]
    return Sentence(forms, comments=lines, misc=misc or ["_"] * len(forms))


def test_text_comment_comes_first():
    assert raw_text([made(["a", "b", "c"], "ab  c", ["_", "SpaceAfter=No", "SpaceAfter=No"])]) == "ab  c"
    assert raw_text([made(["a", "b"], "ab"), made(["c"], "c")]) == "ab c "


def test_misc_where_there_is_no_text():
    assert raw_text([made(["a", "b", "c"], None, ["SpaceAfter=No", r"SpacesAfter=\n\s|X=y", "_"])]) == "ab\n c "


def test_text_that_is_not_of_the_tokens():
    assert raw_text([made(["a", "b"], "a x", ["SpaceAfter=No", "SpaceAfter=No"])]) == "ab"


def test_usual_spaces_where_nothing_is_recorded():
    assert raw_text([made(["Gero", ",", "(", "hau", ")", "da", "."]), made(["Bai"])]) == "Gero, (hau) da. Bai "
    assert raw_text([made(["東京", "、", "ABC", "の", "2", "年", "。"]), made(["はい"])]) == "東京、 ABC の 2 年。はい"


def test_paragraphs():
    sentences = [made(["a"], "a"), made(["b"], "b", comments=["# newpar id = 2"]), made(["c"], "c")]
    assert raw_text([*sentences, made(["d"], "d", comments=["#newdoc"])]) == "a\n\nb c\n\nd "
    assert raw_text([made(["a"], "a", comments=["# newparts = 1"]), *sentences[2:]]) == "a c "


def test_multiword_tokens_are_surface_tokens():
    sentence = Sentence(["a", "de", "el", "b"], multiword_tokens=[MultiwordToken(2, 3, "del", misc="SpaceAfter=No")])
    assert [(t.form, t.words) for t in surface_tokens(sentence)] == [
        ("a", ("a",)),
        ("del", ("de", "el")),
        ("b", ("b",)),
    ]
    assert raw_text([sentence]) == "a delb "


@pytest.mark.parametrize(
    ("escaped", "text"), [(r"\s\t\n\r", " \t\n\r"), (r"\p\\", "|\\"), (r"\u3000\u00A0", "\u3000\xa0"), ("x", "x")]
)
def test_escapes(escaped, text):
    assert unescape_spaces(escaped) == text


def test_gold_places(sample):
    sentences = list(read(sample))
    gold = gold_text(sentences)
    tokens = [token.form for sentence in sentences for token in surface_tokens(sentence)]
    assert [gold.text[b:e] for b, e in zip(gold.begins, gold.ends, strict=True)] == tokens
    assert gold.sentence_ends.sum() == len(sentences)
