"""SVG files: valid, complete, nothing on top of anything else."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ramify import _core
from ramify.data import Sentence, read
from ramify.errors import InvalidInputError
from ramify.viz import DrawingOptions, svg
from ramify.viz.layout import arrange
from ramify.viz.metrics import text_width
from ramify.viz.tree import drawn

SVG = "{http://www.w3.org/2000/svg}"


def texts(markup: str) -> list[str]:
    return ["".join(element.itertext()) for element in ET.fromstring(markup).iter(f"{SVG}text")]


def of_class(markup: str, name: str) -> list[ET.Element]:
    return [element for element in ET.fromstring(markup).iter() if element.get("class") == f"ramify-{name}"]


@st.composite
def trees(draw) -> Sentence:
    """Any tree, mostly non-projective: words are attached in a random order."""
    n = draw(st.integers(1, 14))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for i, word in enumerate(order):
        heads[word - 1] = 0 if i == 0 else order[draw(st.integers(0, i - 1))]
    forms = [draw(st.sampled_from(["a", "word", "extraordinarily", "水", "مدينة"])) for _ in range(n)]
    labels = [draw(st.sampled_from(["x", "nsubj", "nsubj:pass:agent"])) for _ in range(n)]
    return Sentence(forms, heads=heads, deprels=labels)


@pytest.fixture(scope="module")
def sentences(sample):
    return list(read(sample))


def test_files_stand_alone(sentences):
    for sentence in sentences[:40]:
        root = ET.fromstring(svg(sentence))
        assert root.tag == f"{SVG}svg"
        assert root[0].tag == f"{SVG}title"
        assert root[1].tag == f"{SVG}desc"
        width, height = float(root.get("width")), float(root.get("height"))
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        assert width > 0
        assert height > 0
        assert "href" not in svg(sentence)


def test_words_tags_and_labels_are_there(sentences):
    sentence = sentences[0]
    shown = texts(svg(sentence))
    for wanted in (*sentence.forms, *sentence.upos, *sentence.deprels):
        assert wanted in shown
    assert sentence.lemmas[3] not in shown
    assert sentence.lemmas[3] in texts(svg(sentence, lemmas=True))
    assert sentence.upos[0] not in texts(svg(sentence, tags="none"))
    assert sentence.xpos[0] in texts(svg(sentence, tags="xpos"))


def test_markup_is_escaped():
    odd = ["<b>", "a&b", '"', "'", "_", "]]>", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")]
    sentence = Sentence(odd, heads=[0, 1, 1, 1, 1, 1, 1], deprels=["<&>", *["x"] * 6], comments=["# sent_id = <i>&"])
    sentence._core.set_cell(4, _core.Column.FORM, "\x01\x1f")  # which no reader lets through
    shown = texts(svg(sentence))
    assert "<b>" in shown
    assert "<&>" in shown
    assert "␁␟" in shown
    assert "<i>&" in ET.fromstring(svg(sentence))[0].text


@given(trees(), st.sampled_from([150.0, 400.0, math.inf]))
def test_nothing_lies_on_anything_else(sentence, width):
    options = DrawingOptions(width=width)
    for row in arrange(drawn(sentence, options), options):
        for a, b in zip(row.words, row.words[1:], strict=False):
            assert a.x + a.width / 2 < b.x - b.width / 2
        pieces = row.pieces
        for i, a in enumerate(pieces):
            for b in pieces[i + 1 :]:
                if a.level == b.level:  # neither lines nor labels meet
                    assert a.right < b.left or b.right < a.left
                    half = (text_width(a.label, 11.52) + text_width(b.label, 11.52)) / 2
                    assert abs(a.label_x - b.label_x) >= half
            assert 0 <= a.left <= a.right <= row.width
            half = text_width(a.label, 11.52) / 2
            assert half <= a.label_x + 1e-6
            assert a.label_x + half <= row.width + 1e-6


@given(trees())
def test_no_two_stems_are_one(sentence):
    (row,) = arrange(drawn(sentence, DrawingOptions(width=math.inf)), DrawingOptions(width=math.inf))
    ends = [x for piece in row.pieces for x in ({piece.left} if piece.is_root else {piece.left, piece.right})]
    assert len({round(x, 3) for x in ends}) == len(ends)


@given(trees())
def test_longer_arcs_of_a_projective_tree_lie_higher(sentence):
    options = DrawingOptions(width=math.inf)
    (row,) = arrange(drawn(sentence, options), options)
    arcs = [piece for piece in row.pieces if not piece.is_root]
    for a in arcs:
        for b in arcs:
            if a is not b and a.left <= b.left and b.right <= a.right:
                assert a.level > b.level


def test_long_sentences_are_wrapped():
    n = 80
    sentence = Sentence([f"word{i}" for i in range(n)], heads=[0, *range(1, n - 1), 1], deprels=["dep"] * n)
    markup = svg(sentence, width=500)
    root = ET.fromstring(markup)
    assert float(root.get("width")) < 600
    shown = texts(markup)
    assert [text for text in shown if text.startswith("word")] == list(sentence.forms)
    assert f"dep … {n}" in shown  # where the long arc begins
    assert "1 … dep" in shown  # and where it ends
    assert str(n) in shown  # words have numbers, so that this can be followed
    assert float(ET.fromstring(svg(sentence, width=math.inf)).get("width")) > 3000
    assert str(n) not in texts(svg(sentence, width=math.inf))


def test_right_to_left_is_mirrored():
    forms = ["قَالَت", "نَلتَقِي", "عِندَ"]
    sentence = Sentence(forms, heads=[0, 1, 2], deprels=["root", "a", "b"])

    def places(markup: str) -> list[float]:
        found = {element.text: float(element.get("x")) for element in ET.fromstring(markup).iter(f"{SVG}text")}
        return [found[form] for form in forms]

    right, left = places(svg(sentence)), places(svg(sentence, direction="ltr"))
    assert right == sorted(right, reverse=True)
    assert left == sorted(left)
    width = float(ET.fromstring(svg(sentence)).get("width"))
    assert right == pytest.approx([width - x for x in left], abs=0.11)


def test_nonprojective_arcs_stand_out():
    sentence = Sentence(["a", "b", "c", "d"], heads=[3, 4, 0, 3], deprels=["w", "x", "y", "z"])
    (marked,) = of_class(svg(sentence), "crossing")
    assert marked[0].text.startswith("x: d (4) → b (2)")
    assert not of_class(svg(Sentence(["a", "b"], heads=[2, 0], deprels=["x", "y"])), "crossing")


def test_probabilities_are_seen(parser, sentences):
    longest = max(sentences, key=len)
    strange = Sentence(longest.forms[::-1], upos=longest.upos[::-1])  # so that there is doubt
    result = parser.parse(strange, marginals=True)
    plain = svg(parser.parse(strange))
    assert "probability" not in plain
    assert "probability" in svg(result)
    sure = f"{result.probabilities[0]:.2f}"
    assert any(text.endswith(sure) for text in texts(svg(result, probabilities=True)))
    others = of_class(svg(result, alternatives=1e-9, width=math.inf), "alternative")
    least = (result.marginals >= 1e-9).sum(axis=0)[1:]
    assert len(others) == sum(least) - len(strange) > 0
    assert all(group.find(f"{SVG}path").get("stroke-dasharray") for group in others)
    assert not of_class(svg(result), "alternative")


def test_probabilities_of_a_file_are_seen():
    misc = ["ArcProb=0.4000|HeadProbs=2:0.4000,3:0.3500,0:0.2500", "ArcProb=0.9000", "_"]
    sentence = Sentence(["a", "b", "c"], heads=[2, 0, 2], deprels=["x", "root", "y"], misc=misc)
    markup = svg(sentence, alternatives=0.3)
    (other,) = of_class(markup, "alternative")
    assert "c (3) → a (1), probability 0.350" in other[0].text
    widths = [group.find(f"{SVG}path").get("stroke-width") for group in of_class(markup, "arc")]
    assert float(widths[0]) < float(widths[1]) < float(widths[2])
    with pytest.raises(InvalidInputError, match="expects ArcProb=PROBABILITY"):
        svg(Sentence(["a"], heads=[0], misc=["ArcProb=high"]))


def test_themes_and_backgrounds():
    sentence = Sentence(["a"], heads=[0], deprels=["root"])
    assert "prefers-color-scheme:dark" in svg(sentence)
    assert "prefers-color-scheme" not in svg(sentence, theme="dark")
    assert of_class(svg(sentence, theme="dark"), "paper")[0].get("fill") == "#15181c"
    assert of_class(svg(sentence, background="#fffbe6"), "paper")[0].get("fill") == "#fffbe6"
    assert not of_class(svg(sentence, background="none"), "paper")


def test_several_are_stacked(sentences):
    root = ET.fromstring(svg(sentences[:3]))
    inner = root.findall(f"{SVG}svg")
    assert len(inner) == 3
    assert float(root.get("height")) == pytest.approx(sum(float(each.get("height")) for each in inner), abs=0.2)
    assert ET.fromstring(svg([])).tag == f"{SVG}svg"


def test_what_has_no_tree_is_drawn_all_the_same():
    assert "root" not in texts(svg(Sentence(["a", "b"])))
    assert texts(svg(Sentence(["a", "b"]), tags="none")) == ["a", "b"]
    cycle = Sentence(["a", "b", "c"], deprels=["x", "y", "root"])
    cycle.heads = [2, 1, 0]
    assert len(of_class(svg(cycle), "arc")) == 3


def test_long_words_are_cut_but_kept():
    form = "https://example.org/" + "a" * 200
    markup = svg(Sentence([form], heads=[0]))
    assert float(ET.fromstring(markup).get("width")) < 600
    assert form in markup
    assert any(text.endswith("…") for text in texts(markup))


def test_numbers_are_numbers(sentences):
    markup = svg(sentences[:20], alternatives=0.1)
    assert not re.search(r"nan|inf|e-\d|--", markup.split("<g")[1])


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"width": 10}, "width to be a number at least 100"),
        ({"width": math.nan}, "width to be a number at least 100"),
        ({"font_size": 0}, "font_size to be a number at least 4 and at most 200"),
        ({"alternatives": 0.0}, "alternatives to be a number above 0 and at most 1"),
        ({"background": "url(x)"}, "background to be 'auto', 'none'"),
        ({"tags": "pos"}, "tags to be one of 'upos', 'xpos', 'none'"),
        ({"theme": "blue"}, "theme to be one of"),
        ({"direction": "up"}, "direction to be one of"),
    ],
)
def test_wrong_options_are_named(options, wanted):
    with pytest.raises(InvalidInputError, match=wanted):
        svg(Sentence(["a"]), **options)


@pytest.mark.parametrize("item", [3, "text", [3]])
def test_wrong_things_are_named(item):
    with pytest.raises(InvalidInputError, match=r"Drawing expects a ramify\.data\.Sentence"):
        svg(item)
