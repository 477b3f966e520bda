"""What patterns find, on hand-made sentences and against brute force."""

from __future__ import annotations

import copy
import io
import itertools
import pickle
import random

import pytest

from ramify.data import Sentence, read
from ramify.errors import InvalidInputError
from ramify.pipeline import Doc
from ramify.search import Match, Pattern, search

SAMPLE = "tests/data/ewt-sample-200.conllu"


def sentence():
    #         1      2     3      4     5     6     7      8
    forms = ["The", "old", "dogs", "bark", "and", "cats", "sleep", "."]
    return Sentence(
        forms,
        lemmas=["the", "old", "dog", "bark", "and", "cat", "sleep", "."],
        upos=["DET", "ADJ", "NOUN", "VERB", "CCONJ", "NOUN", "VERB", "PUNCT"],
        xpos=["DT", "JJ", "NNS", "VBP", "CC", "NNS", "VBP", "_"],
        feats=["_", "_", "Number=Plur", "Tense=Pres|Number[subj]=Plur", "_", "Number=Plur", "_", "_"],
        heads=[3, 3, 4, 0, 7, 7, 4, 4],
        deprels=["det", "amod", "nsubj", "root", "cc", "nsubj:pass", "conj", "punct"],
        misc=["ArcProb=0.9", "ArcProb=0.5", "ArcProb=1.0", "_", "_", "_", "SpaceAfter=No|ArcProb=0.2500", "_"],
        comments=["# sent_id = s1", "# text = The old dogs bark and cats sleep."],
    )


