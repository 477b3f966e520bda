"""Data of the experiments on summaries, and both papers on a few invented inputs."""

import csv
import json

import pytest

from ramify.reproduce import PAPERS, QUICK, Outcomes, render
from ramify.reproduce.summaries import inputs_of, pairs_of, summary_banks
from ramify.reproduce.trials import run_trials

ANIMALS = ("cat", "dog", "fox", "hen", "owl", "pig", "rat", "ant", "bee", "cow", "elk", "emu")
PLACES = ("garden", "river", "forest", "kitchen")


def story(animal, place):
    return [
        f"Yesterday, the {animal}, which was very hungry, ran to the {place}.",
        "The weather was rather bad.",
        f"People in the {place} were surprised by the {animal}.",
        f"The {animal} ate bread in the {place}, the police said on Monday.",
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    (root / "summarization/scitldr-a").mkdir(parents=True)
    stories = [(animal, PLACES[i % 4]) for i, animal in enumerate(ANIMALS)]
    with (root / "summarization/scitldr-a/dev.jsonl").open("w", encoding="utf-8") as file:
        for animal, place in stories:
            row = {"paper_id": animal, "source": story(animal, place)}
            row["target"] = [f"The {animal} ran to the {place}.", f"The {animal} ate bread."]
            file.write(json.dumps(row) + "\n")
    pairs = root / "compression/google-sentence-compression-eval/eval_data.csv"
    pairs.parent.mkdir(parents=True)
    with pairs.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["original", "compressed"])
        for i in range(1040):
            animal, place = stories[i % 12]
            writer.writerow([story(animal, place)[0], f"The {animal} ran to the {place}."])
    return root


@pytest.fixture(scope="module")
def banks(folder):
    return {bank.language: bank for bank in summary_banks(folder)}


def test_banks_are_the_sets_that_are_there(banks, tmp_path):
    assert list(banks) == ["scitldr", "pairs"]
    assert summary_banks(tmp_path) == []


def test_every_third_cluster_is_for_the_test(banks):
    inputs = inputs_of(banks["scitldr"], QUICK)
    names = [[cluster.id for cluster in part] for part in (inputs.train, inputs.dev, inputs.test)]
    assert names[2] == list(ANIMALS[::3])
    assert sorted(name for part in names for name in part) == sorted(ANIMALS)


def test_the_first_pairs_are_the_test(banks, monkeypatch):
    monkeypatch.setattr("ramify.reproduce.summaries._QUICK_PAIRS", (5, 3, 2))
    train, dev, test = pairs_of(banks["pairs"].train[0], QUICK)
    assert [len(train), len(dev), len(test)] == [5, 3, 2]
    assert test[0].forms[3] == ANIMALS[0]
    assert dev[0].forms[3] == ANIMALS[1000 % 12]


@pytest.mark.parametrize("name", ["martins-smith-2009", "almeida-martins-2013"])
def test_pages_have_all_systems(banks, monkeypatch, tmp_path, name):
    monkeypatch.setattr("ramify.reproduce.summaries._QUICK_PAIRS", (20, 5, 10))
    paper = PAPERS[name]
    results = tmp_path / "results.jsonl"
    trials = paper.study.plan(banks.values(), QUICK)
    assert trials
    outcomes = run_trials(trials, results, QUICK, options={})
    again = run_trials(trials, results, QUICK, options={})
    text = render(paper, outcomes, QUICK, "the command")
    assert text == render(paper, again, QUICK, "the command")
    for title in ("Claims", "How this differs from the paper", "Where it is", "Table 2"):
        assert f"## {title}" in text
    systems = outcomes.probe("scitldr", "Table 2")["systems"]
    assert all(len(own["R2"]) == 4 and own["words"] <= 25 for own in systems.values())
    assert all(f"| {system} |" in text for system in systems)


def test_pages_without_results_claim_nothing():
    for name in ("martins-smith-2009", "almeida-martins-2013"):
        claims = PAPERS[name].study.claims(Outcomes())
        assert claims
        assert all(claim.holds is None for claim in claims)


def test_no_decoder_is_better_than_the_integer_program(banks, monkeypatch, tmp_path):
    monkeypatch.setattr("ramify.reproduce.papers.almeida_martins_2013._DECODED", "scitldr")
    paper = PAPERS["almeida-martins-2013"]
    trials = [trial for trial in paper.study.plan(banks.values(), QUICK) if trial.name == "Table 3"]
    outcomes = run_trials(trials, tmp_path / "results.jsonl", QUICK, options={})
    found = outcomes.probe("scitldr", "Table 3")["decoders"]
    best = found["ILP"]["value"]
    assert len(best) == 4
    for own in found.values():
        assert all(value <= most + 1e-6 for value, most in zip(own["value"], best, strict=True))
    text = render(paper, outcomes, QUICK, "the command")
    assert "## Table 3: decoders" in text
    assert "| ours: the default |" in text
