"""Sentences made from a treebank."""

from __future__ import annotations

from ramify.data import LabelSequence, Sentence
from ramify.data.emoji import is_emoticon
from ramify.tagging import Config, Tagger
from ramify.tagging.variety import made_sentences

SENTENCES = [
    Sentence(["Thanks", ":)"], upos=["NOUN", "SYM"], lemmas=["thanks", ":)"]),
    Sentence(["They", "paid", "2,000"], upos=["PRON", "VERB", "NUM"], lemmas=["they", "pay", "2000"]),
    Sentence(["A", "dog"], upos=["DET", "NOUN"], lemmas=["a", "dog"]),
]


def test_emoji_have_the_labels_of_emoticons():
    made = made_sentences(SENTENCES, "upos", seed=1)
    assert made
    assert {sentence.upos for sentence in made} == {("NOUN", "SYM")}
    assert not any(is_emoticon(form) for sentence in made for form in sentence.forms)
    assert all(sentence.forms[1] == sentence.lemmas[1] for sentence in made)
    assert SENTENCES[0].forms == ("Thanks", ":)")
    assert made_sentences([LabelSequence({"form": (":)",)})], "label", seed=1) == []


def test_lemmas_of_numbers_and_acronyms():
    made = made_sentences(SENTENCES[1:] * 40, "lemma", seed=1)
    numbers = [(s.forms[1], s.lemmas[1]) for s in made if s.upos[1] == "NUM"]
    assert numbers
    assert all("," in form and lemma == form.replace(",", "") for form, lemma in numbers)
    acronyms = [(s.forms[1], s.lemmas[1]) for s in made if s.upos[1] == "NOUN"]
    assert acronyms
    assert all(form[:3].isupper() and form == lemma for form, lemma in acronyms)


def test_a_tagger_learns_from_them():
    config = Config.parse(
        """
[model]
target = "upos"
[features]
templates = ["bias", "w[0]", "x[0]"]
[training]
variety = true
"""
    )
    tagger = Tagger.train(train=SENTENCES * 10, config=config)
    assert tagger.tag(["dog", "\U0001f984"]).labels[1] == "SYM"


def test_names_become_acronyms_too():
    sentences = [Sentence(["see", "Rome", "now"], upos=["VERB", "PROPN", "NOUN"], lemmas=["see", "Rome", "now"])]
    made = made_sentences(sentences * 40, "lemma", seed=1)
    words = [(s.forms[1], s.lemmas[1]) for s in made if s.upos[1] == "PROPN"]
    acronyms = [(form, lemma) for form, lemma in words if form != "Rome"]
    assert 5 < len(acronyms) < 20
    assert all(form[:3].isupper() and form == lemma for form, lemma in acronyms)
    assert made_sentences([Sentence(["ROME"], upos=["PROPN"], lemmas=["Rome"])] * 40, "lemma", seed=1) == []
