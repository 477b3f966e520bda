from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify import data
from ramify.errors import InvalidInputError
from ramify.evaluation import METRICS, evaluate
from support.official import official_scores
from support.perturb import perturb
from support.shared_data import treebanks
from support.treebank_text import conllu

SAMPLE = Path(__file__).parents[2] / "data" / "evaluation"
FIGURES = ("correct", "gold_total", "system_total", "aligned_total", "precision", "recall", "f1", "aligned_accuracy")
GOLD_TEXT = (SAMPLE / "gold.conllu").read_text(encoding="utf-8")


def score(gold: str, system: str):
    return evaluate(io.StringIO(gold), io.StringIO(system))


def assert_official(gold: str, system: str) -> None:
    expected = official_scores(gold, system)
    for metric, found in score(gold, system).items():
        for figure in FIGURES:
            assert getattr(found, figure) == getattr(expected[metric], figure), (metric, figure)


@pytest.mark.parametrize("system", ["gold", "parser", "pipeline"])
def test_sample_equals_official_figures(system):
    assert_official(GOLD_TEXT, (SAMPLE / f"{system}.conllu").read_text(encoding="utf-8"))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    first=st.integers(0, 16),
    gold_tokens=st.sampled_from([0, 5, 15]),
    arcs=st.sampled_from([0, 10, 60]),
    tokens=st.sampled_from([0, 3, 10, 40]),
    sentences=st.integers(0, 3),
)
def test_perturbed_outputs_equal_official_figures(seed, first, gold_tokens, arcs, tokens, sentences):
    part = "\n\n".join(GOLD_TEXT.split("\n\n")[first : first + 4])
    gold = perturb(part, seed + 1, arcs=0, tokens=gold_tokens)
    assert_official(gold, perturb(gold, seed, arcs=arcs, tokens=tokens, sentences=sentences))


@pytest.mark.parametrize(
    "name",
    [
        "UD_English-EWT/en_ewt-ud-dev.conllu",
        "UD_Portuguese-Bosque/pt_bosque-ud-dev.conllu",
        "UD_Turkish-IMST/tr_imst-ud-dev.conllu",
    ],
)
def test_real_treebanks_equal_official_figures(name):
    (path,) = treebanks(name)
    gold = "\n\n".join(path.read_text(encoding="utf-8").split("\n\n")[:700]) + "\n\n"
    assert_official(gold, perturb(gold, 7, arcs=3000, tokens=400, sentences=60))


def test_known_figures_when_only_arcs_differ():
    gold = conllu("the/DET/det/2 dog/NOUN/nsubj/3 barks/VERB/root/0 loudly/ADV/advmod/3 ./PUNCT/punct/3")
    system = conllu("the/DET/det/2 dog/NOUN/obj/3 barks/VERB/root/0 loudly/ADJ/advmod/2 ./PUNCT/punct/3")
    found = score(gold, system)
    assert (found.words.f1, found.upos.f1, found.uas.f1, found.las.f1) == (1.0, 4 / 5, 4 / 5, 3 / 5)
    # Content words are dog, barks and loudly; only barks is right, and "the" hangs from dog in both.
    assert (found.clas.correct, found.clas.gold_total, found.clas.system_total) == (1, 3, 3)


def test_words_of_a_multiword_token_are_aligned_by_form():
    gold = conllu("I/PRON/nsubj/4 don't=2 do/AUX/aux/4 n't/PART/advmod/4 know/VERB/root/0")
    system = conllu("I/PRON/nsubj/3 don't/AUX/aux/3 know/VERB/root/0")
    found = score(gold, system)
    assert (found.tokens.f1, found.words.correct, found.words.gold_total, found.words.system_total) == (1.0, 2, 4, 3)
    assert found.las.correct == 2
    assert found.las.aligned_accuracy == 1.0
    # "know" lost its function word: right for CLAS, wrong for MLAS.
    assert (found.clas.correct, found.mlas.correct) == (2, 1)


def test_forms_of_multiword_tokens_match_without_case():
    gold = conllu("Zum=2 Zu/ADP/case/3 dem/DET/det/3 Haus/NOUN/root/0")
    system = conllu("Zum=2 zu/ADP/case/3 DEM/DET/det/3 Haus/NOUN/root/0")
    assert score(gold, system).las.f1 == 1.0


def test_split_and_merged_tokens_are_not_words_in_common():
    gold = conllu("ab/X/root/0 c/X/dep/1 d/X/dep/1")
    system = conllu("a/X/root/0 b/X/dep/1 cd/X/dep/1")
    found = score(gold, system)
    assert (found.tokens.correct, found.words.correct, found.las.f1) == (0, 0, 0.0)
    assert found.las.aligned_accuracy == 0.0