def found(pattern):
    return [match.words for match in Pattern(pattern).matches(sentence())]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        # one word
        ("pattern { X [form=dogs] }", [{"X": 3}]),
        ("X [upos=VERB]", [{"X": 4}, {"X": 7}]),
        ("X [upos=ADJ|DET]", [{"X": 1}, {"X": 2}]),
        ("X [upos=NOUN, lemma<>dog]", [{"X": 6}]),
        ("X [upos=NOUN, lemma!=dog]", [{"X": 6}]),
        ("X [xpos<>NNS|VBP|DT|JJ]", [{"X": 5}]),  # word 8 has no XPOS
        ("X [!xpos]", [{"X": 8}]),
        ("X [Tense]", [{"X": 4}]),
        ("X [Number=Plur, upos=NOUN]", [{"X": 3}, {"X": 6}]),
        ("X [Number[subj]=Plur]", [{"X": 4}]),
        ("X [SpaceAfter=No]", [{"X": 7}]),
        ("X [misc.SpaceAfter=No]", [{"X": 7}]),
        ("X [feats.SpaceAfter=No]", []),
        ("X [deprel=nsubj]", [{"X": 3}]),
        ("X [id=2]", [{"X": 2}]),
        ("X [id>6]", [{"X": 7}, {"X": 8}]),
        ("X [prob<0.6]", [{"X": 2}, {"X": 7}]),
        ("X [prob>=0.9]", [{"X": 1}, {"X": 3}]),
        ("X [!prob, upos=NOUN]", [{"X": 6}]),
        ('X [form="."]', [{"X": 8}]),
        ('X [form=re"[a-c].*"]', [{"X": 4}, {"X": 5}, {"X": 6}]),
        ("X [form=/THE/i]", [{"X": 1}]),
        ("X [form=/do/]", []),  # an expression matches the whole value
        ("X [upos=ADJ]|[form=cats]", [{"X": 2}, {"X": 6}]),
        ("X [upos=VERB]; X.lemma = sleep", [{"X": 7}]),
        # edges
        ("V -[nsubj]-> S", [{"V": 4, "S": 3}]),
        ("V -[1=nsubj]-> S", [{"V": 4, "S": 3}, {"V": 7, "S": 6}]),
        ("V -[1=nsubj, !2]-> S", [{"V": 4, "S": 3}]),
        ("V -[1=nsubj, 2=pass]-> S", [{"V": 7, "S": 6}]),
        ("V -[2]-> S", [{"V": 7, "S": 6}]),
        ("V -[^nsubj|punct|det]-> S; V [id=4]", [{"V": 4, "S": 7}]),
        ('V -[re"nsubj.*"]-> S; S [form=cats]', [{"V": 7, "S": 6}]),
        ("X [upos=NOUN]; X -> Y", [{"X": 3, "Y": 1}, {"X": 3, "Y": 2}]),
        ("* -[root]-> R", [{"R": 4}]),
        ("* -> X; X [upos=VERB]", [{"X": 4}, {"X": 7}]),
        ("X -[det]-> *", [{"X": 3}]),
        ("X ->> Y; Y [form=cats]", [{"X": 4, "Y": 6}, {"X": 7, "Y": 6}]),
        # order
        ("X < Y; Y [upos=NOUN]", [{"X": 2, "Y": 3}, {"X": 5, "Y": 6}]),
        ("Y > X; Y [upos=NOUN]", [{"Y": 3, "X": 2}, {"Y": 6, "X": 5}]),
        ("X << Y; X [upos=VERB]; Y [upos=VERB]", [{"X": 4, "Y": 7}]),
        ("X >> Y; X [upos=VERB]; Y [upos=VERB]", [{"X": 7, "Y": 4}]),
        ("delta(X, Y) = 3; X [upos=VERB]", [{"X": 4, "Y": 7}]),
        ("length(X,Y) <= 1; X [id=4]", [{"X": 4, "Y": 3}, {"X": 4, "Y": 5}]),
        # features of two words
        ("X [upos=NOUN]; Y [upos=NOUN]; X << Y; X.xpos = Y.xpos", [{"X": 3, "Y": 6}]),
        ("X -> Y; X.upos = Y.upos", [{"X": 4, "Y": 7}]),
        ("X [upos=VERB]; Y [upos=VERB]; X.__id__ < Y.__id__", [{"X": 4, "Y": 7}]),
        ("X -> Y; Y.prob < 0.3", [{"X": 4, "Y": 7}]),
        ("e: X -> Y; e.label = cc", [{"X": 7, "Y": 5}]),
        ("e: X -> Y; f: Z -> W; e.label = f.label; X << Z", []),
        # conditions
        ("pattern { V [upos=VERB] } without { V -[cc]-> C }", [{"V": 4}]),
        ("pattern { V [upos=VERB] } with { V -[cc]-> C }", [{"V": 7}]),
        ("pattern { V [upos=VERB] } without { V -[cc]-> * } without { V [lemma=bark] }", []),
        ("pattern { V [upos=VERB] } without { V.lemma = bark }", [{"V": 7}]),
        ("pattern { X [upos=NOUN] } without { Y [upos=NOUN]; Y << X }", [{"X": 3}]),
        ("pattern { X -> Y; X [upos=NOUN] } without { X -> Z; Z << Y }", [{"X": 3, "Y": 1}]),
        # the whole sentence
        ("pattern { X [upos=DET] } global { is_projective }", [{"X": 1}]),
        ("pattern { X [upos=DET] } global { is_not_projective }", []),
        ("pattern { X [upos=DET] } global { is_tree; sent_id = s1 }", [{"X": 1}]),
        ('pattern { X [upos=DET] } global { text = re".*dogs.*" }', [{"X": 1}]),
        ("pattern { X [upos=DET] } global { newdoc = a }", []),
        # writing
        ("% a comment\npattern {\n  X [upos=DET]; % here too\n}\n", [{"X": 1}]),
        ("V [upos=VERB] without { V -[cc]-> C }", [{"V": 4}]),
        ("V [upos=VERB]; with { V -[cc]-> C }", [{"V": 7}]),
        ("match { X[upos=DET]; }", [{"X": 1}]),
    ],
)
def test_patterns(pattern, words):
    assert found(pattern) == words


