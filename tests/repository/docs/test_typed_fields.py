"""Parameters on the API pages have their types where types belong, and their descriptions below."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from typing import Any

import pytest

from ramify.graph import FactorGraph
from ramify.parsing import Parser


@pytest.fixture
def rewrite():
    return importlib.import_module("typed_fields").rewrite


def example(path: str | None, depth: int, others: list[str]) -> dict[str, int]:
    """Do something.

    Parameters
    ----------
    path, depth : where it is, and how deep: at most ten
        levels
    others : bool
        More of them.

    Returns
    -------
    Number of words by name.

    Notes
    -----
    name : stays
    """
    raise NotImplementedError


def test_types_come_from_the_signature_and_prose_becomes_the_description(rewrite):
    lines = rewrite(example, inspect.getdoc(example).splitlines())
    assert lines[2:18] == [
        "Parameters",
        "----------",
        "path : str | None",
        "    where it is, and how deep: at most ten",
        "    levels",
        "depth : int",
        "    where it is, and how deep: at most ten",
        "    levels",
        "others : list[str]",
        "    More of them.",
        "",
        "Returns",
        "-------",
        "dict[str, int]",
        "    Number of words by name.",
        "",
    ]
    assert lines[18:] == ["Notes", "-----", "name : stays"]


def test_attributes_have_the_types_of_the_class(rewrite):
    @dataclasses.dataclass
    class Pair:
        """Two numbers.

        Attributes
        ----------
        first, second : at least 0
        """

        first: int
        second: int

    lines = rewrite(Pair, inspect.getdoc(Pair).splitlines())
    assert lines[4:] == ["first : int", "    at least 0", "second : int", "    at least 0"]


def test_several_results_keep_their_names(rewrite):
    def best() -> tuple[list[int], float]:
        """Find it.

        Returns
        -------
        heads : of every word
        value : its score
            For a batch, a list of them.
        """
        raise NotImplementedError

    lines = rewrite(best, inspect.getdoc(best).splitlines())
    assert lines[4:] == ["heads", "    of every word", "value", "    its score.", "    For a batch, a list of them."]


def test_a_result_of_any_type_is_described(rewrite):
    def entropy() -> Any:
        """Compute it.

        Returns
        -------
        float, or an array of them
        """
        raise NotImplementedError

    lines = rewrite(entropy, inspect.getdoc(entropy).splitlines())
    assert lines[4:] == ["Any", "    float, or an array of them"]


@pytest.mark.parametrize("documented", [Parser.train, Parser.parse, FactorGraph.solve])
def test_no_prose_is_left_in_the_type_slot(rewrite, documented):
    lines = [*rewrite(documented, inspect.getdoc(documented).splitlines()), ""]
    start = lines.index("Parameters") + 2
    fields = [line for line in lines[start : lines.index("", start)] if not line.startswith(" ")]
    hints = {str(hint) for hint in documented.__annotations__.values()}
    assert len(fields) >= 3
    assert {field.partition(" : ")[2] for field in fields} <= hints | {""}
