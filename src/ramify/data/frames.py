"""Treebanks as tables, one row for every word: pandas frames and tables of pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.data.sentence import NO_HEAD, Sentence
from ramify.errors import InvalidInputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt
    import pandas
    import pyarrow

__all__ = ["to_arrow", "to_frame"]

_COLUMNS = {
    "form": "forms", "lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats", "deprel": "deprels",
    "deps": "deps", "misc": "misc",
}  # fmt: skip


def to_frame(
    sentences: Sentence | Iterable[Sentence], marginals: Sequence[npt.NDArray[np.float64] | None] | None = None
) -> pandas.DataFrame:
    """Return sentences as a pandas frame: one row for every word, in their order.

    The columns are ``sentence`` (its number, from 1), ``sent_id``, ``id`` (of the word in its sentence, from 1), those
    of CoNLL-U from ``form`` to ``misc`` with ``head`` as a number (−1 is no head), and ``probability``, if marginals
    are given. Multiword tokens, empty nodes and comments are left out.

    Parameters
    ----------
    sentences : one, or several
    marginals : for each sentence the probabilities of its arcs, shape (n + 1, n + 1), or None if it has no tree;
        ``probability`` is that of the arc from the head

    Examples
    --------
    >>> from ramify.data import Sentence, to_frame
    >>> frame = to_frame(Sentence(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"]))
    >>> frame[["id", "form", "head", "deprel"]].values.tolist()
    [[1, 'Dogs', 2, 'nsubj'], [2, 'bark', 0, 'root']]
    """
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("pandas", "frames", "ramify.data.to_frame") from None
    return pandas.DataFrame(_columns(sentences, marginals))


def to_arrow(
    sentences: Sentence | Iterable[Sentence], marginals: Sequence[npt.NDArray[np.float64] | None] | None = None
) -> pyarrow.Table:
    """Return sentences as a table of pyarrow, with the columns of `to_frame`. Texts that repeat are stored once.

    Parameters
    ----------
    sentences, marginals : see `to_frame`
    """
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("pyarrow", "frames", "ramify.data.to_arrow") from None
    coded = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    kinds = {"sent_id": coded, "upos": coded, "xpos": coded, "feats": coded, "deprel": coded}
    kinds |= {"form": pyarrow.string(), "lemma": pyarrow.string(), "deps": pyarrow.string(), "misc": pyarrow.string()}
    columns = _columns(sentences, marginals)
    return pyarrow.table({name: pyarrow.array(column, kinds.get(name)) for name, column in columns.items()})


def _columns(
    sentences: Sentence | Iterable[Sentence], marginals: Sequence[npt.NDArray[np.float64] | None] | None
) -> dict[str, Any]:
    parts = [sentences] if isinstance(sentences, Sentence) else list(sentences)
    if marginals is not None and len(marginals) != len(parts):
        raise InvalidInputError(
            f"to_frame expects marginals for each of the {len(parts):,} sentences; got {len(marginals):,}."
        )
    lengths = np.array([len(part) for part in parts], np.int64)
    columns: dict[str, Any] = {
        "sentence": np.repeat(np.arange(1, len(parts) + 1), lengths),
        "sent_id": [part.sent_id for part in parts for _ in range(len(part))],
        "id": _joined([np.arange(1, n + 1) for n in lengths.tolist()], np.int64),
    }
    texts: dict[str, Any] = {
        name: [value for part in parts for value in getattr(part, attribute)] for name, attribute in _COLUMNS.items()
    }
    for name, column in texts.items():
        if name == "deprel":  # as in CoNLL-U
            columns["head"] = _joined([part.heads for part in parts], np.int32)
        columns[name] = column
    if marginals is not None:
        found = [_of_heads(part, dense) for part, dense in zip(parts, marginals, strict=True)]
        columns["probability"] = _joined(found, np.float64)
    return columns


def _joined(arrays: list[Any], kind: type) -> npt.NDArray[Any]:
    return np.concatenate([np.zeros(0, kind), *arrays]).astype(kind)


def _of_heads(sentence: Sentence, dense: npt.NDArray[np.float64] | None) -> npt.NDArray[np.float64]:
    """Return the probability of the arc from the head of each word; NaN where there is no head."""
    n = len(sentence)
    if dense is None:
        return np.full(n, np.nan)
    if dense.shape != (n + 1, n + 1):
        raise InvalidInputError(
            f"to_frame expects marginals of shape {(n + 1, n + 1)} for a sentence of {n} words; got {dense.shape}."
        )
    heads = sentence.heads
    return np.where(heads == NO_HEAD, np.nan, dense[heads, np.arange(1, n + 1)])
