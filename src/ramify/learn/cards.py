"""What the cards of all models have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["card", "data_rows", "origin_rows", "size_of"]


def card(title: str, sections: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a card as Markdown; sections without rows are left out."""
    blocks = [f"# {title}\n"]
    for name, rows in sections.items():
        if rows:
            blocks += [f"## {name}\n", _list(rows)]
    return "\n".join(blocks)


def _list(rows: Mapping[str, Any]) -> str:
    width = max(map(len, rows))
    return "".join(f"- {name}:{' ' * (width - len(name))} {_plain(value)}\n" for name, value in rows.items())


def _plain(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return " ".join(text.split())


def data_rows(facts: Mapping[str, Any], *, dev: str = "best epoch chosen on", unit: str = "words") -> dict[str, str]:
    """Return what a model was made from, and its licence; `dev` says what the dev files were for."""
    rows = {}
    for part, name in (("train", "trained on"), ("dev", dev)):
        if part in facts:
            size = facts[part]
            files = ", ".join(size["files"]) or "sentences in memory"
            rows[name] = f"{files} ({size['sentences']:,} sentences, {size[unit]:,} {unit})"
    rows["licence of the data"] = facts.get("licence") or "not stated"
    return rows


def size_of(facts: Mapping[str, Any]) -> str:
    """Return the number of weights, and of bytes if that is known."""
    size = f"{facts.get('weights', 0):,} weights"
    return f"{size}, {facts['bytes'] / 1e6:.1f} MB" if "bytes" in facts else size


def origin_rows(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return when and by which version a model was made, as far as it is known."""
    rows = {"date": str(facts["date"])} if "date" in facts else {}
    return rows | ({"version": f"ramify {facts['version']}"} if "version" in facts else {})