def test_matches():
    given = sentence()
    pattern = Pattern("e: V -[1=nsubj]-> S; V [upos=VERB]")
    assert pattern.nodes == ("V", "S")
    assert pattern.edges == ("e",)
    first, second = pattern.matches(given)
    assert isinstance(first, Match)
    assert first["V"].form == "bark"
    assert {name: token.form for name, token in second.nodes.items()} == {"V": "sleep", "S": "cats"}
    assert second.feature("e", "label") == "nsubj:pass"
    assert second.feature("S", "Number") == "Plur"
    assert second.feature("S", "Tense") is None
    assert repr(first) == "<Match s1: V='bark', S='dogs'>"
    assert first.to_json() == {
        "sent_id": "s1",
        "text": "The old dogs bark and cats sleep.",
        "nodes": {
            "V": {
                "id": 4, "form": "bark", "lemma": "bark", "upos": "VERB", "xpos": "VBP",
                "feats": "Tense=Pres|Number[subj]=Plur", "head": 0, "deprel": "root",
            },
            "S": {
                "id": 3, "form": "dogs", "lemma": "dog", "upos": "NOUN", "xpos": "NNS",
                "feats": "Number=Plur", "head": 4, "deprel": "nsubj",
            },
        },
    }  # fmt: skip
    with pytest.raises(KeyError):
        second.feature("nobody", "form")


def test_search():
    lines = sentence().to_bytes() * 3
    assert [match["X"].form for match in search(io.BytesIO(lines), "X [upos=DET]")] == ["The"] * 3
    assert len(list(search([sentence()], Pattern("X [upos=NOUN]")))) == 2
    assert len(list(search(Doc.from_sentences([sentence()]), "X [upos=NOUN]"))) == 2
    gold = sum(upos == "VERB" for s in read(SAMPLE) for upos in s.upos)
    assert len(list(search(SAMPLE, "V [upos=VERB]"))) == gold
    with pytest.raises(InvalidInputError, match="looked for in a ramify"):
        next(search(["no sentence"], "X []"))
    with pytest.raises(InvalidInputError, match="Pattern expects a string"):
        Pattern(7)


def test_missing_values_and_words_that_look_like_them():
    given = Sentence(["_", "a"], lemmas=["_", "_"])
    assert [match.words for match in Pattern('X [form="_"]').matches(given)] == [{"X": 1}]
    assert [match.words for match in Pattern("X [lemma]").matches(given)] == [{"X": 1}]
    assert Pattern("X -> Y").matches(given) == []
    assert Pattern("* -> Y").matches(given) == []
    assert Pattern("X ->> Y").matches(given) == []


def test_circles_of_heads_end():
    given = Sentence(["a", "b", "c"], heads=[0, 1, 1])
    given.heads[:] = [2, 1, 1]
    assert {tuple(m.words.values()) for m in Pattern("X ->> Y").matches(given)} == {(1, 2), (2, 1), (1, 3), (2, 3)}


def test_patterns_are_copied_and_pickled():
    pattern = Pattern("X [form=/d.*/]")
    for again in (pickle.loads(pickle.dumps(pattern)), copy.deepcopy(pattern)):
        assert repr(again) == "Pattern('X [form=/d.*/]')"
        assert len(again.matches(sentence())) == 1


# Brute force: clauses as tuples, evaluated directly for every choice of different words.

LABELS = ["a", "b", "b:c"]
TAGS = ["N", "V"]


def random_sentence(rng):
    n = rng.randint(1, 6)
    heads = [0] * n
    for word in range(2, n + 1):  # heads are words before; then the words are shuffled
        heads[word - 1] = rng.randint(0, word - 1)
    order = list(range(1, n + 1))
    rng.shuffle(order)
    place = dict(zip(range(1, n + 1), order, strict=True)) | {0: 0}
    shuffled = [0] * n
    for word, head in enumerate(heads, 1):
        shuffled[place[word] - 1] = place[head]
    return Sentence(
        [rng.choice("xy") for _ in range(n)],
        upos=[rng.choice(TAGS) for _ in range(n)],
        heads=shuffled,
        deprels=[rng.choice(LABELS) for _ in range(n)],
        multiple_roots=True,
    )


