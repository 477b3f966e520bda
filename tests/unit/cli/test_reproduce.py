"""``ramify reproduce`` on a toy collection of treebanks."""

import json
import shutil

import pytest

from ramify.errors import InvalidInputError
from ramify.reproduce import ablations, languages, read_runs, run_all, treebanks


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
