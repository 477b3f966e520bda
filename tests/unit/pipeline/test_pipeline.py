"""Texts, streams and words that are given: the same sentences give the same trees."""

from __future__ import annotations

import gzip

import pytest

import ramify
from ramify.data import Sentence, read
from ramify.errors import InvalidInputError, ModelError
from ramify.parsing import Head
from ramify.pipeline import Doc, Pipeline, built_in

pytestmark = pytest.mark.engine

TEXTS = ["I like it. You do not.", "", "What is it?", "It is a dog.\n\nIt is a cat, too."]


def test_streams_of_texts(nlp):
    alone = [nlp(text).to_conllu() for text in TEXTS]
    for options in ({}, {"batch_size": 1}, {"batch_size": 3, "threads": 3}, {"marginals": True}):
        docs = list(nlp.pipe(iter(TEXTS), **options))
        assert [doc.text for doc in docs] == TEXTS
        assert [doc.to_conllu() for doc in docs] == alone
    assert isinstance(docs[0], Doc)


def test_streams_do_not_run_ahead(nlp):
    taken = []

    def texts():
        for text in TEXTS:
            taken.append(text)
            yield text

    stream = nlp.pipe(texts(), batch_size=2)
    assert taken == []
    next(stream)
    assert len(taken) == 2


def test_files_of_any_size(nlp, tmp_path):
    text = "I like it. You do not.\n\nWhat is it? It is a dog."
    (tmp_path / "text.txt").write_text(text)
    (tmp_path / "text.txt.gz").write_bytes(gzip.compress(text.encode()))
    whole = nlp(text).to_conllu()
    for source in (tmp_path / "text.txt", tmp_path / "text.txt.gz", [text[:7], text[7:]]):
        results = nlp.stream(source, batch_size=2)
        assert "".join(result.sentence.to_conllu() for result in results) == whole


def test_words_that_are_given(nlp):
    words = ["I", "like", "it", "."]
    given = Sentence(words, upos=["X"] * 4, heads=[0, 1, 1, 1], deprels=["root", "dep", "dep", "dep"], misc=["A=b"] * 4)
    before = given.to_conllu()
    docs = [nlp.parse(words), nlp.parse([words]), nlp.parse(given), nlp.parse(iter([given])), nlp("I like it .")]
    trees = {tuple((t.form, t.upos, t.lemma, t.deprel, t.head and t.head.id) for t in doc) for doc in docs}
    assert len(trees) == 1
    assert given.to_conllu() == before
    assert docs[2].sentences[0].sentence.misc == ("A=b",) * 4


def test_annotate_keeps_or_fills_the_sentences(nlp, sample):
    sentences = list(read(sample))[:5]
    copies = [sentence.copy() for sentence in sentences]
    results = list(nlp.annotate(sentences, batch_size=2))
    assert sentences == copies
    filled = list(nlp.annotate(sentences, copy=False))
    assert [result.sentence for result in filled] == [result.sentence for result in results]
    assert all(result.sentence is sentence for result, sentence in zip(filled, sentences, strict=True))


def test_constraints_go_to_the_parser(nlp):
    sentences = [Sentence(["I", "like", "it"]), Sentence(["I", "like", "it"])]
    free, bound = nlp.annotate(sentences, constraints=[[], [Head(1, 3)]], k=2)
    assert bound.heads[0] == 3 != free.heads[0]
    assert len(free.k_best) == 2


TWO = "I like it. You do not."


@pytest.mark.parametrize(
    "constraints",
    [
        [[], [Head(1, 3)]],
        ([], (Head(1, 3),)),
        {2: [Head(1, 3)]},
        lambda sentence: [Head(1, 3)] if sentence.forms[0] == "You" and sentence.upos[0] == "PRON" else [],
    ],
)
def test_constraints_on_a_text(nlp, constraints):
    free, bound = nlp(TWO), nlp(TWO, constraints=constraints)
    assert bound.sentences[0].to_conllu() == free.sentences[0].to_conllu()
    assert bound.sentences[1].heads[0] == 3 != free.sentences[1].heads[0]
    words = [["I", "like", "it", "."], ["You", "do", "not", "."]]
    assert nlp.parse(words, constraints=constraints).sentences[1].heads[0] == 3


def test_constraints_on_a_single_sentence(nlp):
    assert nlp("I like it.", constraints=[Head(1, 3)])[0].head.form == "it"
    assert nlp("", constraints=[]).to_conllu() == ""
    assert nlp("I like it.", constraints={}).to_conllu() == nlp("I like it.").to_conllu()


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ([Head(1, 3)], "for a text of one sentence; this text has 2 sentences"),
        ([[Head(1, 3)]], "a list for each of 2 sentences; got 1 lists"),
        ({3: [Head(1, 3)]}, "numbers of sentences, 1 to 2 for this text; got 3"),
        ({1: Head(1, 3)}, "in the place of a list"),
        ([Head(1, 3), []], "for a text of one sentence"),
        ("Head(1, 3)", "a list of constraints for a text of one sentence, .* got str"),
        ([[Head(1, 9)], []], "another word of the sentence"),
        (lambda sentence: ["head"], "expects Head, NotHead, Label or Root"),
    ],
)
def test_wrong_constraints(nlp, constraints, message):
    with pytest.raises(InvalidInputError, match=message):
        nlp(TWO, constraints=constraints)


