"""Training and segmenting."""

from __future__ import annotations

import gzip
import io
import re

import numpy as np
import pytest

from ramify.data import Sentence, read
from ramify.data.sentence import MultiwordToken
from ramify.errors import InvalidInputError, ParseError
from ramify.evaluation import evaluate
from ramify.learn.progress import Step
from ramify.segmentation import Config, EpochDone, Segmenter, raw_text, restore_text, score_segmentation

pytestmark = pytest.mark.engine


def forms(result):
    return [sentence.forms for sentence in result]


def test_learns_the_sample(segmenter, sample):
    gold = list(read(sample))
    scores = score_segmentation(gold, segmenter.segment(raw_text(gold)))
    assert scores.tokens.f1 > 0.995
    assert scores.words.f1 > 0.995
    assert scores.sentences.f1 > 0.97


def test_scores_are_the_official_ones(segmenter, samples):
    gold = list(read(samples / "treebanks" / "en_ewt-sample.conllu"))
    system = segmenter.segment(raw_text(gold))
    mine, official = score_segmentation(gold, system), evaluate(gold, system)
    assert (mine.tokens, mine.sentences, mine.words) == (official.tokens, official.sentences, official.words)
    assert 0 < mine.sentences.f1 < 1


def test_multiword_tokens_are_ranges(segmenter):
    (sentence,) = segmenter.segment("They don't.")
    assert sentence.forms == ("They", "do", "n't", ".")
    assert [(t.first, t.last, t.form, t.misc) for t in sentence.multiword_tokens] == [(2, 3, "don't", "SpaceAfter=No")]
    assert forms(segmenter.segment("DON'T go."))[0][:2] == ("DO", "N'T")


def test_comments_and_white_space(segmenter):
    first, second, third = segmenter.segment("\tI like it.  You\u00a0do.\n\nBye\n")
    assert first.comments == ["# newpar", "# sent_id = 1", "# text = I like it."]
    assert second.comments == ["# sent_id = 2", "# text = You do."]
    assert third.comments == ["# newpar", "# sent_id = 3", "# text = Bye"]
    assert first.misc == (r"SpacesBefore=\t", "_", "SpaceAfter=No", r"SpacesAfter=\s\s")
    assert second.misc == (r"SpacesAfter=\u00a0", "SpaceAfter=No", r"SpacesAfter=\n\n")
    assert third.misc == (r"SpacesAfter=\n",)


def test_spans(segmenter):
    text = "I like it. You like it."
    result = segmenter.segment(text)
    assert len(result) == 2
    assert [text[start:end] for start, end in result.spans(1)] == ["You", "like", "it", "."]
    assert result.spans(-1).tolist() == result.spans(1).tolist()
    assert result.tokens == ["I", "like", "it", ".", "You", "like", "it", "."]
    assert result[0:1] == result.sentences[:1]
    assert repr(result) == "<Segmentation: 2 sentences, 8 tokens, 23 characters>"
    with pytest.raises(IndexError):
        result.spans(2)


def test_alphabets_that_the_treebank_lacks(segmenter):
    assert segmenter.segment("שלום עולם").tokens == ["שלום", "עולם"]
    assert segmenter.segment("Привет мир").tokens == ["Привет", "мир"]


def test_the_end_of_a_text_is_the_end_of_a_paragraph(segmenter):
    alone, followed = segmenter.segment("I like it."), segmenter.segment("I like it.\n\nYou do.")
    assert alone[0].forms == followed[0].forms == ("I", "like", "it", ".")


@pytest.mark.parametrize("text", ["", " ", "\n\n \t\r\n", "\u3000\u2028", "\ufeff", "\0\x1b \x7f\x9b"])
def test_texts_without_tokens(segmenter, text):
    result = segmenter.segment(text)
    assert (len(result), result.tokens, result.offsets.tolist()) == (0, [], [0])
    assert list(segmenter.stream([text])) == []


