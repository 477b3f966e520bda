"""Round trips, formats, compression, streaming, whole-or-nothing writing."""

from __future__ import annotations

import gzip
import io
import itertools
import lzma
import os

import hypothesis.strategies as st
import pytest
from hypothesis import given

from ramify.data import Sentence, read, write
from ramify.data.files import zstd
from ramify.errors import InvalidInputError, ParseError

pytestmark = pytest.mark.engine

SAMPLES = ["en_ewt-sample.conllu", "da_cdt-sample.conll"]


def written(sentences, **options):
    file = io.BytesIO()
    write(sentences, file, **options)
    return file.getvalue()


class Dripping(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def __init__(self, data, size):
        super().__init__(data)
        self.size = size

    def read1(self, _=-1):
        return super().read1(self.size)


@pytest.mark.parametrize("name", SAMPLES)
def test_reading_and_writing_back_keeps_every_byte(samples, name):
    path = samples / "treebanks" / name
    sentences = list(read(path))
    assert len(sentences) > 10
    assert written(sentences) == path.read_bytes()


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("cut", [0, 1, 2])
def test_line_ends_and_missing_final_empty_line_survive(samples, name, line_end, cut):
    original = (samples / "treebanks" / name).read_bytes().replace(b"\n", line_end)
    original = original[: len(original) - cut * len(line_end)]
    format = "conllx" if name.endswith(".conll") else "conllu"
    assert written(read(io.BytesIO(original), format=format)) == original


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_byte_order_mark_is_dropped_and_written_back(tmp_path, size):
    data = b"\xef\xbb\xbf1\tHi\t_\t_\t_\t_\t0\troot\t_\t_\n\n1\tYou\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    first, second = read(Dripping(data, size))
    assert first.forms == ("Hi",)
    assert written([first, second]) == data
    assert written([second, first]) == written([second]) + written([first.copy()])[3:], "never inside a file"
    assert first.to_bytes() + second.to_bytes() == data[3:]
    write([first], tmp_path / "x.conllx")
    assert not (tmp_path / "x.conllx").read_bytes().startswith(b"\xef"), "another format is another file"


@pytest.mark.parametrize("size", [1, 7, 64, 4096])
def test_chunk_borders_do_not_matter(samples, size):
    original = (samples / "treebanks" / SAMPLES[0]).read_bytes()[:9000].rpartition(b"\n\n")[0] + b"\n\n"
    assert written(read(Dripping(original, size))) == original


def test_all_treebanks_survive_a_round_trip(treebanks):
    files = sorted(itertools.chain(treebanks.glob("*/*.conllu"), treebanks.glob("*/*.conll")))
    assert files
    for path in files:
        assert written(read(path)) == path.read_bytes(), path


def test_sentences_flow_before_the_input_ends():
    reader, writer = os.pipe()
    os.write(writer, b"1\tHi\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    with open(reader, "rb") as file:
        sentences = read(file)
        assert next(sentences).forms == ("Hi",)  # would block if the reader waited for more
        os.close(writer)
        assert list(sentences) == []


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".gz", gzip.compress), (".xz", lzma.compress), (".zst", zstd.compress)],
)
def test_compressed_files(tmp_path, samples, suffix, compress):
    original = (samples / "treebanks" / SAMPLES[0]).read_bytes()
    source = tmp_path / f"a.conllu{suffix}"
    source.write_bytes(compress(original))
    target = tmp_path / f"b.conllu{suffix}"
    assert write(read(source), target) == len(list(read(source)))
    assert written(read(target)) == original
    target.write_bytes(compress(original)[:-20])
    with pytest.raises(ParseError, match="damaged data"):
        list(read(target))


def test_format_from_content(samples):
    conllx = (samples / "treebanks" / SAMPLES[1]).read_bytes()
    conllu = (samples / "treebanks" / SAMPLES[0]).read_bytes()
    assert next(read(io.BytesIO(conllu))).format == "conllu"
    assert next(read(io.BytesIO(b"1\ta\t_\t_\t_\t_\t0\tr\t0\tr\n\n"))).format == "conllx"
    assert next(read(io.BytesIO(conllx), format="conllx")).format == "conllx"

    class Named(io.BytesIO):
        name = "a.conll"

    assert next(read(Named(conllx))).format == "conllx"
    assert next(read(Named(conllu))).format == "conllu", "comments and ranges say CoNLL-U, whatever the suffix"


