"""Rules for multiword tokens."""

from __future__ import annotations

import pytest

from ramify.segmentation.gold_text import SurfaceToken
from ramify.segmentation.multiword import learn_rules


def learned(*examples):
    return dict(
        learn_rules(SurfaceToken(words[0] if len(words) == 1 else form, "_", words) for form, words in examples)
    )


def test_no_multiword_tokens_no_rules():
    assert learned(("a", ("a",)), ("b", ("b",))) == {}


def test_shared_endings_become_rules():
    split = [("don't", ("do", "n't")), ("can't", ("ca", "n't")), ("won't", ("wo", "n't"))]
    assert learned(*split, ("ant", ("ant",))) == {"n't": [(0, 3, ""), (3, 0, "")]}
    assert set(learned(*split[:2], ("ant", ("ant",)))) == {"\ndon't", "\ncan't"}  # too few to tell for others


def test_endings_stand_one_after_the_other():
    have = [(f"{word}'ve", (word, "'ve")) for word in ("i", "we", "they")]
    would = [(f"{word}'d", (word, "'d")) for word in ("i", "we", "they")]
    nothing = [(f"{word}lo", (word, "lo")) for word in ("dar", "ver", "par")]
    rules = learned(*have, *would, *nothing, ("a", ("a",)))
    assert rules["'d've"] == [(0, 5, ""), (5, 3, ""), (3, 0, "")]
    assert not any(ending.endswith("lo'd") for ending in rules)  # words may end so by chance
    assert "'d've" not in learned(*have, *would, ("x'd've", ("x'd've",)))


def test_one_apostrophe_for_both():
    split = [("don\u2019t", ("do", "n\u2019t")), ("can't", ("ca", "n't")), ("won't", ("wo", "n't"))]
    assert learned(*split, ("ant", ("ant",))) == {"n't": [(0, 3, ""), (3, 0, "")]}


def test_exceptions_are_whole_tokens():
    clitics = [(f"{verb}lo", (verb, "lo")) for verb in ("dar", "ver", "comprar")]
    rules = learned(*clitics, ("carlo", ("carlo",)), ("a", ("a",)))
    assert rules == {"lo": [(0, 2, ""), (2, 0, "")], "carlo": []}


def test_letters_that_the_token_lacks():
    assert learned(("del", ("de", "el")), ("e", ("e",))) == {"\ndel": [(0, 1, ""), (2, 0, "")]}
    assert learned(("al", ("a", "el")), ("e", ("e",))) == {"\nal": [(0, 1, ""), (0, 0, "el")]}


def test_the_more_frequent_split_wins():
    examples = [("del", ("de", "el"))] * 3 + [("del", ("del",))] * 2
    assert "\ndel" in learned(*examples)
    assert learned(*examples, ("del", ("del",)), ("del", ("del",))) == {}


@pytest.mark.engine
@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("al", ("a", "el")),
        ("Al", ("A", "el")),
        ("AL", ("A", "EL")),
        ("don't", ("do", "n't")),
        ("DON'T", ("DO", "N'T")),
        ("don\u2019t", ("do", "n\u2019t")),
        ("n't", ("n't",)),
        ("zum", ("zu", "dem")),
        ("im", ("in", "dem")),
        ("Im", ("In", "dem")),
    ],
)
def test_case_of_the_words(token, words):
    from ramify.data import Sentence
    from ramify.data.sentence import MultiwordToken
    from ramify.segmentation import Segmenter

    splits = {
        "al": ["a", "el"],
        "don't": ["do", "n't"],
        "can't": ["ca", "n't"],
        "zum": ["zu", "dem"],
        "im": ["in", "dem"],
    }
    made = [Sentence(parts, multiword_tokens=[MultiwordToken(1, 2, form)]) for form, parts in splits.items()]
    plain = [Sentence(["xl", "xt", "xm", "x"])] * 3
    segmenter = Segmenter.train(made + plain, options={"bits": 10, "epochs": 1})
    (sentence,) = segmenter.segment(token)
    assert sentence.forms == words
