"""Trees as data: ramify's own, and what displaCy draws."""

from __future__ import annotations

from typing import Any

from ramify.viz.options import DrawingOptions
from ramify.viz.tree import DrawnTree, drawn_all

__all__ = ["displacy", "to_json"]


def to_json(items: object, **options: Any) -> list[dict[str, Any]]:
    """Return a sentence, a parser's result, or several of them, as what `json.dumps` takes: a dictionary for each.

    Parameters
    ----------
    items : `ramify.data.Sentence` or `ParseResult`, or an iterable of them
    **options : see `DrawingOptions`; with `alternatives` every word has its other heads

    Examples
    --------
    >>> from ramify.data import Sentence
    >>> (dogs,) = to_json(Sentence(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"]))
    >>> dogs["words"][0]
    {'id': 1, 'form': 'Dogs', 'lemma': None, 'upos': None, 'xpos': None, 'head': 2, 'deprel': 'nsubj'}
    """
    chosen = DrawingOptions(**options)
    return [_sentence(tree, chosen) for tree in drawn_all(items, chosen)]


def displacy(items: object, **options: Any) -> list[dict[str, Any]]:
    """Return what ``spacy.displacy.render(…, manual=True)`` draws: words and arcs, without the root's.

    Parameters
    ----------
    items : `ramify.data.Sentence` or `ParseResult`, or an iterable of them
    **options : see `DrawingOptions`

    Examples
    --------
    >>> from ramify.data import Sentence
    >>> dogs = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> displacy(dogs)[0]["arcs"]
    [{'start': 0, 'end': 1, 'label': 'nsubj', 'dir': 'left'}]
    """
    chosen = DrawingOptions(**options)
    return [_displacy(tree, chosen) for tree in drawn_all(items, chosen)]


def _sentence(tree: DrawnTree, options: DrawingOptions) -> dict[str, Any]:
    words: list[dict[str, Any]] = [
        {
            "id": word.number,
            "form": word.form,
            "lemma": _value(word.lemma),
            "upos": _value(word.upos),
            "xpos": _value(word.xpos),
            "head": None,
            "deprel": None,
        }
        for word in tree.words
    ]
    for arc in tree.arcs:
        word = words[arc.modifier - 1]
        if arc.alternative:
            word.setdefault("alternatives", []).append({"head": arc.head, "probability": arc.probability})
            continue
        word["head"], word["deprel"] = arc.head, _value(arc.label)
        if arc.probability is not None:
            word["probability"] = arc.probability
    surface = [{"first": token.first, "last": token.last, "form": token.form} for token in tree.surface]
    facts: dict[str, Any] = {"sent_id": tree.name or None, "text": tree.text, "words": words}
    return facts | ({"tokens": surface} if surface else {})


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
            arcs.append({"start": first - 1, "end": last - 1, "label": arc.label, "dir": side})
    settings = {"direction": "rtl"} if tree.right_to_left else {}
    return {"words": words, "arcs": arcs, "title": tree.name or None, "settings": settings}


def _value(cell: str) -> str | None:
    return None if cell == "_" else cell
