"""Pipelines on the command line: train, parse text, show cards."""

from __future__ import annotations

import io
import json

import pytest

from ramify.cli.parse_input import looks_like_treebank
from ramify.data import read

TEXT = "I like it. You do not."
SMALL = [f"--{name}.training.epochs=1" for name in ("upos", "xpos", "feats", "lemma", "parser")]
SMALL += ["--parser.pruner.bits", "16", "--segmenter.epochs", "1", "--folds", "2", "--preset", "first"]


@pytest.fixture
def english(pipeline_model, monkeypatch, tmp_path):
    """Let the small pipeline be the one that comes with the package."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "en").symlink_to(pipeline_model)
    monkeypatch.setattr("ramify.pipeline.pipeline._MODELS", tmp_path / "models")


def test_text_without_a_model(run, english, nlp, tmp_path):
    wanted = nlp(TEXT).to_conllu()
    (tmp_path / "text.txt").write_text(TEXT)
    (tmp_path / "noname").write_text(TEXT)
    for arguments, stdin in [
        (["--text", TEXT], ""),
        ([], TEXT),
        (["-"], TEXT),
        ([tmp_path / "text.txt"], ""),
        ([tmp_path / "noname"], ""),
        (["en", tmp_path / "text.txt"], ""),
        (["en", "--text", TEXT], ""),
        (["--from", "text", "--threads", "2", "--batch-size", "1"], TEXT),
    ]:
        done = run("parse", *arguments, stdin=stdin)
        assert (done.returncode, done.stdout, done.stderr) == (0, wanted, ""), arguments


def test_text_in_another_language(run, english):
    german = "Die Katze sieht einen Hund, und dieser Hund mag jenen Vogel im Garten. " * 3
    done = run("parse", "--text", german)
    assert done.returncode == 0
    assert done.stderr.startswith(
        "ramify: warning: The text does not look like the language that the model was trained"
    )
    assert done.stderr.count("\n") == 1
    assert done.stdout


def test_no_built_in_model(run, monkeypatch, tmp_path):
    monkeypatch.setattr("ramify.pipeline.pipeline._MODELS", tmp_path)
    done = run("parse", "--text", TEXT)
    assert done.returncode == 1
    assert "en: there is no such model. Built-in languages: none in this installation" in done.stderr


def test_text_with_a_model(run, pipeline_model, nlp, tmp_path):
    wanted = nlp(TEXT).to_conllu()
    assert run("parse", pipeline_model, "--text", TEXT).stdout == wanted
    assert run("parse", pipeline_model, stdin=TEXT).stdout == wanted
    nlp.save(tmp_path / "model.zip")
    assert run("parse", tmp_path / "model.zip", "-", stdin=TEXT).stdout == wanted
    assert run("parse", pipeline_model, "--text", "").stdout == ""


def test_words_of_conllu_are_kept(run, pipeline_model, nlp, sample):
    done = run("parse", pipeline_model, sample)
    assert done.returncode == 0
    again = list(read(io.StringIO(done.stdout)))
    given = list(read(sample))
    assert [(s.forms, s.comments, s.misc) for s in again] == [(s.forms, s.comments, s.misc) for s in given]
    assert again == [result.sentence for result in nlp.annotate(given)]
    piped = run("parse", pipeline_model, stdin=sample.read_text(encoding="utf-8"))
    assert piped.stdout == done.stdout
    as_text = run("parse", pipeline_model, sample, "--input-format", "text")
    assert as_text.stdout != done.stdout


@pytest.mark.parametrize("format", ["svg", "html", "tikz", "dot", "table", "json", "displacy"])
def test_pictures_of_text(run, pipeline_model, format):
    done = run("parse", pipeline_model, "--text", TEXT, "--format", format)
    assert done.returncode == 0
    assert "like" in done.stdout
    if format == "json":
        assert [len(s["words"]) for s in json.loads(done.stdout)["sentences"]] == [4, 4]


def test_probabilities_constraints_and_k_best(run, pipeline_model, tmp_path):
    done = run("parse", pipeline_model, "--text", TEXT, "--marginals")
    assert done.stdout.count("ArcProb=") == 8
    (tmp_path / "known").write_text("1\t1\tHead=3\n")
    done = run("parse", pipeline_model, "--text", TEXT, "--constraints", tmp_path / "known")
    assert next(read(io.StringIO(done.stdout))).heads[0] == 3, done.stderr
    done = run("parse", pipeline_model, "--text", TEXT, "--k-best", 2)
    assert done.stdout.count("# tree_rank = 2") == 2


def test_long_sentences_are_reported(run, pipeline_model):
    done = run("parse", pipeline_model, "--text", "I like it very much. Hi.", "--max-words", 3)
    assert done.returncode == 1
    assert "sentence 1 (1): 6 words are too many, no tree" in done.stderr
    assert "\tPRON\t" in done.stdout


def test_wrong_usage(run, pipeline_model, model, tmp_path):
    done = run("parse", pipeline_model, "x.txt", "--text", TEXT)
    assert "--text takes the place of a file; got both" in done.stderr
    assert "Text needs a pipeline" in run("parse", model, "--text", TEXT).stderr
    assert "this is a tagger: use ramify.tagging.Tagger.load" in run("parse", pipeline_model / "upos").stderr
    assert "missing.txt" in run("parse", pipeline_model, tmp_path / "missing.txt").stderr
    assert "there is no such model" in run("parse", tmp_path / "missing").stderr


def test_components_parse_too(run, pipeline_model, nlp, sample):
    tagged = "".join(result.sentence.to_conllu() for result in nlp.annotate(read(sample)))
    assert run("parse", pipeline_model / "parser", stdin=tagged).stdout == tagged


def test_explain_takes_text(run, pipeline_model):
    done = run("explain", pipeline_model, "--word", 1, "--format", "json", stdin=TEXT)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert run("explain", pipeline_model, "--text", TEXT, "--format", "json").stdout == done.stdout


def test_built_in_model_of_other_commands(run, english, nlp):
    asked = ("--sentence", 2, "--word", 2, "--format", "json")
    done = run("explain", "--text", TEXT, *asked)
    assert done.returncode == 0, done.stderr
    assert run("explain", "en", *asked, stdin=TEXT).stdout == done.stdout
    assert run("info", "en").stdout.strip() == nlp.card.strip()


def test_a_folder_with_the_name_of_a_language_is_not_in_the_way(run, english, nlp, monkeypatch, tmp_path):
    (tmp_path / "here" / "en").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    assert run("parse", "--text", TEXT).stdout == nlp(TEXT).to_conllu()
    assert run("info", "en").stdout.strip() == nlp.card.strip()
    assert "damaged" in run("parse", "./en", "--text", TEXT).stderr


def test_info(run, pipeline_model, nlp, tmp_path):
    nlp.save(tmp_path / "model.zip")
    for path in (pipeline_model, tmp_path / "model.zip"):
        assert run("info", path).stdout.strip() == nlp.card.strip()
        facts = json.loads(run("info", path, "--json").stdout)
        assert facts["components"] == list(nlp.components)
        assert facts["raw"] == nlp.facts["raw"]


def test_train(run, treebank_folder, tmp_path):
    output = tmp_path / "model.zip"
    options = ("--task", "pipeline", "--treebank", treebank_folder, "--output", output, *SMALL)
    done = run("train", *options, "--seed", 3, "--language", "en-us", "--licence", "ours", "--date", "2026-01-31")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0] == "segmenter …"
    assert "upos, fold 2 of 2 …" in lines
    assert lines[-1] == f"model: {output}"
    card = run("info", output).stdout
    assert "Pipeline for language en-us" in card
    assert "ours" in card
    assert "2026-01-31" in card
    assert "2026-01-31" in run("info", output / "upos").stdout
    assert run("parse", output, "--text", TEXT).returncode == 0


def test_wrong_training(run, treebank_folder, sample, tmp_path):
    pipeline = ("train", "--task", "pipeline")
    assert "--treebank DIR belongs to --task pipeline" in run(*pipeline, "--output", "x").stderr
    assert "--treebank DIR belongs to" in run("train", "--treebank", treebank_folder, "--output", "x").stderr
    assert "expects --output MODEL" in run(*pipeline, "--treebank", treebank_folder).stderr
    assert "leave out CONFIG" in run(*pipeline, "--treebank", treebank_folder, "--train", sample).stderr
    done = run(*pipeline, "--treebank", tmp_path, "--output", tmp_path / "x")
    assert "such as en_ewt-ud-train.conllu" in done.stderr
    done = run(*pipeline, "--treebank", treebank_folder, "--output", tmp_path / "x", "--parse.training.epochs", 3)
    assert "Did you mean 'parser'?" in done.stderr
    assert done.returncode == 2
    assert "--task expects one of parse, tag, segment, pipeline, compress" in run("train", "--task", "other").stderr


@pytest.mark.parametrize(
    ("head", "answer"),
    [
        (b"", False),
        (b"Hello world\n", False),
        (b"# A heading\n\nText\n", False),
        (b"1\tone\n2\ttwo\n", False),
        (b"# sent_id = 1\n", True),
        (b"# made by hand\n1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n", True),
        (b"\xef\xbb\xbf1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n", True),
        (b"1\tHi\t_\tI\tI\t_\t0\troot\n", True),
    ],
)
def test_what_looks_like_a_treebank(head, answer):
    assert looks_like_treebank(head) is answer


def test_the_english_model_is_the_default(run):
    sentence = "I saw the man with the telescope."
    done = run("parse", "--text", sentence)
    assert (done.returncode, done.stderr) == (0, "")
    (tree,) = read(io.StringIO(done.stdout))
    assert [tree.forms[head - 1] if head else None for head in tree.heads.tolist()][3] == "saw"
    assert run("parse", stdin=sentence).stdout == done.stdout
    assert "CC BY-SA 4.0" in run("info", "en").stdout
    assert "┬" in run("parse", "--text", sentence, "--format", "table").stdout
