"""Results of the C++ engine as plain Python values, so that they can be pickled and copied."""

from __future__ import annotations

from typing import Any

__all__ = ["Record", "recorded"]


class Record:
    """What an object of the engine says, asked in the same way: fields by name, arrays by methods without arguments.

    Parameters
    ----------
    fields : values by name
    arrays : by name, what the method of that name returns
    """

    __slots__ = ("_arrays", "_fields")

    def __init__(self, fields: dict[str, Any], arrays: dict[str, Any] | None = None) -> None:
        self._fields = fields
        self._arrays = arrays or {}

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):  # pickle asks for special methods before there are any fields
            if name in self._fields:
                return self._fields[name]
            if name in self._arrays:
                return lambda: self._arrays[name]
        raise AttributeError(f"a {type(self).__name__} has no {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._fields, self._arrays)


def recorded(value: Any) -> Any:
    """Return a result of the engine, with all results inside it, as records; any other value stays as it is.

    Parameters
    ----------
    value : an object that only has fields and methods without arguments, or a list of such objects
    """
    if isinstance(value, list):
        return [recorded(item) for item in value]
    if not type(type(value)).__module__.startswith("nanobind"):
        return value
    fields: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    for name in dir(type(value)):
        if name.startswith("_"):
            continue
        found = getattr(value, name)
        if callable(found):
            arrays[name] = found()
        else:
            fields[name] = recorded(found)
    return Record(fields, arrays)
