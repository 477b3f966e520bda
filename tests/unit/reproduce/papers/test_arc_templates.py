"""Figure 3 and Table 3 of structured sparsity, made of what studies measure."""

import json

import pytest
from typer.testing import CliRunner

from ramify.cli import app
from ramify.reproduce import FULL, PAPERS, QUICK, Outcomes, render
from ramify.reproduce.papers import arc_templates, martins_2011_sparsity
from ramify.reproduce.treebanks import Treebank

POOL = ["arc: h.p m.p", "arc: h.w m.w", "arc: h.w m.p dist", "arc: h.p m.p btw"]


def point(budget, right, templates):
    return {
        "budget": budget,
        "seconds": 1.0,
        "weights": 1000 * budget + 500,
        "counts": [[right, 10, 10]] * 20,
        "templates": templates,
    }


def outcomes_of(rights):
    """Return outcomes in which ways of selecting get so many of ten heads right, at all budgets, by language."""
    outcomes = Outcomes()
    for language, by_name in rights.items():
        for trial in arc_templates.plan(Treebank(language, "Toy", (), (), ()), quick=True):
            budgets = (400, 300, 200) if "select.path" in trial.study.options else (0,)
            kept = POOL[: 2 if "select.path" in trial.study.options else 4]
            points = [point(budget, by_name.get(trial.name, 5), kept) for budget in budgets]
            record = {"name": trial.name, "outcomes": {}, "probe": {"points": points, "pool": 4, "peak": 9}}
            outcomes.add(language, json.loads(json.dumps(record)))
    return outcomes


def test_quick_plans_are_parts_of_full_ones():
    banks = [Treebank(language, "Toy", (), (), ()) for language in ("sl", "chunks", "es-names", "en")]
    quick, full = (PAPERS["martins-2011-sparsity"].study.plan(banks, scale) for scale in (QUICK, FULL))
    names = {(trial.bank.language, trial.name) for trial in full}
    assert {(trial.bank.language, trial.name) for trial in quick} < names
    assert "en" not in {language for language, _ in names}
    assert len({trial.key(FULL) for trial in full}) == len(full)


def test_group_lasso_may_lose_in_one_language():
    better, worse = {"group lasso": 7, "information gain": 6}, {"group lasso": 5, "information gain": 6}
    gain, fine, cost = arc_templates.claims(outcomes_of({"sl": better, "tr": worse}))
    assert gain.holds
    assert "1 of 2: sl +10.00 (p < 0.001)" in gain.evidence
    assert fine.holds
    assert cost.evidence == "1.00 times the processor's time"
    assert not arc_templates.claims(outcomes_of({"sl": worse, "tr": worse, "ja": better}))[0].holds


def test_pages_have_tables_claims_and_a_picture(tmp_path):
    outcomes = outcomes_of({"sl": {"lasso, C = 10": 4}, "tr": {}})
    text = render(PAPERS["martins-2011-sparsity"], outcomes, QUICK, "the command", "figure.svg")
    assert "| lasso, C = 10 | 40.00, 0k | 50.00, 0k |" in text
    assert "| group lasso, B = 300 | 50.00, 300k | 50.00, 300k |" in text
    assert "| tag → tag | + 50% | + 50% |" in text
    assert "| word → word | ++ 100% | ++ 100% |" in text
    assert "](figure.svg)" in text
    assert "## How this differs from the paper" in text
    assert "Preset" not in text
    assert arc_templates.curves(outcomes)["sl"]["group lasso"] == [(200500, 50.0), (300500, 50.0), (400500, 50.0)]
    pytest.importorskip("matplotlib")
    martins_2011_sparsity.PAPER.draw(outcomes, tmp_path / "figure.svg")
    assert "coarse-to-fine" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_only_papers_with_figures_are_drawn(tmp_path):
    done = CliRunner().invoke(
        app, ["reproduce", "martins-2013", "--data", str(tmp_path), "--plot", str(tmp_path / "a.svg")]
    )
    assert "--plot is for the experiments frontier and martins-2011-sparsity" in done.output + str(done.exception)