def test_control_characters_and_byte_order_marks_are_white_space(segmenter):
    text = "\ufeffI\0like\x1bit. \ufeffYou\x9bdo."
    result = segmenter.segment(text)
    assert forms(result) == [("I", "like", "it", "."), ("You", "do", ".")]
    assert result[0].misc[0] == r"SpacesBefore=\ufeff|SpacesAfter=\u0000"
    assert restore_text(result) == text
    soft = "co\u00adop\u200dera\u200cte"
    assert segmenter.segment(soft).tokens == [soft], "format characters are parts of words"


def test_words_of_control_characters_in_a_treebank_do_no_harm():
    sentences = [Sentence(["I", "do", "\x97"])] * 3
    segmenter = Segmenter.train(sentences, options={"bits": 14, "epochs": 1})
    assert segmenter.segment("I do").tokens == ["I", "do"]


def test_script_without_spaces():
    sentences = [
        Sentence(list(words)) for words in (["我", "喜歡", "你", "。"], ["你", "喜歡", "他們", "嗎", "？"])
    ] * 20
    assert raw_text(sentences[:2]) == "我喜歡你。你喜歡他們嗎？"
    segmenter = Segmenter.train(sentences, options={"bits": 14, "epochs": 5})
    assert forms(segmenter.segment("他們喜歡我。我喜歡你。")) == [
        ("他們", "喜歡", "我", "。"),
        ("我", "喜歡", "你", "。"),
    ]


def test_tokens_with_spaces():
    words = ["10 000", "euros", "et", "20 000", "dollars", "et", "500", "yens", "."]
    comment = ["# text = 10 000 euros et 20 000 dollars et 500 yens."]
    segmenter = Segmenter.train([Sentence(words, comments=comment)] * 20, options={"bits": 14})
    assert segmenter.segment("20 000 yens et 10 000 euros.").tokens == ["20 000", "yens", "et", "10 000", "euros", "."]
    assert segmenter.segment("20\n000").tokens == ["20", "000"]  # a token never breaks a line


def test_tokens_with_spaces_in_a_script_without():
    sentences = [Sentence(["漢 字", "です", "。"], comments=["# text = 漢 字です。"])] * 5
    segmenter = Segmenter.train(sentences, options={"bits": 14})
    assert segmenter.segment("漢 字です。").tokens == ["漢 字", "です", "。"]
    assert segmenter.segment("漢 字").tokens == ["漢 字"]


def test_training_is_repeatable(sample):
    options = {"bits": 14, "epochs": 2}
    one, two = (Segmenter.train(sample, options=options)._state for _ in range(2))
    assert np.array_equal(one.token, two.token)
    assert np.array_equal(one.sentence, two.sentence)
    other = Segmenter.train(sample, options={"bits": 14, "epochs": 2, "seed": 2})._state
    assert not np.array_equal(one.token, other.token)


def test_dev_and_report(sample):
    events = []
    dev = [Sentence(s.forms, comments=s.comments, misc=s.misc) for s in read(sample)][:50]  # no heads
    segmenter = Segmenter.train(sample, dev=dev, options={"bits": 14, "epochs": 3}, progress=events.append)
    seen = [event for event in events if isinstance(event, EpochDone)]
    assert [event.epoch for event in seen] == [1, 2, 3]
    steps = [event for event in events if isinstance(event, Step)]
    assert [step.stage for step in steps] == ["segmenter"] * 3 + ["sentence ends"] * 25
    assert steps[-1].sentences == steps[-1].num_sentences == 25 * 50
    for name in ("loss of token ends", "loss of sentence ends"):
        assert seen[2].figures[name] < seen[0].figures[name]
    assert re.search(r"- tuned on: +sentences in memory \(50 sentences", segmenter.card)
    assert re.search(r"- on dev: +tokens ", segmenter.card)
    assert "- licence of the data: not stated" in segmenter.card


def test_repr_and_options(segmenter):
    assert repr(segmenter).startswith("<Segmenter: 2 x 65,536 weights, ")
    assert segmenter.config.model.bits == 16
    assert Config.parse(segmenter.config.to_toml()) == segmenter.config


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("segmentation = 1", "segmentation is a section"),
        ("[segmentation]\nbit = 3", "there is no option 'bit'; .*Did you mean 'bits'"),
        ("[segmentation]\nbits = 99", "model.bits expects a whole number, 8 to 24; got 99"),
    ],
)
def test_bad_options(toml, message):
    with pytest.raises(InvalidInputError, match=message):
        Config.parse(toml)