def random_clause(rng, names):
    one, two = rng.choice(names), rng.choice(names)
    kind = rng.choice(["tag", "edge", "label", "any", "below", "next", "before", "far", "same", "root", "leafless"])
    return kind, one, two, rng.choice(LABELS), rng.choice(TAGS), rng.randint(-3, 3)


def as_text(clause):
    kind, one, two, label, tag, number = clause
    return {
        "tag": f"{one} [upos={tag}]",
        "edge": f"{one} -> {two}",
        "label": f"{one} -[{label}]-> {two}",
        "any": f"{one} -[^{label}]-> {two}",
        "below": f"{one} ->> {two}",
        "next": f"{one} < {two}",
        "before": f"{one} << {two}",
        "far": f"delta({one},{two}) > {number}",
        "same": f"{one} []; {two} []; {one}.form = {two}.form",
        "root": f"* -[{label}]-> {one}",
        "leafless": f"{one} -[{label}]-> *",
    }[kind]


def is_true(clause, bound, given):
    kind, one, two, label, tag, number = clause
    heads, labels = [-1, *given.heads.tolist()], ["", *given.deprels]
    x, y = bound[one], bound[two]
    above = heads[y]
    while kind == "below" and above not in (x, 0):
        above = heads[above]
    return {
        "tag": given.upos[x - 1] == tag,
        "edge": heads[y] == x,
        "label": heads[y] == x and labels[y] == label,
        "any": heads[y] == x and labels[y] != label,
        "below": above == x,
        "next": y == x + 1,
        "before": x < y,
        "far": y - x > number,
        "same": given.forms[x - 1] == given.forms[y - 1],
        "root": labels[x] == label,
        "leafless": any(h == x and k == label for h, k in zip(heads, labels, strict=True)),
    }[kind]


def names_in(clauses):
    unary = ("tag", "root", "leafless")
    return list(dict.fromkeys(name for c in clauses for name in (c[1:2] if c[0] in unary else c[1:3])))


def choices(names, given, bound):
    free = [word for word in range(1, len(given) + 1) if word not in bound.values()]
    new = [name for name in names if name not in bound]
    for words in itertools.permutations(free, len(new)):
        yield bound | dict(zip(new, words, strict=True))


@pytest.mark.parametrize("seed", range(300))
def test_brute_force_finds_the_same(seed):
    rng = random.Random(seed)
    given = random_sentence(rng)
    clauses = [random_clause(rng, "XYZ") for _ in range(rng.randint(1, 4))]
    condition = [random_clause(rng, "XYW") for _ in range(rng.randint(1, 2))]
    wanted = rng.choice([None, True, False])
    # A unary clause names one word only; the other name must be in the pattern to be evaluated.
    names, extra = names_in(clauses), names_in(condition)
    text = "pattern { " + "; ".join(map(as_text, clauses)) + " }"
    if wanted is not None:
        text += (" with { " if wanted else " without { ") + "; ".join(map(as_text, condition)) + " }"
    expected = []
    for bound in choices(names, given, {}):
        full = dict.fromkeys("XYZW", 1) | bound
        if not all(is_true(clause, full, given) for clause in clauses):
            continue
        holds = any(
            all(is_true(clause, dict.fromkeys("XYZW", 1) | longer, given) for clause in condition)
            for longer in choices(extra, given, bound)
        )
        if wanted is None or holds is wanted:
            expected.append(tuple(bound.values()))
    found = [tuple(match.words[name] for name in names) for match in Pattern(text).matches(given)]
    assert sorted(found) == sorted(expected), text
