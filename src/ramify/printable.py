"""Text for the eyes of people: what terminals would obey instead of showing is made visible, or left out."""

from __future__ import annotations

__all__ = ["CONTROLS", "printable"]

# Control characters become their pictures (U+2400 and on), or the sign for a character that cannot be shown.
CONTROLS: dict[int, int | None] = {code: 0x2400 + code for code in range(0x20)}
CONTROLS |= {0x7F: 0x2421, 0x2028: 0x2424, 0x2029: 0x2424}
CONTROLS |= dict.fromkeys((*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), 0xFFFD)
# These would turn parts of a line around, so that a reader sees another text than there is.
_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)

_ONE_LINE = CONTROLS | dict.fromkeys(_TURNING)
_LINES = {code: sign for code, sign in _ONE_LINE.items() if code not in (0x09, 0x0A)}


def printable(text: str, *, lines: bool = False) -> str:
    r"""Return a text without characters that a terminal acts on.

    Words, labels, file names and model cards can come from strangers. Whatever shows them to people goes through here;
    files for programs (CoNLL-U, JSON) keep every character.

    Parameters
    ----------
    text : any text
    lines : whether line breaks and tabs stay as they are

    Examples
    --------
    >>> printable("a\x1b[31mred\n")
    'a␛[31mred␊'
    """
    return text if text.isascii() and text.isprintable() else text.translate(_LINES if lines else _ONE_LINE)
