"""conlleval, word by word: chunks begin and end by a table of neighbouring prefixes, and are compared as they run."""

from __future__ import annotations

from collections import Counter
from itertools import product

# (prefix before, prefix here) of one type. Where the types differ, a chunk always ends and another begins.
ENDS = set(product("BI", "BSO")) | set(product("ES", "BIESO"))
STARTS = set(product("BIESO", "BS")) | set(product("ESO", "EI"))


def _split(label: str) -> tuple[str, str]:
    return ("O", "") if label == "O" else (label[0], label[2:])


def conlleval(gold: list[list[str]], predicted: list[list[str]]) -> tuple[Counter, Counter, Counter, int]:
    """Return chunks that are right, in gold and predicted, by type, and the number of right words."""
    right, in_gold, in_predicted = Counter(), Counter(), Counter()
    right_words = 0
    for ours, theirs in zip(gold, predicted, strict=True):
        open_in_both = False  # a chunk that has begun at the same word in both, with one type
        before = [("O", ""), ("O", "")]
        for labels in zip([*ours, "O"], [*theirs, "O"], strict=True):
            here = [_split(label) for label in labels]
            end, start = [], []
            for (old, old_type), (new, new_type) in zip(before, here, strict=True):
                end.append((old, new) in ENDS or (old != "O" and old_type != new_type))
                start.append((old, new) in STARTS or (new != "O" and old_type != new_type))
            if open_in_both:
                if all(end):
                    right[before[0][1]] += 1
                if any(end):
                    open_in_both = False
            if all(start) and here[0][1] == here[1][1]:
                open_in_both = True
            for began, (_, kind), counter in zip(start, here, (in_gold, in_predicted), strict=True):
                counter[kind] += began
            before = here
        right_words += sum(a == b for a, b in zip(ours, theirs, strict=True))
    return right, +in_gold, +in_predicted, right_words
