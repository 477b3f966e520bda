"""The card of a model: what a person wants to know before using it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.learn.options import to_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ramify.parsing.config import Config

__all__ = ["render_card"]


def render_card(facts: Mapping[str, Any], config: Config) -> str:
    """Return the card as Markdown; what is not known is left out."""
    blocks = ["# Dependency parser\n", *_rows("Data", _data(facts)), *_rows("Scores", _scores(facts))]
    blocks += _rows("Model", _model(facts, config))
    return "\n".join(blocks)


def _rows(title: str, rows: Mapping[str, str]) -> list[str]:
    if not rows:
        return []
    width = max(map(len, rows))
    lines = [f"- {name}:{' ' * (width - len(name))} {_plain(value)}\n" for name, value in rows.items()]
    return [f"## {title}\n", "".join(lines)]


def _plain(text: str) -> str:
    return " ".join(text.split())


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
    return {
        f"on {scores['on']}": f"UAS {100 * scores['uas']:.2f}, LAS {100 * scores['las']:.2f} "
        f"({_given(scores)}, punctuation counted, subtypes of labels not)",
        "solved with a certificate": f"{100 * scores['certified']:.1f}% of the sentences",
        "probabilities of arcs": f"off by {100 * scores['calibration_error']:.2f} points on average "
        f"(temperature {scores['temperature']:.3g})",
        "pruning": f"{scores['heads_per_word']:.2f} heads a word, {100 * scores['recall']:.2f}% of the right ones",
        "epoch": f"{scores['epoch']} of {scores['epochs']}",
    }


def _given(scores: Mapping[str, Any]) -> str:
    return "gold words, predicted tags" if scores.get("tags") == "predicted" else "gold words and tags"


def _model(facts: Mapping[str, Any], config: Config) -> dict[str, str]:
    parts = ["arc", *(part.value for part in config.model.parts)]
    rows = {
        "parts": ", ".join(parts),
        "trees": f"{config.model.tree.value}, {'one root' if facts.get('single_root') else 'several roots allowed'}",
        "training": f"{to_toml(config.training.epochs)} epochs, seed {config.training.seed}, "
        f"C {config.training.max_step:g}, batches of {config.training.batch}",
        "size": f"{facts.get('weights', 0):,} weights"
        + (f", {facts['bytes'] / 1e6:.1f} MB" if "bytes" in facts else ""),
    }
    for name in ("date", "version"):
        if name in facts:
            rows[name] = f"ramify {facts[name]}" if name == "version" else str(facts[name])
    return rows
