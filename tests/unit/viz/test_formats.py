"""HTML, TikZ, DOT, tables, JSON: complete, escaped, and the same trees as went in."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ramify
from ramify import _core
from ramify.data import MultiwordToken, Sentence, read
from ramify.errors import InvalidInputError
from ramify.viz import Format, displacy, dot, html, table, tikz, to_json, write_drawings
from ramify.viz.table import arc_lines

ODD = Sentence(
    ["<b>", "a&b", 'q"q', "\\x{}", "50%_#$^~", "it's"],
    upos=["X", "_", "X", "X", "X", "X"],
    heads=[0, 1, 1, 1, 1, 1],
    deprels=["root", "<dep>", "d&p", 'd"p', "d_p", "dep"],
    comments=['# sent_id = <i>"&\\'],
)


class Checker(HTMLParser):
    """Knows whether every element is closed, and what text there is."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def sentences(sample):
    return list(read(sample))


def test_pages_stand_alone(sentences):
    page = html(sentences[:3], title="A <title>")
    assert page.startswith("<!DOCTYPE html>")
    checker = Checker(page)
    assert not checker.open
    assert checker.seen.count("svg") == 3
    assert "script" not in checker.seen
    assert "link" not in checker.seen
    assert "A <title>" in checker.text
    assert sentences[1].text in checker.text
    assert "prefers-color-scheme:dark" in page
    assert "<b>" in "".join(Checker(html(ODD)).text)


def test_fragments_for_notebooks(parser, sentences):
    result = parser.parse(sentences[0], marginals=True)
    for shown in (result, sentences[0]):
        fragment = shown._repr_html_()
        assert fragment.startswith("<div")
        assert "<html" not in fragment
        assert ET.fromstring(shown._repr_svg_()).tag.endswith("svg")
    assert result.svg(tags="none") == ramify.viz.svg(result, tags="none")
    assert result.table() == table(result)
    assert sentences[0].html() == html(sentences[0])


def test_right_to_left_pages():
    arabic = Sentence(["قَالَت", "نَلتَقِي"], heads=[0, 1], deprels=["root", "x"])
    assert '<html dir="rtl">' in html(arabic)
    assert '<html dir="ltr">' in html([arabic, ODD])
    assert '<figcaption dir="rtl">' in html([arabic, ODD])


def test_tikz_is_escaped_and_balanced():
    text = tikz(ODD)
    body = re.sub(r"\\[{}]", "", text)
    assert body.count("{") == body.count("}")
    for environment in ("document", "dependency", "deptext"):
        assert text.count(f"\\begin{{{environment}}}") == text.count(f"\\end{{{environment}}}") == 1
    row = text.split("[column sep=0.8em]\n")[1].splitlines()[0]
    assert len(row.split(r" \& ")) == len(ODD)
    assert r"50\%\_\#\$\textasciicircum{}\textasciitilde{}" in row
    assert r"\textbackslash{}x\{\}" in row
    assert r"\deproot[edge height=14.4ex]{1}{root}" in text
    assert r"\depedge[edge height=9.6ex]{1}{5}{d\_p}" in text
    assert r"\documentclass" not in tikz(ODD, document=False)


def test_tikz_of_right_to_left_text():
    text = tikz(Sentence(["قَالَت", "نَلتَقِي"], heads=[0, 1], deprels=["root", "x"]))
    assert r"\depedge[edge height=2.4ex]{2}{1}{x}" in text
    assert r"\deproot[edge height=4.8ex]{2}{root}" in text


def test_tikz_shows_probabilities():
    misc = ["HeadProbs=2:0.50,3:0.40", "_", "_"]
    text = tikz(Sentence(["a", "b", "c"], heads=[2, 0, 2], deprels=["x", "r", "y"], misc=misc), alternatives=0.1)
    assert r", edge style={opacity=0.70}]{2}{1}{x}" in text
    assert r", edge style={dashed, opacity=0.64}]{3}{1}{0.40}" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex with tikz-dependency")
def test_latex_takes_it(tmp_path, sentences):
    (tmp_path / "tree.tex").write_text(tikz([ODD, sentences[0]]))
    command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "tree.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100)
    if "tikz-dependency.sty' not found" in (tmp_path / "tree.log").read_text(errors="replace"):
        pytest.skip("needs the LaTeX package tikz-dependency")
    assert done.returncode == 0


