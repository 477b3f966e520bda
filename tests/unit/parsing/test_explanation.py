"""Explanations add up: features to parts, parts to the difference of two trees."""

from __future__ import annotations

import itertools
import json
import math

import pytest

from ramify import Parser
from ramify.data import Sentence, read
from ramify.errors import InvalidInputError
from ramify.parsing import Head, Label, NotHead, Root

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def sentences(sample):
    return sorted(read(sample), key=len)[::8]


@pytest.fixture(scope="module")
def third(sample):
    """A parser with every kind of part."""
    parts = "sibling,any-sibling,grand,grand-sibling,tri-sibling,head-bigram"
    options = {"training.epochs": "2", "pruner.bits": "16", "model.parts": parts}
    return Parser.train(train=list(itertools.islice(read(sample), 60)), preset="third", options=options)


def parts_of(explanation):
    return [*explanation.chosen.parts, *(explanation.rival.parts if explanation.rival else ())]


@pytest.mark.parametrize("which", ["parser", "third"])
def test_everything_adds_up(which, sentences, request):
    parser = request.getfixturevalue(which)
    kinds = set()
    for sentence in sentences:
        for word in range(1, len(sentence) + 1, 4):
            explanation = parser.explain(sentence, word)
            if explanation.rival is None:
                continue
            chosen, rival = (
                math.fsum(part.score for part in tree.parts) for tree in (explanation.chosen, explanation.rival)
            )
            assert chosen - rival == pytest.approx(explanation.difference, abs=1e-9)
            assert math.fsum(explanation.by_kind().values()) == pytest.approx(explanation.difference, abs=1e-9)
            for part in parts_of(explanation):
                kinds.add(part.kind)
                assert math.fsum(feature.weight for feature in part.features) == pytest.approx(part.score, abs=1e-12)
    wanted = {"arc", "label", *(part.value for part in parser.config.model.parts)}
    assert kinds == wanted


def test_scores_are_the_sums_that_parsing_maximises(parser, sentences):
    for sentence in sentences[::3]:
        result = parser.parse(sentence)
        assert parser.score(sentence, result.heads.tolist(), result.labels) == pytest.approx(result.value, abs=1e-9)


def test_the_trees_are_what_parsing_gives(parser, sentences):
    sentence = sentences[-2]
    result = parser.parse(sentence, marginals=True)
    explanation = parser.explain(sentence, 3)
    chosen, rival = explanation.chosen, explanation.rival
    assert chosen.sentence == result.sentence
    assert (chosen.value, chosen.bound, chosen.certified) == (result.value, result.bound, result.certified)
    assert chosen.probability == result.marginals[chosen.head, 3]
    other = parser.parse(sentence, constraints=[NotHead(3, chosen.head)])
    assert rival.sentence == other.sentence
    assert rival.head != chosen.head
    assert explanation.difference == pytest.approx(result.value - other.value)
    heads = {each.head: each.probability for each in explanation.heads}
    assert list(heads.values()) == sorted(heads.values(), reverse=True)
    assert math.fsum(heads.values()) == pytest.approx(1.0, abs=1e-6)


def test_a_head_of_ones_own(parser, sentences):
    sentence = sentences[-2]
    chosen = int(parser.parse(sentence).heads[0])
    for against in range(len(sentence) + 1):
        if against in (1, chosen):
            continue
        explanation = parser.explain(sentence, 1, against)
        assert explanation.rival.head == against
        arcs = [part.words for part in explanation.rival.parts if part.kind == "arc"]
        assert {"h": against, "m": 1} in arcs
        assert explanation.pruned == (against not in {each.head for each in explanation.heads})


def test_a_label_of_ones_own(parser, sentences):
    sentence = sentences[-2]
    own = parser.parse(sentence).labels[0]
    other = next(label for label in parser.labels if label != own)
    explanation = parser.explain(sentence, 1, label=other)
    assert explanation.rival.head == explanation.chosen.head
    assert explanation.rival.label == other
    assert {part.kind for part in parts_of(explanation)} == {"label"}
    assert [part.label for part in parts_of(explanation)] == [own, other]
    assert explanation.difference > 0
    against = next(h for h in range(len(sentence) + 1) if h not in (1, explanation.chosen.head))
    both = parser.explain(sentence, 1, against, label=other).rival
    assert (both.head, both.label) == (against, other)


