"""Tokens and sentences that are split and joined."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.annotation.blocks import lines_of, parsed, split_file, written
from ramify.annotation.structure import join_sentences, join_tokens, num_words, split_sentence, split_token
from ramify.data import read
from ramify.errors import InvalidInputError
from ramify.validation import Validator


def block(*rows, text=""):
    comments = ["# sent_id = s", f"# text = {text}"] if text else []
    lines = [*comments, *("\t".join(row.split()).replace("~", " ") for row in rows), "", ""]
    return lines_of("\n".join(lines).encode()[:-1] if not rows else "\n".join(lines).encode())


def rows(lines, *columns):
    return [tuple(line[name] for name in columns) for line in lines if line.is_row]


CANNOT = block(
    "1 I I PRON _ _ 4 nsubj 4:nsubj|4.1:nsubj _",
    "2-3 cannot _ _ _ _ _ _ _ SpaceAfter=No",
    "2 can can AUX _ _ 4 aux 4:aux _",
    "3 not not PART _ _ 4 advmod 4:advmod _",
    "4 go go VERB _ _ 0 root 0:root SpaceAfter=No",
    "4.1 go go VERB _ _ _ _ 0:root _",
    "5 . . PUNCT _ _ 4 punct 4:punct _",
    text="I cannotgo.",
)


def test_split_token():
    found = split_token(CANNOT, 4, 1)
    assert rows(found, "ID", "FORM", "HEAD", "DEPREL", "DEPS", "MISC") == [
        ("1", "I", "4", "nsubj", "4:nsubj|5.1:nsubj", "_"),
        ("2-3", "cannot", "_", "_", "_", "SpaceAfter=No"),
        ("2", "can", "4", "aux", "4:aux", "_"),
        ("3", "not", "4", "advmod", "4:advmod", "_"),
        ("4", "g", "0", "root", "0:root", "SpaceAfter=No"),
        ("5", "o", "4", "dep", "4:dep", "SpaceAfter=No"),
        ("5.1", "go", "_", "_", "0:root", "_"),
        ("6", ".", "4", "punct", "4:punct", "_"),
    ]
    assert written(join_tokens(found, 4)) == written(CANNOT)


def test_split_inside_a_multiword_token_and_into_one():
    found = split_token(CANNOT, 3, 2)
    assert [row for row in rows(found, "ID", "FORM") if "-" in row[0]] == [("2-4", "cannot")]
    assert written(join_tokens(found, 3)) == written(CANNOT)
    two = block("1 didn't did AUX _ _ 2 aux _ SpaceAfter=No", "2 go go VERB _ _ 0 root _ _")
    found = split_token(two, 1, 3, multiword=True)
    assert rows(found, "ID", "FORM", "MISC")[:3] == [
        ("1-2", "didn't", "SpaceAfter=No"),
        ("1", "did", "_"),
        ("2", "n't", "_"),
    ]
    back = join_tokens(found, 1)
    assert rows(back, "ID", "FORM", "HEAD", "MISC") == [("1", "didn't", "2", "SpaceAfter=No"), ("2", "go", "0", "_")]
    with pytest.raises(InvalidInputError, match="belongs to a multiword token already"):
        split_token(found, 1, 1, multiword=True)


def test_joined_tokens_keep_the_arc_that_leaves_them():
    found = join_tokens(CANNOT, 2)  # both words of the multiword token: the token is the word now
    assert rows(found, "ID", "FORM", "HEAD")[:3] == [("1", "I", "3"), ("2", "cannot", "3"), ("3", "go", "0")]
    lines = block("1 a a X _ _ 2 dep _ _", "2 b b Y _ _ 0 root _ _", "3 c c Z _ _ 1 dep _ _")
    assert rows(join_tokens(lines, 1), "ID", "FORM", "UPOS", "HEAD", "DEPREL") == [
        ("1", "a b", "Y", "0", "root"),
        ("2", "c", "Z", "1", "dep"),
    ]


def test_split_sentence():
    left, right = split_sentence(CANNOT, 4, "s-2")
    assert [line.cells[0] for line in left if not line.is_row] == ["# sent_id = s", "# text = I cannot", ""]
    assert [line.cells[0] for line in right if not line.is_row] == ["# sent_id = s-2", "# text = go.", ""]
    assert rows(left, "ID", "HEAD", "DEPREL", "DEPS") == [
        ("1", "0", "root", "0:root"),
        ("2-3", "_", "_", "_"),
        ("2", "1", "aux", "1:aux"),
        ("3", "1", "advmod", "1:advmod"),
    ]
    assert rows(right, "ID", "HEAD", "DEPS") == [
        ("1", "0", "0:root"),
        ("1.1", "_", "0:root"),
        ("2", "1", "1:punct"),
    ]


def test_join_sentences():
    left, right = split_sentence(CANNOT, 4, "s-2")
    found = join_sentences(left, right)
    assert rows(found, "ID", "FORM") == rows(CANNOT, "ID", "FORM")
    assert rows(found, "ID", "HEAD", "DEPREL", "DEPS")[4] == ("4", "1", "parataxis", "1:parataxis")
    assert [line.cells[0] for line in found if not line.is_row] == ["# sent_id = s", "# text = I cannotgo.", ""]


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: split_token(CANNOT, 1, 1), "between its characters; 'I' has 1 characters"),
        (lambda: split_token(CANNOT, 9, 1), "words 1 to 5; got 9"),
        (lambda: join_tokens(CANNOT, 5), "words 1 to 5; got 6"),
        (lambda: join_tokens(CANNOT, 1), "belongs to a multiword token, and the other one does not"),
        (lambda: split_sentence(CANNOT, 3, ""), "cannot be split inside a multiword token"),
        (lambda: split_sentence(CANNOT, 1, ""), "before its words 2 to 5"),
        (lambda: join_sentences(CANNOT, lines_of(b"# newpar\n" + written(CANNOT))), "starts a paragraph"),
        (
            lambda: join_sentences(CANNOT, lines_of(b"0.1" + b"\t_" * 9 + b"\n" + written(CANNOT))),
            "starts with an empty node",
        ),
    ],
)
def test_what_is_refused(attempt, message):
    with pytest.raises(InvalidInputError, match=message):
        attempt()


@settings(max_examples=40)
@given(data=st.data())
def test_structure_of_real_sentences(samples, data):
    """Whatever is split and joined, the result is a sentence that the strict reader and the rules of UD take."""
    _, blocks = split_file((samples / "treebanks/en_ewt-sample.conllu").read_bytes())
    number = data.draw(st.integers(0, len(blocks) - 2))
    lines = lines_of(blocks[number])
    n = num_words(lines)
    word = data.draw(st.integers(1, n))
    kind = data.draw(st.sampled_from(["split", "join", "halves", "pair"]))
    try:
        if kind == "split":
            form = next(line["FORM"] for line in lines if line.word == word)
            found = [split_token(lines, word, data.draw(st.integers(1, max(1, len(form) - 1))))]
        elif kind == "join":
            found = [join_tokens(lines, word)]
        elif kind == "halves":
            found = list(split_sentence(lines, word, "new-name"))
        else:
            found = [join_sentences(lines, lines_of(blocks[number + 1]))]
    except InvalidInputError:
        return
    for each in found:
        text = written(each).decode()
        sentence = parsed(text.encode(), "conllu")
        assert sorted({*sentence.heads}) == sorted({*sentence.heads} - {-1})
        assert list(read(io.StringIO(text), multiple_roots=False)), "one root"
        serious = [f for f in Validator(2).check(text.split("\n")[:-1]) if f.level == 1 or "text" in f.check]
        assert serious == [], text
    letters = re.sub(r"\s", "", "".join(line["FORM"] for each in found for line in each if line.word))
    sources = lines if kind != "pair" else [*lines, *lines_of(blocks[number + 1])]
    if kind != "join":
        assert letters == re.sub(r"\s", "", "".join(line["FORM"] for line in sources if line.word))
