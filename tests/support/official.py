"""The official CoNLL 2018 evaluation, as udtools carries it on."""

from __future__ import annotations

import io
from typing import Any

from udtools.udeval import evaluate, load_conllu


def official_scores(gold: str, system: str) -> dict[str, Any]:
    """Return the official score object of each metric for two CoNLL-U texts."""
    options = {"multiple_roots_okay": True}
    return evaluate(
        load_conllu(io.StringIO(gold), "gold", options), load_conllu(io.StringIO(system), "system", options)
    )
