"""``ramify parse --cluster``: the bytes of the same command without it."""

from __future__ import annotations

import pytest


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text("Dogs bark. Cats sleep.\n\nShe saw it.")
    (folder / "c.conllu").write_text("# sent_id = x\n1\tDogs\t_\t_\t_\t_\t_\t_\t_\t_\n\n" * 3)
    return folder


@pytest.fixture
def here(monkeypatch):
    """Let processes:1 work in this process, which starts faster."""
    from support.workers import Here

    monkeypatch.setattr("ramify.distributed.ProcessRunner", lambda workers: Here())


@pytest.mark.parametrize("output", ["out.conllu", "out/"])
def test_bytes_are_those_without_a_cluster(run, here, pipeline_model, corpus, tmp_path, output):
    for folder, more in {"one": (), "many": ("--cluster", "processes:1")}.items():
        (tmp_path / folder).mkdir()
        done = run("parse", pipeline_model, corpus, "--output", f"{tmp_path}/{folder}/{output}", *more)
        assert (done.returncode, done.stderr) == (0, "")
    one, many = (
        {path.relative_to(tmp_path / folder): path.read_bytes() for path in (tmp_path / folder).rglob("*.conllu")}
        for folder in ("one", "many")
    )
    assert one == many
    assert len(one) in (1, 3)


def test_what_failed_is_said(run, here, pipeline_model, tmp_path):
    (tmp_path / "c.jsonl").write_text('{"text": "Dogs bark."}\n{"text": 5}\n')
    done = run("parse", pipeline_model, tmp_path / "c.jsonl", "-o", tmp_path / "out.jsonl", "--cluster", "processes:1")
    assert done.returncode == 1
    assert "0 shards were not written, and 1 documents or sentences have no tree" in " ".join(done.stderr.split())
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2


def test_wrong_usage(run, corpus):
    def refused(*arguments):
        done = run("parse", corpus, *arguments)
        assert done.returncode == 2
        return " ".join(done.stderr.split())

    assert "--k-best does not work together with --cluster" in refused("--cluster", "auto", "--k-best", "2", "-o", "x/")
    assert "reads files and writes files" in refused("--cluster", "auto")
    assert "expects ray://HOST:PORT, auto, local:N or processes:N; got 'spark'" in refused(
        "--cluster", "spark", "-o", "x/"
    )
    assert "workers" in refused("--cluster", "processes:0", "-o", "x/")