def test_head_that_is_not_aligned_is_wrong():
    gold = conllu("ab/X/root/0 c/X/dep/1")
    system = conllu("a/X/root/0 b/X/dep/1 c/X/dep/1")
    found = score(gold, system)
    assert (found.words.correct, found.uas.correct) == (1, 0)


def test_spaces_inside_forms_do_not_count():
    gold = "1\t10 000\t_\tNUM\t_\t_\t0\troot\t_\t_\n\n"
    system = "1\t10\u00a0000\t_\tNUM\t_\t_\t0\troot\t_\t_\n\n"
    assert score(gold, system).words.f1 == 1.0
    assert_official(gold, system)


def test_subtypes_language_features_and_missing_gold_lemmas_do_not_count():
    gold = conllu("was/VERB/root/0/_/Mood=Ind|Typo=Yes seen/VERB/nsubj:pass/1/see/_")
    system = conllu("was/VERB/root/0/be/Mood=Ind seen/VERB/nsubj/1/see/ExtPos=X")
    found = score(gold, system)
    assert found.las.f1 == found.ufeats.f1 == found.lemmas.f1 == found.blex.f1 == 1.0


def test_sentence_boundaries():
    gold = conllu("a/X/root/0", "b/X/root/0", "c/X/root/0")
    system = conllu("a/X/root/0 b/X/dep/1", "c/X/root/0")
    sentences = score(gold, system).sentences
    assert (sentences.precision, sentences.recall) == (1 / 2, 1 / 3)


def test_system_without_heads_is_scored_on_the_rest():
    gold = conllu("a/X/root/0 b/X/dep/1")
    system = conllu("a/X/root/_ b/X/dep/_")
    found = score(gold, system)
    assert (found.upos.f1, found.uas.f1, found.las.f1) == (1.0, 0.0, 0.0)


def test_takes_paths_files_and_sentences_alike():
    path = SAMPLE / "parser.conllu"
    from_path = evaluate(SAMPLE / "gold.conllu", path)
    assert from_path == evaluate(data.read(SAMPLE / "gold.conllu"), list(data.read(path)))
    with path.open(encoding="utf-8") as file:
        assert from_path == evaluate(str(SAMPLE / "gold.conllu"), file)


def test_empty_treebanks_score_zero():
    assert [found.f1 for _, found in evaluate([], []).items()] == [0.0] * len(METRICS)


def test_getitem_and_dict():
    found = evaluate(SAMPLE / "gold.conllu", SAMPLE / "parser.conllu")
    assert found["LAS"] is found.las
    assert list(found.to_dict()) == list(METRICS)
    with pytest.raises(InvalidInputError, match=r"knows the metrics Tokens, .*got 'las'"):
        found["las"]


def test_different_texts_are_an_error_that_says_where():
    gold = conllu("a/X/root/0", "good/X/root/0 dog/X/dep/1")
    system = conllu("a/X/root/0", "good/X/root/0 cat/X/dep/1")
    with pytest.raises(InvalidInputError) as caught:
        score(gold, system)
    message = str(caught.value)
    assert "after 5 characters" in message
    assert "gold has 'dog' in sentence 2, word 2 'dog'" in message
    assert "system has 'cat' in sentence 2, word 2 'cat'" in message


def test_missing_sentences_are_an_error_that_says_so():
    gold = conllu("a/X/root/0", "b/X/root/0")
    with pytest.raises(
        InvalidInputError, match=r"gold has 'b' in sentence 2, word 1 'b'; system ends after 1 sentences"
    ):
        score(gold, conllu("a/X/root/0"))


def test_gold_without_heads_is_an_error():
    with pytest.raises(InvalidInputError, match=r"sentence 1, word 1 'a' has none \(1 words in all\)"):
        score(conllu("a/X/root/_"), conllu("a/X/root/0"))


def test_form_of_spaces_only_is_an_error():
    text = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\t\u00a0\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"
    with pytest.raises(InvalidInputError, match="token 2 of gold sentence 1"):
        score(text, text)


def test_something_else_than_a_treebank_is_an_error():
    with pytest.raises(InvalidInputError, match=r"gold treebank must be a path.*got int"):
        evaluate(3, [])
    with pytest.raises(InvalidInputError, match="got Sentence"):
        evaluate(data.Sentence(["a"], heads=[0]), [])
