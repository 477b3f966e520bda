"""Documents, sentences and tokens are views of what the pipeline found."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from ramify.data import MultiwordToken, Sentence, read
from ramify.errors import InvalidInputError, MissingModelError, ParseError
from ramify.parsing import Head, Label, ParseStatus
from ramify.pipeline import Doc

TEXT = "  I like it. You don't!\n\nIt is  what it is."


@pytest.fixture(scope="module")
def doc(nlp):
    return nlp(TEXT)


def test_text_and_places(doc):
    assert doc.text == str(doc) == TEXT
    assert [sentence.text for sentence in doc.sentences] == ["I like it.", "You don't!", "It is  what it is."]
    assert [TEXT[t.start : t.end] for t in doc[:4]] == ["I", "like", "it", "."]
    surface = list(dict.fromkeys((t.start, t.end) for t in doc))
    words = {(t.start, t.end): t.whitespace for t in doc}  # the last word of a multiword token counts
    assert TEXT[:2] + "".join(TEXT[a:b] + words[a, b] for a, b in surface) == TEXT
    assert all(t.idx == t.start for t in doc)


def test_words_of_a_multiword_token_share_its_place(doc):
    second = doc.sentences[1]
    assert [t.form for t in second] == ["You", "do", "n't", "!"]
    assert second[1].start == second[2].start
    assert TEXT[second[1].start : second[1].end] == "don't"
    assert [t.whitespace for t in second] == [" ", "", "", "\n\n"]


def test_a_doc_is_a_sequence_of_its_words(doc):
    assert len(doc) == len(list(doc)) == len(doc.tokens) == sum(map(len, doc.sentences))
    assert [t.i for t in doc] == list(range(len(doc)))
    assert doc[-1] == doc[len(doc) - 1] != doc[0]
    assert len({*doc, *doc}) == len(doc)
    assert [t.form for t in doc[2:4]] == ["it", "."]
    assert doc[4].sentence == doc.sentences[1]
    assert doc[4].id == 1
    assert doc[4].doc is doc.sentences[1].doc is doc
    for item in (len(doc), -len(doc) - 1):
        with pytest.raises(IndexError, match=f"has no item {item}"):
            doc[item]
    with pytest.raises(IndexError, match="Sentence of 4 words has no item 9"):
        doc.sentences[0][9]
    assert [t.form for t in doc.sentences[0][-2:]] == ["it", "."]
    assert hash(doc.sentences[0]) == hash(doc.sentences[0])
    assert repr(doc) == f"<Doc of 3 sentences, {len(doc)} tokens: {TEXT[:40] + '…'!r}>"
    assert repr(doc[0]) == "<Token 0: I>"
    assert str(doc[0]) == "I"
    assert repr(doc.sentences[0]) == "<Sentence 1: 'I like it.'>"


def test_trees(doc):
    for sentence in doc.sentences:
        columns = sentence.sentence
        assert sentence.root.is_root
        assert sentence.root.head is None
        for t, head, label in zip(sentence, columns.heads.tolist(), columns.deprels, strict=True):
            assert (t.head.id if t.head else 0) == head
            assert t.deprel == label
            assert t.is_root == (head == 0)
            assert all(child.head == t for child in t.children)
        assert sentence.root.subtree == sentence.tokens
        leaf = next(t for t in sentence if not t.children)
        assert leaf.subtree == [leaf]
    assert sum(len(t.children) for t in doc) == len(doc) - len(doc.sentences)


def test_columns(doc):
    columns = doc.sentences[0].sentence
    for name, values in {"form": columns.forms, "lemma": columns.lemmas, "upos": columns.upos}.items():
        assert tuple(getattr(t, name) for t in doc.sentences[0]) == values
    for name in ("xpos", "feats"):
        assert tuple(getattr(t, name) for t in doc.sentences[0]) == getattr(columns, name)
    assert doc[0].upos == "PRON"
    assert doc[0].lemma == "I"
    assert doc[0].xpos == "PRP"


def test_probabilities_come_when_asked_for(nlp):
    doc, at_once = nlp(TEXT), nlp(TEXT, marginals=True)
    for lazy, eager in zip(doc.sentences, at_once.sentences, strict=True):
        heads = lazy.heads.copy()
        np.testing.assert_array_equal(lazy.marginals, eager.marginals)
        np.testing.assert_array_equal(lazy.heads, heads)
        np.testing.assert_allclose(lazy.marginals[:, 1:].sum(axis=0), 1.0)
        assert [t.prob for t in lazy] == [lazy.marginals[h, m] for m, h in enumerate(heads, 1)]


def test_k_best(doc):
    sentence = doc.sentences[0]
    trees = sentence.k_best(5)
    assert len(trees) == 5
    assert [tree.value for tree in trees] == sorted((tree.value for tree in trees), reverse=True)
    np.testing.assert_array_equal(trees[0].heads, sentence.heads)
    assert trees[0].labels == sentence.deprels
    assert len(sentence.k_best(1)) == 1


def test_conllu_and_json(doc):
    again = list(read(io.StringIO(doc.to_conllu())))
    assert [s.to_conllu() for s in doc.sentences] == [s.to_conllu() for s in again]
    value = json.loads(json.dumps(doc.to_json()))
    assert value["text"] == TEXT
    assert value["language"] == "en"
    first = value["sentences"][0]
    assert TEXT[first["start"] : first["end"]] == first["text"] == "I like it."
    word = first["words"][0]
    assert (word["id"], word["form"], word["upos"], word["start"], word["end"]) == (1, "I", "PRON", 2, 3)
    assert "probability" not in word
    assert first["words"][3]["feats"] is None
    with_them = doc.to_json(probabilities=True)["sentences"][0]["words"]
    assert [w["probability"] for w in with_them] == [t.prob for t in doc.sentences[0]]


def test_spacy(doc):
    spacy = pytest.importorskip("spacy")
    converted = doc.to_spacy()
    assert isinstance(converted, spacy.tokens.Doc)
    assert [t.text for t in converted] == [t.form for t in doc]
    assert len(list(converted.sents)) == 3


def test_pictures(doc):
    assert doc.svg().startswith("<svg")
    assert doc.sentences[0].svg().count("<svg") >= 1
    assert doc.html().count("<figure") == 3
    assert "<figure" not in doc._repr_html_()
    assert doc._repr_html_().count("<svg") == 3
    assert doc._repr_svg_() == doc.svg()
    assert "nsubj" in doc.table()
    assert doc.sentences[0]._repr_html_()


def test_long_documents_are_cut_in_notebooks(nlp):
    doc = nlp.parse([["the"]] * 53)
    assert doc._repr_html_().count("<svg") == 50
    assert "3 more sentences" in doc._repr_html_()


@pytest.mark.parametrize("text", ["", " ", "\n\n \t\n"])
def test_nothing(nlp, text):
    doc = nlp(text)
    assert (len(doc), doc.sentences, doc.tokens, doc.text) == (0, (), [], text)
    assert doc.to_conllu() == doc._repr_html_() == doc._repr_svg_() == ""
    assert doc.to_json()["sentences"] == []
    with pytest.raises(IndexError):
        doc[0]


def test_a_sentence_without_a_tree(nlp):
    doc = nlp("I like it very much.", max_words=3)
    (sentence,) = doc.sentences
    assert sentence.status is ParseStatus.TOO_LONG
    assert sentence.root is None
    assert sentence.marginals is None
    assert sentence.k_best(2) == []
    assert [t.upos for t in sentence][:2] == ["PRON", "VERB"]
    assert {(t.head, t.prob, t.is_root, t.deprel) for t in sentence} == {(None, None, False, "_")}
    assert doc.to_json(probabilities=True)["sentences"][0]["words"][0]["head"] is None
    assert sentence.table()


def test_text_of_words_that_were_given(nlp):
    mwt = [MultiwordToken(2, 3, "don't", misc="SpaceAfter=No")]
    sentence = Sentence(["You", "do", "n't", "!"], misc=["_", "_", "_", r"SpacesAfter=\n"], multiword_tokens=mwt)
    doc = nlp.parse([sentence, ["Hi", "there"]])
    assert doc.text == "You don't!\nHi there"
    assert [doc.text[t.start : t.end] for t in doc] == ["You", "don't", "don't", "!", "Hi", "there"]
    assert [t.whitespace for t in doc] == [" ", "", "", "\n", " ", ""]


TREE = Sentence(
    ["The", "old", "dog", "barks", "very", "loudly"],
    heads=[3, 3, 4, 0, 6, 4],
    deprels=["det", "amod", "nsubj", "root", "advmod", "advmod"],
)


def forms(tokens):
    return [token.form for token in tokens]


def test_ways_through_a_tree():
    doc = Doc.from_sentences([["Hi"], TREE])
    the, old, dog, barks, very, loudly = doc.sentences[1]
    assert forms(the.ancestors) == ["dog", "barks"]
    assert barks.ancestors == doc[0].ancestors == []
    assert forms(barks.lefts) == ["dog"]
    assert forms(barks.rights) == ["loudly"]
    assert forms(dog.lefts) == ["The", "old"]
    assert (dog.n_lefts, dog.n_rights, barks.n_rights) == (2, 0, 1)
    assert (barks.left_edge, barks.right_edge, loudly.left_edge) == (the, loudly, very)
    assert barks.is_ancestor(the)
    assert dog.is_ancestor(old)
    assert not the.is_ancestor(dog)
    assert not the.is_ancestor(the)
    assert (dog.text, dog.start_char, dog.end_char) == ("dog", dog.start, dog.end)


def test_a_cycle_that_was_made_by_hand_ends():
    doc = Doc.from_sentences([TREE])
    doc.sentences[0].sentence.heads[:] = [2, 1, 4, 0, 6, 5]
    assert forms(doc[0].ancestors) == ["old", "The"]
    assert forms(doc[4].subtree) == ["very", "loudly"]


def test_documents_without_a_model():
    doc = Doc.from_sentences([["Hi", "there"], TREE], language="en")
    assert doc.text == "Hi there The old dog barks very loudly"
    assert [sentence.status for sentence in doc.sentences] == [ParseStatus.UNPARSED, ParseStatus.PARSED]
    assert doc.sentences[1].root.form == "barks"
    assert doc.sentences[0].root is doc.sentences[0].marginals is None
    assert doc.language == "en"
    assert doc.sentences[1].sentence is not TREE
    assert len(Doc.from_sentences(TREE)) == len(Doc.from_sentences(TREE.forms)) == 6
    with pytest.raises(MissingModelError, match="k-best trees of a document need the model"):
        doc.sentences[1].k_best(2)
    with pytest.raises(InvalidInputError, match=r"Doc\.from_sentences expects sentences: .* got int"):
        Doc.from_sentences([3])


def test_gold_trees_get_the_probabilities_of_a_model(nlp):
    doc = Doc.from_sentences([TREE]).attach(nlp)
    before = doc.to_conllu()
    dense = doc.sentences[0].marginals
    assert [t.prob for t in doc] == [dense[h, m] for m, h in enumerate(TREE.heads, 1)]
    assert doc.to_conllu() == before


def test_from_conllu(doc, tmp_path):
    text = doc.to_conllu()
    path = tmp_path / "doc.conllu"
    path.write_text(text)
    for source in (text, path, str(path), io.StringIO(text), io.BytesIO(text.encode())):
        again = Doc.from_conllu(source)
        assert again.to_conllu() == text
        assert [t.head and t.head.i for t in again] == [t.head and t.head.i for t in doc]
        assert [s.text for s in again.sentences] == [s.text for s in doc.sentences]
    assert len(Doc.from_conllu("")) == 0
    with pytest.raises(ParseError, match="expected 10 columns"):
        Doc.from_conllu("this is\nno treebank\n")


def test_probable_heads(doc):
    token = doc[0]
    best = token.k_best(3)
    assert [p for _, p in best] == sorted((p for _, p in best), reverse=True)
    assert token.k_best(1) == best[:1]
    heads = doc.sentences[0].marginals[:, 1]
    assert {head.id if head else 0: p for head, p in token.k_best(99)} == {h: p for h, p in enumerate(heads) if p > 0}
    for wrong in (0, True, "2"):
        with pytest.raises(InvalidInputError, match=r"Token\.k_best expects k to be a whole number, 1 or more"):
            token.k_best(wrong)
    assert Doc.from_sentences([["Hi"]])[0].k_best(2) == []


def test_explanations(nlp, doc):
    sentence = doc.sentences[0]
    plain = nlp.parser.explain(sentence.sentence, 1)
    by_token = sentence.explain(doc[0])
    assert sentence.explain(1).difference == doc[0].explain().difference == by_token.difference == plain.difference
    assert by_token.word == 1
    assert doc[0].explain(doc[2]).rival.head == sentence.explain(1, 3).rival.head == 3
    assert doc[0].explain(label="obj").rival.label == "obj"
    with pytest.raises(InvalidInputError, match="of another sentence"):
        sentence.explain(doc[5])
    with pytest.raises(InvalidInputError, match=r"expects another head .* of another sentence"):
        doc[0].explain(doc[5])


def test_constraints_hold_in_all_answers(nlp):
    (sentence,) = nlp("I like it.", constraints=[Head(1, 3), Label(1, "obj")]).sentences
    assert sentence.constraints == (Head(1, 3), Label(1, "obj"))
    assert sentence.marginals[3, 1] == pytest.approx(1.0)
    assert {int(tree.heads[0]) for tree in sentence.k_best(3)} == {3}
    explained = sentence.explain(3)
    assert [price.constraint for price in explained.prices] == [Head(1, 3), Label(1, "obj")]
    assert sentence.explain(3, constraints=[]).prices == ()
    assert sentence.conflict == []


def test_constraints_in_conflict(nlp):
    (sentence,) = nlp("I like it.", constraints=[Head(1, 3), Head(3, 1)]).sentences
    assert sentence.status is ParseStatus.INFEASIBLE
    assert set(sentence.conflict) == {Head(1, 3), Head(3, 1)}
    assert sentence[0].head is None


def test_representations_are_short(nlp):
    doc = nlp("very " * 100)
    assert all(len(repr(view)) < 100 for view in (doc, doc.sentences[0], doc[0], doc[3:50], nlp, nlp.parser))
