from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ramify.cli import app
from ramify.compression import Compressor
from ramify.data import read


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compress")
    pairs = [("The very old man slept.", "The man slept."), ("A big dog barked loudly.", "A dog barked.")]
    lines = [json.dumps({"original": long, "compressed": short}) for long, short in pairs]
    (folder / "pairs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    path = folder / "model.zip"
    arguments = ["train", "--task", "compress", "--train", str(folder / "pairs.jsonl"), "-o", str(path)]
    result = CliRunner().invoke(app, [*arguments, "--training.epochs", "3"])
    assert result.exit_code == 0, result.output
    return str(path)


def run(*arguments, text=""):
    result = CliRunner().invoke(app, ["compress", *arguments], input=text)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def test_text_and_treebanks(model, tmp_path):
    assert run(model, text="The very old man slept.") == "The man slept.\n"
    marked = run(model, "--format", "conllu", text="The very old man slept.")
    path = tmp_path / "marked.conllu"
    path.write_text(marked, encoding="utf-8")
    assert [token.misc for token in next(iter(read(path)))][1:3] == ["Cut=Yes", "Cut=Yes"]
    found = json.loads(run(model, str(path), "--format", "json"))
    assert found["text"] == "The man slept."
    assert found["words"] == [1, 4, 5, 6]


def test_budgets(model):
    assert run(model, "--words", "3", text="A big dog barked.") == "A dog barked.\n"
    assert run(model, "--rate", "1", text="A dog barked.") == "A dog barked.\n"
    assert len(Compressor.load(model).card) > 10


@pytest.mark.parametrize(
    ("option", "message"), [(["--rate", "2"], "above 0 and at most 1"), (["--format", "x"], "text, json")]
)
def test_wrong_options(model, option, message):
    assert message in str(CliRunner().invoke(app, ["compress", model, *option]).exception)
