"""The card of a segmenter: what a person wants to know before using it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.learn.cards import data_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ramify.segmentation.options import Options

__all__ = ["render_card"]


def render_card(facts: Mapping[str, Any], options: Options) -> str:
    """Return the card as Markdown; what is not known is left out."""
    rows = data_rows(facts, dev="tuned on", unit="tokens")
    lines = ["# Segmenter", "", *(f"- {name}: {value}" for name, value in rows.items())]
    if "scores" in facts:
        scores = facts["scores"]
        lines.append(
            f"- on dev: tokens {100 * scores['tokens']:.2f}, words {100 * scores['words']:.2f}, "
            f"sentences {100 * scores['sentences']:.2f} (F1, raw text)"
        )
    lines.append(f"- weights: 2 x 2^{options.bits}, {options.epochs} epochs, seed {options.seed}")
    if "version" in facts:
        lines.append(f"- made with: ramify {facts['version']}")
    return "\n".join(lines) + "\n"
