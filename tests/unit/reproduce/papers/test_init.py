"""Pages of the papers with what their probes really measure, on a few sentences."""

import dataclasses
import json

import pytest

from ramify.parsing import Parser
from ramify.reproduce import PAPERS, QUICK, Outcome, Outcomes, Scale, render, run_trials, treebanks
from ramify.reproduce.papers import joint_tags, riedel_smith_2010, smith_eisner_2008
from ramify.reproduce.trials import UNPRUNED, Trial


def outcome(heads, words):
    return dataclasses.asdict(Outcome(heads, heads, words, 1.0, 1.0, 1.0))


@pytest.fixture
def bank(tmp_path, sample):
    (tmp_path / "xx.conllu").write_bytes(sample.read_bytes())
    rows = ["lang\tname\tkind\ttrain\tdev\ttest", "nl\tUD_Toy\tofficial\txx.conllu\t-\txx.conllu"]
    (tmp_path / "splits.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return treebanks(tmp_path)[0]


def page(name, bank, probes, words):
    """Render with these probes, by trial; every decoding got half of the heads."""
    outcomes = Outcomes()
    for trial in PAPERS[name].study.plan([bank], QUICK):
        ways = {} if trial.study else {way: outcome([w // 2 for w in words], words) for way in trial.decodings}
        record = {"name": trial.name, "outcomes": ways, "probe": probes.get(trial.name)}
        outcomes.add("nl", json.loads(json.dumps(record)))
    return render(PAPERS[name], outcomes, QUICK, "the command")


def test_relaxation(bank, sentences):
    options = {"training.epochs": "1", "pruner.epochs": "1", "pruner.bits": "14", "training.threshold": "0", **UNPRUNED}
    parser = Parser.train(train=sentences[:40], preset="riedel-smith-2010", options=options)
    few = sentences[60:66]
    rows = riedel_smith_2010.quality_of_subgraphs(parser, few)
    assert sorted(row["words"] for row in rows) == sorted(map(len, few))
    for row in rows:
        shares = {name: figures[1] for name, figures in row["ways"].items()}
        assert shares["BP"] == 1.0
        assert shares["Rel(∞, 0.1)"] <= shares["Rel(1, 0.0001)"] <= shares["Rel(∞, 0.0001)"] <= 1.0
        assert shares["pruned at 0.5"] <= shares["pruned at 0.1"]
        assert row["rounds"]["0"][5] == 0
        assert row["rounds"]["1"][4] <= row["rounds"]["0"][4] + 1e-9
    text = page("riedel-smith-2010", bank, {"second order": rows}, [len(s) for s in few])
    for title in ("Table 1", "Training by relaxed BP", "Table 2: subgraphs, nl", "Figure 1", "η as a rule to stop, nl"):
        assert f"## {title}" in text
    assert "rank correlation" in text


def test_search_and_tags(bank, sentences, second_order, projective_parsers, monkeypatch):
    few = sentences[60:64]
    climbed = smith_eisner_2008.hill_climbing(second_order, few)
    assert climbed["best at the start"] <= climbed["best"] <= 1.0
    assert len(climbed["heads"]) == len(few)
    probes = {"GRAND+CHILDSEQ": climbed}
    for name, parts in (("GRAND, projective", "grand"), ("GRAND+CHILDSEQ, projective", "sibling,grand")):
        probes[name] = smith_eisner_2008.search_by_length(projective_parsers[parts], few)
    monkeypatch.setattr(joint_tags, "NUM_EPOCHS", 1)
    tags = joint_tags.compare_systems(bank, Scale(train=30, test=8, max_words=40, epochs=1))
    assert (tags["train"], len(tags["words"])) == (30, 8)
    for heads, own in tags["right"].values():
        assert all(
            0 <= right <= words for counts in (heads, own) for right, words in zip(counts, tags["words"], strict=True)
        )
    probes["joint tags"] = tags
    text = page("smith-eisner-2008", bank, probes, [len(s) for s in few])
    for title in ("Table 2 (b)", "Figures 2 and 3", "Figure 4", "Joint tags"):
        assert f"## {title}" in text
    assert "hill climbing" in text
    assert "Joint inference finds better tags" in text


def test_a_study_needs_no_parser(bank, tmp_path):
    def count(bank, scale):
        return [bank.language, scale.train]

    results = tmp_path / "results.jsonl"
    outcomes = run_trials([Trial(bank, "count", "first", study=count)], results, QUICK, options={})
    assert outcomes.probe("nl", "count") == ["nl", 500]
    assert outcomes.get("nl", "count") is None
    assert json.loads(results.read_text(encoding="utf-8"))["outcomes"] == {}
