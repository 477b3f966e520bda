from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ramify.cli import app
from ramify.errors import InvalidInputError, MissingExtraError
from ramify.evaluation import METRICS, attachment_scores, breakdown, compare, evaluate

SAMPLE = Path(__file__).parents[2] / "data" / "evaluation"
GOLD, PARSER, PIPELINE = (str(SAMPLE / f"{name}.conllu") for name in ("gold", "parser", "pipeline"))


def run(*arguments: str):
    return CliRunner().invoke(app, ["evaluate", *arguments])


def output(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def error(*arguments: str) -> BaseException:
    result = run(*arguments)
    assert result.exception is not None
    return result.exception


def row(text: str, name: str) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith(name)).split()[1:]


def test_one_system_has_all_figures():
    las = evaluate(GOLD, PIPELINE).las
    figures = (las.precision, las.recall, las.f1, las.aligned_accuracy)
    assert row(output(GOLD, PIPELINE), "LAS") == [f"{100 * figure:.2f}" for figure in figures]


def test_several_systems_stand_side_by_side_without_cuts_or_colours():
    result = run(GOLD, PARSER, PIPELINE, "--by", "label,arc-length")
    assert "\x1b" not in result.stdout
    assert "…" not in result.stdout
    assert row(result.stdout, "MLAS") == [f"{100 * evaluate(GOLD, s).mlas.f1:.2f}" for s in (PARSER, PIPELINE)]
    assert "Arcs by label" in result.stdout
    assert "Arcs by arc-length" in result.stdout
    assert "pipeline.conllu has other words than gold" in result.stderr
    assert "note:" not in result.stdout


def test_json_holds_what_the_functions_return():
    options = ("--by", "upos", "--test", "bootstrap", "--samples", "50", "--seed", "3", "--metric", "UPOS")
    parser, pipeline = json.loads(output(GOLD, PARSER, PIPELINE, "--json", "--punctuation", "skip-upos", *options))[
        "systems"
    ]
    assert list(parser["conll18"]) == list(METRICS)
    assert parser["conll18"] == evaluate(GOLD, PARSER).to_dict()
    expected = attachment_scores(GOLD, PARSER, punctuation="skip-upos", subtypes=False)
    assert parser["attachment"] == {"skip-upos": expected.to_dict()}
    assert "attachment" not in pipeline
    assert pipeline["by"]["upos"]["NOUN"] == breakdown(GOLD, PIPELINE, "upos")["NOUN"].to_dict()
    comparison = compare(GOLD, PARSER, PIPELINE, metric="UPOS", test="bootstrap", samples=50, seed=3)
    assert pipeline["comparison"] == comparison.to_dict()
    assert "comparison" not in parser


def test_comparison_is_shown():
    text = output(GOLD, PARSER, PIPELINE, "--test", "randomization", "--samples", "99")
    assert "LAS against parser.conllu: randomization, 99 samples, seed 0" in text


@pytest.mark.parametrize("by", ["", "label"])
@pytest.mark.parametrize(("suffix", "magic"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_plot_is_written_and_repeatable(tmp_path, suffix, magic, by):
    files = [tmp_path / f"{number}{suffix}" for number in range(2)]
    for file in files:
        output(GOLD, PARSER, PIPELINE, "--plot", str(file), "--by", by)
    first, second = (file.read_bytes() for file in files)
    assert first.startswith(magic)
    assert first == second


def test_plot_shows_names_and_metrics(tmp_path):
    output(GOLD, PARSER, PIPELINE, "--plot", str(tmp_path / "a.svg"))
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert all(word in text for word in ("parser.conllu", "pipeline.conllu", "MLAS"))


def test_plot_without_matplotlib_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = error(GOLD, PARSER, "--plot", str(tmp_path / "a.svg"))
    assert isinstance(found, MissingExtraError)
    assert "ramify[plot]" in str(found)


def test_sequences(tmp_path):
    gold, good, bad = (tmp_path / name for name in ("gold.iob", "good.iob", "bad.iob"))
    gold.write_text("Ann B-PER\nLee I-PER\nsleeps O\n\nRome B-LOC\n\n")
    good.write_text("Ann B-PER\nLee I-PER\nsleeps O\n\nRome B-ORG\n\n")
    bad.write_text("Ann I-PER\nLee I-PER\nsleeps O\n\nRome O\n\n")
    text = output("--sequences", str(gold), str(good), str(bad), "--test", "bootstrap", "--samples", "20")
    assert row(text, "all") == ["2", "50.00", "50.00", "50.00", "100.00", "50.00", "66.67"]
    strict = json.loads(output("--sequences", str(gold), str(bad), "--strict", "iob2", "--json"))["systems"][0]
    assert strict["chunks"]["overall"]["system_total"] == 0
    assert strict["chunks"]["accuracy"] == 2 / 4
    output("--sequences", str(gold), str(bad), "--plot", str(tmp_path / "chunks.svg"))


def test_one_system_with_a_test_is_told_so():
    assert "nothing to compare" in run(GOLD, PARSER, "--test", "bootstrap").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((GOLD, "none.conllu"), "There is no file 'none.conllu'"),
        ((GOLD, PARSER, "--by", "colour"), "--by to be one of 'label', "),
        ((GOLD, PARSER, "--punctuation", "no"), "--punctuation to be one of 'count', "),
        ((GOLD, PARSER, PIPELINE, "--test", "bootstrap", "--metric", "las"), "knows the metrics"),
        ((GOLD, PARSER, PARSER), "given twice"),
        (("-", "-"), "standard input"),
        ((GOLD, PARSER, "--plot", "a.txt"), "--plot writes .svg, .pdf, .png files; got 'a.txt'"),
        (("--sequences", GOLD, PARSER, "--by", "label"), "--by is about arcs"),
    ],
)
def test_user_errors(arguments, message):
    found = error(*arguments)
    assert isinstance(found, InvalidInputError)
    assert message in str(found)


def test_help_teaches_by_example():
    assert "ramify evaluate gold.conllu parsed.conllu" in output("--help")


def test_summaries(tmp_path):
    gold, a, b = (tmp_path / f"{name}.jsonl" for name in ("gold", "a", "b"))
    gold.write_text('{"id": "x", "references": ["the cat sat", "a cat sat"]}\n', encoding="utf-8")
    a.write_text('{"id": "x", "summary": "the dog ran"}\n', encoding="utf-8")
    b.write_text('{"id": "x", "summary": "the cat sat"}\n', encoding="utf-8")
    result = json.loads(output("--rouge", str(gold), str(a), str(b), "--json", "--test", "bootstrap", "--samples", "9"))
    assert [system["rouge"]["2"]["recall"]["value"] for system in result["systems"]] == [0.0, 0.75]
    assert result["systems"][1]["comparison"]["metric"] == "ROUGE-2 recall"
    text = output("--rouge", str(gold), str(b))
    assert "75.00" in next(line for line in text.splitlines() if line.split()[:1] == ["2"])
    assert "'1', '2', 'L', 'SU4'; got 'LAS'" in str(error("--rouge", str(gold), str(b), "--metric", "LAS"))
    assert "leave out --sequences" in str(error("--rouge", "--sequences", str(gold), str(b)))
