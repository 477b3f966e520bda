"""What ``ramify tag`` reads and writes: treebanks with their columns, column files with or without labels."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, cast

from ramify.cli.inputs import input_format
from ramify.data import LabelSequence, Sentence, read, read_sequences, read_tokenized
from ramify.data.documents import as_document
from ramify.data.tokenized import LAYOUTS
from ramify.errors import InvalidInputError
from ramify.tagging.sentences import attribute_of, fill

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ramify.cli.inputs import Input
    from ramify.tagging import ScoredLabels, Tagger, TagResult

__all__ = ["annotated", "read_inputs"]


def read_inputs(
    tagger: Tagger, inputs: Sequence[Input], columns: str | None, format: str | None
) -> Iterator[Sentence | LabelSequence]:
    """Read files of the kind that a tagger was trained on, one after the other; several treebanks become documents.

    Parameters
    ----------
    tagger : which is to label them
    inputs : at least one
    columns : names of the columns of column files, with commas between
    format : one of `ramify.cli.inputs.FORMATS`, or None
    """
    if len(inputs) == 1:
        return _read_input(tagger, inputs[0].path, columns, format)
    return itertools.chain.from_iterable(_read_document(tagger, item, columns, format) for item in inputs)


def _read_document(
    tagger: Tagger, item: Input, columns: str | None, format: str | None
) -> Iterator[Sentence | LabelSequence]:
    sentences = _read_input(tagger, item.path, columns, format)
    if tagger.config.data.columns:
        return sentences
    tokenized = input_format(format, item.path) in LAYOUTS
    return as_document(cast("Iterator[Sentence]", sentences), item.name, number=tokenized)


def _read_input(
    tagger: Tagger, source: str, columns: str | None, format: str | None
) -> Iterator[Sentence | LabelSequence]:
    names = list(tagger.config.data.columns)
    known = input_format(format, source)
    if known in ("text", "lines"):
        raise InvalidInputError(
            "A tagger takes sentences that are cut into words; text needs a pipeline: ramify parse uses one."
        )
    if known in LAYOUTS:
        sentences = read_tokenized(source, layout=known)
        return map(_as_sequence, sentences) if names else sentences
    if not names:
        return iter(read(source, format=known, multiple_roots=True))
    if columns is not None:
        return iter(read_sequences(source, columns=columns.split(",")))
    return _named(read_sequences(source), names, tagger.config.model.target)


def _as_sequence(sentence: Sentence) -> LabelSequence:
    return LabelSequence({"form": sentence.forms})


def _named(sequences: Iterable[LabelSequence], names: Sequence[str], target: str) -> Iterator[LabelSequence]:
    """Give columns the names they have in training; the one to fill in may be missing."""
    without = [name for name in names if name != target]
    for sequence in sequences:
        values = list(sequence.columns.values())
        if without == ["form"] and len(values) == 2 and set(values[1]) <= set("_"):
            values = values[:1]
        fitting = names if len(values) == len(names) else without
        if len(values) != len(fitting):
            raise InvalidInputError(
                f"The tagger expects the columns {', '.join(names)} ({target} may be missing); found {len(values)} "
                "columns. Name those of the file with --columns."
            )
        kept = {name: value for name, value in zip(fitting, values, strict=True) if name != "_"}
        yield LabelSequence(kept, sequence.comments, sequence.starts_document)


def annotated(
    results: Iterable[TagResult], tagger: Tagger, *, marginals: bool, k_best: int
) -> Iterator[Sentence | LabelSequence]:
    """Yield the sentences to write: with labels, with probabilities, once for every labelling."""
    target = tagger.config.model.target
    for result in results:
        sentence = result.sentence
        if marginals:
            sentence = _with_probabilities(sentence, result, target)
        if k_best == 1:
            yield sentence
        else:
            for rank, labelling in enumerate(result.k_best, 1):
                yield _ranked(sentence, labelling, rank, target)


def _with_probabilities(sentence: Sentence | LabelSequence, result: TagResult, target: str) -> Sentence | LabelSequence:
    probabilities = result.probabilities
    assert probabilities is not None  # noqa: S101 - asked for, and nothing forbids all labels
    texts = [f"{p:.4f}" for p in probabilities.tolist()]
    if isinstance(sentence, LabelSequence):
        columns = sentence.columns | {f"{target}-probability": tuple(texts)}
        return LabelSequence(columns, sentence.comments, sentence.starts_document)
    if sentence.format != "conllu":
        raise InvalidInputError("--marginals writes to column MISC, which CoNLL-X does not have; convert to CoNLL-U.")
    key = f"{attribute_of(target) or target.capitalize()}Prob="
    misc = []
    for old, text in zip(sentence.misc, texts, strict=True):
        items = [] if old == "_" else [item for item in old.split("|") if not item.startswith(key)]
        misc.append("|".join([*items, key + text]))
    sentence.misc = misc
    return sentence


def _ranked(
    sentence: Sentence | LabelSequence, labelling: ScoredLabels, rank: int, target: str
) -> Sentence | LabelSequence:
    comments = {"labelling_rank": str(rank), "labelling_score": f"{labelling.value:.6f}"}
    if isinstance(sentence, LabelSequence):
        lines = tuple(f"# {name} = {value}" for name, value in comments.items())
        columns = sentence.columns | {target: labelling.labels}
        return LabelSequence(columns, sentence.comments + lines, sentence.starts_document)
    copy = sentence.copy()
    fill(copy, target, labelling.labels)
    if copy.format == "conllu":
        for name, value in comments.items():
            copy.set_metadata(name, value)
    return copy
