"""What is written appears whole or not at all, whoever writes it."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest

from ramify import FactorGraph
from ramify.atomic import replacing_directory, replacing_file, replacing_path
from ramify.data.files import open_for_writing
from ramify.graph_files import save_graph, write_uai
from ramify.learn.checkpoint import Checkpoint, Position, save_checkpoint

pytestmark = pytest.mark.engine

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="rights, links and devices are those of POSIX")


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


def write_by_path(target):
    with replacing_path(target) as fresh:
        fresh.write_bytes(b"new")


def write_by_file(target):
    with replacing_file(target) as file:
        file.write(b"new")


@pytest.mark.parametrize("write", [write_by_path, write_by_file])
@pytest.mark.parametrize("there", [False, True])
def test_a_file_takes_its_place(tmp_path, write, there):
    target = tmp_path / "file"
    if there:
        target.write_bytes(b"the old one")
    write(target)
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_nothing_is_there_before_the_end(tmp_path):
    target = tmp_path / "file"
    with replacing_file(target) as file:
        file.write(b"new")
        file.flush()
        assert not target.exists()


@pytest.mark.parametrize("there", [False, True])
def test_a_failure_leaves_all_as_it_was(tmp_path, there):
    target = tmp_path / "file"
    if there:
        target.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replacing_file(target) as file:  # noqa: PT012 - what the block leaves
        file.write(b"new")
        raise KeyboardInterrupt
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"] * there


@POSIX
def test_new_files_and_directories_have_ordinary_rights(tmp_path, umask):
    write_by_file(tmp_path / "file")
    write_by_path(tmp_path / "path")
    with replacing_directory(tmp_path / "directory") as folder:
        (folder / "inner").touch()
    assert {rights(tmp_path / name) for name in ("file", "path", "directory/inner")} == {0o666 & ~umask}
    assert rights(tmp_path / "directory") == 0o777 & ~umask


@POSIX
@pytest.mark.parametrize("write", [write_by_path, write_by_file])
def test_rights_and_links_stay(tmp_path, write):
    target, link = tmp_path / "file", tmp_path / "link"
    target.touch(0o600)
    target.chmod(0o600)
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert rights(target) == 0o600


@POSIX
def test_devices_are_not_replaced():
    write_by_file("/dev/null")
    assert Path("/dev/null").is_char_device()


def test_a_directory_does_not_give_way_to_a_file(tmp_path):
    with pytest.raises(OSError, match=r"directory|denied"):
        write_by_file(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_takes_its_place(tmp_path):
    target = tmp_path / "model"
    for name in ("one", "other"):
        with replacing_directory(target, keep=("checkpoint",)) as folder:
            (folder / name).write_text(name)
        (target / "checkpoint").mkdir(exist_ok=True)
    assert sorted(path.name for path in target.iterdir()) == ["checkpoint", "other"]
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("there", [False, True])
def test_a_failure_leaves_the_old_directory(tmp_path, there):
    target = tmp_path / "model"
    if there:
        (target / "checkpoint").mkdir(parents=True)
    with pytest.raises(KeyboardInterrupt), replacing_directory(target, keep=("checkpoint",)) as folder:  # noqa: PT012
        (folder / "file").write_text("new")
        raise KeyboardInterrupt
    assert sorted(tmp_path.rglob("*")) == ([target, target / "checkpoint"] if there else [])


def test_a_failure_at_the_last_moment_leaves_the_old_directory(tmp_path, monkeypatch):
    """The new one is whole, the old one out of the way, and then the move fails: what is to be kept is not lost."""
    target = tmp_path / "model"
    (target / "checkpoint").mkdir(parents=True)
    rename = Path.rename

    def refuse_parts(self, to):
        if self.suffix == ".part":
            raise OSError("no")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", refuse_parts)
    with pytest.raises(OSError, match="no"), replacing_directory(target, keep=("checkpoint",)) as folder:
        (folder / "file").write_text("new")
    assert sorted(tmp_path.rglob("*")) == [target, target / "checkpoint"]


# -- who writes --------------------------------------------------------------------------------------------------------


def graph():
    made = FactorGraph()
    made.add_variables(2)
    return made


def write_text(target):
    with open_for_writing(target) as file:
        file.write(b"text")


WRITERS = {
    "graph.npz": lambda target: save_graph(target, graph()),
    "graph.uai": lambda target: write_uai(target, graph()),
    "text.conllu": write_text,
    "text.conllu.gz": write_text,
    "state.safetensors": lambda target: save_checkpoint(
        Checkpoint(Position(), "identity", {"keys": np.arange(3, dtype=np.uint64)}), target
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, name):
    target = tmp_path / name
    WRITERS[name](target)
    before = target.read_bytes()
    assert before
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        WRITERS[name](target)
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_bytes() == before


@pytest.mark.parametrize("name", ["model", "model.zip"])
def test_a_full_disk_leaves_the_old_model(tmp_path, monkeypatch, parser, name):
    target = tmp_path / name
    parser.save(target)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        parser.save(target)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@POSIX
def test_errors_name_the_file_that_was_asked_for(tmp_path):
    target = tmp_path / "no" / "such" / "folder" / "a.svg"
    for write in (write_by_path, write_by_file):
        with pytest.raises(FileNotFoundError) as error:
            write(target)
        assert error.value.filename == str(target)
    with pytest.raises(FileNotFoundError) as error, replacing_directory(target):
        pass
    assert error.value.filename == str(target)
