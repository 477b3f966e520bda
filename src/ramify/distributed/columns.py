"""Columns of batches: dicts of lists or arrays, pandas frames, tables and record batches of pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["column_of", "with_columns"]


def column_of(batch: Any, name: str) -> Sequence[object]:
    """Return a column of a batch as a sequence of Python values."""
    names = _names(batch)
    if name not in names:
        raise InvalidInputError(
            f"annotator expects a column {name!r} of texts; the batch has {', '.join(map(repr, names)) or 'none'}. "
            "Name the column: annotator(model, text=NAME)."
        )
    column = batch[name]
    values: Sequence[object] = column.to_pylist() if _library(batch) == "pyarrow" else list(column)
    return values


def with_columns(batch: Any, columns: dict[str, list[Any]]) -> Any:
    """Return a copy of a batch, of the same type, that has more columns."""
    taken = [name for name in columns if name in _names(batch)]
    if taken:
        raise InvalidInputError(
            f"annotator adds the column {taken[0]!r}, which the batch already has. Rename that column first."
        )
    library = _library(batch)
    if library == "pandas":
        return batch.assign(**columns)
    if library == "pyarrow":
        return _with_arrow_columns(batch, columns)
    arrays = any(isinstance(column, np.ndarray) for column in batch.values())
    return batch | {name: _as_array(column) if arrays else column for name, column in columns.items()}


def _with_arrow_columns(batch: Any, columns: dict[str, list[Any]]) -> Any:
    import pyarrow as pa

    types = {"conllu": pa.large_string(), "error": pa.string()}  # also where all values are missing
    arrays = [pa.array(column, types.get(name, pa.int64())) for name, column in columns.items()]
    # Row by row, an Arrow table may consist of chunks; the new columns are one chunk each.
    return type(batch).from_arrays([*batch.columns, *arrays], names=[*batch.schema.names, *columns])


def _as_array(column: list[Any]) -> Any:
    return np.array(column, np.int64 if all(isinstance(value, int) for value in column) else object)


def _library(batch: Any) -> str:
    return type(batch).__module__.partition(".")[0]


def _names(batch: Any) -> list[str]:
    library = _library(batch)
    if library == "pyarrow":
        return list(batch.schema.names)
    if library == "pandas" or isinstance(batch, dict):
        return list(batch)
    raise InvalidInputError(
        "annotator expects a dict of lists or arrays, a pandas frame, or a table or record batch of pyarrow; got "
        f"{type(batch).__name__}."
    )
