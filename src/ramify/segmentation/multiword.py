"""Learning which tokens are multiword tokens: a decision list over their endings."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.segmentation.gold_text import SurfaceToken

__all__ = ["MultiwordRule", "WordRule", "learn_rules"]

WordRule = tuple[int, int, str]  # piece of the token, counted from its end, and letters that follow it
MultiwordRule = tuple[str, list[WordRule]]  # ending, and the words; none: the token is a word

WHOLE_TOKEN = "\n"  # starts an ending that is a token as a whole; no token holds it  # noqa: S105
_LONGEST_ENDING = 10
_MIN_FORMS = 3  # different tokens with an ending from which it is a rule for others
_KEEP: tuple[WordRule, ...] = ()


def learn_rules(tokens: Iterable[SurfaceToken]) -> list[MultiwordRule]:
    """Return endings and how tokens with them are split; the longest ending that fits a token decides.

    Parameters
    ----------
    tokens : of a treebank
    """
    seen: dict[str, Counter[tuple[WordRule, ...]]] = defaultdict(Counter)
    for token in tokens:
        seen[_lower(token.form)][_rule_of(token)] += 1
    if all(set(rules) == {_KEEP} for rules in seen.values()):
        return []
    votes: dict[str, Counter[tuple[WordRule, ...]]] = defaultdict(Counter)
    for form, rules in seen.items():
        best = _majority(rules)
        for length in range(1, min(len(form), _LONGEST_ENDING) + 1):
            votes[form[-length:]][best] += 1
        votes[WHOLE_TOKEN + form][best] = sum(rules.values())
    return _pruned(votes)


def _pruned(votes: dict[str, Counter[tuple[WordRule, ...]]]) -> list[MultiwordRule]:
    """Return only endings that decide otherwise than the next shorter one."""
    decisions: dict[str, tuple[WordRule, ...]] = {}
    # An ending comes after all shorter ones; a whole token after the ending of the same letters.
    for ending in sorted(votes, key=lambda e: (len(e.removeprefix(WHOLE_TOKEN)), e.startswith(WHOLE_TOKEN), e)):
        whole = ending.startswith(WHOLE_TOKEN)
        letters = ending.removeprefix(WHOLE_TOKEN)
        best = _majority(votes[ending])
        few = best != _KEEP and sum(votes[ending].values()) < _MIN_FORMS
        if not whole and (few or len(letters) < _consumed(best)):
            continue  # no evidence for other tokens
        if best != _decided(decisions, letters):
            decisions[ending] = best
    return [(ending, list(rule)) for ending, rule in (decisions | _stacked(decisions, votes)).items()]


def _stacked(
    decisions: dict[str, tuple[WordRule, ...]], votes: dict[str, Counter[tuple[WordRule, ...]]]
) -> dict[str, tuple[WordRule, ...]]:
    """Return rules for one ending after another, which the treebank need not have: they'd + 've.

    Only for endings with a sign that is no letter, which words do not end in by chance, and that are cut off as they
    stand.
    """
    marked = {
        ending: rule
        for ending, rule in decisions.items()
        if not ending.startswith(WHOLE_TOKEN) and not ending.isalpha() and rule == _cut_off(_consumed(rule))
    }
    stacked: dict[str, tuple[WordRule, ...]] = {}
    for ending, last in itertools.permutations(marked, 2):
        first, size = _consumed(marked[ending]), _consumed(marked[last])
        whole = ending + last[-size:]
        if whole not in votes:
            stacked[whole] = ((0, first + size, ""), (first + size, size, ""), (size, 0, ""))
    return stacked


def _cut_off(size: int) -> tuple[WordRule, ...]:
    """Return the rule that makes a word of the last characters."""
    return (0, size, ""), (size, 0, "")


def _consumed(rule: tuple[WordRule, ...]) -> int:
    """Return how many characters at a token's end a rule changes or takes for words of their own."""
    return max((max(begin, end) for begin, end, _ in rule), default=0)


def _decided(decisions: dict[str, tuple[WordRule, ...]], letters: str) -> tuple[WordRule, ...]:
    for length in range(len(letters), 0, -1):
        if letters[-length:] in decisions:
            return decisions[letters[-length:]]
    return _KEEP


def _majority(votes: Counter[tuple[WordRule, ...]]) -> tuple[WordRule, ...]:
    # Ties are broken by the rule itself: the order of the treebank must not matter.
    return max(votes.items(), key=lambda item: (item[1], item[0]))[0]


def _rule_of(token: SurfaceToken) -> tuple[WordRule, ...]:
    """Return the words of a token as pieces of it."""
    form, words = _lower(token.form), [_lower(word) for word in token.words]
    if len(words) == 1:
        return _KEEP
    if "".join(words) == form:
        end = len(form)
        pieces: list[WordRule] = []
        for i, word in enumerate(words):
            pieces.append((0 if i == 0 else end, end - len(word), ""))
            end -= len(word)
        return tuple(pieces)
    shared = 0
    while shared < min(len(form), len(words[0])) and form[shared] == words[0][shared]:
        shared += 1
    first = (0, len(form) - shared, words[0][shared:])
    return first, *(_piece(form, word) for word in words[1:])


def _lower(text: str) -> str:
    """Return lower case that has as many characters, with one apostrophe for both, as the C++ core makes it."""
    return "".join(low if len(low := c.lower()) == 1 else c for c in text.replace("\u2019", "'"))


def _piece(form: str, word: str) -> WordRule:
    return (len(word), 0, "") if form.endswith(word) else (0, 0, word)
