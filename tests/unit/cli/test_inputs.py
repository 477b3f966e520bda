"""Which arguments are models, which are inputs, in what format they are, and where the output goes."""

from __future__ import annotations

import io

import pytest

from ramify.cli.inputs import find_inputs
from ramify.cli.parse_input import split_arguments
from ramify.data import read
from ramify.errors import InvalidInputError


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    (folder / "sub").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    for name in ("b.txt", "a.txt", "sub/a.txt", ".hidden/c.txt", "notes.pdf", "sub/d.conllu"):
        (folder / name).write_text(
            "1\tHi\t_\tINTJ\t_\t_\t0\troot\t_\t_\n\n" if name.endswith("u") else "Hi there. You."
        )
    return folder


@pytest.fixture
def english(pipeline_model, monkeypatch, tmp_path):
    """Let the small pipeline be the one that comes with the package."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "en").symlink_to(pipeline_model)
    monkeypatch.setattr("ramify.pipeline.pipeline._MODELS", tmp_path / "models")


def sentences(done):
    assert done.returncode == 0, done.stderr
    return list(read(io.StringIO(done.stdout)))


def test_the_first_argument_is_the_model_only_if_it_looks_like_one(pipeline_model, texts):
    a, b, model = str(texts / "a.txt"), str(texts / "b.txt"), str(pipeline_model)
    assert split_arguments([], None, None) == ("en", ["-"])
    assert split_arguments([a, b], None, None) == ("en", [a, b])
    assert split_arguments([str(texts)], None, None) == ("en", [str(texts)])
    assert split_arguments([model], None, None) == (model, ["-"])
    assert split_arguments([model, a, b], None, None) == (model, [a, b])
    assert split_arguments(["x.zip", a], None, None) == ("x.zip", [a])
    assert split_arguments([f"{a}.zip/parser"], None, None) == (f"{a}.zip/parser", ["-"])
    assert split_arguments(["en", a], None, None) == ("en", [a])
    assert split_arguments(["en", a], model, None) == (model, ["en", a])
    assert split_arguments(["missing", a], None, None) == ("missing", [a])
    assert split_arguments(["missing.txt.gz", a], None, None) == ("en", ["missing.txt.gz", a])
    assert split_arguments([model], None, "Hi.") == (model, ["-"])
    with pytest.raises(InvalidInputError, match="--text takes the place of a file"):
        split_arguments([model, a], None, "Hi.")


def test_folders_stand_for_their_files(texts, tmp_path):
    names = [(item.path, item.name) for item in find_inputs([str(texts), "-"])]
    assert names == [
        (str(texts / "a.txt"), "a"),
        (str(texts / "b.txt"), "b"),
        (str(texts / "sub/a.txt"), "sub/a"),
        (str(texts / "sub/d.conllu"), "sub/d"),
        ("-", "stdin"),
    ]
    same = find_inputs([str(texts / "a.txt"), str(texts / "sub/a.txt")])
    assert len({item.name for item in same}) == 2
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInputError, match="a folder without a file to read"):
        find_inputs([str(tmp_path / "empty")])
    with pytest.raises(FileNotFoundError):
        find_inputs(["missing.txt"])


def test_several_texts(run, english, texts):
    found = sentences(run("parse", texts / "a.txt", texts / "b.txt"))
    assert [s.metadata("newdoc id") for s in found] == ["a", None, "b", None]
    assert [s.sent_id for s in found] == ["a-1", "a-2", "b-1", "b-2"]
    assert found[0].comments[0] == "# newdoc id = a"
    assert found[0].text == "Hi there."


def test_folder_in_folder_out(run, pipeline_model, texts, tmp_path):
    done = run("parse", pipeline_model, texts, "--output", f"{tmp_path / 'out'}/")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    written = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*"))
    assert written == ["a.conllu", "b.conllu", "sub/a.conllu", "sub/d.conllu"]
    alone = run("parse", "--model", pipeline_model, texts / "a.txt").stdout
    assert (tmp_path / "out/a.conllu").read_text() == alone
    done = run("parse", pipeline_model, texts / "sub/d.conllu", "--output", texts / "sub")
    assert done.returncode == 1
    assert "is both input and output" in done.stderr


@pytest.mark.parametrize(
    ("format", "text", "wanted"),
    [
        ("lines", "I like it. You do.\nHi", [("I", "like", "it", ".", "You", "do", "."), ("Hi",)]),
        ("presegmented", "I like it. You do.\n", [("I", "like", "it", ".", "You", "do", ".")]),
        ("horizontal", "don't do_it .\nHi", [("don't", "do_it", "."), ("Hi",)]),
        ("tokenized", "don't do_it .\n", [("don't", "do_it", ".")]),
        ("vertical", "don't\ndo it\n\nHi\n", [("don't", "do it"), ("Hi",)]),
        ("generic_tokenizer", "Hi there.", [("Hi", "there", ".")]),
        ("conllu", "1\tHi\t_\t_\t_\t_\t_\t_\t_\t_\n\n", [("Hi",)]),
    ],
)
def test_formats(run, pipeline_model, tmp_path, format, text, wanted):
    (tmp_path / "in.txt").write_text(text)
    found = sentences(run("parse", pipeline_model, tmp_path / "in.txt", "--from", format))
    assert [s.forms for s in found] == wanted
    assert all(0 in s.heads for s in found)
    assert all(tag != "_" for s in found for tag in s.upos)
    piped = sentences(run("parse", pipeline_model, "--from", format, stdin=text))
    assert piped == found
    assert sentences(run("parse", pipeline_model, "--from", format, "--text", text)) == found


def test_suffixes_say_the_format(run, pipeline_model, tmp_path):
    (tmp_path / "in.vert").write_text("don't\ndo it\n")
    assert [s.forms for s in sentences(run("parse", pipeline_model, tmp_path / "in.vert"))] == [("don't", "do it")]


def test_unknown_format_is_wrong_usage(run, pipeline_model):
    for command in ("parse", "tag"):
        done = run(command, pipeline_model, "--from", "pdf")
        assert done.returncode == 2
        assert "'pdf' is not one of" in done.stderr


def test_a_parser_says_that_it_needs_tags(run, model, texts):
    for arguments in ([texts / "a.txt"], ["-", "--from", "horizontal"], ["-", "--from", "lines"]):
        done = run("parse", model, *arguments, stdin="Hi there.")
        assert done.returncode == 1
        assert "a parser takes tagged sentences, in CoNLL-U or CoNLL-X" in done.stderr
        assert "leave MODEL out for the built-in English one" in done.stderr


def test_taggers_take_words(run, pipeline_model, texts, tmp_path):
    (tmp_path / "words.txt").write_text("I like it .\n")
    upos = pipeline_model / "upos"
    (found,) = sentences(run("tag", upos, tmp_path / "words.txt", "--from", "horizontal"))
    assert found.forms == ("I", "like", "it", ".")
    assert "_" not in found.upos
    twice = sentences(run("tag", upos, tmp_path / "words.txt", tmp_path / "words.txt", "--from", "horizontal"))
    assert len(twice) == 2
    assert len({s.sent_id for s in twice}) == 1, "the same file twice"
    done = run("tag", upos, tmp_path / "words.txt", "--from", "text")
    assert done.returncode == 1
    assert "text needs a pipeline" in done.stderr
    done = run("tag", upos, texts / "sub", "--from", "conllu", "--output", f"{tmp_path / 'out'}/")
    assert "a.txt:1: expected 10 columns" in done.stderr
