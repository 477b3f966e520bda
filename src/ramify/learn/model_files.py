"""How the state of a model becomes files, and files become a state: what all kinds of models share."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from ramify.errors import InvalidInputError, ModelError
from ramify.learn.arrays import BadTensorsError
from ramify.learn.containers import FORMAT_VERSION, REMEDY, check_card, read_files, read_vocabulary, write_files

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ramify.learn.configuration import Configuration

__all__ = ["BadVocabularyError", "ModelFiles", "State"]


class State(Protocol):
    """What all states of models have.

    Attributes
    ----------
    config : options the model was trained with
    facts : what the card says
    """

    @property
    def config(self) -> Any:
        """The options."""

    @property
    def facts(self) -> dict[str, Any]:
        """What the card says."""


S = TypeVar("S", bound=State)


class BadVocabularyError(Exception):
    """What is wrong with ``vocab.json``."""


class ModelFiles(ABC, Generic[S]):
    """The files of one kind of model.

    Parameters
    ----------
    kind : is written into the files, and tells `ramify.load` what they hold

    Attributes
    ----------
    config : class of the options
    card : is called with the facts and the options, and returns the card as Markdown; what is not known is left out
    indent : of ``vocab.json``; None keeps long lists short
    """

    config: ClassVar[type[Configuration]]
    card: Callable[[Mapping[str, Any], Any], str]
    indent: ClassVar[int | None] = 1

    def __init__(self, kind: str) -> None:
        self.kind = kind

    @abstractmethod
    def vocabulary(self, state: S) -> dict[str, Any]:
        """Return what ``vocab.json`` holds besides version, kind and facts."""

    @abstractmethod
    def pack(self, state: S) -> bytes:
        """Return ``weights.safetensors``."""

    @abstractmethod
    def unpack(self, config: Any, vocabulary: dict[str, Any], weights: bytes) -> S:
        """Return the state that files hold.

        Parameters
        ----------
        config, vocabulary, weights : contents of the files; the vocabulary has facts, and whatever else it likes

        Raises
        ------
        BadVocabularyError, BadTensorsError, ValueError
            What is wrong with the vocabulary, the weights, or the options.
        """

    def to_files(self, state: S) -> dict[str, bytes]:
        """Return the files of a model, by their names."""
        weights = self.pack(state)
        facts = state.facts | {"bytes": len(weights)}
        head = {"format-version": FORMAT_VERSION, "kind": self.kind}
        vocabulary = head | self.vocabulary(state) | {"facts": facts}
        return {
            "config.toml": state.config.to_toml().encode(),
            "vocab.json": json.dumps(vocabulary, ensure_ascii=False, indent=self.indent).encode(),
            "weights.safetensors": weights,
            "card.md": self.card(facts, state.config).encode(),
        }

    def from_files(self, files: Mapping[str, bytes], path: str) -> S:
        """Return the model that files hold; `path` is for errors."""
        vocabulary = read_vocabulary(files["vocab.json"], path, FORMAT_VERSION)
        found = vocabulary.get("kind", "parser")  # the first parsers did not say
        if found != self.kind:
            raise ModelError(path, "vocab.json", f"expected a {self.kind}; this is another kind of model")
        try:
            config = self.config.parse(files["config.toml"].decode(), name="config.toml")
        except (InvalidInputError, UnicodeDecodeError) as error:
            raise ModelError(path, "config.toml", str(error).removeprefix("config.toml: ")) from None
        try:
            state = self.unpack(config, vocabulary, files["weights.safetensors"])
        except BadVocabularyError as error:
            raise ModelError(path, "vocab.json", str(error)) from None
        except BadTensorsError as error:
            raise ModelError(path, "weights.safetensors", f"{error}; {REMEDY}") from None
        except ValueError as error:
            raise ModelError(path, "config.toml", str(error)) from None
        check_card(path, lambda: self.card(state.facts, state.config))
        return state

    def save(self, state: S, path: str | Path) -> None:
        """Write a model: a directory, or a zip if the path ends in ``.zip``; it appears whole or not at all."""
        write_files(self.to_files(state), Path(path))

    def load(self, path: str | Path) -> S:
        """Read a model that `save` wrote.

        Raises
        ------
        ModelError
            Something is missing, damaged, too large, of a newer format, or a model of another kind.
        """
        return self.from_files(read_files(Path(path)), str(path))