def test_dot_is_escaped():
    text = dot(ODD)
    assert text.startswith('digraph "<i>\\"&\\\\" {')
    assert '1 -> 4 [label="d\\"p"];' in text
    assert '[label="\\\\x{}\\nX"]' in text
    assert '2 [label="a&b"];' in text
    assert dot([ODD, ODD]).count("digraph") == 2


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_takes_it(sentences):
    source = dot([ODD, *sentences[:5]])
    done = subprocess.run(["dot", "-Tsvg"], input=source, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0
    assert done.stderr == ""


def test_tables_hold_what_there_is(sentences):
    shown = table(sentences[0]).splitlines()
    assert shown[0] == f"# {sentences[0].sent_id}"
    assert shown[1].split() == ["id", "form", "lemma", "upos", "head", "deprel"]
    assert shown[5].split()[1:] == ["4", "comes", "come", "VERB", "0", "root"]
    assert table(Sentence(["a"]), arcs=False) == "id  form  head  deprel\n 1  a        _  _\n"
    assert "│" not in table(sentences[0], ascii=True)
    misc = ["HeadProbs=2:0.50,3:0.40", "_", "_"]
    likely = Sentence(["a", "b", "c"], heads=[2, 0, 2], deprels=["x", "r", "y"], misc=misc)
    assert "0.500  3:0.400" in table(likely, alternatives=0.1)


def test_table_columns_are_straight_for_wide_and_odd_letters():
    sentence = Sentence(["努爾哈赤", "é", "_"], heads=[0, 1, 1], deprels=["x", "y", "z"])
    sentence._core.set_cell(2, _core.Column.FORM, "a\x01\u202eb")  # which no reader lets through
    lines = table(sentence).splitlines()
    assert lines[1].endswith("努爾哈赤     0  x")
    assert lines[2].endswith("é            1  y")
    assert lines[3].endswith("a␁b          1  z")


def read_arcs(lines: list[str]) -> set[frozenset[int]]:
    """Follow every vertical line of a text drawing, and return the words at its ends."""
    found = set()
    for column in range(max(map(len, lines))):
        start = None
        for row, line in enumerate(lines, 1):
            sign = line[column]
            if sign in "┘└│┴" and start is None:
                raise AssertionError("a line comes from nowhere")
            if sign in "┌┐┬":
                start = row
            elif sign in "└┘┴":
                found.add(frozenset((start, row)))
                start = None
            elif sign != "│" and start is not None:
                raise AssertionError("a line breaks off")
    return found


@given(st.data())
def test_text_arcs_can_be_read_back(data):
    n = data.draw(st.integers(1, 10))
    order = data.draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for i, word in enumerate(order):
        heads[word - 1] = 0 if i == 0 else order[data.draw(st.integers(0, i - 1))]
    lines = arc_lines(heads)
    assert read_arcs(lines) == {frozenset((head, word)) for word, head in enumerate(heads, 1) if head}
    assert all(line.endswith(">") for line in lines)


def test_json_has_the_tree(parser, sentences):
    result = parser.parse(sentences[2], marginals=True)
    (facts,) = json.loads(json.dumps(to_json(result, alternatives=0.001)))["sentences"]
    assert [word["head"] for word in facts["words"]] == result.heads.tolist()
    assert [word["deprel"] for word in facts["words"]] == list(result.labels)
    assert [word["probability"] for word in facts["words"]] == pytest.approx(result.probabilities.tolist())
    for word in facts["words"]:
        for other in word.get("alternatives", []):
            assert other["probability"] == pytest.approx(result.marginals[other["head"], word["id"]])
    surface = Sentence(["I", "'ve"], multiword_tokens=[MultiwordToken(1, 2, "I've")])
    (facts,) = to_json(surface)["sentences"]
    assert facts["multiword_tokens"] == [{"first": 1, "last": 2, "form": "I've"}]
    assert facts["words"][0]["head"] is None


def test_displacy_draws_it(sentences):
    spacy = pytest.importorskip("spacy")
    parsed = displacy(sentences[0])
    markup = spacy.displacy.render(parsed, style="dep", manual=True, jupyter=False)
    for form in sentences[0].forms:
        assert form in markup
    assert len(parsed[0]["arcs"]) == len(sentences[0]) - 1
    for arc in parsed[0]["arcs"]:
        head, word = (arc["end"], arc["start"]) if arc["dir"] == "left" else (arc["start"], arc["end"])
        assert sentences[0].heads[word] == head + 1
        assert sentences[0].deprels[word] == arc["label"]


@pytest.mark.parametrize("kind", [kind for kind in Format if kind not in (Format.PNG, Format.PDF)])
def test_streams_equal_whole_files(sentences, kind):
    def at_once() -> str:
        if kind in (Format.JSON, Format.DISPLACY):
            return json.dumps((to_json if kind is Format.JSON else displacy)(sentences[:4]))
        if kind is Format.CONLLU:
            return "".join(sentence.to_conllu() for sentence in sentences[:4])
        return getattr(ramify.viz, kind.value)(sentences[:4])

    streamed = "".join(write_drawings(iter(sentences[:4]), kind))
    if kind in (Format.JSON, Format.DISPLACY):
        assert json.loads(streamed) == json.loads(at_once())
    else:
        assert streamed == at_once()


def test_no_sentences_are_a_file_too():
    assert json.loads("".join(write_drawings([], "json"))) == {"version": 1, "language": None, "sentences": []}
    assert not Checker("".join(write_drawings([], "html"))).open
    assert "".join(write_drawings([], "tikz")).endswith("\\end{document}\n")
    assert "".join(write_drawings([], "table")) == ""


def test_streams_do_not_look_ahead(sentences):
    taken = []
    pieces = write_drawings((taken.append(s) or s for s in sentences), "table")
    next(pieces), next(pieces)
    assert len(taken) == 1


def test_wrong_formats_are_named(sentences):
    with pytest.raises(InvalidInputError, match="format to be one of 'svg', 'html'"):
        write_drawings(sentences, "gif")


def test_pictures_are_imported_when_needed():
    code = "import sys, ramify, ramify.parsing; assert 'ramify.viz' not in sys.modules; ramify.viz.svg"
    subprocess.run([sys.executable, "-c", code], check=True)
