"""``ramify reproduce`` on a toy collection of treebanks."""

import dataclasses
import json
import shutil

import pytest
from typer.testing import CliRunner

from ramify.cli import app
from ramify.errors import InvalidInputError
from ramify.parsing import Config
from ramify.reproduce import (
    PAPERS,
    Outcome,
    Outcomes,
    Run,
    ablations,
    erma,
    frontier,
    languages,
    read_runs,
    run_all,
    treebanks,
)


@pytest.fixture
def collection(tmp_path, sample):
    shutil.copy(sample, tmp_path / "xx.conllu")
    rows = [
        "lang\tname\tkind\ttrain\tdev\ttest",
        "eu\tUD_Toy\tofficial\txx.conllu\t-\txx.conllu",
        "yy\tUD_Other\tsubstitute\txx.conllu\t-\txx.conllu",
    ]
    (tmp_path / "splits.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def test_only_real_splits_are_run(collection):
    banks = treebanks(collection)
    assert [bank.name for bank in banks] == ["UD_Toy"]
    assert [(plan.preset, plan.variant) for plan in languages.plan(banks)] == [
        ("first", ""),
        ("second", ""),
        ("third", ""),
        ("second", "projective"),
    ]


def test_runs_are_kept_and_not_repeated(collection):
    results = collection / "runs.jsonl"
    options = {"training.epochs": "2", "pruner.bits": "14", "pruner.epochs": "1"}
    todo = languages.plan(treebanks(collection))[:1]
    runs = run_all(todo, results, options=options)
    assert runs[0].uas > 0.8
    assert runs[0].las <= runs[0].uas
    assert read_runs(results) == runs
    line = json.loads(results.read_text(encoding="utf-8"))
    results.write_text(json.dumps(line | {"uas": 0.5}) + "\n", encoding="utf-8")
    assert run_all(todo, results, options=options)[0].uas == 0.5
    assert "| UD_Toy | 50.00 / " in languages.table(read_runs(results))


def test_ablations_are_differences_on_dev(tmp_path, sample):
    shutil.copy(sample, tmp_path / "xx.conllu")
    rows = ["lang\tname\tkind\ttrain\tdev\ttest", "tr\tUD_Toy\tofficial\txx.conllu\txx.conllu\t-"]
    (tmp_path / "splits.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    todo = [plan for plan in ablations.plan(treebanks(tmp_path)) if plan.preset == "second"][:2]
    assert [plan.options for plan in todo] == [{}, {"model.without": "word"}]
    options = {"training.epochs": "1", "pruner.bits": "14", "pruner.epochs": "1"}
    whole, without = run_all(todo, tmp_path / "runs.jsonl", options=options)
    rows = ablations.table([whole, without]).splitlines()
    assert rows[2] == f"| nothing, second order | {100 * whole.las:.2f} | {100 * whole.las:.2f} |"
    difference = f"{100 * (without.las - whole.las):+.2f}"
    assert rows[3] == f"| word | {difference} | {difference} |"


def test_a_folder_without_splits_is_refused(tmp_path):
    with pytest.raises(InvalidInputError, match=r"splits\.tsv"):
        treebanks(tmp_path)


def run_of(name, preset, variant, las, speed):
    return Run("xx", name, preset, variant, las + 0.02, las, 10.0, speed, 1.0, 5)


def test_default_and_chosen_losses_are_compared(collection):
    todo = erma.plan(treebanks(collection))
    assert {plan.variant for plan in todo if not plan.on_dev} == {erma.DEFAULT, erma.CHOSEN}
    assert all(Config.preset(plan.preset).override(dict(plan.options)) for plan in todo)
    runs = [
        run_of("UD_A", "second", f"{erma.DEFAULT}, dev", 0.7, 1000.0),
        run_of("UD_A", "second", erma.DEFAULT, 0.8, 1000.0),
        run_of("UD_A", "second", erma.CHOSEN, 0.81, 2000.0),
        run_of("UD_B", "second", erma.DEFAULT, 0.6, 1000.0),
    ]
    text = erma.table(runs)
    assert f"| {erma.DEFAULT} | 72.00 / 70.00, 1,000 |" in text
    assert "| UD_A | 82.00 / 80.00 | 83.00 / 81.00 | +1.00 / +1.00 |" in text
    assert "| UD_B | 62.00 / 60.00 |  |  |" in text
    assert "| mean of 1 | 82.00 / 80.00 | 83.00 / 81.00 | +1.00 / +1.00 |" in text


@pytest.mark.parametrize(("flag", "scale"), [("--quick", frontier.QUICK), ("--full", frontier.FULL)])
def test_the_frontier_is_quick_or_full(collection, monkeypatch, flag, scale):
    seen = []

    def run_trials(todo, results, scale, *, checkpoints, **options):
        seen.append((len(todo), scale, checkpoints))
        return Outcomes()

    monkeypatch.setattr("ramify.reproduce.run_trials", run_trials)
    assert CliRunner().invoke(app, ["reproduce", "frontier", "--data", str(collection), flag]).exit_code == 0
    assert seen == [(10, scale, flag == "--full")]


def test_the_frontier_is_what_nothing_beats(collection, tmp_path):
    trials = frontier.plan(treebanks(collection))
    assert {trial.preset for trial in trials} >= {name for name, paper in PAPERS.items() if paper.preset}
    assert all(Config.preset(trial.preset).override(dict(trial.options)) for trial in trials)
    some = [
        frontier.Point("fast", 0.7, 3000.0),
        frontier.Point("slow and bad", 0.65, 500.0),
        frontier.Point("slow and good", 0.8, 1000.0),
    ]
    assert [point.preset for point in frontier.best(some)] == ["fast", "slow and good"]
    assert "| `fast` | **70.00, 3,000** |" in frontier.table({"xx": some})
    assert "| `slow and bad` | 65.00, 500 |" in frontier.table({"xx": some})
    pytest.importorskip("matplotlib")
    frontier.draw({"xx": some}, tmp_path / "frontier.svg")
    drawn = (tmp_path / "frontier.svg").read_text(encoding="utf-8")
    assert "slow and good" in drawn
    frontier.draw({"xx": some}, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text(encoding="utf-8") == drawn
    with pytest.raises(InvalidInputError, match=r"\.svg files; got .*frontier\.png"):
        frontier.check_plot(tmp_path / "frontier.png")
    outcomes = Outcomes()
    outcomes.add("xx", {"name": "first", "outcomes": {"": dataclasses.asdict(Outcome([1], [1], [2], 1.0, 0.5, 1.0))}})
    assert frontier.points(outcomes) == {"xx": [frontier.Point("first", 0.5, 4.0)]}