def test_conllu_to_conllx_keeps_words_and_trees(tmp_path, samples):
    target = tmp_path / "out.conllx"
    originals = list(read(samples / "treebanks" / SAMPLES[0]))
    write(originals, target)
    for before, after in zip(originals, read(target), strict=True):
        assert after.forms == before.forms
        assert after.heads.tolist() == before.heads.tolist()
        assert after.deprels == before.deprels
        assert set(after.deps) == set(after.misc) == {"_"}
        assert not after.comments
        assert not after.multiword_tokens
    back = tmp_path / "back.conllu"
    write(read(target), back)
    assert [s.upos for s in read(back)] == [s.upos for s in originals]


def test_concatenation_repairs_a_missing_empty_line():
    cut = list(read(io.StringIO("1\ta\t_\t_\t_\t_\t0\tr\t_\t_")))
    whole = written(cut + cut)
    assert whole == b"1\ta\t_\t_\t_\t_\t0\tr\t_\t_\n\n1\ta\t_\t_\t_\t_\t0\tr\t_\t_"
    assert len(list(read(io.BytesIO(whole)))) == 2


def test_several_roots_are_conllx_only_unless_said_otherwise():
    text = "1\ta\t_\t_\t_\t_\t0\tr\t_\t_\n2\tb\t_\t_\t_\t_\t0\tr\t_\t_\n\n"
    assert len(list(read(io.StringIO(text), format="conllx"))) == 1
    assert len(list(read(io.StringIO(text), format="conllu", multiple_roots=True))) == 1
    with pytest.raises(ParseError, match="one root"):
        list(read(io.StringIO(text), format="conllu"))


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    target = tmp_path / "out.conllu"
    target.write_text("old")

    def failing():
        yield Sentence(["a"])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(failing(), target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_reading_and_writing_the_same_path(tmp_path, samples):
    target = tmp_path / "a.conllu"
    original = (samples / "treebanks" / SAMPLES[0]).read_bytes()
    target.write_bytes(original)
    write(read(target), target)
    assert target.read_bytes() == original


def test_bad_arguments():
    with pytest.raises(FileNotFoundError):
        read("no/such/file.conllu")  # at once, not at the first sentence
    with pytest.raises(InvalidInputError, match="'conllu' or 'conllx'"):
        read(io.StringIO(""), format="conll09")
    with pytest.raises(InvalidInputError, match="path or an open file"):
        read(42)
    with pytest.raises(InvalidInputError, match="path or an open file"):
        write([], 42)
    with pytest.raises(InvalidInputError, match="write expects sentences; got str"):
        write(["a"], io.BytesIO())
    broken = Sentence(["a", "b"])
    broken.heads[0] = 7
    with pytest.raises(InvalidInputError, match="got 7 as the head of word 1"):
        write([broken], io.BytesIO())


CONTROLS = "".join(map(chr, range(0x20))) + "\x7f"
cells = st.text(st.characters(exclude_characters=CONTROLS, exclude_categories=["Cs"]), min_size=1, max_size=8)
columns = st.integers(1, 6).flatmap(
    lambda n: st.fixed_dictionaries(
        {
            name: st.lists(cells, min_size=n, max_size=n)
            for name in ("forms", "lemmas", "upos", "xpos", "feats", "deprels", "misc")
        }
        # A head before the word, or the root, can never close a cycle.
        | {"heads": st.tuples(*(st.integers(-1, i) for i in range(n))).map(list)}
        | {"comments": st.lists(cells.map(lambda text: "# " + text), max_size=3)}
    )
)


@given(columns)
def test_any_sentence_survives(values):
    sentence = Sentence(**values, multiple_roots=True)
    assert list(sentence.forms) == values["forms"]
    assert sentence.heads.tolist() == values["heads"]
    (again,) = read(io.BytesIO(sentence.to_bytes()), format="conllu", multiple_roots=True)
    assert again == sentence
    assert again.comments == values["comments"]
    assert list(again.misc) == values["misc"]


@given(st.binary(max_size=200))
def test_no_bytes_crash_a_reader(data):
    problems = []
    for sentence in read(io.BytesIO(data), format="conllu", strict=False, on_problem=problems.append):
        assert len(sentence) > 0
    try:
        list(read(io.BytesIO(data), format="conllu"))
    except ParseError:
        assert problems, "what a strict reader refuses, a lenient one reports"
    else:
        assert not problems
