"""``ramify train``, ``ramify parse`` and ``ramify info`` as a shell sees them."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from ramify.cli import main
from ramify.data import read
from ramify.evaluation import attachment_scores
from ramify.parsing import Config, train

SMALL = ("--pruner.bits", "16", "--pruner.epochs=1")


def command(*arguments):
    return [sys.executable, "-m", "ramify", *map(str, arguments)]


def run(*arguments, stdin=""):
    return subprocess.run(
        command(*arguments), input=stdin, capture_output=True, text=True, check=False, timeout=120, encoding="utf-8"
    )


def test_from_treebank_to_trees(sample, tmp_path):
    model, parsed = tmp_path / "model", tmp_path / "parsed.conllu"
    options = ("--preset", "first", "--train", sample, "--dev", sample, "--output", model, "--licence", "CC BY-SA 4.0")
    done = run("train", *options, "--training.epochs", 2, *SMALL, "--seed", 7)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0] == "200 sentences, 1,875 words"
    assert lines[1].startswith("pruner: ")
    assert [line.split(":")[0] for line in lines[2:]] == ["epoch 1", "epoch 2", "model"]
    kept = Config.read(model / "config.toml")
    assert (kept.training.epochs, kept.training.seed, kept.pruner.bits) == (2, 7, 16)

    card = run("info", model)
    assert card.returncode == 0
    assert "CC BY-SA 4.0" in card.stdout
    facts = json.loads(run("info", model, "--json").stdout)
    assert facts["train"]["words"] == 1875

    assert run("parse", model, sample, "--output", parsed).returncode == 0
    scores = attachment_scores(sample, parsed, subtypes=False)
    assert scores.uas > 0.95
    assert (scores.uas, scores.las) == (facts["scores"]["uas"], facts["scores"]["las"])


def test_streams_threads_and_compression_change_nothing(model, parser, sample, tmp_path):
    text = sample.read_text(encoding="utf-8")
    from_pipe = run("parse", model, stdin=text)
    assert from_pipe.returncode == 0
    assert from_pipe.stderr == ""
    assert from_pipe.stdout == "".join(result.sentence.to_conllu() for result in parser.parse(read(sample)))
    packed = tmp_path / "parsed.conllu.gz"
    assert run("parse", model, sample, "-o", packed, "--threads", 4, "--batch-size", 7).returncode == 0
    assert gzip.decompress(packed.read_bytes()).decode() == from_pipe.stdout


def test_parse_takes_conllx_and_several_roots(model, samples):
    danish = samples / "treebanks" / "da_cdt-sample.conll"
    done = run("parse", model, danish, "--from", "conllx")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == len(danish.read_text(encoding="utf-8").splitlines())
    two_roots = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    assert run("parse", model, stdin=two_roots).returncode == 0


def test_parse_warns_where_there_are_no_tags(model):
    done = run("parse", model, stdin="1\tHi\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    assert done.returncode == 0
    assert done.stdout.startswith("1\tHi\t_\t_\t_\t_\t0\t")
    assert "no tags in column UPOS" in done.stderr


def test_parse_of_nothing(model):
    done = run("parse", model)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_interrupted_and_resumed(sample, tmp_path, number):
    output = tmp_path / "model"
    config = Config.preset("first").override({"training.epochs": "12", "pruner.bits": "16", "pruner.epochs": "1"})
    (tmp_path / "config.toml").write_text(config.to_toml())
    arguments = ("train", tmp_path / "config.toml", "--train", sample, "-o", output)
    with subprocess.Popen(command(*arguments), stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if line.startswith("epoch  1:"):
                process.send_signal(number)
                break
        rest = process.stderr.read()
        assert process.wait() == 128 + number
    assert "To continue, run the same command with --resume." in " ".join(rest.split())
    assert "Traceback" not in rest
    again = run(*arguments, "--resume")
    assert again.returncode == 0, again.stderr
    assert "epoch  1:" not in again.stderr
    train(config, sample, output=tmp_path / "whole")
    assert (output / "weights.safetensors").read_bytes() == (tmp_path / "whole" / "weights.safetensors").read_bytes()


@pytest.mark.parametrize(
    "task",
    [
        ("--task", "tag", "--training.epochs", "40"),
        ("--task", "segment", "--training.epochs", "40", "--model.bits", "12"),
    ],
)
def test_every_task_resumes(sample, tmp_path, task):
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}

    def arguments(name):
        return ("train", *task, "--train", sample, "-o", tmp_path / name)

    with subprocess.Popen(command(*arguments("model")), stderr=subprocess.PIPE, text=True, env=environment) as process:
        for line in process.stderr:
            if line.startswith("epoch  2:"):
                process.send_signal(signal.SIGTERM)
                break
        rest = process.stderr.read()
        assert process.wait() == 128 + signal.SIGTERM
    assert "To continue, run the same command with --resume." in " ".join(rest.split())
    for name in ("model", "whole"):
        more = ("--resume",) if name == "model" else ()
        done = subprocess.run(command(*arguments(name), *more), capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        assert ("epoch  1:" in done.stderr) is (name == "whole")
    files = sorted(path.name for path in (tmp_path / "whole").iterdir())
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == files
    for name in files:
        assert (tmp_path / "model" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    ("arguments", "line", "advice"),
    [
        (("--preset", "first", "--pruner.epochs", "1000"), "200 sentences", "start it again with the same command"),
    ],
)
def test_interrupted_before_there_is_anything(sample, tmp_path, number, arguments, line, advice):
    options = ("train", *arguments, "--train", sample, "-o", tmp_path / "model.zip")
    with subprocess.Popen(command(*options), stderr=subprocess.PIPE, text=True) as process:
        for shown in process.stderr:
            if shown.startswith(line):
                process.send_signal(number)
                break
        rest = process.stderr.read()
        assert process.wait() == 128 + number
    assert advice in rest
    assert "Traceback" not in rest
    assert list(tmp_path.iterdir()) == []


def test_models_are_not_overwritten_unasked(model, sample, tmp_path):
    copy = shutil.copytree(model, tmp_path / "model")
    arguments = ("train", "--preset", "first", "--train", sample, "-o", copy, "--training.epochs", 1, *SMALL)
    for more in ((), ("--task", "tag", "--preset", "upos")):
        done = run(*(a for a in arguments if not more or a not in ("--preset", "first", *SMALL)), *more)
        assert done.returncode == 1
        assert f"ramify: There is a model at {copy} already" in done.stderr
        assert "--overwrite" in done.stderr
    assert run(*arguments, "--overwrite").returncode == 0
    assert Config.read(copy / "config.toml").training.epochs == 1


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["train"], 2, "ramify train expects --output MODEL"),
        (["train", "-o", "m"], 2, "ramify train expects --train FILE (or [data] train = … in the configuration)."),
        (["train", "-o", "m", "--train", "none.conllu"], 1, "none.conllu: No such file or directory"),
        (["train", "none.toml"], 1, "none.toml: No such file or directory"),
        (["train", "none.toml", "--preset", "first"], 2, "a CONFIG or a --preset"),
        (["train", "--preset", "fourth"], 2, "preset expects one of 'auto', 'default', 'first', "),
        (["train", "--training.epoch", "3"], 2, "Did you mean 'training.epochs'?"),
        (["train", "--training.epochs", "x"], 2, 'training.epochs expects a whole number, 1 to 100000; got "x".'),
        (["train", "--training.epochs"], 2, "--training.epochs: it needs a value"),
        (["train", "--epochs", "3"], 2, "No such option"),
        (["train", "--threads", "-1"], 2, "--threads"),
        (["parse", "in.txt", "--text", "x"], 2, "--text takes the place of a file; got both"),
        (["parse", "none"], 1, "none: there is no such model"),
        (["parse", ".", "none.conllu"], 1, ". is a folder without a file to read"),
    ],
)
def test_what_is_wrong_is_said(arguments, status, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["ramify", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert ended.value.code == status
    assert out == ""
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_info_of_a_damaged_model(model, tmp_path):
    damaged = shutil.copytree(model, tmp_path / "model")
    (damaged / "card.md").write_text("all is well")
    done = run("info", damaged)
    assert done.returncode == 1
    assert done.stderr == (
        f"ramify: {damaged}: card.md: the content does not match its checksum in SHA256SUMS; "
        "the copy is damaged; fetch or train the model again\n"
    )