@pytest.mark.parametrize("which", ["parser", "third"])
def test_values_say_what_keys_stand_for(which, sentences, request):
    """Two features of a template have the same values if and only if they have the same key."""
    parser = request.getfixturevalue(which)
    labels = {label: i for i, label in enumerate(parser.labels)}
    seen: dict[tuple[str, str], dict[str, int]] = {}
    for sentence in sentences[4::4]:
        result = parser.parse(sentence)
        numbers = [-1, *(labels[label] for label in result.labels)]
        parts = parser._model.parts(_array([-1, *result.heads]), _array(numbers))
        for part, facts in zip(parts, parser._model.explain(sentence._core, parts), strict=True):
            for fact in facts:
                known = seen.setdefault((part.kind, fact.pattern), {})
                assert known.setdefault(fact.values, fact.key) == fact.key
    assert len({kind for kind, _ in seen}) == 2 + len(parser.config.model.parts)
    for known in seen.values():
        assert len(set(known.values())) == len(known)


def _array(values):
    import numpy as np

    return np.array(values, dtype=np.int32)


def test_values_can_be_read(parser):
    sentence = Sentence(
        ["The", "big", "Dogs", "bark", "."],
        lemmas=["the", "big", "dog", "bark", "."],
        upos=["DET", "ADJ", "NOUN", "VERB", "PUNCT"],
        xpos=["DT", "JJ", "NNS", "VBP", "."],
        feats=["Definite=Def|PronType=Art", "Degree=Pos", "Number=Plur", "_", "_"],
    )
    features = {}
    labels = {label: i for i, label in enumerate(parser.labels)}
    heads, names = [-1, 3, 3, 4, 0, 4], ["det", "amod", "nsubj", "root", "punct"]
    parts = parser._model.parts(_array(heads), _array([-1, *(labels[name] for name in names)]))
    for part, facts in zip(parts, parser._model.explain(sentence._core, parts), strict=True):
        for fact in facts:
            features.setdefault((part.kind, *part.roles[:3], fact.pattern), []).append(fact.values)
    assert features["arc", 3, 1, 0, "h.p m.p dist"] == ["h.p=NOUN m.p=DET dist=2 m<h"]
    assert features["arc", 3, 1, 0, "h.w m.w"] == ["h.w=dogs m.w=the m<h"]
    assert features["arc", 3, 1, 0, "h.p b m.p"] == ["h.p=NOUN b=ADJ m.p=DET m<h"]
    assert features["arc", 3, 1, 0, "h.p m.p btw"] == ["h.p=NOUN m.p=DET btw=h:0,m:0,punct:0 m<h"]
    assert features["arc", 3, 1, 0, "h.p m.p m.f dist"] == [
        "h.p=NOUN m.p=DET m.f=Definite=Def dist=2 m<h",
        "h.p=NOUN m.p=DET m.f=PronType=Art dist=2 m<h",
    ]
    assert features["arc", 3, 1, 0, "h.x m.x h.p m.p"] == ["h.x=Xx m.x=Xx h.p=NOUN m.p=DET m<h"]
    assert features["arc", 3, 1, 0, "h.p m.p-2 m.p-1 m.p"] == ["h.p=NOUN m.p-2=<before> m.p-1=<root> m.p=DET m<h"]
    assert features["arc", 4, 5, 0, "h.p m.p m.p+1 m.p+2"] == ["h.p=VERB m.p=PUNCT m.p+1=<after> m.p+2=<after> h<m"]
    assert features["arc", 0, 4, 0, "h.w m.p"] == ["h.w=<root> m.p=VERB h<m"]
    assert features["label", 3, 2, 0, "m.l"] == ["m.l=big m<h label=amod"]
    assert features["sibling", 3, 2, 1, "h.p m.p s.p"] == ["h.p=NOUN m.p=ADJ s.p=DET left"]
    assert features["sibling", 3, 6, 2, "h.p m.p s.p"] == ["h.p=NOUN m.p=<start> s.p=ADJ left"]
    assert features["grand", 4, 3, 1, "g.p h.p m.p"] == ["g.p=VERB h.p=NOUN m.p=DET h<g m<h m<g"]


