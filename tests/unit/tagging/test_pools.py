"""Rules that stand for many templates."""

from __future__ import annotations

import pytest

from ramify.data import LabelSequence
from ramify.errors import InvalidInputError
from ramify.tagging import Config, Tagger
from ramify.tagging.pools import expand, ngrams


@pytest.mark.parametrize(("preset", "number"), [("chunk-pool", 96), ("ner-pool", 452)])
def test_presets_have_the_templates_of_the_paper(preset, number):
    assert len(expand(Config.preset(preset).features.templates)) == number


@pytest.mark.parametrize(("most", "first", "last"), [(1, 0, 0), (2, -1, 1), (5, -5, 5), (3, 1, 2)])
def test_ngrams_are_those_that_touch_the_window(most, first, last):
    spans = {
        tuple(range(begin, begin + size))
        for begin in range(-20, 20)
        for size in range(1, most + 1)
        if set(range(begin, begin + size)) & set(range(first, last + 1))
    }
    assert sorted(ngrams("w", most, first, last)) == sorted("|".join(f"w[{i}]" for i in span) for span in spans)


def test_templates_stay_as_they_are_and_come_once():
    assert expand(["bias", "w[-1]|x[0]", "w*1[-1:0]", "w[0]", "s3*2[+1]"]) == (
        "bias",
        "w[-1]|x[0]",
        "w[-1]",
        "w[0]",
        "s3[1]",
        "s3[0]|s3[1]",
        "s3[1]|s3[2]",
    )


@pytest.mark.parametrize("rule", ["w*0[0]", "w*2[1:0:1]", "y*2[0]", "w*3[9]", "w*2"])
def test_bad_rules_are_named(rule):
    with pytest.raises(InvalidInputError, match=r"features\.templates expects"):
        Tagger.train(train=[LabelSequence({"form": ("a",), "label": ("X",)})], options={"features.templates": [rule]})


def labels_by(template, words):
    """Learn a label for each word from one template: words that look the same get the same label."""
    train = [LabelSequence({"form": (word,), "label": (str(i),)}) for i, word in enumerate(words)] * 2
    text = f'[model]\norder = 0\n[features]\ntemplates = ["{template}"]\n[training]\nepochs = 4\n'
    tagger = Tagger.train(train=train, config=Config.parse(text))
    return [tagger.tag([word]).labels[0] for word in words]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("template", "groups"),
    [
        ("case[0]", [("abc", "éà", "7", "a-b"), ("Abc", "Éa", "A", "A-b"), ("ABC", "AB-7", "ÉÀ"), ("aBc", "iPhone")]),
        ("digit[0]", [("abc", "-"), ("a1", "1,000"), ("12", "7")]),
        ("punct[0]", [("abc", "é7"), ("a-b", "..a"), ("--", ".")]),
    ],
)
def test_indicators(template, groups):
    words = [word for group in groups for word in group]
    found = dict(zip(words, labels_by(template, words), strict=True))
    assert [len({found[word] for word in group}) for group in groups] == [1] * len(groups)
    assert len({found[group[0]] for group in groups}) == len(groups)
