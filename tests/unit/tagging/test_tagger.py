"""Taggers from Python: training, labels, probabilities, constraints, errors."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from ramify.data import LabelSequence, Sentence, find_spans
from ramify.errors import InvalidInputError
from ramify.tagging import Config, EpochDone, Started, Tagger, train
from unit.tagging.conftest import entities, ner_config

pytestmark = pytest.mark.engine


def accuracy(tagger, sentences, column):
    gold = [label for s in sentences for label in getattr(s, column)]
    predicted = [label for r in tagger.tag(sentences) for label in r.labels]
    return sum(a == b for a, b in zip(gold, predicted, strict=True)) / len(gold)


# -- learning ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("preset", "column"), [("upos", "upos"), ("xpos", "xpos"), ("feats", "feats"), ("lemma", "lemmas")]
)
def test_presets_learn_what_they_are_for(preset, column, sentences):
    held_out = sentences[160:]
    tagger = Tagger.train(train=sentences[:160], preset=preset, options={"training.epochs": "4"})
    most_common = {"upos": 0.2, "xpos": 0.15, "feats": 0.4, "lemmas": 0.6}[column]
    assert accuracy(tagger, held_out, column) > most_common + 0.15
    assert accuracy(tagger, sentences[:160], column) > 0.9


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(("beta", "gamma"), [(1, 0), (1, 1), ("inf", 1), ("inf", 0), (3, 0.5)])
@pytest.mark.parametrize("steps", ["adaptive", "automatic"])
def test_every_loss_learns(order, beta, gamma, steps):
    options = {"training.beta": str(beta), "training.gamma": str(gamma), "training.steps": steps}
    options |= {"model.order": str(order), "training.epochs": "20", "training.max-step": "0.5", "model.spans": "none"}
    tagger = Tagger.train(train=entities(), config=ner_config(**options))
    pairs = [pair for s in entities()[:5] for pair in zip(tagger.tag(s).labels, s.labels, strict=True)]
    assert sum(a == b for a, b in pairs) >= len(pairs) - 1


def test_order_matters_only_to_what_it_can_see():
    # The label of a word is that of the word before, turned round: no word tells anything.
    data = [LabelSequence({"form": ("x",) * 6, "label": tuple(itertools.islice(itertools.cycle("AB"), 6))})] * 10
    config = Config.parse('[features]\ntemplates = ["bias"]\n[training]\nepochs = 8\n')
    right = {}
    for order in (0, 1):
        tagger = Tagger.train(train=data, config=config, options={"model.order": str(order)})
        right[order] = tagger.tag(data[0]).labels == data[0].labels
    assert right == {0: False, 1: True}


def test_second_order_sees_two_labels_back():
    data = [LabelSequence({"form": ("x",) * 8, "label": tuple("AABBAABB")})] * 10
    config = Config.parse('[features]\ntemplates = ["bias"]\n[training]\nepochs = 10\n')
    found = [
        Tagger.train(train=data, config=config, options={"model.order": str(order)}).tag(data[0]).labels
        for order in (1, 2)
    ]
    assert found[0] != data[0].labels
    assert found[1] == data[0].labels


def test_same_seed_same_model_whatever_the_threads(sentences, tmp_path):
    options = {"training.epochs": "2", "training.batch": "8", "training.dropout": "0.2"}
    contents = []
    for number, threads in enumerate((1, 1, 3)):
        path = tmp_path / f"{number}.zip"
        Tagger.train(train=sentences, preset="upos", options=options, threads=threads, output=path)
        contents.append(path.read_bytes())
    assert contents[0] == contents[1] == contents[2]
    other = tmp_path / "other.zip"
    Tagger.train(train=sentences, preset="upos", options=options | {"training.seed": "2"}, output=other)
    assert other.read_bytes() != contents[0]


def test_events_and_best_epoch(sentences):
    events = []
    config = Config.preset("upos").override({"training.epochs": "6", "training.patience": "2"})
    state = train(config, sentences[:150], sentences[150:], progress=events.append)
    assert isinstance(events[0], Started)
    assert events[0].sentences == 150
    epochs = [event for event in events if isinstance(event, EpochDone)]
    best = max(epochs, key=lambda event: (event.scores["accuracy"], -event.epoch))
    assert state.facts["scores"]["epoch"] == best.epoch
    assert [event.epoch for event in epochs if event.best][-1] == best.epoch
    assert len(epochs) <= best.epoch + 2


def test_fewer_weights(sentences):
    options = {"training.epochs": "2"}
    whole = Tagger.train(train=sentences, preset="upos", options=options)
    options |= {"training.max-weights": "2000", "training.bits": "8"}
    small = Tagger.train(train=sentences, preset="upos", options=options)
    refitted = Tagger.train(train=sentences, preset="upos", options=options | {"training.refit": "true"})
    assert "2,000 weights" not in repr(whole)
    for tagger in (small, refitted):
        size = len(tagger._state.weights.values)
        assert 1000 < size <= 2000
        assert int(np.abs(tagger._state.weights.values).max()) <= 128
        assert accuracy(tagger, sentences, "upos") > 0.6
    assert accuracy(refitted, sentences, "upos") >= accuracy(small, sentences, "upos") - 0.02


def test_supported_features_only_have_labels_they_were_seen_with(sentences):
    options = {"training.epochs": "2", "training.features": "supported", "training.max-weights": "9999999"}
    supported = Tagger.train(train=sentences, preset="upos", options=options)
    complete = Tagger.train(train=sentences, preset="upos", options=options | {"training.features": "complete"})
    assert len(supported._state.weights.values) < len(complete._state.weights.values)


# -- predicting ----------------------------------------------------------------------------------------------------


def test_probabilities(upos, sentences):
    for result in upos.tag(sentences[:20], marginals=True, k=3):
        assert result.marginals.shape == (len(result), len(upos.labels))
        np.testing.assert_allclose(result.marginals.sum(axis=1), 1.0, atol=1e-9)
        assert result.log_probability <= 1e-9
        chosen = [upos.labels.index(label) for label in result.labels]
        np.testing.assert_array_equal(result.probabilities, result.marginals[np.arange(len(result)), chosen])
        values = [item.value for item in result.k_best]
        assert values == sorted(values, reverse=True)
        assert result.k_best[0].labels == result.labels
        assert result.k_best[0].value == pytest.approx(result.value)
        # The probabilities of whole labellings bound those of their labels.
        assert math.exp(result.log_probability) <= result.probabilities.min() + 1e-9
    assert upos.tag(sentences[0]).marginals is None


def test_same_labels_in_any_form_and_with_any_threads(upos, sentences):
    as_sentences = [r.labels for r in upos.tag(sentences)]
    as_lists = [r.labels for r in upos.tag([list(s.forms) for s in sentences], threads=3)]
    in_pipe = [r.labels for r in upos.pipe((LabelSequence({"form": s.forms}) for s in sentences), batch_size=7)]
    assert as_sentences == as_lists == in_pipe


def test_sentence_of_result(upos, ner, sentences):
    given = sentences[0].copy()
    given.upos = ["_"] * len(given)
    before = given.to_bytes()
    result = upos.tag(given)
    assert result.sentence.upos == result.labels
    assert result.sentence.forms == given.forms
    assert given.to_bytes() == before
    tagged = ner.tag(["Ann", "left"]).sentence
    assert tagged.columns == {"form": ("Ann", "left"), "label": ("B-PER", "O")}


@pytest.mark.parametrize("column", ["upos", "lemma"])
def test_annotate_fills_in_what_tag_says(column, sentences):
    """Labels are written in C++ where they do not depend on the words around them; lemmas do."""
    tagger = Tagger.train(train=sentences[:50], preset=column, options={"training.epochs": "1"})
    given = [sentence.copy() for sentence in sentences[:20]]
    wanted = [result.sentence for result in tagger.tag(given)]
    assert any(a.to_conllu() != b.to_conllu() for a, b in zip(given, wanted, strict=True))
    tagger.annotate(given, threads=2)
    assert [sentence.to_conllu() for sentence in given] == [sentence.to_conllu() for sentence in wanted]
    tagger.annotate([])


def test_spans_are_always_well_formed(sentences):
    # Hardly trained, so that labels alone would break the order.
    tagger = Tagger.train(train=entities(), config=ner_config(**{"training.epochs": "1", "model.order": "1"}))
    for sentence in sentences:
        result = tagger.tag(list(sentence.forms), k=4)
        for labelling in result.k_best:
            before = "O"
            for label in labelling.labels:
                assert not label.startswith("I-") or before[1:] == label[1:]
                before = label


def test_span_schemes_of_data_and_model(ner):
    iob1 = [
        LabelSequence({"form": ("Ann", "in", "Oslo", "York"), "label": ("I-PER", "O", "I-LOC", "B-LOC")}),
        LabelSequence({"form": ("Oslo",), "label": ("I-LOC",)}),
    ] * 5
    tagger = Tagger.train(train=iob1, config=ner_config())
    assert set(tagger.labels) == {"O", "S-LOC", "S-PER"}
    assert tagger.tag(iob1[0]).labels == iob1[0].labels
    assert find_spans(ner.tag(["Bob", "Lee", "left"]).labels) == find_spans(["B-PER", "I-PER", "O"])


def test_lemmas_of_new_words(sentences):
    # Of so few sentences, made-up ones would be a large share; test_variety.py is about them.
    tagger = Tagger.train(train=sentences, preset="lemma", options={"training.variety": False})
    words = Sentence(["Zorbs", "WERE", "blickets"], upos=["NOUN", "AUX", "NOUN"])
    assert tagger.tag(words).labels[0] == "zorb"
    assert tagger.tag(words).labels[2] == "blicket"
    assert tagger.tag(words).sentence.lemmas == tagger.tag(words).labels


def test_one_attribute(sentences, tmp_path):
    options = {"model.target": "feats:Number", "training.epochs": "3"}
    tagger = Tagger.train(train=sentences, preset="feats", options=options)
    assert set(tagger.labels) == {"_", "Plur", "Ptan", "Sing"}
    given = Sentence(["two", "dogs"], upos=["NUM", "NOUN"], feats=["NumForm=Word|NumType=Card", "Case=Nom|Number=Sing"])
    result = tagger.tag(given)
    assert result.labels == ("_", "Plur")
    assert result.sentence.feats == ("NumForm=Word|NumType=Card", "Case=Nom|Number=Plur")
    assert given.feats[1] == "Case=Nom|Number=Sing"
    tagger.save(tmp_path / "number.zip")
    Tagger.load(tmp_path / "number.zip").annotate([given])
    assert given.feats == result.sentence.feats
    assert tagger.tag(given, constraints={2: "_"}).sentence.feats[1] == "Case=Nom"
    for wrong, message in (
        ({"model.target": "feats:Colour"}, "no word to learn from has"),
        ({"model.columns": "form,upos,feats"}, "is the one to fill in"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            Tagger.train(train=sentences, preset="feats", options=options | wrong)


def test_clusters(tmp_path):
    clusters = tmp_path / "clusters"
    clusters.write_text("red 0101\nblue 0101\ngreen 0100\nrun 11\nwalk 11\njump 10\n")
    data = [LabelSequence({"form": ("red",), "label": ("A",)}), LabelSequence({"form": ("run",), "label": ("V",)})] * 5
    config = Config.parse('[features]\ntemplates = ["c[0]", "c2[0]"]\n')
    tagger = Tagger.train(train=data, config=config, options={"features.clusters": str(clusters)})
    tagger.save(tmp_path / "model.zip")
    for one in (tagger, Tagger.load(tmp_path / "model.zip")):
        assert [one.tag([word]).labels for word in ("blue", "green", "walk")] == [("A",), ("A",), ("V",)]
    clusters.write_text("red\n")
    with pytest.raises(InvalidInputError, match="clusters:1: expected a word and its cluster; found 'red'"):
        Tagger.train(train=data, config=config, options={"features.clusters": str(clusters)})


def test_dictionary_restricts_known_words():
    data = [LabelSequence({"form": ("can", "fish"), "label": ("M", "V")})] * 9
    data += [LabelSequence({"form": ("tin",), "label": ("N",)})]
    config = Config.parse('[model]\ndictionary = 5\n[features]\ntemplates = ["bias"]\n')
    tagger = Tagger.train(train=data, config=config)
    result = tagger.tag(["can", "tin"], marginals=True)
    assert result.marginals[0].tolist() == pytest.approx([1.0, 0.0, 0.0])
    assert (result.marginals[1] > 0).all()
    assert tagger.tag(["can"], constraints=["N"]).labels == ("N",)  # who asks knows better


# -- constraints ---------------------------------------------------------------------------------------------------


def test_constraints_are_obeyed_and_change_the_rest(ner):
    words = ["Ann", "Lee", "left"]
    assert ner.tag(words).labels == ("B-PER", "I-PER", "O")
    assert ner.tag(words, constraints=["O", None, None]).labels[0] == "O"
    assert ner.tag(words, constraints={2: ["B-LOC", "I-LOC"], 1: "B-LOC"}).labels[:2] in {
        ("B-LOC", "I-LOC"),
        ("B-LOC", "B-LOC"),
    }
    results = ner.tag([words, words], constraints=[None, {3: "I-PER"}])
    assert results[0].labels == ("B-PER", "I-PER", "O")
    assert results[1].labels[2] == "I-PER"
    assert results[1].labels[1] in {"B-PER", "I-PER"}


def test_constraints_equal_what_enumeration_keeps(upos):
    words = ["I", "like", "fish"]
    free = upos.tag(words, k=5000)
    kept = [item for item in free.k_best if item.labels[1] in {"NOUN", "ADP"}]
    fixed = upos.tag(words, constraints={2: {"NOUN", "ADP"}}, k=3)
    assert fixed.labels == kept[0].labels
    assert [item.value for item in fixed.k_best] == pytest.approx([item.value for item in kept[:3]])


def test_impossible_constraints_are_a_result(ner):
    result = ner.tag(["a", "b"], constraints=["O", "I-PER"], marginals=True, k=2)
    assert not result.found
    assert result.labels == ()
    assert result.value == -math.inf
    assert result.k_best == []
    assert not result.marginals.any()
    assert repr(result) == "<TagResult: infeasible>"
    assert result.sentence.columns == {"form": ("a", "b")}


def test_lemma_constraints(sentences):
    tagger = Tagger.train(train=sentences, preset="lemma", options={"training.epochs": "2"})
    words = Sentence(["dogs"], upos=["NOUN"])
    assert tagger.tag(words, constraints=["dogs"]).labels == ("dogs",)
    with pytest.raises(InvalidInputError, match=r"labels of the model; got 'xyzzy' for 'dogs'"):
        tagger.tag(words, constraints=["xyzzy"])


# -- edges and errors ----------------------------------------------------------------------------------------------


def test_nothing_to_tag(upos):
    assert upos.tag([]) == []
    assert list(upos.pipe([])) == []


def test_long_and_odd_sentences(upos):
    words = ["\u202eabc", "\U0001f600", "x" * 10_000, "\u4e2d\u6587", "\u0130stanbul"] * 400
    assert len(upos.tag(words).labels) == 2000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"constraints": ["NOUN"]}, "a label, labels or None for each of 2 words"),
        ({"constraints": "NOUN"}, "a label, labels or None for each of 2 words; got 'NOUN'"),
        ({"constraints": {3: "NOUN"}}, "words from 1 to 2; got 3"),
        ({"constraints": ["noun", None]}, "labels of the model; got 'noun' for 'a'"),
        ({"constraints": [[], None]}, r"labels of the model; got \[\] for 'a'"),
        ({"k": 0}, "Tagger expects k to be a whole number, 1 to 10000; got 0"),
        ({"threads": -1}, "threads expects"),
    ],
)
def test_wrong_requests(upos, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        upos.tag(["a", "b"], **arguments)


def test_wrong_sentences(upos, sentences):
    with pytest.raises(InvalidInputError, match="a list of words; got int"):
        upos.tag([3])
    with pytest.raises(InvalidInputError, match="for each of 1 sentences; got 2"):
        upos.tag([["a"]], constraints=[None, None])
    with pytest.raises(InvalidInputError, match="batch_size to be a whole number, 1 or more; got 0"):
        upos.pipe([["a"]], batch_size=0)
    with pytest.raises(InvalidInputError, match="as many constraints as sentences; got more"):
        list(upos.pipe([["a"]], constraints=[None, None]))
    lemma = Tagger.train(train=sentences, preset="lemma", options={"training.epochs": "1"})
    with pytest.raises(InvalidInputError, match=r"looks at column 'upos'; the sentence has \['form'\]"):
        lemma.tag(["a"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features.templates": "w[0],q7[0]"}, r"'q7' is neither a value of a word nor a column"),
        ({"features.templates": "w0"}, r"'w0' is not like w\[-1\]"),
        ({"features.templates": "w[99]"}, "the offset of 'w"),
        ({"model.columns": "upos"}, "model.columns expects the form first"),
        ({"model.columns": "form,label"}, "'label' is the one to fill in"),
        ({"model.dictionary-columns": "upos"}, "dictionary-columns expects some of model.columns"),
        ({"model.order": "3"}, "model.order expects a whole number, 0 to 2"),
        ({"model.columns": "form,pos"}, "looks at column 'pos'"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(InvalidInputError, match=message):
        Tagger.train(train=entities(), config=ner_config(), options=options)


def test_wrong_data(tmp_path):
    with pytest.raises(InvalidInputError, match="Training expects sentences"):
        Tagger.train(preset="upos")
    (tmp_path / "empty").write_text("\n\n")
    with pytest.raises(InvalidInputError, match="train: expected sentences with words; found none in empty"):
        Tagger.train(train=tmp_path / "empty", preset="chunk")
    with pytest.raises(InvalidInputError, match=r"model.spans is for labels of spans.*got 'NOUN'"):
        Tagger.train(train=[LabelSequence({"form": ("a",), "label": ("NOUN",)})], config=ner_config())
    with pytest.raises(InvalidInputError, match="preset expects one of 'chunk'"):
        Tagger.train(preset="upo")
    many = [LabelSequence({"form": ("a",), "label": (str(i),)}) for i in range(400)]
    with pytest.raises(InvalidInputError, match="found 400"):
        Tagger.train(train=many, config=ner_config(**{"model.order": "2", "model.spans": "none"}))


def test_dictionary_informs():
    # What follows a word depends on what the dictionary knows of it, not on the word.
    nouns, verbs = [f"n{i}" for i in range(6)], [f"v{i}" for i in range(6)]
    data = [LabelSequence({"form": (word,), "label": ("N",)}) for word in nouns for _ in range(3)]
    data += [LabelSequence({"form": (word,), "label": ("V",)}) for word in verbs for _ in range(3)]
    data += [LabelSequence({"form": (word, "x"), "label": ("N", "A")}) for word in nouns[:5]]
    data += [LabelSequence({"form": (word, "x"), "label": ("V", "B")}) for word in verbs[:5]]
    text = '[model]\norder = 0\ndictionary = 3\nrestrict = false\n[features]\ntemplates = ["w[0]", "a[-1]"]\n'
    tagger = Tagger.train(train=data, config=Config.parse(text))
    assert tagger.tag([nouns[5], "x"]).labels == ("N", "A")
    assert tagger.tag([verbs[5], "x"]).labels == ("V", "B")
    assert (tagger.tag([nouns[0]], marginals=True).marginals > 0).all()


def test_rare_words_show_what_new_words_can_be():
    data = [LabelSequence({"form": ("the",), "label": ("D",)})] * 9
    data += [LabelSequence({"form": (word,), "label": ("N",)}) for word in ("cat", "dog")]
    text = '[model]\ndictionary = 5\nrare = 2\n[features]\ntemplates = ["bias"]\n'
    result = Tagger.train(train=data, config=Config.parse(text)).tag(["zorb"], marginals=True)
    assert result.labels == ("N",)
    assert result.marginals[0, 0] == 0.0  # D is for words that are seen often


def test_small_weights_can_be_dropped(sentences):
    options = {"training.epochs": "2", "training.min-weight": "0.05", "training.bits": "16"}
    weights = Tagger.train(train=sentences, preset="upos", options=options)._state.weights
    assert np.abs(weights.values * weights.scale).min() > 0.049
