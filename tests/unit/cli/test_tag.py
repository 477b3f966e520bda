"""``ramify train --task tag`` and ``ramify tag``."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from ramify.data import read, read_sequences

SAMPLE = "tests/data/ewt-sample-200.conllu"


def ramify(*arguments, stdin=None):
    command = [sys.executable, "-m", "ramify", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "upos.zip"
    done = ramify("train", "--task", "tag", "--train", SAMPLE, "--output", path, "--training.epochs", "2")
    assert done.returncode == 0, done.stderr
    assert b"200 sentences" in done.stderr
    assert b"epoch 2: loss" in done.stderr
    return path


@pytest.fixture(scope="module")
def chunk_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "chunks.txt"
    path.write_text("the DT B-NP\nold JJ I-NP\ndog NN I-NP\nbarks VBZ B-VP\n. . O\n\nit PRP B-NP\nis VBZ B-VP\n\n" * 6)
    return path


@pytest.fixture(scope="module")
def chunker(tmp_path_factory, chunk_file):
    path = tmp_path_factory.mktemp("models") / "chunk"
    done = ramify("train", "--task", "tag", "--preset", "chunk", "--train", chunk_file, "--dev", chunk_file, "-o", path)
    assert done.returncode == 0, done.stderr
    assert b"F1 100.00 (best so far)" in done.stderr
    return path


def test_treebank_in_treebank_out(model):
    blank = b"".join(
        b"\t".join([*line.split(b"\t")[:3], b"_", *line.split(b"\t")[4:]]) if line[:1].isdigit() else line
        for line in Path(SAMPLE).read_bytes().splitlines(keepends=True)
    )
    done = ramify("tag", model, stdin=blank)
    assert done.returncode == 0, done.stderr
    gold = list(read(SAMPLE))
    tagged = list(read(io.BytesIO(done.stdout)))
    right = [a == b for s, t in zip(gold, tagged, strict=True) for a, b in zip(s.upos, t.upos, strict=True)]
    assert sum(right) > 0.9 * len(right)
    assert [s.xpos for s in gold] == [s.xpos for s in tagged]
    assert [s.comments for s in gold] == [s.comments for s in tagged]


def test_probabilities_and_k_best(model, tmp_path):
    out = tmp_path / "out.conllu"
    done = ramify("tag", model, SAMPLE, "--marginals", "--k-best", "2", "--threads", "2", "-o", out)
    assert done.returncode == 0, done.stderr
    sentences = list(read(out))
    assert len(sentences) > 350
    assert sentences[0].metadata("labelling_rank") == "1"
    assert float(sentences[0].metadata("labelling_score")) >= float(sentences[1].metadata("labelling_score"))
    assert all("UposProb=" in misc for misc in sentences[0].misc)


@pytest.mark.parametrize("with_labels", [True, False])
def test_column_files(chunker, chunk_file, with_labels, tmp_path):
    source = chunk_file
    if not with_labels:
        source = tmp_path / "words"
        lines = chunk_file.read_text().splitlines()
        source.write_text("\n".join(" ".join(line.split()[:2]) for line in lines) + "\n")
    out = tmp_path / "out.txt"
    done = ramify("tag", chunker, source, "-o", out)
    assert done.returncode == 0, done.stderr
    gold = list(read_sequences(chunk_file, columns=["form", "pos", "label"]))
    found = list(read_sequences(out, columns=["form", "pos", "label"]))
    assert [s.columns for s in gold] == [s.columns for s in found]


def test_column_file_with_probabilities(chunker, chunk_file):
    done = ramify("tag", chunker, chunk_file, "--marginals", "--k-best", "2")
    assert done.returncode == 0, done.stderr
    first = done.stdout.decode().splitlines()
    assert first[0] == "# labelling_rank = 1"
    assert first[2].split()[:3] == ["the", "DT", "B-NP"]
    assert 0.5 < float(first[2].split()[3]) <= 1.0


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["tag", "no-such-model", SAMPLE], 1, b"there is no such model"),
        (["train", "--task", "tag", "--train", SAMPLE], 2, b"expects --output MODEL"),
        (
            ["train", "--task", "tags", "--train", SAMPLE, "-o", "x"],
            2,
            b"--task expects one of parse, tag, segment, pipeline, compress, summarize; got 'tags'",
        ),
        (["train", "--task", "tag", "--train", SAMPLE, "-o", "x", "--resume"], 1, b"There is no checkpoint to resume"),
        (["train", "--task", "tag", "--train", SAMPLE, "-o", "x", "--folds", "3"], 2, b"--task tag takes no --folds"),
        (["train", "--task", "tag", "--preset", "first", "--train", SAMPLE, "-o", "x"], 2, b"preset expects one of"),
    ],
)
def test_wrong_usage(arguments, status, message):
    done = ramify(*arguments)
    assert done.returncode == status
    assert message in done.stderr
    assert b"Traceback" not in done.stderr


def test_columns_that_do_not_fit(chunker, tmp_path):
    source = tmp_path / "wide"
    source.write_text("a b c d e\n\n")
    done = ramify("tag", chunker, source)
    assert done.returncode == 1
    assert b"expects the columns form, pos, label (label may be missing); found 5 columns" in done.stderr


def test_pictures_are_not_what_it_writes(model, tmp_path):
    done = ramify("tag", model, SAMPLE, "-o", tmp_path / "tagged.svg")
    assert done.returncode == 2
    assert b"--output expects a file that ends in .conllu, .conllx or .conll" in done.stderr
    assert list(tmp_path.iterdir()) == []
