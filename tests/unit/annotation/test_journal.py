"""What a journal remembers, and what it refuses."""

from __future__ import annotations

import contextlib
import hashlib

import pytest

from ramify.annotation.journal import ChangedFileError, Journal, Step, journal_path
from ramify.errors import InvalidInputError

STEP = Step("x", 0, ("a",), ("b",), ({},), ({"state": "done"},))


def test_lines_come_back(tmp_path):
    path = journal_path(tmp_path / "file.conllu")
    assert path.name == "file.conllu.journal"
    journal = Journal(path, b"a", 1)
    journal.append(STEP.to_json())
    journal.append({"op": "undo"})
    journal.close()
    again = Journal(path, b"a", 1)
    assert list(again.replay()) == [("step", STEP, True), ("undo", None, True)]
    assert again.num_blocks == 1
    again.close()


def test_a_line_that_was_cut_off_is_dropped(tmp_path):
    path = tmp_path / "j"
    journal = Journal(path, b"a", 1)
    journal.append(STEP.to_json())
    journal.close()
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"op":"und')
    again = Journal(path, b"a", 1)
    again.append({"op": "undo"})
    again.close()
    assert path.read_bytes() == whole + b'{"op":"undo"}\n'


def contents(path, *lines):
    """Let the journal of a file with content a announce and confirm others; return which are known then."""
    journal = Journal(path, b"a", 1)
    for op, content in lines:
        journal.append({"op": op, "hash": hashlib.sha256(content).hexdigest()})
    journal.close()
    known = []
    whole = path.read_bytes()
    for content in (b"a", b"b", b"c", b"x"):
        path.write_bytes(whole)
        with contextlib.suppress(ChangedFileError):
            Journal(path, content, 1).close()
            known.append(content)
    return known


def test_only_what_was_announced_is_known(tmp_path):
    b, c = b"b", b"c"
    assert contents(tmp_path / "1") == [b"a"]
    assert contents(tmp_path / "2", ("saving", b)) == [b"a", b]  # a crash came before the file was written, or after
    assert contents(tmp_path / "3", ("saving", b), ("saving", c)) == [b"a", b, c]  # two crashes
    assert contents(tmp_path / "4", ("saving", b), ("saved", b)) == [b]
    assert contents(tmp_path / "5", ("saving", b), ("saved", b), ("saving", c)) == [b, c]
    assert contents(tmp_path / "6", ("saving", b), ("saved", b), ("saving", b"a"), ("saved", b"a")) == [b"a"]
    with pytest.raises(ChangedFileError, match="has been changed since it was annotated"):
        Journal(tmp_path / "1", b"x", 1)


def test_two_processes(tmp_path):
    journal = Journal(tmp_path / "j", b"a", 1)
    with pytest.raises(ChangedFileError, match="Another process annotates the same file"):
        Journal(tmp_path / "j", b"a", 1)
    journal.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [("nonsense\n", "not a line of a journal"), ('{"op":"open","version":9}\n', "not a journal of this version")],
)
def test_files_that_are_no_journals(tmp_path, text, message):
    (tmp_path / "j").write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        Journal(tmp_path / "j", b"a", 1)


@pytest.mark.parametrize("content", [b"letters", b"two\nlines\n", b'{"op":"undo"}'])
def test_no_other_file_is_taken_for_a_journal(tmp_path, content):
    other, link = tmp_path / "other", tmp_path / "link.journal"
    other.write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"other.* is not a "):
        Journal(other, b"a", 1).close()
    link.symlink_to(other)
    with pytest.raises(InvalidInputError, match=r"link.journal is a link"):
        Journal(link, b"a", 1)
    (tmp_path / "nowhere.journal").symlink_to(tmp_path / "new")
    with pytest.raises(InvalidInputError, match="is a link"):
        Journal(tmp_path / "nowhere.journal", b"a", 1)
    assert other.read_bytes() == content
    assert not (tmp_path / "new").exists()


def test_a_first_line_that_was_cut_off_is_written_again(tmp_path):
    path = tmp_path / "j"
    path.write_bytes(b'{"op":"op')
    Journal(path, b"a", 1).close()
    assert path.read_bytes().startswith(b'{"op":"open","version":1,')
