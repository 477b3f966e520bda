"""Text made from a treebank."""

from __future__ import annotations

import random

from ramify.data import Sentence, read
from ramify.data.emoji import is_emoticon
from ramify.segmentation.gold_text import gold_text
from ramify.segmentation.variety import emoji_text, foreign_text, with_abbreviations, with_line_breaks


def tokens(gold):
    return [gold.text[begin:end] for begin, end in zip(gold.begins, gold.ends, strict=True)]


def test_varied_text_has_the_same_tokens(sample):
    sentences = list(read(sample))
    plain = gold_text(sentences)
    varied = with_line_breaks(plain, random.Random(1))
    assert plain.begins.tolist() == varied.begins.tolist()
    assert len(plain.text) == len(varied.text)
    changed = {(a, b) for a, b in zip(plain.text, varied.text, strict=True) if a != b}
    assert changed == {(" ", "\n"), ("\n", " ")}


def test_text_in_other_alphabets(sample):
    sentences = list(read(sample))
    gold = foreign_text(sentences, random.Random(3))
    assert 0 < gold.sentence_ends.sum() < len(sentences)
    letters = {c for c in gold.text if c.isalpha()}
    assert letters
    assert not letters & set("abcdefghijklmnopqrstuvwxyz")
    assert all(" " not in gold.text[b:e] for b, e in zip(gold.begins, gold.ends, strict=True))


def test_abbreviations_are_single_tokens_inside_sentences():
    sentences = [Sentence(["We", "measured", "around", "20", "metres", "."])] * 200
    plain = gold_text(sentences)
    gold = with_abbreviations(plain, random.Random(1))
    made = {token for token in tokens(gold) if token.endswith(".") and len(token) > 1}
    assert made
    assert all("around"[0] == token[0] or "measured"[0] == token[0] for token in made)
    assert gold.sentence_ends.tolist() == plain.sentence_ends.tolist()
    assert " 20 metres." in gold.text


def test_a_capital_after_abbreviations_that_never_end_a_sentence():
    sentences = [Sentence(["Take", "fruit", ",", "e.g.", ",", "pears", "or", "nuts", "."])] * 50
    text = with_abbreviations(gold_text(sentences), random.Random(1)).text
    assert "e.g. Pears" in text
    assert "e.g., pears" in text
    final = [*sentences, Sentence(["Pears", "e.g."])]
    assert "e.g. Pears" not in with_abbreviations(gold_text(final), random.Random(1)).text


def test_emoji_stand_for_emoticons():
    sentences = [Sentence(["Thanks", ":)"]), Sentence(["Bye"])] * 30
    gold = emoji_text(sentences, random.Random(1))
    assert not any(map(is_emoticon, tokens(gold)))
    emoji = [token for token in tokens(gold) if not token.isascii()]
    assert len(emoji) >= 60
    assert "Thanks" + emoji[0] in gold.text or "Thanks " + emoji[0] in gold.text
    last = [token for token, ends in zip(tokens(gold), gold.sentence_ends, strict=True) if ends]
    assert "Thanks" not in last
    assert len(emoji_text([Sentence(["Bye"])], random.Random(1)).text) == 0
