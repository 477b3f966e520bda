"""A file under editing: steps, undo over restarts, saving, changes by others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

import pytest

from ramify.annotation.blocks import with_cells
from ramify.annotation.document import Document
from ramify.annotation.journal import ChangedFileError
from ramify.annotation.marks import Mark, Marks
from ramify.errors import InvalidInputError


def edit(document, number, value, column="XPOS"):
    block = with_cells(document.blocks[number], {("1", column): value})
    document.replace("x", number, 1, [block], [Marks({1: Mark(locked=True)})])


def test_undo_survives_a_restart_and_a_save(sample):
    original = sample.read_bytes()
    document = Document(sample)
    edit(document, 0, "A")
    edit(document, 3, "B")
    assert document.save()
    assert not document.save()  # nothing new
    edit(document, 5, "C")
    document.close()  # as a crash would: the last step is in the journal only
    again = Document(sample)
    assert [b"\tC\t" in again.blocks[5], again.marks[5].of(1).locked] == [True, True]
    assert again.content != sample.read_bytes()
    for _ in range(3):
        assert again.undo() is not None
    assert again.undo() is None
    assert (again.content, again.marks[5].words) == (original, {})
    assert again.redo() is not None
    again.close()
    last = Document(sample)
    assert (last.can_undo, last.can_redo, b"\tA\t" in last.blocks[0]) == (True, True, True)
    last.undo()
    assert last.save()
    assert sample.read_bytes() == original
    last.close()


def test_steps_that_change_the_number_of_sentences(sample):
    document = Document(sample)
    count = len(document.blocks)
    one, two, third = document.blocks[:3]
    joined = one.rstrip(b"\n") + b"\n"
    document.replace("join", 0, 2, [joined + b"\n"], [Marks(state="done")])
    document.save()
    edit(document, 1, "A")
    document.close()
    again = Document(sample)
    assert (len(again.blocks), len(again.marks), again.marks[0].state) == (count - 1, count - 1, "done")
    assert again.marks[1].of(1).locked
    again.undo()
    again.undo()
    assert again.blocks[:3] == [one, two, third]
    again.close()


def test_changes_by_others_are_refused(sample):
    document = Document(sample)
    edit(document, 0, "A")
    sample.write_bytes(sample.read_bytes() + b"\n")
    for attempt in (lambda: edit(document, 1, "B"), document.save, document.undo):
        with pytest.raises(ChangedFileError, match="changed by someone else"):
            attempt()
    assert sample.read_bytes().endswith(b"\n\n\n")  # theirs is untouched
    document.close()
    with pytest.raises(ChangedFileError, match="matches no line"):
        Document(sample)


def test_a_touch_is_no_change(sample):
    document = Document(sample)
    os.utime(sample, (1, 1))
    edit(document, 0, "A")
    assert document.save()
    document.close()


def test_a_file_that_goes_away(sample):
    document = Document(sample)
    sample.unlink()
    with pytest.raises(ChangedFileError, match="changed by someone else"):
        edit(document, 0, "A")
    document.close()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.conllu.gz", b"", "not compressed"),
        ("x.conllu", b"\xff\xfe", "is not UTF-8"),
        ("x.conllu", b"", "no sentences"),
        ("x.conllu", b"\0", "zero bytes"),
    ],
)
def test_files_that_cannot_be_annotated(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInputError, match=message):
        Document(tmp_path / name)


def test_a_journal_of_another_content(sample):
    document = Document(sample)
    edit(document, 0, "A")
    document.close()
    lines = document.journal.read_text().splitlines()
    step = json.loads(lines[1])
    step["before"] = ["something else"]
    document.journal.write_text(lines[0] + "\n" + json.dumps(step) + "\n")
    with pytest.raises(InvalidInputError, match="does not fit the file"):
        Document(sample)


# Children write one number after the other into a cell, and say so when it is safe; each is killed at some moment.
_DRIVER = r"""
import json, os, random, signal, sys, time
from ramify.annotation.blocks import with_cells
from ramify.annotation.document import Document
from ramify.annotation.marks import Marks

path, moments = sys.argv[1], int(sys.argv[2])
random.seed(0)
lost = []
said = 0
for moment in range(moments):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        document = Document(path)
        number = said
        while True:
            number += 1
            block = with_cells(document.blocks[2], {("1", "XPOS"): str(number)})
            document.replace("x", 2, 1, [block], [Marks()])
            os.write(write, b"%d\n" % number)
            if number % 3 == 0:
                document.save()
    os.close(write)
    time.sleep(random.uniform(0.001, 0.06))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    answers = os.read(read, 1 << 16).split()
    os.close(read)
    acknowledged = int(answers[-1]) if answers else said
    document = Document(path)
    found = document.blocks[2].decode().split("\n1\t", 1)[1].split("\t")[3]
    found = int(found) if found.isdigit() else 0
    document.close()
    if not acknowledged <= found <= acknowledged + 1:
        lost.append([moment, acknowledged, found])
    said = found
print(json.dumps({"lost": lost, "last": said}))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes that are killed are made by fork")
def test_nothing_acknowledged_is_lost_when_the_process_is_killed(sample):
    original = sample.read_bytes()
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_DRIVER), str(sample), "50"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    result = json.loads(found.stdout)
    assert result["lost"] == []
    assert result["last"] > 50
    document = Document(sample)
    while document.undo() is not None:
        pass
    assert document.content == original
    document.close()
