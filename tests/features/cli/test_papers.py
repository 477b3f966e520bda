"""``ramify reproduce PAPER`` on a toy collection of treebanks."""

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from ramify.cli.reproduce import _PAPERS
from ramify.evaluation import compare_counts
from ramify.parsing import Config, Parser
from ramify.parsing.progress import EpochDone
from ramify.reproduce import PAPERS, QUICK, Outcome, Outcomes, Scale, Trial, render, run_trials, treebanks
from ramify.reproduce.page import Verdict, compared
from ramify.reproduce.trials import _run

TINY = Scale(train=20, test=10, max_words=15, epochs=1)
PARSERS = [name for name, paper in PAPERS.items() if paper.preset]  # tests/unit/reproduce has those about selection
SMALL = {"pruner.bits": "14", "pruner.epochs": "1"}


@pytest.fixture
def bank(tmp_path, sample):
    shutil.copy(sample, tmp_path / "xx.conllu")
    rows = ["lang\tname\tkind\ttrain\tdev\ttest", "nl\tUD_Toy\tofficial\txx.conllu\t-\txx.conllu"]
    (tmp_path / "splits.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return treebanks(tmp_path)[0]


@pytest.mark.parametrize("name", PARSERS)
def test_every_parser_of_a_paper_has_a_configuration(name, bank):
    trials = PAPERS[name].study.plan([bank], QUICK)
    assert len({trial.name for trial in trials}) == len(trials)
    for trial in trials:
        config = Config.preset(trial.preset).override(dict(trial.options))
        for options in trial.decodings.values():
            assert config.override(dict(options))
    assert Config.preset(name).to_toml()


def test_the_command_knows_every_paper():
    assert list(PAPERS) == list(_PAPERS)


def test_trials_are_kept_and_not_repeated(bank, tmp_path):
    results = tmp_path / "trials.jsonl"
    ways = {"": {}, "bp": {"inference.method": "belief-propagation"}}
    trials = [Trial(bank, "arcs", "first", {}, ways, probe=lambda parser, sentences: len(sentences))]
    seen = []
    outcomes = run_trials(trials, results, TINY, options=SMALL, report=lambda trial, _: seen.append(trial.name))
    assert seen == ["arcs"]
    one = outcomes.get("nl", "arcs", "bp")
    assert len(one.words) == 10
    assert max(one.words) <= 15
    assert 0 < one.las <= one.uas <= 1
    assert outcomes.probe("nl", "arcs") == 10
    line = json.loads(results.read_text(encoding="utf-8"))
    line["outcomes"]["bp"]["heads"] = line["outcomes"]["bp"]["words"]
    results.write_text(json.dumps(line) + "\n", encoding="utf-8")
    again = run_trials(trials, results, TINY, options=SMALL, report=lambda trial, _: seen.append(trial.name))
    assert again.get("nl", "arcs", "bp").uas == 1.0
    assert seen == ["arcs"]
    run_trials(trials, results, dataclasses.replace(TINY, test=5), options=SMALL, report=lambda *_: seen.append("new"))
    assert seen == ["arcs", "new"]


@pytest.mark.parametrize("broken", ["training", "decoding"])
def test_a_trial_that_was_broken_off_goes_on(bank, tmp_path, monkeypatch, broken):
    """After the last whole epoch, or with the model that was finished; to what it would have been."""
    scale = dataclasses.replace(TINY, epochs=3)
    trials = [Trial(bank, "arcs", "first")]
    whole = run_trials(trials, tmp_path / "whole.jsonl", scale, options=SMALL).get("nl", "arcs")
    epochs = []

    class BrokenError(Exception):
        pass

    def note(event):
        epochs.append(event.epoch)
        if broken == "training" and epochs == [1, 2]:
            raise BrokenError

    def train(*, progress, original=Parser.train, **options):
        def both(event):
            progress(event)
            if isinstance(event, EpochDone):
                note(event)

        return original(progress=both, **options)

    def fail(*arguments):
        raise BrokenError

    results = tmp_path / "trials.jsonl"
    with monkeypatch.context() as patch:
        patch.setattr(Parser, "train", train)
        if broken == "decoding":
            patch.setattr("ramify.reproduce.trials._decode", fail)
        with pytest.raises(BrokenError):
            run_trials(trials, results, scale, options=SMALL, checkpoints=True)
    assert not results.exists()
    assert len(list((tmp_path / "trials.checkpoints").iterdir())) == 1
    with monkeypatch.context() as patch:
        patch.setattr(Parser, "train", train)
        found = run_trials(trials, results, scale, options=SMALL, checkpoints=True).get("nl", "arcs")
    assert epochs == ([1, 2, 2, 3] if broken == "training" else [1, 2, 3])
    assert (found.heads, found.labels) == (whole.heads, whole.labels)
    assert found.train_seconds > 0
    assert not (tmp_path / "trials.checkpoints").exists()


@pytest.mark.parametrize("name", ["martins-2009", "martins-2011"])
def test_probes_of_programs_fill_their_tables(name, bank):
    """The full model alone, on sentences so short that HiGHS takes no time."""
    trial = next(trial for trial in PAPERS[name].study.plan([bank], TINY) if trial.name == "full")
    tiny = dataclasses.replace(TINY, max_words=6)
    trial = dataclasses.replace(trial, options={**trial.options, **SMALL}, num_test=4)
    record = _run(trial, tiny)
    assert [len(values["words"]) for values in record["outcomes"].values()] == [4] * len(trial.decodings)
    outcomes = Outcomes()
    for other in PAPERS[name].study.plan([bank], QUICK):
        outcomes.add("nl", {"name": other.name, "outcomes": record["outcomes"]})
    outcomes.add("nl", json.loads(json.dumps(record)))
    text = render(PAPERS[name], outcomes, QUICK, "the command")
    wanted = {
        "martins-2009": ("| full, LP, cuts |", "AD3's bound is 0.0"),
        "martins-2011": ("| nl, messages, plain | 100% |", "faster"),
    }
    assert all(line in text for line in wanted[name]), text


def outcome(heads, seconds=1.0, certified=1.0):
    return dataclasses.asdict(Outcome(heads, heads, [10] * len(heads), certified, seconds, 1.0))


def test_claims_are_tested_with_pairs_of_sentences():
    outcomes = Outcomes()
    outcomes.add("nl", {"name": "bad", "outcomes": {"": outcome([5] * 40)}})
    outcomes.add("nl", {"name": "good", "outcomes": {"": outcome([8] * 40)}})
    up, down = (outcomes.compare(*pair) for pair in ((("bad", ""), ("good", "")), (("good", ""), ("bad", ""))))
    assert compared("x", up).verdict is Verdict.HOLDS
    assert compared("x", down).verdict is Verdict.FAILS
    same = outcomes.compare(("bad", ""), ("bad", ""))
    assert compared("x", same).verdict is Verdict.NO_DIFFERENCE
    noise = np.random.default_rng(1).integers(0, 2, (2, 40))
    pair = [np.column_stack([5 + row, [10] * 40, [10] * 40]) for row in noise]
    assert compared("x", compare_counts(*pair, samples=500)).verdict is Verdict.NO_DIFFERENCE


@pytest.mark.parametrize("name", PARSERS)
def test_notes_of_tables_are_those_of_the_committed_page(name, bank):
    outcomes = Outcomes()
    for language in PAPERS[name].quick:
        for trial in PAPERS[name].study.plan([dataclasses.replace(bank, language=language)], QUICK):
            ways = {way: outcome([7, 8, 9]) for way in trial.decodings}
            outcomes.add(language, {"name": trial.name, "outcomes": ways})
    page = Path(__file__).parents[3] / "docs" / "papers" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    tables = PAPERS[name].study.tables(outcomes)
    assert [table.title for table in tables if f"## {table.title}\n" not in text] == []
    assert [table.note for table in tables if table.note not in text] == []
    claims = [claim.text for claim in PAPERS[name].study.claims(outcomes)]
    chosen = "the best of five"  # which of them it is depends on the figures
    assert [claim for claim in claims if f"| {claim} |" not in text and chosen not in claim] == []


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize("language", ["nl", "hu"])
def test_pages_have_claims_and_tables(name, bank, language):
    """Also of a language that no paper looks at closely: what was not run is said to be so."""
    outcomes = Outcomes()
    for trial in PAPERS[name].study.plan([dataclasses.replace(bank, language=language)], QUICK):
        outcomes.add(language, {"name": trial.name, "outcomes": {way: outcome([7, 8, 9]) for way in trial.decodings}})
    text = render(PAPERS[name], outcomes, QUICK, "the command")
    assert text.startswith(f"# {PAPERS[name].title}\n")
    assert "`the command`" in text
    assert "80.00" in text
    assert "| no difference found |" in text  # all have the same outcomes
    widths = {}
    for line in text.splitlines():
        if line.startswith("| --- "):
            widths["columns"] = line.count("|")
        elif line.startswith("|") and "columns" in widths:
            assert line.count("|") == widths["columns"], line
        elif not line:
            widths.clear()
