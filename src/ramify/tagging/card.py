"""The card of a tagger: what a person wants to know before using it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ramify.tagging.config import Config

__all__ = ["render_card"]


def render_card(facts: Mapping[str, Any], config: Config) -> str:
    """Return the card as Markdown; what is not known is left out."""
    blocks = [f"# Tagger of column {config.model.target}\n", *_rows("Data", _data(facts))]
    blocks += [*_rows("Scores", _scores(facts)), *_rows("Model", _model(facts, config))]
    return "\n".join(blocks)


def _rows(title: str, rows: Mapping[str, str]) -> list[str]:
    if not rows:
        return []
    width = max(map(len, rows))
    lines = [f"- {name}:{' ' * (width - len(name))} {' '.join(value.split())}\n" for name, value in rows.items()]
    return [f"## {title}\n", "".join(lines)]


def _data(facts: Mapping[str, Any]) -> dict[str, str]:
    rows = {}
    for part, name in (("train", "trained on"), ("dev", "best epoch chosen on")):
        if part in facts:
            size = facts[part]
            files = ", ".join(size["files"]) or "sentences in memory"
            rows[name] = f"{files} ({size['sentences']:,} sentences, {size['words']:,} words)"
    rows["licence of the data"] = facts.get("licence") or "not stated"
    return rows


def _scores(facts: Mapping[str, Any]) -> dict[str, str]:
    scores = facts.get("scores")
    if not scores:
        return {}
    text = f"{100 * scores['accuracy']:.2f}% of the words right"
    if scores.get("f1") is not None:
        text += f", F1 of spans {100 * scores['f1']:.2f}"
    return {"on dev": text, "epoch": f"{scores['epoch']} of {scores['epochs']}"}


def _model(facts: Mapping[str, Any], config: Config) -> dict[str, str]:
    training = config.training
    rows = {
        "labels": f"{facts.get('labels', 0):,}, order {config.model.order}, spans {config.model.spans.value}",
        "looks at": ", ".join(config.model.columns),
        "training": f"{training.epochs} epochs, seed {training.seed}, beta {training.beta:g}, "
        f"gamma {training.gamma:g}, {training.steps.value} steps of at most {training.max_step:g}",
        "size": f"{facts.get('weights', 0):,} weights"
        + (f", {facts['bytes'] / 1e6:.1f} MB" if "bytes" in facts else ""),
    }
    for name in ("date", "version"):
        if name in facts:
            rows[name] = f"ramify {facts[name]}" if name == "version" else str(facts[name])
    return rows
