"""Tokens and sentences that are split and joined: rows get new numbers, and everything that names them follows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ramify.annotation.blocks import Line
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["join_sentences", "join_tokens", "num_words", "split_sentence", "split_token"]

_NO_SPACE = "SpaceAfter=No"
_KEY = re.compile(r"#\s*([\w:.-]+)\s*=\s*(.*)")


def num_words(lines: Sequence[Line]) -> int:
    """Return how many words there are."""
    return sum(1 for line in lines if line.word)


def renumbered(
    lines: Sequence[Line],
    number: Callable[[int], int],
    *,
    enhanced: bool = True,
    after: Callable[[int], int] | None = None,
) -> list[Line]:
    """Return the rows with other numbers of words, in IDs, heads and enhanced heads.

    Parameters
    ----------
    lines : of a block
    number : of a word; 0 stays
    enhanced : whether column DEPS names words (CoNLL-U), or is something else (CoNLL-X)
    after : the new number of the word that an empty node stands after, if it is not that of the word itself
    """
    after = after or number
    found = []
    for line in lines:
        if not line.is_row:
            found.append(line)
            continue
        cells = {"ID": _id(line, number, after)}
        if line["HEAD"].isdigit():
            cells["HEAD"] = str(number(int(line["HEAD"])))
        if enhanced:
            cells["DEPS"] = _deps(line["DEPS"], number, after)
        elif line["DEPS"].isdigit():  # the projective head of CoNLL-X
            cells["DEPS"] = str(number(int(line["DEPS"])))
        found.append(line.replaced(**cells))
    return found


def _id(line: Line, number: Callable[[int], int], after: Callable[[int], int]) -> str:
    if line.range:
        first, last = line.range
        return f"{number(first)}-{number(last)}"
    if line.empty:
        return f"{after(line.empty[0])}.{line.empty[1]}"
    return str(number(line.word))


def _deps(cell: str, number: Callable[[int], int], place: Callable[[int], int] | None = None) -> str:
    """Renumber the heads of DEPS; those whose number is −1 go."""
    if cell == "_":
        return cell
    kept = []
    for item in cell.split("|"):
        head, colon, label = item.partition(":")
        after, dot, own = head.partition(".")
        if not after.isdigit():
            kept.append((0.0, item))
            continue
        new = (place if dot and place else number)(int(after))
        if new >= 0:
            kept.append((float(f"{new}{dot}{own}"), f"{new}{dot}{own}{colon}{label}"))
    return "|".join(text for _, text in sorted(kept, key=lambda pair: pair[0])) or "_"


def split_token(
    lines: Sequence[Line], word: int, at: int, *, multiword: bool = False, enhanced: bool = True
) -> list[Line]:
    """Split a word into two; the head of the second one is the first one.

    Parameters
    ----------
    lines : of a block
    word : its number
    at : how many characters the first part has
    multiword : whether the text has one token that stands for both words
    enhanced : as in `renumbered`
    """
    old = _row(lines, word)
    form = old["FORM"]
    if not 0 < at < len(form):
        raise InvalidInputError(
            f"A word can only be split between its characters; {form!r} has {len(form)} characters, and the "
            f"place is {at}."
        )
    inside = any(line.range and line.range[0] <= word <= line.range[1] for line in lines)
    if multiword and inside:
        raise InvalidInputError(f"{form!r} belongs to a multiword token already; split it into two words instead.")
    first, second = form[:at].rstrip(), form[at:].lstrip()
    gap = form[at - 1].isspace() or form[at].isspace()
    # A multiword token keeps its rows' numbers: the range grows when its last word is the one that is split.
    shifted = renumbered(lines, lambda w: w + (w > word), enhanced=enhanced, after=lambda w: w + (w >= word))
    found: list[Line] = []
    for source, line in zip(lines, shifted, strict=True):
        if source.range and source.range[1] == word:
            found.append(line.replaced(ID=f"{source.range[0]}-{word + 1}"))
        elif source.word == word:
            glued = "_" if gap or inside or multiword else _NO_SPACE
            if multiword:
                found.append(Line((f"{word}-{word + 1}", form, *["_"] * 7, old["MISC"]), old.end))
            found.append(line.replaced(FORM=first, LEMMA=_lemma(old["LEMMA"], form, first), MISC=glued))
            deps = f"{word}:dep" if enhanced and old["DEPS"] != "_" else "_"
            rest = "_" if multiword else old["MISC"]
            values = (
                str(word + 1),
                second,
                _lemma("_", "", second),
                old["UPOS"],
                old["XPOS"],
                "_",
                str(word),
                "dep",
                deps,
                rest,
            )
            found.append(Line(values, old.end))
        else:
            found.append(line)
    return found if enhanced else [_plain(line) for line in found]


def _lemma(lemma: str, form: str, part: str) -> str:
    return lemma if lemma not in ("_", form, form.lower()) else part.lower()


def _plain(line: Line) -> Line:
    """Take out what only CoNLL-U has."""
    return line.replaced(MISC="_") if line.word and line["MISC"] == _NO_SPACE else line


def join_tokens(lines: Sequence[Line], word: int, *, enhanced: bool = True) -> list[Line]:
    """Join a word with the next one; the dependents of both become its dependents.

    Parameters
    ----------
    lines : of a block
    word : number of the first one
    enhanced : as in `renumbered`
    """
    one, two = _row(lines, word), _row(lines, word + 1)
    ranges = [line.range for line in lines if line.range]
    around = [next((r for r in ranges if r[0] <= w <= r[1]), None) for w in (word, word + 1)]
    if around[0] != around[1]:
        raise InvalidInputError(
            "The words cannot be joined: one of them belongs to a multiword token, and the other one does not."
        )
    glued = around[0] is not None or _NO_SPACE in one["MISC"].split("|")
    form = one["FORM"] + ("" if glued or not enhanced else " ") + two["FORM"]
    # The arc of the upper word stays. If neither is above the other, that of the first one does.
    outer = two if _is_above(lines, word + 1, word) else one

    def number(w: int) -> int:
        return w - (w > word)

    found: list[Line] = []
    shifted = renumbered(lines, number, enhanced=enhanced)
    for source, line in zip(lines, shifted, strict=True):
        if source.range == (word, word + 1):
            continue  # the token now is the word
        if source.word == word:
            head = str(number(int(outer["HEAD"]))) if outer["HEAD"].isdigit() else outer["HEAD"]
            deps = _without(_deps(outer["DEPS"], number), word) if enhanced else line["DEPS"]
            whole = next((other for other in lines if other.range == (word, word + 1)), None)
            misc = two["MISC"] if whole is None else whole["MISC"]
            lemma = "_" if "_" in (one["LEMMA"], two["LEMMA"]) else one["LEMMA"] + two["LEMMA"]
            shown = form if whole is None else whole["FORM"]
            kept = {"UPOS": outer["UPOS"], "XPOS": outer["XPOS"], "FEATS": outer["FEATS"], "DEPREL": outer["DEPREL"]}
            found.append(line.replaced(FORM=shown, LEMMA=lemma, HEAD=head, DEPS=deps, MISC=misc, **kept))
        elif source.word != word + 1:
            found.append(line.replaced(DEPS=_without(line["DEPS"], 0, keep=True)) if enhanced and line.is_row else line)
    if any(line.empty and line.empty[0] == word for line in lines):
        found = _numbered_empty(found)
    return found


def _is_above(lines: Sequence[Line], upper: int, lower: int) -> bool:
    """Tell whether one word is the head of another one, or the head of its head, and so on."""
    heads = {line.word: int(line["HEAD"]) for line in lines if line.word and line["HEAD"].isdigit()}
    seen: set[int] = set()
    while lower in heads and lower not in seen:
        seen.add(lower)
        lower = heads[lower]
        if lower == upper:
            return True
    return False


def _without(cell: str, word: int, *, keep: bool = False) -> str:
    """Take arcs from a word to itself, and arcs that are there twice, out of DEPS."""
    if cell == "_":
        return cell
    items = dict.fromkeys(cell.split("|"))
    return "|".join(item for item in items if keep or item.partition(":")[0] != str(word)) or "_"


def _numbered_empty(lines: Sequence[Line]) -> list[Line]:
    """Refuse empty nodes that would get the number of others."""
    ids = [line.id for line in lines if line.empty]
    if len(set(ids)) != len(ids):
        raise InvalidInputError("The words cannot be joined: there are empty nodes after both of them.")
    return list(lines)


def _row(lines: Sequence[Line], word: int) -> Line:
    found = next((line for line in lines if line.word == word), None)
    if found is None:
        raise InvalidInputError(f"The sentence has words 1 to {num_words(lines)}; got {word}.")
    return found


def split_sentence(
    lines: Sequence[Line], word: int, name: str, *, enhanced: bool = True
) -> tuple[list[Line], list[Line]]:
    """Split a sentence before a word; arcs between the halves become arcs from the roots.

    Parameters
    ----------
    lines : of a block
    word : the first word of the second half, from 2
    name : ``sent_id`` of the second half; empty if the sentences have no names
    enhanced : as in `renumbered`
    """
    n = num_words(lines)
    if not 2 <= word <= n:
        raise InvalidInputError(f"A sentence can be split before its words 2 to {n}; got {word}.")
    if any(line.range and line.range[0] < word <= line.range[1] for line in lines):
        raise InvalidInputError("A sentence cannot be split inside a multiword token.")
    rows = [line for line in lines if line.is_row]
    rest = [line for line in lines if not line.is_row]
    comments = [line for line in rest if line.cells[0].startswith("#")]
    ends = [line for line in rest if not line.cells[0].startswith("#")]
    left = [row for row in rows if _place(row) < word]
    right = [row for row in rows if _place(row) >= word]
    texts = _texts(comments, left, right)
    end = ends or [Line(("",), rows[-1].end)]
    first = [_with_value(line, "text", texts[0]) for line in comments]
    second = [Line((f"# sent_id = {name}",), rows[-1].end)] if name else []
    if texts[1] and any(_key(line) == "text" for line in comments):
        second.append(Line((f"# text = {texts[1]}",), rows[-1].end))
    halves = []
    has_graph = enhanced and any(row["DEPS"] != "_" for row in rows)
    for mine, low, high in ((left, 1, word - 1), (right, word, n)):

        def number(w: int, low: int = low, high: int = high) -> int:
            return 0 if w == 0 else w - low + 1 if low <= w <= high else -1

        halves.append(_rooted(renumbered(mine, number, enhanced=enhanced), has_graph))
    return [*first, *halves[0], *end[:1]], [*second, *halves[1], *end]


def _place(row: Line) -> int:
    """Return the word that a row stands at; an empty node before the first word of a half would have no place."""
    if row.range:
        return row.range[0]
    return row.empty[0] if row.empty else row.word


def _rooted(rows: list[Line], has_graph: bool) -> list[Line]:
    """Give words whose head is in the other half the root of this one."""
    roots = [row.word for row in rows if row.word and row["HEAD"] == "0"]
    lost = [row.word for row in rows if row.word and row["HEAD"] == "-1"]
    root = (roots or lost or [0])[0]
    found = []
    for row in rows:
        if row.word and row.word in lost:
            own = row.word == root
            cells = {"HEAD": "0" if own else str(root), "DEPREL": "root" if own else row["DEPREL"]}
            if row["DEPREL"] == "root" and not own:
                cells["DEPREL"] = "parataxis"
            if has_graph and row["DEPS"] == "_":
                cells["DEPS"] = f"{cells['HEAD']}:{cells['DEPREL']}"
            row = row.replaced(**cells)
        found.append(row)
    return found


def _texts(comments: Sequence[Line], left: Sequence[Line], right: Sequence[Line]) -> tuple[str, str]:
    """Cut the text where the first half ends; if it does not start with that half's words, make both of the words."""
    text = next((value for key, value in map(_pair, comments) if key == "text"), "")
    first, second = _spelled(left), _spelled(right)
    if text.startswith(first.rstrip()):
        return text[: len(first.rstrip())], text[len(first.rstrip()) :].strip()
    return first.rstrip(), second.rstrip()


