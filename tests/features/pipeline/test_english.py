"""The English model that comes with the package."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import pytest

import ramify
from ramify.data import read
from ramify.parsing import ParseStatus
from ramify.pipeline import built_in, find_built_in

MOST_BYTES = 30_000_000


@pytest.fixture(scope="module")
def english():
    return ramify.load("en")


@pytest.fixture(scope="module")
def documentation(samples):
    return samples.parent.parent / "docs"


@pytest.fixture(scope="module")
def text(documentation):
    return (documentation / "paragraph.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def doc(english, text):
    return english(text)


def test_it_is_small_and_says_where_it_comes_from(english, documentation):
    assert "en" in built_in()
    path = find_built_in("en")
    assert path.stat().st_size <= MOST_BYTES
    assert english.language == "en"
    assert english.components == ("segmenter", "upos", "xpos", "feats", "lemma", "parser")
    assert english.facts["data"]["treebank"] == "UD_English-EWT"
    assert english.facts["data"]["licence"] == "CC BY-SA 4.0"
    assert "en_ewt-ud-train.conllu" in english.card
    assert (path.parent / "LICENSE.md").exists()
    recorded = (documentation / "research" / "pipeline_results.md").read_text(encoding="utf-8")
    assert hashlib.sha256(path.read_bytes()).hexdigest() in recorded


def test_a_paragraph(doc, text):
    assert doc.text == text
    assert [sentence.text for sentence in doc.sentences] == [
        "The hearing that the committee had promised for years is finally scheduled for Monday.",
        "Nobody knows why it took so long, but the people who live near the river don't want to wait any longer.",
        '"We have told them twice what we need," says Ann Novak, who runs the bakery on Mill Street.',
    ]
    assert [sentence.root.form for sentence in doc.sentences] == ["scheduled", "knows", "says"]
    first = doc.sentences[0]
    subject = first[1]
    assert (subject.form, subject.lemma, subject.upos, subject.xpos) == ("hearing", "hearing", "NOUN", "NN")
    assert (subject.deprel, subject.head.form, subject.feats) == ("nsubj:pass", "scheduled", "Number=Sing")
    assert " ".join(token.form for token in subject.subtree) == "The hearing that the committee had promised for years"
    words = [token.form for token in doc.sentences[1]]
    assert words[words.index("do") + 1] == "n't"
    assert all(sentence.status is ParseStatus.PARSED for sentence in doc.sentences)


def test_probabilities_and_other_trees(doc):
    sentence = doc.sentences[0]
    np.testing.assert_allclose(sentence.marginals[:, 1:].sum(axis=0), 1.0, atol=1e-6)
    assert all(0 < token.prob <= 1 for token in sentence)
    assert doc[0].prob > 0.9  # a determiner before its noun
    trees = sentence.k_best(5)
    assert [tree.value for tree in trees] == sorted((tree.value for tree in trees), reverse=True)
    assert len({(tuple(tree.heads), tuple(tree.labels)) for tree in trees}) == 5
    assert (trees[0].heads == sentence.heads).all()


def test_a_document_leaves_as_it_came(doc, text):
    sentences = list(read(io.StringIO(doc.to_conllu())))
    assert [tuple(sentence.heads) for sentence in sentences] == [tuple(s.heads) for s in doc.sentences]
    assert doc.to_json()["text"] == text
    assert doc.sentences[0].svg().startswith("<svg")
    assert "<svg" in doc.sentences[0]._repr_html_()
    pytest.importorskip("spacy")
    other = doc.to_spacy()
    assert [token.text for token in other][:2] == ["The", "hearing"]
    assert [token.head.text for token in other][1] == "scheduled"


def test_many_texts(english, text, doc):
    docs = list(english.pipe([text, "", "Thanks!", text], threads=2))
    assert [len(d) for d in docs] == [len(doc), 0, 2, len(doc)]
    assert docs[3].to_conllu() == doc.to_conllu()


@pytest.mark.parametrize(
    "sentence",
    [
        "I like fruit, e.g. apples and pears.",
        "It costs more (approx. twenty dollars) there.",
        "We met Dr. Smith, i.e. my doctor, at noon.",
        "See Fig. 3 for details.",
        "He lives in the U.S. and works in the U.K. now.",
        "The meeting is at 10 a.m. on Monday.",
        "It was Smith vs. Jones in the final.",
        "Bring pens, paper, etc. and a bag.",
        "The firm (est. 1990) closed.",
        "She works for Acme Inc. in Boston.",
        "Mr. and Mrs. Jones came by.",
        "Room No. 5 is free.",
        "They moved in Jan. of that year.",
    ],
)
def test_abbreviations_end_no_sentence(english, sentence):
    assert len(english(f"It rained. {sentence} We left.").sentences) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("They'd've gone.", ["They", "'d", "'ve"]),
        ("I'd've gone.", ["I", "'d", "'ve"]),
        ("It'd've worked.", ["It", "'d", "'ve"]),
        ("Who'd've known?", ["Who", "'d", "'ve"]),
        ("She shouldn't've gone.", ["She", "should", "n't", "'ve"]),
        ("We couldn't've won.", ["We", "could", "n't", "'ve"]),
        ("He mightn't've seen it.", ["He", "might", "n't", "'ve"]),
    ],
)
def test_contractions_may_be_stacked(english, text, words):
    assert [token.form for token in english(text)][: len(words)] == words


@pytest.mark.parametrize("emoji", ["😀", "👍🏽", "🇫🇷", "👩\u200d👩\u200d👧", "1️⃣"])  # fmt: skip
def test_an_emoji_is_one_word(english, emoji):
    assert emoji in [token.form for token in english(f"I love it {emoji} so much")]


@pytest.mark.parametrize(
    "text", ["🎉🎉 everyone", "I love it 😀 so much", "So happy 😂", "Great job 👍", "That is funny 🤣 really"]
)
def test_emoji_are_symbols(english, text):
    assert {token.upos for token in english(text) if not token.form.isascii()} == {"SYM"}


LEMMAS = [
    ("It cost 2,000,000 dollars.", "2,000,000", "2000000"),
    ("About 1,234,567 people live there.", "1,234,567", "1234567"),
    ("It costs 20 EUR today.", "EUR", "EUR"),
    ("NATO met in Oslo.", "NATO", "NATO"),
]


@pytest.mark.parametrize(("text", "word", "lemma"), LEMMAS)
def test_lemmas_of_numbers_and_acronyms(english, text, word, lemma):
    assert [token.lemma for token in english(text) if token.form == word] == [lemma]
