"""The card of a segmenter, which describes the model to its users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.learn.cards import card, data_rows, origin_rows, size_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ramify.segmentation.config import Config

__all__ = ["render_card"]


def render_card(facts: Mapping[str, Any], config: Config) -> str:
    """Return the card as Markdown; unknown facts are left out."""
    data = data_rows(facts, dev="tuned on", unit="tokens")
    return card("Segmenter", {"Data": data, "Scores": _scores(facts), "Model": _model(facts, config)})


def _scores(facts: Mapping[str, Any]) -> dict[str, str]:
    scores = facts.get("scores")
    if not scores:
        return {}
    parts = ", ".join(f"{name} {100 * scores[name]:.2f}" for name in ("tokens", "words", "sentences"))
    return {"on dev": f"{parts} (F1, raw text)"}


def _model(facts: Mapping[str, Any], config: Config) -> dict[str, str]:
    return {
        "training": f"{config.training.epochs} epochs, seed {config.training.seed}",
        "size": size_of({"weights": 2 << config.model.bits, **facts}),
        **origin_rows(facts),
    }
