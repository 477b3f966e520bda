"""The card of a tagger, which describes the model to its users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.learn.cards import card, data_rows, origin_rows, size_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ramify.tagging.config import Config

__all__ = ["render_card"]


def render_card(facts: Mapping[str, Any], config: Config) -> str:
    """Return the card as Markdown; unknown facts are left out."""
    model = _model(facts, config)
    if "parameters" in facts:
        model["looks at"] = "features that the caller makes"
        return card("Sequence labeller", {"Model": model})
    sections = {"Data": data_rows(facts), "Scores": _scores(facts), "Model": model}
    return card(f"Tagger of column {config.model.target}", sections)


def _scores(facts: Mapping[str, Any]) -> dict[str, str]:
    scores = facts.get("scores")
    if not scores:
        return {}
    text = f"{100 * scores['accuracy']:.2f}% of the words right"
    if scores.get("f1") is not None:
        text += f", F1 of spans {100 * scores['f1']:.2f}"
    return {"on dev": text, "epoch": f"{scores['epoch']} of {scores['epochs']}"}


def _selection(facts: Mapping[str, Any]) -> dict[str, str]:
    selection = facts.get("selection")
    if not selection:
        return {}
    kept = len(facts.get("templates", ()))
    return {"templates": f"{kept} of {selection['pool']}, selected by {selection['regularizer']}"}


def _model(facts: Mapping[str, Any], config: Config) -> dict[str, str]:
    training = config.training
    return {
        "labels": f"{facts.get('labels', 0):,}, order {config.model.order}, spans {config.model.spans}",
        "looks at": ", ".join(config.model.columns),
        "training": f"{training.epochs} epochs, seed {training.seed}, beta {training.beta:g}, "
        f"gamma {training.gamma:g}, {training.steps} steps of at most {training.max_step:g}",
        **_selection(facts),
        "size": size_of(facts),
        **origin_rows(facts),
    }
