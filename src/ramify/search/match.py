"""Where a pattern was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ramify.search.words import Words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ramify.data import Sentence, Token

__all__ = ["Match"]


@dataclass(frozen=True)
class Match:
    """The words of a sentence that a pattern's names stand for.

    Attributes
    ----------
    sentence : where they were found
    words : name → number of the word, from 1
    edges : name of an edge → number of the word that it points at
    """

    sentence: Sentence
    words: Mapping[str, int]
    edges: Mapping[str, int]

    def __getitem__(self, name: str) -> Token:
        return self.sentence[self.words[name] - 1]

    @property
    def nodes(self) -> dict[str, Token]:
        """The words by name."""
        return {name: self[name] for name in self.words}

    def feature(self, name: str, feature: str) -> str | None:
        """Return a feature of a word, or the label of an edge, by the names that patterns use; None is no value.

        Raises
        ------
        KeyError
            The pattern has no such name.
        """
        word = self.edges[name] if name in self.edges else self.words[name]
        known = "deprel" if name in self.edges and feature == "label" else feature
        return Words(self.sentence).values(known)[word]

    def to_json(self) -> dict[str, Any]:
        """Return the match as JSON has it: the sentence's identifier and text, and the words."""
        words = {}
        for name, token in self.nodes.items():
            cells = {key: getattr(token, key) for key in ("form", "lemma", "upos", "xpos", "feats")}
            words[name] = {"id": token.id} | cells | {"head": token.head, "deprel": token.deprel}
        text = self.sentence.text or " ".join(self.sentence.forms)
        return {"sent_id": self.sentence.sent_id, "text": text, "nodes": words}

    def __repr__(self) -> str:
        words = ", ".join(f"{name}={self[name].form!r}" for name in self.words)
        return f"<Match {self.sentence.sent_id or ''}: {words}>".replace(" :", ":")