def _spelled(rows: Sequence[Line]) -> str:
    inside = {w for row in rows if row.range for w in range(row.range[0], row.range[1] + 1)}
    tokens = (row for row in rows if row.range or (row.word and row.word not in inside))
    return "".join(row["FORM"] + ("" if _NO_SPACE in row["MISC"].split("|") else " ") for row in tokens)


def join_sentences(one: Sequence[Line], two: Sequence[Line], *, enhanced: bool = True) -> list[Line]:
    """Join two sentences; the root of the first becomes the head of the root of the second.

    Parameters
    ----------
    one, two : their lines
    enhanced : as in `renumbered`
    """
    if any(_key(line) in ("newdoc", "newpar") or line.cells[0].startswith(("# newdoc", "# newpar")) for line in two):
        raise InvalidInputError("The sentences cannot be joined: the next one starts a paragraph or a document.")
    n = num_words(one)
    root = next((line.word for line in one if line.word and line["HEAD"] == "0"), 0)
    texts = [value for lines in (one, two) for key, value in map(_pair, lines) if key == "text"]
    last = [line for line in one if line.is_row][-1]
    gap = "" if _NO_SPACE in _last_token(one)["MISC"].split("|") else " "
    comments = [line for line in one if line.cells[0].startswith("#")]
    comments += [line for line in two if line.cells[0].startswith("#") and _key(line) not in ("sent_id", "text")]
    if len(texts) == 2:
        comments = [_with_value(line, "text", texts[0] + gap + texts[1]) for line in comments]
    rows = []
    for source, row in zip(two, renumbered(two, lambda w: w + n if w else 0, enhanced=enhanced), strict=True):
        if not row.is_row:
            continue
        if source.word and source["HEAD"] == "0" and root:
            deps = _replaced_root(row["DEPS"], root) if enhanced else row["DEPS"]
            row = row.replaced(HEAD=str(root), DEPREL="parataxis", DEPS=deps)
        if source.empty and source.empty[0] == 0:
            row = row.replaced(ID=f"{n}.{source.empty[1]}")
        rows.append(row)
    if any(line.empty and line.empty[0] == 0 for line in two):
        raise InvalidInputError("The sentences cannot be joined: the next one starts with an empty node.")
    ends = [line for line in two if not line.is_row and not line.cells[0].startswith("#")]
    kept = [line for line in one if line.is_row]
    kept[-1] = Line(last.cells, last.end or "\n")
    return [*comments, *kept, *rows, *ends]


def _replaced_root(cell: str, root: int) -> str:
    items = [f"{root}:parataxis" if item.partition(":")[0] == "0" else item for item in cell.split("|")]
    return "|".join(items)


def _last_token(lines: Sequence[Line]) -> Line:
    words = [line for line in lines if line.word]
    last = words[-1].word
    return next((line for line in lines if line.range and line.range[1] == last), words[-1])


def _key(line: Line) -> str:
    return _pair(line)[0]


def _pair(line: Line) -> tuple[str, str]:
    match = _KEY.fullmatch(line.cells[0]) if len(line.cells) == 1 else None
    return (match[1], match[2]) if match else ("", "")


def _with_value(line: Line, key: str, value: str) -> Line:
    return Line((f"# {key} = {value}",), line.end) if _key(line) == key and value else line
