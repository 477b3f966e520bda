"""The card of a pipeline: what a person wants to know before using it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.learn.cards import card

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
    scores = {note: _figures(facts[name]) for name, note in _NOTES.items() if name in facts}
    weight = manifest.tag_weight
    advice = {"tags": f"those of the network, advised by taggers with weight {weight:g}"} if weight else {}
    model = {"components": ", ".join(manifest.components), **advice, **_named(facts.get("training", {}))}
    sections = {"Data": _named(facts.get("data", {})), "Scores": scores, "Model": model}
    return card(f"Pipeline for language {manifest.language}", sections)


def _named(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name.replace("-", " "): value for name, value in facts.items()}


def _figures(scores: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {100 * value:.2f}" for name, value in scores.items() if isinstance(value, float))
