"""Groups of a parser's templates by what they see, as in Table 3 of Martins et al. (2011, structured sparsity)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

__all__ = ["MARKS", "group_table", "groups_of", "share_mark"]

_WORDS, _TAGS, _FORMS, _MORPHOLOGY = "wl", "pt", "xsrc", "Ff"
MARKS = ((0.6, "++"), (0.2, "+"))  # what a share of at least so much is shown by


def groups_of(template: str) -> tuple[str, ...]:
    """Return the groups that a template belongs to; those of parts besides arcs and labels are one group for each kind.

    Examples
    --------
    >>> groups_of("arc: h.w m.p dist")
    ('word → tag', 'distance')
    >>> groups_of("arc: h.p m.p btw")
    ('tag → tag', 'between')
    >>> groups_of("arc: h.p-1 h.p m.p m.p+1")
    ('around',)
    >>> groups_of("sibling: h.p m.p")
    ('sibling',)
    """
    kind, _, pattern = template.partition(": ")
    if kind not in ("arc", "label"):
        return (kind,)
    parts = pattern.split()
    near = {(part[0], part[2]) for part in parts if part[1:2] == "." and len(part) == 3}
    around = any(part[1:2] == "." and len(part) > 3 for part in parts)
    seen = {value for _, value in near}
    found = [] if around or not seen or not seen <= {*_WORDS, *_TAGS} else _pair(near)
    found += ["around"] if around else []
    found += ["between"] if {"btw", "b"} & set(parts) else []
    found += ["shape, affix"] if seen & set(_FORMS) else []
    found += ["morphology"] if seen & set(_MORPHOLOGY) else []
    found += ["distance"] if "dist" in parts else []
    found += ["direction only"] if parts == ["dir"] else []
    return tuple(found)


def _pair(near: Collection[tuple[str, str]]) -> list[str]:
    kinds = []
    for role in "hm":
        values = {value for own, value in near if own == role}
        if not values:
            return ["one word"]
        kinds.append("word" if values & set(_WORDS) else "tag")
    return [" → ".join(kinds)]


def share_mark(share: float) -> str:
    """Return ++ for most of a group, + for some, and nothing for few or none."""
    return next((mark for least, mark in MARKS if share >= least), "")


def group_table(pools: Mapping[str, Iterable[str]], kept: Mapping[str, Iterable[str]]) -> dict[str, dict[str, float]]:
    """Return for each group, and for each model, which share of the pool's templates in this group the model has.

    Parameters
    ----------
    pools : templates that could be selected, by the name of the model
    kept : those that were

    Examples
    --------
    >>> pool = ["arc: h.p m.p", "arc: h.w m.w", "arc: h.w m.w dist"]
    >>> group_table({"ar": pool}, {"ar": pool[:2]})
    {'tag → tag': {'ar': 1.0}, 'word → word': {'ar': 0.5}, 'distance': {'ar': 0.0}}
    """
    table: dict[str, dict[str, float]] = {}
    for model, pool in pools.items():
        chosen = set(kept[model])
        sizes: dict[str, list[int]] = {}
        for template in pool:
            for group in groups_of(template):
                counts = sizes.setdefault(group, [0, 0])
                counts[0] += template in chosen
                counts[1] += 1
        for group, (some, every) in sizes.items():
            table.setdefault(group, {})[model] = some / every
    return table
