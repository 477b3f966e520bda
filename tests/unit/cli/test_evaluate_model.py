"""``ramify evaluate MODEL TREEBANK``."""

from __future__ import annotations

import json


def test_models_do_a_treebank_again(run, pipeline_model, nlp, model, parser, sample, tmp_path):
    for arguments, scores, note in [
        ([pipeline_model], nlp.evaluate(sample), "was given raw text"),
        ([pipeline_model, "--gold-tokens"], nlp.evaluate(sample, gold_tokens=True), "sentences and words of the"),
        ([model], parser.evaluate(sample), "words and all columns"),
    ]:
        done = run("evaluate", *arguments, sample, "--json", "--by", "label")
        assert done.returncode == 0, done.stderr
        (system,) = json.loads(done.stdout)["systems"]
        assert system["name"] == arguments[0].name
        assert system["conll18"]["LAS"]["f1"] == scores.las.f1
        assert note in done.stderr
    nlp.save(tmp_path / "model.zip")
    assert run("evaluate", tmp_path / "model.zip", sample).returncode == 0


def test_taggers_do_a_treebank_again(run, pipeline_model, nlp, sample):
    done = run("evaluate", pipeline_model / "upos", sample, "--json")
    (system,) = json.loads(done.stdout)["systems"]
    assert system["chunks"]["accuracy"] == nlp.taggers["upos"].evaluate(sample).accuracy
    assert "VERB" in system["chunks"]["by_type"]
    assert "VERB" in run("evaluate", pipeline_model / "upos", sample).stdout


def test_wrong_use_of_models(run, pipeline_model, sample):
    for arguments, message in [
        ([sample, sample, "--gold-tokens"], "is no model"),
        ([pipeline_model, sample, sample], "expects one treebank; got 2"),
        ([pipeline_model / "segmenter", sample], "is a segmenter"),
        ([pipeline_model / "upos", sample, "--by", "label"], "which is a tagger"),
        ([pipeline_model, sample, "--sequences"], "--sequences is for column files"),
        ([pipeline_model, "none.conllu"], "There is no file 'none.conllu'"),
    ]:
        done = run("evaluate", *arguments)
        assert done.returncode in (1, 2)
        assert message in done.stderr