def test_texts_with_contexts(nlp):
    pairs = [(text, {"number": i}) for i, text in enumerate(TEXTS)]
    for options in ({}, {"batch_size": 1}, {"batch_size": 3, "threads": 2}):
        found = list(nlp.pipe(iter(pairs), as_tuples=True, **options))
        assert [doc.text for doc, _ in found] == TEXTS
        assert all(context is pair[1] for (_, context), pair in zip(found, pairs, strict=True))
    with pytest.raises(InvalidInputError, match=r"expects pairs \(text, context\); got str"):
        list(nlp.pipe(["Hi."], as_tuples=True))
    with pytest.raises(InvalidInputError, match="expects a string; got int"):
        list(nlp.pipe([(1, "Hi.")], as_tuples=True))


def test_best_trees_of_a_text(nlp):
    trees = nlp.k_best(TWO, 3)
    assert [[tree.value for tree in mine] for mine in trees] == [
        [tree.value for tree in sentence.k_best(3)] for sentence in nlp(TWO).sentences
    ]
    with pytest.raises(InvalidInputError, match=r"Pipeline\.k_best expects k to be a whole number"):
        nlp.k_best(TWO, 0)


def test_explanations_of_a_text(nlp):
    found = nlp.explain(TWO, "You", "not", sentence=2)
    assert (found.word, found.rival.head) == (1, 3)
    assert found.difference == nlp.explain(TWO, 1, 3, sentence=2).difference
    assert nlp.explain("I like it.", 1).word == 1
    assert nlp.explain("I like it.", 1, constraints=[Head(3, 1)]).prices
    with pytest.raises(InvalidInputError, match=r"once in the sentence 'I like it\.'; 'dog' is there 0 times"):
        nlp.explain(TWO, "dog")
    with pytest.raises(InvalidInputError, match="explain expects sentence to be a whole number, 1 to 2; got 3"):
        nlp.explain(TWO, 1, sentence=3)
    with pytest.raises(InvalidInputError, match="explain expects word to be a whole number, 1 to 4; got 9"):
        nlp.explain(TWO, 9)


def test_wrong_arguments(nlp):
    with pytest.raises(InvalidInputError, match="expects a string; got list"):
        nlp(["I", "like"])
    with pytest.raises(InvalidInputError, match="expects a string; got bytes"):
        list(nlp.pipe([b"I"]))
    with pytest.raises(InvalidInputError, match="expects several texts; got a single string"):
        nlp.pipe("I like it.")
    with pytest.raises(InvalidInputError, match="got a string"):
        nlp.parse("I like it.")
    for wrong in ([3], [[]], [[3]]):
        with pytest.raises(InvalidInputError, match=r"Pipeline\.parse expects sentences"):
            nlp.parse(wrong)
    with pytest.raises(InvalidInputError, match="batch_size to be a whole number, 1 or more; got 0"):
        nlp.pipe([], batch_size=0)
    with pytest.raises(InvalidInputError, match="taggers of upos and some of"):
        Pipeline(nlp.segmenter, {}, nlp.parser)
    with pytest.raises(InvalidInputError, match="threads expects"):
        nlp("I", threads=-1)


def test_parts(nlp):
    assert nlp.language == "en"
    assert nlp.components == ("segmenter", "upos", "xpos", "feats", "lemma", "parser")
    assert repr(nlp) == "<Pipeline of language en: segmenter, upos, xpos, feats, lemma, parser>"
    assert set(nlp.taggers) == {"upos", "xpos", "feats", "lemma"}
    assert nlp.facts["data"]["licence"] == "CC BY-SA 4.0"
    assert "CC BY-SA 4.0" in nlp.card


def test_inference_can_be_chosen_when_loading(pipeline_model):
    nlp = ramify.load(pipeline_model, options={"parser.inference.method": "exact"})
    assert nlp.parser.config.inference.method.value == "exact"
    with pytest.raises(InvalidInputError, match=r"start with parser\.inference; got 'upos\.training\.epochs'"):
        ramify.load(pipeline_model, options={"upos.training.epochs": "3"})


def test_built_in_models(pipeline_model, nlp, monkeypatch, tmp_path):
    monkeypatch.setattr("ramify.pipeline.pipeline._MODELS", tmp_path / "none")
    assert built_in() == []
    with pytest.raises(ModelError, match=r"en: there is no such model. Built-in languages: none .* --task pipeline"):
        ramify.load("en")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "en").symlink_to(pipeline_model)
    monkeypatch.setattr("ramify.pipeline.pipeline._MODELS", tmp_path / "models")
    nlp.save(tmp_path / "models" / "en-x.zip")
    assert built_in() == ["en", "en-x"]
    for name in built_in():
        assert ramify.load(name).card == nlp.card
    with pytest.raises(ModelError, match="Built-in languages: 'en'"):
        ramify.load("xx")
