"""Zips from strangers: damage of every kind is an error of ramify."""

from __future__ import annotations

import zipfile

import pytest

from ramify.errors import InvalidInputError
from ramify.zips import reading_zip
from support.zip_damage import break_deflate, encrypt, overwrite_directory

TEXT = b"some words, " * 20


def read_all(path):
    with reading_zip(path, lambda found: InvalidInputError(f"expected a zip; {found}")) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def make(path, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("words.txt", TEXT)
    return path


@pytest.fixture
def saved(tmp_path):
    return make(tmp_path / "file.zip")


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_whole_zips_are_read(tmp_path, compression):
    assert read_all(make(tmp_path / "file.zip", compression)) == {"words.txt": TEXT}


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (encrypt, "expected a zip; 'words.txt' is encrypted, and there is no password"),
        (break_deflate, "expected a zip; Error -3 while decompressing"),
        (lambda c: overwrite_directory(c, 10, b"\x0c\x00"), "'words.txt' is compressed by method 12; only deflate"),
        (lambda c: overwrite_directory(c, 10, b"\x00\x00"), "expected a zip; "),  # neither size nor checksum fits
        (lambda c: overwrite_directory(c, 8, b"\x40\x00"), "expected a zip; strong encryption"),
        (lambda c: overwrite_directory(c, 8, b"\x20\x00"), "expected a zip; compressed patched data"),
        (lambda c: overwrite_directory(c, 8, b"\x00\x08") and c.replace(b"words", b"\xff\xff\xff\xff\xff"), "utf-8"),
        (lambda c: c[:-30], "expected a zip; "),
        (lambda c: c[50:], "expected a zip; "),
        (lambda c: b"", "expected a zip; "),
    ],
)
def test_damage_is_refused(saved, damage, message):
    content = bytearray(saved.read_bytes())
    saved.write_bytes(damage(content))
    with pytest.raises(InvalidInputError, match=message):
        read_all(saved)


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(tmp_path, compression):
    with pytest.raises(InvalidInputError, match=f"'words.txt' is compressed by method {compression}; only deflate"):
        read_all(make(tmp_path / "file.zip", compression))


@pytest.mark.parametrize("change", [0x01, 0x80, 0xFF])
def test_no_byte_does_harm(saved, change):
    content = saved.read_bytes()
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= change
        saved.write_bytes(damaged)
        try:
            texts = list(read_all(saved).values())
        except InvalidInputError:
            continue
        assert texts in ([TEXT], [])  # a byte that does not matter, such as a date, or the number of entries


def test_own_errors_and_those_of_the_system_pass(saved, tmp_path):
    with pytest.raises(FileNotFoundError):
        read_all(tmp_path / "none.zip")
    with (
        pytest.raises(InvalidInputError, match=r"^mine$"),
        reading_zip(saved, lambda found: InvalidInputError("other")),
    ):
        raise InvalidInputError("mine")
