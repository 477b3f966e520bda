from __future__ import annotations

from ramify.data import Document
from ramify.evaluation.rouge import rouge_words
from ramify.summarization.concepts import bigrams_of, find_concepts, read_stems, step
from ramify.summarization.features import sentence_features
from ramify.summarization.source import read_source
from ramify.summarization.summarizer import english


def test_stems_are_those_of_rouge():
    text = "The dogs' owners were running; 20 cats ran (quickly)."
    assert list(read_stems(text).stems) == rouge_words(text)
    assert bigrams_of("Big dogs bark.") == [("big", "dog"), ("dog", "bark")]
    assert [text[start] for start in read_stems(text).starts[:2]] == ["T", "d"]


def test_concepts_count_documents_sentences_and_places():
    documents = [Document("Old mills burn. Old mills fall.", metadata={"headline": "Mills"}), "Some old mills stand."]
    source = read_source(documents, english().segmenter)
    concepts = find_concepts(source, "burn")
    old_mill = concepts.number["old", "mill"]
    names = concepts.features[concepts.kind[old_mill]]
    assert {"c.doc,sent,stop=2,3,2", "c.place,stop=0,cc", "c.heard,stop=1,cc"} <= set(names)
    assert [tokens.tolist().count(old_mill) for tokens in concepts.tokens] == [1, 1, 1]
    assert concepts.genre.startswith("many-short")
    features = sentence_features(source, concepts)
    assert "s.opening=old mill" in features[0]
    assert "s.heard=1" in features[0]
    assert step(7) == 6
