"""The rule of claims, and that the committed pages say what the code says."""

import re
from pathlib import Path

import numpy as np
import pytest

from ramify.evaluation import compare_counts
from ramify.reproduce import FULL, PAPERS, QUICK
from ramify.reproduce.page import RULE, Claim, Verdict, about_the_paper, compared, p_text

ROOT = Path(__file__).parents[3]
PARSERS = [name for name, paper in PAPERS.items() if paper.preset]


def comparison(first, second):
    """Compare two systems that have these right words of ten in each sentence."""
    counts = [np.column_stack([right, [10] * len(right), [10] * len(right)]) for right in (first, second)]
    return compare_counts(*counts, metric="UAS", samples=500)


def committed(name):
    return (ROOT / "docs" / "papers" / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ([5] * 40, [8] * 40, "holds"),
        ([8] * 40, [5] * 40, "does not hold"),
        ([5, 6] * 20, [6, 5] * 20, "no difference found"),
        ([5] * 40, [5] * 39 + [9], "no difference found"),
        ([5] * 40, [5] * 39 + [2], "no difference found"),
        ([5] * 40, [5] * 40, "no difference found"),
    ],
)
def test_a_claim_holds_where_the_second_is_significantly_better(first, second, verdict):
    assert compared("x", comparison(first, second)).verdict.value == verdict


def test_claims_without_a_test_hold_or_do_not():
    assert [Claim("x", holds, "").verdict for holds in (True, False)] == [Verdict.HOLDS, Verdict.FAILS]
    assert compared("x", None).verdict is Verdict.OPEN


def test_no_p_value_is_zero():
    assert [p_text(p) for p in (0.0, 0.0004999, 0.0006, 0.05)] == ["p < 0.001", "p < 0.001", "p = 0.001", "p = 0.050"]


@pytest.mark.parametrize("name", PAPERS)
def test_named_files_exist(name):
    for section, *cells in PAPERS[name].places:
        paths = [path for cell in cells for path in re.findall(r"`([^`]+)`", cell)]
        assert paths, section
        assert [path for path in paths if not (ROOT / path).is_file()] == [], section


@pytest.mark.parametrize("name", PARSERS)
def test_parsers_pages_have_it_all(name):
    paper = PAPERS[name]
    assert paper.differs
    assert paper.places
    assert paper.left


@pytest.mark.parametrize("name", PAPERS)
def test_committed_pages_are_what_the_code_writes(name):
    """Apart from results: introduction, rule, and everything after the tables."""
    text = committed(name)
    paper = PAPERS[name]
    languages = re.search(r"Made by `[^`]*`: ([^;]*);", text)[1].split(", ")
    assert text.startswith(f"# {paper.title}\n\n{paper.about}\n\n{paper.use}")
    assert f"## Claims\n\n{RULE}\n\n| claim |" in text
    assert text.endswith("\n".join(about_the_paper(paper, languages, QUICK)) + "\n")


@pytest.mark.parametrize("name", PAPERS)
def test_committed_verdicts_follow_the_rule(name):
    """From the figures and the p-value that stand beside them."""
    text = committed(name)
    assert "p = 0.000" not in text
    rows = re.findall(
        r"^\| [^|]* \| ([a-z ]+) \| [^|]*?([\d.]+) → ([\d.]+)[^|]*?p ([=<]) ([\d.]+) [^|]*\|$", text, re.M
    )
    for verdict, first, second, sign, p in rows:
        found = sign == "<" or float(p) < 0.05
        better = "holds" if float(second) > float(first) else "does not hold"
        assert verdict == (better if found else "no difference found"), (first, second, p)
    assert rows or "sparsity" in name


def test_substitutes_are_named_where_they_are_used():
    paper = PAPERS["gormley-2015"]
    whole = "\n".join(about_the_paper(paper, paper.full, FULL))
    for language in ("ar", "bg", "ca", "cs", "de", "es", "sl"):
        assert f"{language} trains on" in whole
    assert "substitutes" not in "\n".join(about_the_paper(paper, ["en"], FULL))
    assert "500 sentences" not in whole