def test_options_of_the_first_models():
    """They had all options in one section."""
    config = Config.parse("[segmentation]\nbits = 19\nepochs = 4\ntoken-step = 0.2\nmin-words = 3\n")
    assert (config.model.bits, config.model.min_words) == (19, 3)
    assert (config.training.epochs, config.training.token_step) == (4, 0.2)


def test_files(segmenter, tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"I like it.\n\nYou do."))
    assert len(list(segmenter.stream(tmp_path / "a.txt.gz"))) == 2
    assert len(list(segmenter.stream(io.StringIO("I like it.\n\nYou do.")))) == 2
    with pytest.raises(FileNotFoundError):
        segmenter.stream(tmp_path / "missing.txt")  # before the first sentence is asked for


def test_streams_give_what_they_have(segmenter):
    def pieces():
        yield "I like it.\n\nYou "
        raise KeyError

    stream = segmenter.stream(pieces())
    assert next(stream).forms == ("I", "like", "it", ".")
    with pytest.raises(KeyError):
        next(stream)


@pytest.mark.parametrize(
    ("content", "line", "byte"), [(b"a\nb\xff", 2, "FF"), (b"\xc3", 1, "C3"), (b"\n\n\xed\xa0\x80", 3, "ED")]
)
def test_files_that_are_not_utf8(segmenter, content, line, byte):
    for pieces in ([content], [bytes([b]) for b in content]):
        with pytest.raises(ParseError, match=f"<chunks>:{line}: expected UTF-8 text; found byte 0x{byte}"):
            list(segmenter.stream(pieces))


def test_wrong_inputs(segmenter):
    with pytest.raises(InvalidInputError, match=r"segment expects a string; got bytes\. Decode"):
        segmenter.segment(b"Hi")
    with pytest.raises(InvalidInputError, match="a lone surrogate at position 2"):
        segmenter.segment("Hi\udc80")
    with pytest.raises(InvalidInputError, match="stream expects pieces of text or bytes; got int"):
        list(segmenter.stream([1]))
    with pytest.raises(InvalidInputError, match="train expects paths or sentences; got int"):
        Segmenter.train([1])
    with pytest.raises(InvalidInputError, match="train: expected sentences with words; found none in the sentences"):
        Segmenter.train(iter([]))
    with pytest.raises(InvalidInputError, match="Training expects a treebank"):
        Segmenter.train([])


def test_one_word_is_enough_to_train():
    segmenter = Segmenter.train([Sentence(["Hi"])], options={"bits": 8, "epochs": 1})
    assert segmenter.segment("Hi").tokens == ["Hi"]


def test_multiword_tokens_of_unknown_words(sample):
    made = [
        Sentence(["ver", "lo"], multiword_tokens=[MultiwordToken(1, 2, "verlo")]),
        Sentence(["comprar", "lo"], multiword_tokens=[MultiwordToken(1, 2, "comprarlo")]),
        Sentence(["dar", "lo"], multiword_tokens=[MultiwordToken(1, 2, "darlo")]),
        Sentence(["carlo"]),
    ] * 3
    segmenter = Segmenter.train(made, options={"bits": 8, "epochs": 1})
    assert forms(segmenter.segment("Matarlo")) == [("Matar", "lo")]
    assert forms(segmenter.segment("carlo")) == [("carlo",)]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_lines_as_sentences(segmenter, size):
    text = "\n\nI like it. You do.\n  \nHello there \n\nBye. Now.\r\nEnd"
    found = list(segmenter.stream([text[i : i + size] for i in range(0, len(text), size)], lines=True))
    assert [len(sentence) for sentence in found] == [7, 2, 4, 1]
    assert restore_text(found) == text
    assert [sentence.sent_id for sentence in found] == ["1", "2", "3", "4"]
    assert list(segmenter.stream(["", " \n"], lines=True)) == []
