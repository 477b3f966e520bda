"""Parsers on disk, in the files that all models of ramify have (`ramify.learn.containers`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from ramify.learn.containers import are_names, is_model, read_card, read_facts
from ramify.learn.model_files import BadVocabularyError, ModelFiles
from ramify.neural.encoder_files import encoder_of, encoder_to_json
from ramify.neural.files import BadNetworkError, to_json, vocabulary_of
from ramify.parsing import tensors
from ramify.parsing.card import render_card
from ramify.parsing.config import Config, check
from ramify.parsing.state import COLUMNS, MAX_LABELS, MAX_PAIRS, MAX_TAGS, ModelState

__all__ = ["FILES", "is_model", "load_model", "read_card", "read_facts", "save_model"]


class ParserFiles(ModelFiles[ModelState]):
    """The files of parsers."""

    config: ClassVar[type[Config]] = Config
    card = staticmethod(render_card)

    def vocabulary(self, state: ModelState) -> dict[str, Any]:
        """Return names of tags and labels, and what the treebank showed."""
        frame = state.frame
        names = {
            "tags": frame.tags,
            "labels": frame.labels,
            "empty-columns": frame.empty,
            "single-root": frame.single_root,
        }
        if state.network is None:
            return names
        encoder = state.network.encoder
        more = {} if encoder is None else {"encoder": encoder_to_json(encoder)}
        return names | {"network": to_json(state.network.vocabulary)} | more

    def pack(self, state: ModelState) -> bytes:
        """See `tensors.pack`."""
        return tensors.pack(state.frame, state.weights, state.network)

    def unpack(self, config: Config, vocabulary: dict[str, Any], weights: bytes) -> ModelState:
        """See `tensors.unpack`."""
        _check(vocabulary)
        check(config)
        try:
            names = vocabulary_of(vocabulary.get("network"), tuple(vocabulary["labels"])) if config.is_neural else None
            encoder, shapes = encoder_of(vocabulary.get("encoder")) if names and config.encoder.path else (None, {})
        except BadNetworkError as error:
            raise BadVocabularyError(str(error)) from None
        if names and encoder:
            if bool(shapes) == config.encoder.frozen:
                raise BadVocabularyError("encoder: expected weights if, and only if, it was fine-tuned")
            names = replace(names, encoder_width=encoder.width)
        frame, learned, network = tensors.unpack(weights, vocabulary, config, names, encoder, shapes)
        return ModelState(config, frame, learned, vocabulary["facts"], network)


def _check(vocabulary: dict[str, Any]) -> None:
    for key, low, high in (("tags", 2, MAX_TAGS), ("labels", 1, MAX_LABELS), ("empty-columns", 0, len(COLUMNS))):
        if not are_names(vocabulary.get(key), low, high):
            raise BadVocabularyError(f"{key}: expected a list of {low} to {high} different names")
    if not set(vocabulary["empty-columns"]) <= set(COLUMNS):
        raise BadVocabularyError(f"empty-columns: expected some of {', '.join(COLUMNS)}")
    if len(vocabulary["tags"]) ** 2 * len(vocabulary["labels"]) > MAX_PAIRS:
        raise BadVocabularyError(f"expected at most {MAX_PAIRS:,} pairs of tags with labels")
    if not isinstance(vocabulary.get("single-root"), bool):
        raise BadVocabularyError("single-root: expected true or false")


FILES = ParserFiles("parser")
load_model = FILES.load
save_model = FILES.save
