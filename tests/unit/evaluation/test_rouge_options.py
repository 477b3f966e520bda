from __future__ import annotations

import pytest

from ramify.errors import InvalidInputError
from ramify.evaluation import read_exceptions


def test_irregular_words_are_read(tmp_path):
    (tmp_path / "noun.exc").write_text("men man\nbetter better\n", encoding="utf-8")
    (tmp_path / "adj.exc").write_text("better good\nalone\n", encoding="utf-8")
    assert read_exceptions(tmp_path) == {"men": "man", "better": "good"}


def test_folder_without_files(tmp_path):
    with pytest.raises(InvalidInputError, match=r"noun\.exc, verb\.exc"):
        read_exceptions(tmp_path)
