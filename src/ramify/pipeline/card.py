"""The card of a pipeline: what a person wants to know before using it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ramify.pipeline.model_files import Manifest

__all__ = ["render_card"]

_NOTES = {
    "raw": "dev from raw text (CoNLL 2018 F1)",
    "gold-tokens": "dev with gold tokens and predicted tags",
}


def render_card(manifest: Manifest) -> str:
    """Return the card as Markdown; what is not known is left out."""
    facts = manifest.facts
    blocks = [f"# Pipeline for language {manifest.language}\n", *_rows("Data", facts.get("data", {}))]
    scores = {note: _figures(facts[name]) for name, note in _NOTES.items() if name in facts}
    blocks += _rows("Scores", scores)
    model = {"components": ", ".join(manifest.components)} | dict(facts.get("training", {}))
    return "\n".join([*blocks, *_rows("Model", model)])


def _rows(title: str, rows: Mapping[str, Any]) -> list[str]:
    if not rows:
        return []
    width = max(map(len, rows))
    lines = [f"- {name.replace('-', ' ')}:{' ' * (width - len(name))} {_plain(rows[name])}\n" for name in rows]
    return [f"## {title}\n", "".join(lines)]


def _plain(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return " ".join(text.split())


def _figures(scores: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {100 * value:.2f}" for name, value in scores.items() if isinstance(value, float))
