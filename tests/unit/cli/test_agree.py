"""``ramify agree``: its tables and its JSON."""

from __future__ import annotations

import json

from ramify.data import Sentence, write


def test_tables_and_json(run, tmp_path):
    a, b = tmp_path / "a.conllu", tmp_path / "b.conllu"
    write([Sentence(["I", "see"], heads=[2, 0], deprels=["nsubj", "root"])] * 2, a)
    write([Sentence(["I", "see"], heads=[2, 0], deprels=["[obj]", "root"])] * 2, b)
    done = run("agree", a, b)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["2", "sentences,", "4", "words"]
    assert ["UAS", "100.00", "100.00", "to", "100.00"] in lines
    assert ["LAS", "50.00", "50.00", "to", "50.00"] in lines
    assert ["kappa", "of", "labels", "0.333", "0.333", "to", "0.333"] in lines
    assert [line[:5] for line in lines if line[:1] == ["root"]] == [["root", "2", "2", "2", "100.00"]]
    assert [line[:5] for line in lines if line[:1] == ["[obj]"]] == [["[obj]", "0", "2", "0", "0.00"]]
    result = json.loads(run("agree", a, b, "--json", "--samples", 5).stdout)
    assert (result["las"]["value"], result["samples"], result["by_label"][0]["label"]) == (0.5, 5, "root")


def test_errors(run, tmp_path):
    a, b = tmp_path / "a.conllu", tmp_path / "b.conllu"
    write([Sentence(["I"], heads=[0], deprels=["root"])], a)
    write([Sentence(["We"], heads=[0], deprels=["root"])], b)
    done = run("agree", a, b)
    assert (done.returncode, "A has 'I', B 'We'" in done.stderr) == (1, True)
