"""Shards cover every byte and every row of a corpus once, and break no sentence."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from ramify.data import read
from ramify.distributed.shards import plan_shards
from ramify.errors import InvalidInputError


def pieces(path, shards):
    data = Path(path).read_bytes()
    return [data[shard.start : shard.stop] for shard in shards]


def test_treebanks_are_divided_between_sentences(pytestconfig):
    path = str(pytestconfig.rootpath / "tests/data/ewt-sample-200.conllu")
    shards = plan_shards([(path, "ewt")], None, ".conllu", 20_000)
    data = Path(path).read_bytes()
    assert len(shards) >= 5
    assert b"".join(pieces(path, shards)) == data
    assert all(piece.endswith(b"\n\n") and len(piece) >= 20_000 for piece in pieces(path, shards)[:-1])
    assert [shard.first for shard in shards] == [data[: shard.start].count(b"\n") + 1 for shard in shards]
    assert [shard.output for shard in shards][:2] == ["ewt-00000.conllu", "ewt-00001.conllu"]
    assert sum(len(list(read_piece(piece))) for piece in pieces(path, shards)) == 200


def read_piece(piece):
    import io

    return read(io.BytesIO(piece), format="conllu")


def test_json_lines_are_divided_between_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "x"}\r\n' * 10 + b'{"text": "last"}')
    shards = plan_shards([(str(path), "a")], None, ".conllu", 40)
    assert pieces(path, shards) == [b'{"text": "x"}\r\n' * 3] * 3 + [b'{"text": "x"}\r\n{"text": "last"}']
    assert [shard.first for shard in shards] == [1, 4, 7, 10]


def test_text_and_compressed_files_are_one_shard(tmp_path):
    (tmp_path / "a.txt").write_text("One. Two.\n\n" * 100)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b'{"text": "x"}\n' * 100))
    shards = plan_shards([(str(tmp_path / name), name[0]) for name in ("a.txt", "b.jsonl.gz")], None, ".conllu", 10)
    assert [(s.format, s.start, s.stop, s.output) for s in shards] == [
        ("text", 0, -1, "a.conllu"),
        ("jsonl", 0, -1, "b.conllu"),
    ]


def test_parquet_is_divided_between_row_groups(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = str(tmp_path / "a.parquet")
    parquet.write_table(pyarrow.table({"text": [f"Text {i}." for i in range(10)]}), path, row_group_size=3)
    shards = plan_shards([(path, "a")], None, ".parquet", 1)
    assert [(shard.start, shard.stop, shard.first) for shard in shards] == [(0, 1, 1), (1, 2, 4), (2, 3, 7), (3, 4, 10)]


def test_unknown_formats():
    with pytest.raises(
        InvalidInputError, match=r"formats text, conllu, jsonl, parquet; the suffix of 'a.pdf' names none"
    ):
        plan_shards([("a.pdf", "a")], None, ".conllu", 1)
    with pytest.raises(InvalidInputError, match="got the format 'csv'"):
        plan_shards([("a.txt", "a")], "csv", ".conllu", 1)
