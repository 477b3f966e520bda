"""Trees as data: ramify's own, and what displaCy draws."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ramify.viz.layout import arc_label
from ramify.viz.options import DrawingOptions
from ramify.viz.tree import DrawnTree, drawn, drawn_all, each, sentence_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ramify.pipeline.document_json import SentenceFacts

__all__ = ["displacy", "stream_json", "to_json"]


def to_json(items: object, **options: Any) -> dict[str, Any]:
    """Return a sentence, a parser's result, or several of them, as a document that `json.dumps` takes.

    It has the form of `ramify.pipeline.Doc.to_json`, and `Doc.from_json` reads it.

    Parameters
    ----------
    items, **options : as those of `svg`; with `alternatives` every word has its other heads

    Examples
    --------
    >>> from ramify.data import Sentence
    >>> dogs = to_json(Sentence(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"]))
    >>> [(word["form"], word["head"], word["deprel"]) for word in dogs["sentences"][0]["words"]]
    [('Dogs', 2, 'nsubj'), ('bark', 0, 'root')]
    """
    from ramify.pipeline.document_json import document_to_json

    chosen = DrawingOptions(**options)
    return document_to_json((sentence_of(item), _facts(item, chosen)) for item in each(items))


def stream_json(items: Iterable[Any], options: DrawingOptions, language: str | None = None) -> Iterator[str]:
    """Yield the same document as text, piece by piece, a sentence on each line."""
    from ramify.pipeline.document_json import VERSION, Spans, sentence_to_json

    spans = Spans()
    yield f'{{"version": {VERSION}, "language": {json.dumps(language)}, "sentences": [\n'
    for number, item in enumerate(items):
        value = sentence_to_json(sentence_of(item), _facts(item, options), spans)
        yield (",\n" if number else "") + json.dumps(value, ensure_ascii=False)
    yield "\n]}\n"


def displacy(items: object, **options: Any) -> list[dict[str, Any]]:
    """Return what ``spacy.displacy.render(…, manual=True)`` draws: words and arcs, without the root's.

    Parameters
    ----------
    items, **options : as those of `svg`

    Examples
    --------
    >>> from ramify.data import Sentence
    >>> dogs = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> displacy(dogs)[0]["arcs"]
    [{'start': 0, 'end': 1, 'label': 'nsubj', 'dir': 'left'}]
    """
    chosen = DrawingOptions(**options)
    return [_displacy(tree, chosen) for tree in drawn_all(items, chosen)]


def _facts(item: Any, options: DrawingOptions) -> SentenceFacts:
    from ramify.pipeline.document_json import SentenceFacts

    tree = drawn(item, options)
    n = len(tree.words)
    known: list[float | None] = [None] * n
    others: list[dict[int, float]] = [{} for _ in range(n)]
    for arc in tree.arcs:
        if not arc.alternative:
            known[arc.modifier - 1] = arc.probability
        elif arc.probability is not None:
            others[arc.modifier - 1][arc.head] = arc.probability
    status = getattr(item, "status", None)
    why = None if status is None or status == "parsed" else str(status.value)
    return SentenceFacts(why, tree.rank, known, others)


def _displacy(tree: DrawnTree, options: DrawingOptions) -> dict[str, Any]:
    tags = [word.xpos if options.tags == "xpos" else word.upos for word in tree.words]
    words = [
        {"text": word.form, "tag": "" if tag == "_" or options.tags == "none" else tag, "lemma": _value(word.lemma)}
        for word, tag in zip(tree.words, tags, strict=True)
    ]
    arcs = []
    for arc in tree.arcs:
        if arc.head and not arc.alternative:
            (first, last), side = arc.ends, "left" if arc.modifier < arc.head else "right"
            label = arc_label(arc, options)
            arcs.append({"start": first - 1, "end": last - 1, "label": label, "dir": side})
    settings = {"direction": "rtl"} if tree.right_to_left else {}
    title = " · ".join(filter(None, (tree.name, tree.caption)))
    return {"words": words, "arcs": arcs, "title": title or None, "settings": settings}


def _value(cell: str) -> str | None:
    return None if cell == "_" else cell
