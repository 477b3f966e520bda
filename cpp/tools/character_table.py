"""Writes the table of character classes that segmentation uses, from Python's own Unicode database.

python cpp/tools/character_table.py > cpp/src/segmentation/character_table.hpp
"""

from __future__ import annotations

import itertools
import sys
import unicodedata

WHITE_SPACE = {*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
# Control characters never become words: what is no line end separates words as a space does. So does the byte order
# mark, which stands wherever files were put together.
CONTROLS = {*range(0x20), *range(0x7F, 0xA0), 0xFEFF}
NEWLINES = {0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029}
TERMINATORS = set(map(ord, ".!?…。！？｡．؟۔।॥።፧‼⁇⁈⁉။។៕᠃᠉"))
COMMAS = set(map(ord, ",;:،؛、，；：､･"))
QUOTES = set(map(ord, "'\"`´＇＂"))
EMOJI = ((0x1F000, 0x1FC00), (0x2600, 0x27C0), (0x2300, 0x2400), (0x2B00, 0x2C00))
SKIN_TONES = range(0x1F3FB, 0x1F400)
SCRIPTS = (
    ("CJK ", "kHan"),
    ("HIRAGANA", "kHiragana"),
    ("KATAKANA", "kKatakana"),
    ("HALFWIDTH KATAKANA", "kKatakana"),
    ("HANGUL", "kHangul"),
    ("HALFWIDTH HANGUL", "kHangul"),
    ("THAI", "kUnspaced"),
    ("LAO", "kUnspaced"),
    ("KHMER", "kUnspaced"),
    ("MYANMAR", "kUnspaced"),
)
CATEGORIES = {
    "Lu": "kUpper",
    "Lt": "kUpper",
    "Ll": "kLower",
    "Lo": "kLetter",
    "Lm": "kLetter",
    "Nd": "kDigit",
    "Nl": "kNumber",
    "No": "kNumber",
    "Ps": "kOpen",
    "Pi": "kOpen",
    "Pe": "kClose",
    "Pf": "kClose",
    "Pd": "kDash",
    "Pc": "kConnector",
    "Po": "kPunctuation",
    "Sc": "kCurrency",
    "Sm": "kMath",
    "Sk": "kSymbol",
    "So": "kSymbol",
    "Cc": "kControl",
    "Cf": "kFormat",
}


def class_of(code: int) -> str:
    """Return the name of a character's class; empty where Unicode has no such character yet."""
    character = chr(code)
    category = unicodedata.category(character)
    for members, name in ((NEWLINES, "kNewline"), (WHITE_SPACE | CONTROLS, "kSpace"), (TERMINATORS, "kTerminator")):
        if code in members:
            return name
    if code in COMMAS:
        return "kComma"
    if code in QUOTES:
        return "kQuote"
    if category.startswith("M"):
        return "kMark"
    if category.startswith("L"):
        name = unicodedata.name(character, "")
        for prefix, script in SCRIPTS:
            if name.startswith(prefix):
                return script
    if (category == "So" and any(first <= code < end for first, end in EMOJI)) or code in SKIN_TONES:
        return "kEmoji"
    return "" if category == "Cn" else CATEGORIES.get(category, "kOther")


def lower(code: int) -> int:
    """Return the lower case if it is one character."""
    text = chr(code).lower()
    return ord(text) if len(text) == 1 else code


def runs(values: list) -> list[tuple[int, object]]:
    """Return where each run of equal values starts."""
    start = 0
    found = []
    for value, group in itertools.groupby(values):
        found.append((start, value))
        start += sum(1 for _ in group)
    return found


def fold_case(classes: list[str]) -> None:
    """Alternating upper and lower case, as in Latin Extended, becomes one class instead of a run per letter."""
    case = ("kUpper", "kLower")
    for code in range(len(classes) - 1):
        if (classes[code], classes[code + 1]) == case and lower(code) == code + 1:
            name = "kUpperIfEven" if code % 2 == 0 else "kUpperIfOdd"
            classes[code] = classes[code + 1] = name


def rows(cells: list[str]) -> str:
    """Return cells in lines that are not too long."""
    lines, line = [], "   "
    for cell in cells:
        if len(line) + len(cell) > 116:
            lines.append(line)
            line = "   "
        line += f" {cell},"
    return "\n".join([*lines, line])


def main() -> None:
    """Print the table."""
    size = sys.maxunicode + 1
    classes = [class_of(code) for code in range(size)]
    for code in range(1, size):
        classes[code] = classes[code] or classes[code - 1]  # not assigned yet: most likely like its neighbour
    fold_case(classes)
    starts = runs(classes)
    alternating = ("kUpperIfEven", "kUpperIfOdd")
    steps = [0 if classes[code] in alternating else lower(code) - code for code in range(size)]
    lowers = [(start, step) for start, step in runs(steps)]
    print("// Made by cpp/tools/character_table.py; Unicode", unicodedata.unidata_version)
    print('#pragma once\n\n#include "ramify/segmentation/characters.hpp"\n\nnamespace ramify::segmentation {\n')
    print("// clang-format off")
    print("struct ClassRun { char32_t first; CharacterClass value; };")
    print("struct LowerRun { char32_t first; std::int32_t step; };\n")
    print("using enum CharacterClass;")
    print(f"inline constexpr ClassRun kClassRuns[] = {{\n{rows([f'{{{s:#x}, {c}}}' for s, c in starts])}\n}};\n")
    print(f"inline constexpr LowerRun kLowerRuns[] = {{\n{rows([f'{{{s:#x}, {c}}}' for s, c in lowers])}\n}};")
    print("// clang-format on\n\n}  // namespace ramify::segmentation")


if __name__ == "__main__":
    main()
