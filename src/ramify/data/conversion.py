"""Sentences to and from plain lists, arrays of heads, ``conllu`` token lists and spaCy documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.data.sentence import NO_HEAD, Sentence
from ramify.errors import InvalidInputError, MissingExtraError, ParseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import conllu
    import numpy.typing as npt
    import spacy

__all__ = [
    "from_conllu",
    "from_head_array",
    "from_lists",
    "from_spacy",
    "to_conllu",
    "to_head_array",
    "to_lists",
    "to_spacy",
]

_TEXT_COLUMNS = ("forms", "lemmas", "upos", "xpos", "feats", "deprels", "deps", "misc")


def to_lists(sentence: Sentence) -> dict[str, list[Any]]:
    """Return the columns as plain lists: ``forms``, ``lemmas``, …, and ``heads`` as integers."""
    columns: dict[str, list[Any]] = {name: list(getattr(sentence, name)) for name in _TEXT_COLUMNS}
    return columns | {"heads": sentence.heads.tolist(), "comments": sentence.comments}


def from_lists(columns: dict[str, Sequence[Any]]) -> Sentence:
    """Build a sentence from plain lists; ``forms`` is needed, the other columns of `to_lists` are not.

    Examples
    --------
    >>> from_lists({"forms": ["Dogs", "bark"], "heads": [2, 0]}).heads.tolist()
    [2, 0]
    """
    unknown = set(columns) - {*_TEXT_COLUMNS, "heads", "comments"}
    if unknown or "forms" not in columns:
        raise InvalidInputError(
            f"from_lists expects 'forms' and any of {[*_TEXT_COLUMNS[1:], 'heads', 'comments']}; got {sorted(columns)}."
        )
    return Sentence(**columns, multiple_roots=True)


def to_head_array(sentence: Sentence) -> npt.NDArray[np.int32]:
    """Return heads as the tree algorithms have them: shape (n+1,), ``heads[m]`` of word m, ``heads[0]`` = −1."""
    return np.concatenate([np.array([-1], dtype=np.int32), sentence.heads])


def from_head_array(sentence: Sentence, heads: npt.NDArray[np.integer[Any]]) -> Sentence:
    """Return a copy of the sentence with the tree ``heads`` of shape (n+1,), as the tree algorithms return it."""
    array = np.asarray(heads)
    n = len(sentence)
    if array.shape != (n + 1,) or array[0] != -1:
        raise InvalidInputError(
            f"from_head_array expects shape ({n + 1},) with -1 first; got shape {array.shape}"
            + (f" with {array.flat[0]} first." if array.size else ".")
        )
    result = sentence.copy()
    result.heads = array[1:]
    return result


def to_conllu(sentence: Sentence) -> conllu.TokenList:
    """Convert to a ``TokenList`` of the package ``conllu``."""
    try:
        import conllu
    except ImportError:
        raise MissingExtraError("conllu", "conllu", "ramify.data.to_conllu") from None
    (tokens,) = conllu.parse(sentence.to_conllu())
    return tokens


def from_conllu(tokens: conllu.TokenList) -> Sentence:
    """Convert from a ``TokenList`` of the package ``conllu``."""
    import io

    from ramify.data.treebanks import read

    try:
        (sentence,) = read(io.StringIO(tokens.serialize()), format="conllu", multiple_roots=True)
    except ParseError as error:
        raise InvalidInputError(f"from_conllu expects a well-formed token list; got one with {error}.") from None
    return sentence


def _space_after(sentence: Sentence) -> list[bool]:
    """Whether white space follows each word; a multiword token's note counts for its last word."""
    spaces = ["SpaceAfter=No" not in misc.split("|") for misc in sentence.misc]
    for token in sentence.multiword_tokens:
        spaces[token.first - 1 : token.last - 1] = [False] * (token.last - token.first)
        spaces[token.last - 1] = "SpaceAfter=No" not in token.misc.split("|")
    return spaces


def to_spacy(sentences: Sentence | Iterable[Sentence], vocab: spacy.vocab.Vocab | None = None) -> spacy.tokens.Doc:
    """Convert to one spaCy ``Doc``, a token per word.

    Parameters
    ----------
    sentences : one, or all those of a document
    vocab : of the pipeline that will use the document; a new one if not given

    Notes
    -----
    Heads are set only if every word of every sentence has one. spaCy has no multiword tokens, no empty nodes and no
    comments: those are left out.
    """
    try:
        from spacy.tokens import Doc
        from spacy.vocab import Vocab
    except ImportError:
        raise MissingExtraError("spacy", "spacy", "ramify.data.to_spacy") from None
    parts = [sentences] if isinstance(sentences, Sentence) else list(sentences)
    columns: dict[str, list[Any]] = {
        name: [] for name in ("words", "spaces", "pos", "tags", "morphs", "lemmas", "deps")
    }
    heads: list[int] = []
    starts: list[bool] = []
    for sentence in parts:
        offset = len(starts)
        columns["words"] += sentence.forms
        columns["spaces"] += _space_after(sentence)
        annotation = {"pos": sentence.upos, "tags": sentence.xpos, "morphs": sentence.feats, "lemmas": sentence.lemmas}
        for name, values in annotation.items():
            columns[name] += ["" if value == "_" else value for value in values]
        for i, (head, label) in enumerate(zip(sentence.heads.tolist(), sentence.deprels, strict=True)):
            columns["deps"].append("ROOT" if head == 0 else label)
            heads.append(NO_HEAD if head == NO_HEAD else offset + (i if head == 0 else head - 1))
        starts += [True] + [False] * (len(sentence) - 1)
    annotated = NO_HEAD not in heads
    if not annotated:
        del columns["deps"]
    return Doc(
        vocab if vocab is not None else Vocab(), **columns, heads=heads if annotated else None, sent_starts=starts
    )


def from_spacy(doc: spacy.tokens.Doc) -> list[Sentence]:
    """Convert a spaCy ``Doc`` to its sentences; without sentence boundaries, to one."""
    spans = list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]] if len(doc) else []
    parsed = doc.has_annotation("DEP")
    result = []
    for span in spans:
        tokens = list(span)
        result.append(
            Sentence(
                [token.text for token in tokens],
                lemmas=[token.lemma_ or "_" for token in tokens],
                upos=[token.pos_ or "_" for token in tokens],
                xpos=[token.tag_ or "_" for token in tokens],
                feats=[str(token.morph) or "_" for token in tokens],
                heads=[0 if t.head.i == t.i else t.head.i - span.start + 1 for t in tokens] if parsed else None,
                deprels=["root" if token.dep_ == "ROOT" else token.dep_ or "_" for token in tokens],
                misc=["_" if token.whitespace_ else "SpaceAfter=No" for token in tokens],
                comments=[f"# text = {span.text.strip()}"] if "\n" not in span.text.strip() else [],
                multiple_roots=True,
            )
        )
    return result
