"""A callable over batches of texts that can be sent to other processes: for Ray, Spark, Dask and process pools."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ramify.distributed.columns import column_of, with_columns
from ramify.errors import InvalidInputError, RamifyError
from ramify.learn.threads import num_threads
from ramify.options import Integer, check_argument
from ramify.parsing import ParseStatus
from ramify.pipeline import Pipeline, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ramify.parsing import ParseResult
    from ramify.pipeline import Doc

__all__ = ["Annotated", "Annotator", "annotator", "loaded_model", "problems_of"]

Batch = TypeVar("Batch")


@functools.lru_cache(maxsize=1)
def loaded_model(name: str) -> Any:
    """Return a model, which every process loads once."""
    return load(name)


@dataclass(frozen=True)
class Annotated:
    """What became of one text.

    Attributes
    ----------
    doc : None if the text could not be analysed
    error : what went wrong; None if nothing did. A document in which some sentences have no tree has both
    """

    doc: Doc | None
    error: str | None


@dataclass(frozen=True)
class Annotator:
    """Annotates batches of texts. Made by `annotator`, which explains the attributes.

    A pickle of it holds the name of the model, and not the model itself.
    """

    model: str = "en"
    text: str = "text"
    threads: int = 1
    max_words: int = 2000

    def __post_init__(self) -> None:
        num_threads(self.threads)
        check_argument("annotator", "max_words", Integer(0), self.max_words)

    def __call__(self, batch: Batch) -> Batch:
        """Return the batch with the columns ``conllu``, ``sentences``, ``words`` and ``error``.

        Parameters
        ----------
        batch : a dict of lists or arrays, a pandas frame, or a table or record batch of pyarrow. All its columns and
            the order of its rows stay
        """
        found = self.annotate(column_of(batch, self.text))
        docs = [item.doc for item in found]
        columns: dict[str, list[Any]] = {
            "conllu": [None if doc is None else doc.to_conllu() for doc in docs],
            "sentences": [0 if doc is None else len(doc.sentences) for doc in docs],
            "words": [0 if doc is None else len(doc) for doc in docs],
            "error": [item.error for item in found],
        }
        made: Batch = with_columns(batch, columns)
        return made

    def annotate(self, texts: Sequence[object]) -> list[Annotated]:
        """Analyse texts, one result for each; what is no text, or cannot be analysed, has an error instead."""
        model = loaded_model(self.model)
        if not isinstance(model, Pipeline):
            raise InvalidInputError(
                f"annotator expects a pipeline, which takes raw text; {self.model!r} is a "
                f"{type(model).__name__.lower()}. Train one with: ramify train --task pipeline."
            )
        good = [text for text in texts if isinstance(text, str)]
        try:
            docs = iter([Annotated(doc, problems_of(doc._results)) for doc in self._pipe(model, good)])
        except Exception:  # one of them fails: find out which
            docs = iter([self._one(model, text) for text in good])
        return [next(docs) if isinstance(text, str) else _no_text(text) for text in texts]

    def _pipe(self, model: Pipeline, texts: Iterable[str]) -> Iterable[Doc]:
        return model.pipe(texts, threads=self.threads, max_words=self.max_words)

    def _one(self, model: Pipeline, text: str) -> Annotated:
        try:
            (doc,) = self._pipe(model, [text])
            return Annotated(doc, problems_of(doc._results))
        except Exception as error:
            return Annotated(None, f"{type(error).__name__}: {error}")


def annotator(model: str = "en", *, text: str = "text", threads: int = 1, max_words: int = 2000) -> Annotator:
    """Make a callable over batches of texts, which can be pickled and sent to other processes.

    Every process loads the model once, when it gets its first batch. A text that cannot be analysed does not end the
    work: its row has a message in column ``error``.

    Parameters
    ----------
    model : the name or the path of a pipeline; a path must lead to the model on every machine
    text : name of the column that holds the texts
    threads : number of threads in each process; 0 uses all cores
    max_words : longer sentences have tags but no tree; 0 is no limit

    Examples
    --------
    >>> from ramify.distributed import annotator
    >>> batch = annotator("en")({"id": ["a", "b"], "text": ["Dogs bark.", None]})
    >>> batch["id"], batch["words"], batch["error"]
    (['a', 'b'], [3, 0], [None, 'expected a string; got NoneType'])
    """
    return Annotator(str(model), text, threads, max_words)


def problems_of(results: Sequence[ParseResult]) -> str | None:
    """Say which sentences have no tree although one was looked for; None if all have one."""
    problems = {ParseStatus.TOO_LONG: "is too long", ParseStatus.INFEASIBLE: "has no tree that is left after pruning"}
    found = [(i, problems[result.status]) for i, result in enumerate(results, 1) if result.status in problems]
    if not found:
        return None
    number, problem = found[0]
    more = f", and {len(found) - 1:,} more have no tree" if len(found) > 1 else ""
    return f"sentence {number} {problem}{more}"


def _no_text(value: object) -> Annotated:
    if isinstance(value, RamifyError):  # why there is no text
        return Annotated(None, str(value))
    return Annotated(None, f"expected a string; got {type(value).__name__}")
