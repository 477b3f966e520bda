"""What requests consist of: one table of fields checks them and describes them in OpenAPI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Field", "check", "schema"]

_NAMES = {str: "string", int: "integer", bool: "boolean", list: "array", dict: "object"}


@dataclass(frozen=True)
class Field:
    """A field of a JSON object.

    Attributes
    ----------
    name, kind, text : the name, the Python type of the value, and what it means
    choices : all values, where only some are allowed
    least, most : limits of a number
    items : JSON schema of the items of a list
    required : whether it must be there
    """

    name: str
    kind: type
    text: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    items: Mapping[str, Any] | None = None
    required: bool = False

    def check(self, value: object) -> None:
        """Raise if a value is not allowed."""
        fits = isinstance(value, self.kind) and not (self.kind is int and isinstance(value, bool))
        fits = fits and (not self.choices or value in self.choices)
        if isinstance(value, int) and self.least is not None and self.most is not None:
            fits = fits and self.least <= value <= self.most
        if not fits:
            raise InvalidInputError(f"{self.name} expects {self._expected()}; got {str(value)[:100]!r}.")

    def _expected(self) -> str:
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.least is not None:
            return f"a whole number, {self.least} to {self.most}"
        names = {str: "a string", bool: "true or false", list: "a list", int: "a whole number", dict: "an object"}
        return names[self.kind]

    def schema(self) -> dict[str, Any]:
        """Describe the field as a JSON schema."""
        found: dict[str, Any] = {"type": _NAMES[self.kind], "description": self.text}
        if self.choices:
            found["enum"] = list(self.choices)
        if self.least is not None:
            found |= {"minimum": self.least, "maximum": self.most}
        if self.kind is list:
            found["items"] = dict(self.items or {})
        return found


def check(value: object, fields: Sequence[Field]) -> dict[str, Any]:
    """Return an object whose fields have been checked.

    Parameters
    ----------
    value : what JSON gave
    fields : those that there may be
    """
    if not isinstance(value, dict):
        raise InvalidInputError(f"The body must be a JSON object; got {type(value).__name__}.")
    known = {field.name: field for field in fields}
    for name, given in value.items():
        if name not in known:
            raise InvalidInputError(f"There is no field {name[:100]!r}; the fields are {', '.join(known)}.")
        known[name].check(given)
    missing = [field.name for field in fields if field.required and field.name not in value]
    if missing:
        raise InvalidInputError(f"The field {missing[0]} is missing.")
    return value


def schema(fields: Sequence[Field]) -> dict[str, Any]:
    """Describe an object with these fields as a JSON schema."""
    return {
        "type": "object",
        "properties": {field.name: field.schema() for field in fields},
        "required": [field.name for field in fields if field.required],
        "additionalProperties": False,
    }
