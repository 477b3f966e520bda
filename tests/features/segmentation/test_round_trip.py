"""Nothing of a text is lost: tokens and recorded white space give it back, in memory, in files and in streams."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ramify.data import read, write
from ramify.segmentation import restore_text

pytestmark = pytest.mark.engine

# Characters that break things, and any others.
AWKWARD = " \n\t\r.,!?'\"()|\\=_#aB9n't\u3000\u0301\u00a0\x00\u2028\u2029\x0b\x0c\x1c\x85\ufeff\u200d😀é漢字שלم्"
TEXT = st.text(st.one_of(st.sampled_from(AWKWARD), st.characters(exclude_categories=("Cs",))), max_size=60)
# Unicode's property White_Space, all control characters, and the byte order mark.
WHITE_SPACE = frozenset(" \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff") | {
    chr(c) for c in (*range(0x20), *range(0x7F, 0xA0), *range(0x2000, 0x200B))
}


def to_bytes(sentences):
    file = io.BytesIO()
    write(sentences, file, format="conllu")
    return file.getvalue()


def has_tokens(text):
    return not set(text) <= WHITE_SPACE


@given(TEXT)
@example("a\r\n\r\nb\r\n")
@example("e\u0301 \u0301")
@example("don't CAN'T \x00")
@example("👨‍👩‍👧 🇩🇪 a@b.c https://x.y/?q=1#z שלום, עולם")
@example(" \u2028x\u2029y\x85z ")
@example("\\s \\n | SpaceAfter=No")
@settings(max_examples=400)
def test_text_is_restored(segmenter, text):
    result = segmenter.segment(text)
    if not has_tokens(text):
        assert len(result) == 0
        return
    assert restore_text(result) == text
    again = list(read(io.BytesIO(to_bytes(result)), format="conllu"))
    assert restore_text(again) == text


@given(TEXT)
@settings(max_examples=200)
def test_offsets_cover_all_that_is_no_white_space(segmenter, text):
    result = segmenter.segment(text)
    covered = np.zeros(len(text), bool)
    for start, end in zip(result.starts, result.ends, strict=True):
        assert start < end
        covered[start:end] = True
    assert covered.sum() == (result.ends - result.starts).sum()  # no overlap
    assert [c not in WHITE_SPACE for c in text] == covered.tolist()
    assert result.offsets[-1] == len(result.starts)


@given(TEXT, st.lists(st.integers(1, 9), max_size=40))
@settings(max_examples=300)
def test_streams_are_the_same_however_cut(segmenter, text, sizes):
    content = text.encode()
    pieces, at = [], 0
    for size in sizes:
        pieces.append(content[at : at + size])  # bytes: characters are cut, too
        at += size
    pieces.append(content[at:])
    assert to_bytes(segmenter.stream(pieces)) == to_bytes(segmenter.segment(text))


@pytest.mark.parametrize("paragraph", ["I like it. You don't!\n", "no end ", "x", " x", "漢字"])
def test_long_paragraphs(segmenter, paragraph):
    text = "  " + paragraph * (200_000 // len(paragraph)) + "\n\nThe end."
    result = segmenter.segment(text)
    assert restore_text(result) == text
    assert result[-1].comments[0] == "# newpar"
    pieces = [text[i : i + 30_011] for i in range(0, len(text), 30_011)]
    assert to_bytes(segmenter.stream(pieces)) == to_bytes(result)


def test_much_white_space(segmenter):
    text = "Hi" + " " * 200_000 + "you" + "\n" * 200_000 + "there"
    result = segmenter.segment(text)
    assert restore_text(result) == text
    assert result.tokens == ["Hi", "you", "there"]


def test_line_of_a_million_characters(segmenter):
    assert "".join(segmenter.segment("x" * 1_000_000).tokens) == "x" * 1_000_000
    text = "We went there. " * 66_000
    assert len(segmenter.segment(text)) > 60_000
