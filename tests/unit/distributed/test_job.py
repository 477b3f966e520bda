"""Jobs over shards: the bytes of one run on one machine, restarts, and failures that are not fatal."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ramify.distributed import ProcessRunner, parse_corpus
from ramify.errors import InvalidInputError
from support.workers import Here

TEXT = "Dogs bark. Cats sleep.\n\nShe saw it in 1990."


@pytest.fixture
def documents(tmp_path):
    path = tmp_path / "c.jsonl"
    lines = [json.dumps({"id": f"d{i}", "text": f"Dogs bark. Number {i}.", "year": i}) for i in range(8)]
    path.write_text("\n".join([*lines, '{"oops"', '{"text": "She saw it."}']) + "\n")
    return str(path)


@pytest.fixture
def job(pipeline_model, documents, tmp_path):
    def run(output, **how):
        how = {"model": str(pipeline_model), "shard_bytes": 100, "runner": Here()} | how
        return parse_corpus([documents], f"{tmp_path}/{output}", **how)

    return run


def test_processes_give_the_bytes_of_the_pipeline(nlp, job, documents, tmp_path):
    result = job("out.conllu", runner=ProcessRunner(2))
    texts = [f"Dogs bark. Number {i}." for i in range(8)]
    names = [f"d{i}" for i in range(8)]
    wanted = []
    for name, text in zip([*names, "10"], [*texts, "She saw it."], strict=True):
        conllu = nlp(text).to_conllu().replace("# sent_id = ", f"# sent_id = {name}-")
        wanted.append(f"# newdoc id = {name}\n{conllu}")
    assert (tmp_path / "out.conllu").read_text() == "".join(wanted)
    assert result.failures == (("9", next(iter(result.failures))[1]),)
    assert "c.jsonl:9: expected a JSON object" in result.failures[0][1]
    assert result.words == sum(len(nlp(text)) for text in [*texts, "She saw it."])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.jsonl", "out.conllu", "out.conllu.failures.jsonl"]


def test_json_lines_keep_rows_fields_and_order(job, tmp_path):
    result = job("parsed/", output_format="jsonl")
    assert len(result.outputs) >= 4
    rows = [json.loads(line) for path in result.outputs for line in path.read_text().splitlines()]
    assert [row["id"] for row in rows] == [*[f"d{i}" for i in range(8)], "9", "10"]
    assert [row.get("year") for row in rows] == [*range(8), None, None]
    assert [row["error"] is None for row in rows] == [True] * 8 + [False, True]
    assert rows[8]["conllu"] is None
    assert rows[0]["conllu"].startswith("# newpar\n# sent_id = 1\n# text = Dogs bark.")


def test_an_interrupted_job_goes_on(job, tmp_path):
    job("whole.conllu")
    with pytest.raises(KeyboardInterrupt):
        job("out.conllu", runner=Here(most=2))
    assert not (tmp_path / "out.conllu").exists()
    journal = tmp_path / "out.conllu.shards" / ".ramify-job.jsonl"
    with journal.open("ab") as file:
        file.write(b'{"shard": "torn')  # killed while it wrote
    again, events = Here(), []
    job("out.conllu", runner=again, report=events.append)
    assert "c-00000.conllu" not in again.seen
    assert "c-00001.conllu" not in again.seen or len(again.seen) < events[-1].total
    assert (tmp_path / "out.conllu").read_bytes() == (tmp_path / "whole.conllu").read_bytes()
    assert [event.done for event in events][-1] == events[-1].total == len(again.seen) + events[0].done - 1
    assert "words/s, 0:00 left" in str(events[-1])


def test_a_shard_that_lost_its_file_is_made_again(job, tmp_path):
    first = job("parsed/")
    first.outputs[1].unlink()
    again = Here()
    assert job("parsed/", runner=again).words == first.words
    assert again.seen == [first.outputs[1].name]


def test_another_job_does_not_go_on(job, documents):
    job("parsed/")
    with pytest.raises(InvalidInputError, match=r"finished shards of another job.*choose another --output"):
        job("parsed/", max_words=5)
    with Path(documents).open("a") as file:
        file.write('{"text": "More."}\n')
    with pytest.raises(InvalidInputError, match="finished shards of another job"):
        job("parsed/")


def test_a_damaged_file_breaks_its_shard_only(pipeline_model, tmp_path):
    sentence = "1\tDogs\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    for name, text in {"a": sentence, "b": "no treebank\n\n", "c": sentence}.items():
        (tmp_path / f"{name}.conllu").write_text(text)
    files = [str(tmp_path / f"{name}.conllu") for name in "abc"]
    result = parse_corpus(files, str(tmp_path / "out.conllu"), model=str(pipeline_model), runner=Here())
    assert [name for name, _ in result.broken] == ["b.conllu"]
    assert "b.conllu:1" in result.broken[0][1]
    assert result.words == 2
    assert not (tmp_path / "out.conllu").exists()
    (tmp_path / "b.conllu").write_text(sentence)
    os.utime(tmp_path / "b.conllu", ns=(1, 1))
    with pytest.raises(InvalidInputError, match="another job"):
        parse_corpus(files, str(tmp_path / "out.conllu"), model=str(pipeline_model), runner=Here())


@pytest.mark.parametrize("output", ["parquet", "conllu"])
def test_parquet(nlp, pipeline_model, tmp_path, output):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = ["Dogs bark.", None, "She saw it.", "Cats sleep."]
    source = tmp_path / "c.parquet"
    parquet.write_table(pyarrow.table({"key": [1, 2, 3, 4], "body": texts}), source, row_group_size=2)
    result = parse_corpus(
        [str(source)], f"{tmp_path}/out/", model=str(pipeline_model), runner=Here(), text="body",
        output_format=output, shard_bytes=1,
    )  # fmt: skip
    assert len(result.outputs) == 2
    assert [name for name, _ in result.failures] == ["2"]
    if output == "conllu":
        assert result.outputs[1].read_text().startswith("# newdoc id = 3\n")
        return
    table = pyarrow.concat_tables([parquet.read_table(path) for path in result.outputs])
    assert table["key"].to_pylist() == [1, 2, 3, 4]
    assert table["conllu"].to_pylist() == [text and nlp(text).to_conllu() for text in texts]


def test_wrong_formats_and_names(pipeline_model, documents, tmp_path):
    def run(files, output="out.conllu", **how):
        return parse_corpus(files, f"{tmp_path}/{output}", model=str(pipeline_model), runner=Here(), **how)

    (tmp_path / "a.txt").write_text(TEXT)
    with pytest.raises(InvalidInputError, match="format text is written as conllu; got jsonl"):
        run([str(tmp_path / "a.txt")], output_format="jsonl")
    with pytest.raises(InvalidInputError, match="conllu, jsonl, parquet; got 'html'"):
        run([documents], output_format="html")
    with pytest.raises(InvalidInputError, match="outside of the folder"):
        run([(documents, "../c")])
    with pytest.raises(InvalidInputError, match="is that of another file"):
        run([(documents, "c"), (documents, "c")])
    with pytest.raises(InvalidInputError, match="Parquet is written to a folder"):
        run([str(tmp_path / "a.parquet")], output_format="parquet")
