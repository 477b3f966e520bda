"""The card of a parser, which describes the model to its users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.learn.cards import card, data_rows, origin_rows, size_of
from ramify.options import to_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ramify.parsing.config import Config

__all__ = ["render_card"]


def render_card(facts: Mapping[str, Any], config: Config) -> str:
    """Return the card as Markdown; unknown facts are left out."""
    sections = {"Data": data_rows(facts), "Scores": _scores(facts), "Model": _model(facts, config)}
    return card("Dependency parser", sections)


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
        **_pruning(scores),
        "epoch": f"{scores['epoch']} of {scores['epochs']}",
        **_chosen(facts),
    }


def _chosen(facts: Mapping[str, Any]) -> dict[str, str]:
    if "chosen" not in facts:
        return {}
    best, *others = sorted(facts["chosen"].items(), key=lambda item: -item[1])
    beaten = ", ".join(f"{name} (LAS {100 * las:.2f})" for name, las in others)
    return {"chosen on dev": f"preset {best[0]} (LAS {100 * best[1]:.2f}) rather than {beaten}"}


def _pruning(scores: Mapping[str, Any]) -> dict[str, str]:
    if "recall" not in scores:
        return {}
    return {
        "pruning": f"{scores['heads_per_word']:.2f} heads per word, "
        f"{100 * scores['recall']:.2f}% of the gold heads kept",
    }


def _given(scores: Mapping[str, Any]) -> str:
    return "gold words, predicted tags" if scores.get("tags") == "predicted" else "gold words and tags"


def _model(facts: Mapping[str, Any], config: Config) -> dict[str, str]:
    parts = ["arc", *(part.value for part in config.model.parts)]
    return {
        "parts": ", ".join(parts),
        "trees": f"{config.model.tree}, {'one root' if facts.get('single_root') else 'several roots allowed'}",
        **(_network(facts, config) if config.is_neural else _features(config)),
        "size": size_of(facts),
        **origin_rows(facts),
    }


def _features(config: Config) -> dict[str, str]:
    return {
        "training": f"{to_toml(config.training.epochs)} epochs, seed {config.training.seed}, "
        f"C {config.training.max_step:g}, batches of {config.training.batch}",
    }


def _encoder(facts: Mapping[str, Any], config: Config) -> dict[str, str]:
    if not config.encoder.path:
        return {}
    said = facts.get("encoder", {})
    known = ", ".join(f"{key} {said[key]}" for key in ("name", "kind") if key in said)
    use = f"frozen, read from {config.encoder.path}" if config.encoder.frozen else "fine-tuned, part of the model"
    return {"encoder": f"{known}; {use}; licence: {said.get('licence', 'not stated')}"}


def _network(facts: Mapping[str, Any], config: Config) -> dict[str, str]:
    network = config.network
    inputs = {"words": network.word_size, "characters": network.character_size, "tags": network.tag_size}
    machine = f", trained on a machine with {facts['machine']}" if "machine" in facts else ""
    return {
        "network": f"BiLSTM, {network.layers} layers of 2 x {network.hidden}, reads "
        f"{', '.join(name for name, size in inputs.items() if size)}"
        f"{'; predicts tags' if network.predict_tags else ''}",
        **_encoder(facts, config),
        "training": f"{config.training.epochs} epochs, seed {config.training.seed}{machine}",
    }
