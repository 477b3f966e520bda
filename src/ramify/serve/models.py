"""The models that a server offers, and how their input is read and their output written."""

from __future__ import annotations

import io
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ramify import data
from ramify.errors import InvalidInputError
from ramify.parsing import Constraint, Head, Label, NotHead, Parser, ParseResult, Root
from ramify.pipeline import Doc, Pipeline, load
from ramify.segmentation import raw_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["INPUTS", "OUTPUTS", "Given", "ServedModel", "Steps", "read_constraint", "written"]

INPUTS = ("text", "lines", "conllu", "conllx", "horizontal", "vertical")
OUTPUTS = ("conllu", "horizontal", "vertical", "plaintext")


@dataclass(frozen=True)
class Steps:
    """What is to be done with sentences.

    Attributes
    ----------
    tag, parse : whether tags and trees are made; else those of the input stay
    marginals : whether probabilities of arcs are computed
    """

    tag: bool = True
    parse: bool = True
    marginals: bool = False


@dataclass(frozen=True)
class Given:
    """A sentence, and what is known of its tree."""

    sentence: data.Sentence
    constraints: tuple[Constraint, ...] = ()


class ServedModel:
    """A pipeline or a parser under a name.

    Parameters
    ----------
    name : name by which clients ask for it
    model : a pipeline takes text, a parser takes tagged sentences
    threads, max_words : as in `ramify.serve.ServeOptions`
    """

    def __init__(self, name: str, model: Pipeline | Parser, *, threads: int = 1, max_words: int = 500) -> None:
        self.name = name
        self.model = model
        self._threads = threads
        self._max_words = max_words

    @classmethod
    def load(cls, name: str, path: str | Path, *, threads: int, max_words: int) -> ServedModel:
        """Read a model; it is a pipeline or a parser."""
        model = load(path)
        if not isinstance(model, (Pipeline, Parser)):
            raise InvalidInputError(
                f"ramify serve expects pipelines and parsers; {path} is a {type(model).__name__.lower()}."
            )
        return cls(name, model, threads=threads, max_words=max_words)

    @property
    def parser(self) -> Parser:
        """The parser, which a pipeline contains."""
        return self.model.parser if isinstance(self.model, Pipeline) else self.model

    @property
    def steps(self) -> list[str]:
        """What the model can do, in the words of UDPipe."""
        return ["tokenizer", "tagger", "parser"] if isinstance(self.model, Pipeline) else ["parser"]

    @property
    def language(self) -> str:
        """Code of the language; ``und`` if it is not known."""
        return self.model.language if isinstance(self.model, Pipeline) else "und"

    def read(self, source: str, format: str) -> Iterator[data.Sentence]:
        """Read sentences one after the other, as they are asked for.

        Parameters
        ----------
        source : the text itself
        format : one of `INPUTS`
        """
        if format in ("text", "lines"):
            if not isinstance(self.model, Pipeline):
                raise InvalidInputError(
                    f"The model {self.name!r} is a parser and takes tagged sentences (input=conllu); for text, ask for "
                    "a pipeline."
                )
            return self.model.segmenter.stream([source], lines=format == "lines")
        if format in ("horizontal", "vertical"):
            return data.read_tokenized(io.StringIO(source), layout=format)
        return data.read(io.StringIO(source), format=format, multiple_roots=True)

    def annotate(self, given: Sequence[Given], steps: Steps) -> list[ParseResult]:
        """Tag and parse sentences, which are changed."""
        sentences = [item.sentence for item in given]
        if steps.tag and isinstance(self.model, Pipeline):
            self.model.tag(sentences, threads=self._threads)
        if not steps.parse:
            return [ParseResult.of_sentence(sentence) for sentence in sentences]
        # Constraints cost a little even where there are none.
        constraints = [item.constraints for item in given] if any(item.constraints for item in given) else None
        return list(
            self.parser.pipe(
                sentences,
                constraints=constraints,
                threads=self._threads,
                batch_size=max(1, len(sentences)),
                copy=False,
                marginals=steps.marginals,
                max_words=self._max_words,
            )
        )

    def document(self, results: Iterable[ParseResult]) -> Doc:
        """Make a document of results."""
        return Doc(list(results), self.parser, self.language)


def read_constraint(value: object) -> tuple[int, Constraint]:
    """Read a constraint from JSON: the number of its sentence, and the constraint.

    Parameters
    ----------
    value : an object with ``word`` and one of ``head``, ``not_head``, ``label`` and ``root``; ``sentence`` is 1 if it
        is not given
    """
    if isinstance(value, dict):
        rest: Mapping[str, Any] = {key: value[key] for key in value if key not in ("sentence", "word")}
        sentence, word = value.get("sentence", 1), value.get("word", -1)
        if _is_number(sentence) and _is_number(word) and len(rest) == 1:
            ((kind, given),) = rest.items()
            if kind == "head" and _is_number(given):
                return sentence, Head(word, given)
            if kind == "not_head" and _is_number(given):
                return sentence, NotHead(word, given)
            if kind == "label" and isinstance(given, str):
                return sentence, Label(word, given)
            if kind == "root" and given is True:
                return sentence, Root(word)
    raise InvalidInputError(
        'A constraint must be an object such as {"word": 3, "head": 2}, with not_head, label or root instead of head, '
        f"and with sentence where it is not the first; got {str(value)[:100]}."
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def written(sentences: Iterable[data.Sentence], format: str) -> str:
    """Write sentences in one of `OUTPUTS`."""
    if format == "conllu":
        return "".join(sentence.to_conllu() for sentence in sentences)
    if format == "plaintext":
        return "".join(f"{raw_text([sentence]).strip()}\n" for sentence in sentences)
    gap, end = (" ", "\n") if format == "horizontal" else ("\n", "\n\n")
    forms = ([form.replace(" ", "\u00a0") for form in sentence.forms] for sentence in sentences)
    return "".join(itertools.chain.from_iterable((gap.join(row), end) for row in forms))