def test_constraints_have_prices(parser, sentences):
    sentence = sentences[-2]
    free = parser.parse(sentence)
    wrong = NotHead(2, int(free.heads[1]))
    idle = Head(3, int(free.heads[2]))
    explanation = parser.explain(sentence, 4, constraints=[wrong, idle, wrong])
    prices = {price.constraint: price for price in explanation.prices}
    assert list(prices) == [wrong, idle]
    bound = parser.parse(sentence, constraints=[wrong, idle])
    without = parser.parse(sentence, constraints=[idle])
    assert prices[wrong].value == pytest.approx(without.value - bound.value)
    assert prices[wrong].value > 0
    assert prices[wrong].certified
    assert prices[idle].value == pytest.approx(
        parser.parse(sentence, constraints=[wrong]).value - bound.value, abs=1e-9
    )
    assert not parser.explain(sentence, 4).prices


def test_where_there_is_no_other_tree(parser):
    alone = Sentence(["Hi"], upos=["INTJ"])
    explanation = parser.explain(alone, 1)
    assert explanation.rival is None
    assert math.isinf(explanation.difference)
    assert explanation.to_dict()["difference"] is None
    assert "No tree satisfies the constraints" in explanation.text()
    assert "No tree satisfies the constraints" in explanation.html()
    pair = Sentence(["I", "like"], upos=["PRON", "VERB"])
    assert parser.explain(pair, 1, constraints=[Head(1, 2)]).rival is None


def test_text_json_and_page_say_the_same(parser, sentences):
    explanation = parser.explain(sentences[-2], 3, constraints=[NotHead(2, 1)])
    facts = json.loads(json.dumps(explanation.to_dict()))
    difference = f"{explanation.difference:+.4f}"
    assert facts["difference"] == explanation.difference
    assert len(facts["chosen"]["parts"]) == len(explanation.chosen.parts)
    assert facts["chosen"]["parts"][0]["features"][0]["weight"] == explanation.chosen.parts[0].features[0].weight
    assert facts["prices"][0]["constraint"] == "word 2: NotHead=1"
    text, page = explanation.text(), explanation.html()
    assert text == str(explanation)
    for shown in (text, page):
        assert difference in shown
        assert "word 2: NotHead=1" in shown
    assert page.count("<svg") == 2
    pairs = zip(explanation.chosen.sentence, explanation.rival.sentence, strict=True)
    differing = sum((a.head, a.deprel) != (b.head, b.deprel) for a, b in pairs)
    assert page.count('class="ramify-marked"') == 2 * differing  # sentences of one row
    assert explanation._repr_html_().startswith("<div")
    assert text.startswith("Why is ")
    assert len(explanation.text(top=0)) < len(text)
    everything = explanation.text(all_parts=True)
    assert everything.count("Features of the ") == len(parts_of(explanation)) > text.count("Features of the ") == 4
    assert page.count("Features of the ") == len(parts_of(explanation))


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({"word": 0}, "explain expects word to be a whole number, 1 to 3; got 0"),
        ({"word": 4}, "explain expects word to be a whole number, 1 to 3; got 4"),
        ({"word": 1, "against": 2}, r"another head or label than word 1 has \(2, nsubj\); got 2"),
        ({"word": 1, "label": "nsubj"}, r"than word 1 has \(2, nsubj\); got 2, nsubj"),
        ({"word": 1, "against": 9}, "another word of the sentence"),
        ({"word": 1, "label": "none"}, "a label that the model has"),
        ({"word": 1, "constraints": [Root(1), Head(1, 2)]}, "expects a sentence that has a tree"),
        ({"word": 1, "constraints": [Label(1, "none")]}, "a label that the model has"),
    ],
)
def test_wrong_questions_are_named(parser, arguments, wanted):
    sentence = Sentence(["I", "like", "it"], upos=["PRON", "VERB", "PRON"])
    with pytest.raises(InvalidInputError, match=wanted):
        parser.explain(sentence, **arguments)
