"""How summaries are written: as text, as a page, as JSON, or as a table."""

from __future__ import annotations

import html
import json
import textwrap
from typing import TYPE_CHECKING

from ramify.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.summarization import Summary, SummarySentence

__all__ = ["write_summary"]

_MOST_CONCEPTS = 6

_STYLE = """
body{font:16px/1.55 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1f;background:#fff}
h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:2rem}
.facts{color:#5a5a66;font-size:.9rem}
.summary{background:#f4f6fb;border-left:4px solid #3758c9;padding:.8rem 1rem;border-radius:4px}
.summary a{color:inherit;text-decoration:none}.summary a:hover,.summary a:focus{background:#dfe6fb}
del{color:#a33;text-decoration:line-through;opacity:.75}
mark{background:#ffedb0;color:inherit;border-radius:2px}
.taken{background:#f4f6fb}.taken:target{outline:2px solid #3758c9}
.document{white-space:pre-wrap;color:#5a5a66}.document .taken{color:#1b1b1f}
table{border-collapse:collapse;font-size:.9rem}td,th{padding:.15rem .8rem .15rem 0;text-align:left;vertical-align:top}
@media(prefers-color-scheme:dark){body{background:#16161a;color:#e6e6ea}.summary,.taken{background:#22252e}
.facts,.document{color:#a0a0ac}.document .taken{color:#e6e6ea}mark{background:#5c4a10}del{color:#f09090}
.summary a:hover,.summary a:focus{background:#333a50}}
"""


def write_summary(summary: Summary, name: str, format: str, *, explain: bool = False, number: int = 0) -> str:
    """Return a summary as it is written.

    Parameters
    ----------
    summary : any
    name : of what was summarized
    format : ``"text"``, ``"html"``, ``"json"`` or ``"table"``
    explain : whether concepts and cuts are listed
    number : of the summary among those of one output, from 0
    """
    if format == "json":
        return json.dumps({"id": name, **summary.to_dict(), **_explained(summary, explain)}, ensure_ascii=False) + "\n"
    if format == "html":
        return _page(summary, name, explain)
    if format == "table":
        return ("\n" if number else "") + "".join(line + "\n" for line in _table(summary))
    text = printable(summary.text)
    lines = [text] if text else []
    if explain:
        lines += ["", *_explanation(summary)]
    return ("\n" if number else "") + "".join(line + "\n" for line in lines)


def _explained(summary: Summary, explain: bool) -> dict[str, object]:
    if not explain:
        return {}
    rows = [
        {
            "score": sentence.score,
            "concepts": [{"stems": stems, "score": score} for stems, score in sentence.concepts],
            "cuts": [{"text": cut.text, "words": cut.words, "score": cut.score} for cut in sentence.cuts],
        }
        for sentence in summary.sentences
    ]
    return {"explanation": rows}


def _certificate(summary: Summary) -> str:
    if summary.certified:
        return f"value {summary.value:.3f}, proved to be the best"
    if summary.bound == float("inf"):
        return f"value {summary.value:.3f}"
    return f"value {summary.value:.3f}; no summary scores more than {summary.bound:.3f}"


def _explanation(summary: Summary) -> Iterator[str]:
    yield f"{summary.words} words in {len(summary.sentences)} sentences; {_certificate(summary)}"
    for number, sentence in enumerate(summary.sentences, 1):
        place = f"{sentence.file}, characters {sentence.source.start} to {sentence.source.end}"
        yield printable(f"{number}. {place}: sentence {sentence.score:+.2f}")
        brought = ", ".join(f"{stems} {score:+.2f}" for stems, score in sentence.concepts[:_MOST_CONCEPTS])
        more = len(sentence.concepts) - _MOST_CONCEPTS
        yield printable(f"   brings {brought or 'nothing new'}{f' and {more} more' if more > 0 else ''}")
        for cut in sentence.cuts:
            unit = "word" if cut.words == 1 else "words"
            yield printable(f"   cuts {cut.text!r}: saves {cut.words} {unit}, scores {cut.score:+.2f}")


def _table(summary: Summary) -> Iterator[str]:
    yield f"{'no.':>3}  {'file':<20}  {'characters':<15}  {'words':>5}  {'score':>7}  text"
    for number, sentence in enumerate(summary.sentences, 1):
        place = f"{sentence.source.start}–{sentence.source.end}"
        score = sentence.score + sum(s for _, s in sentence.concepts) + sum(cut.score for cut in sentence.cuts)
        name = printable(textwrap.shorten(sentence.file, 20, placeholder="…"))
        words = len(sentence.text.split())
        yield f"{number:>3}  {name:<20}  {place:<15}  {words:>5}  {score:7.2f}  {printable(sentence.text)}"


def _page(summary: Summary, name: str, explain: bool) -> str:
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>Summary of {html.escape(name)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>Summary of {html.escape(name)}</h1>",
        f'<p class="facts">{summary.words} words of {sum(len(d.text.split()) for d in summary.documents):,}; '
        f"{html.escape(_certificate(summary))}</p>",
    ]
    linked = " ".join(
        f'<a href="#s{i}">{html.escape(sentence.text)}</a>' for i, sentence in enumerate(summary.sentences, 1)
    )
    parts.append(f'<p class="summary">{linked}</p>')
    parts += [f'<p class="facts">{html.escape(note)}</p>' for note in summary.notes]
    if explain:
        parts.append(f"<pre>{html.escape(chr(10).join(_explanation(summary)))}</pre>")
    for number, document in enumerate(summary.documents):
        taken = [(i, s) for i, s in enumerate(summary.sentences, 1) if s.source.document == number]
        if taken:
            parts.append(f"<h2>{html.escape(document.id or str(number + 1))}</h2>")
            parts.append(f'<div class="document">{_marked(document.text, taken)}</div>')
    return "".join(parts) + "</body></html>\n"


def _marked(text: str, taken: list[tuple[int, SummarySentence]]) -> str:
    """Return a document with its taken sentences highlighted, and what was cut from them struck through."""
    found, last = [], 0
    for number, sentence in taken:
        start, end = sentence.source.start, sentence.source.end
        found.append(html.escape(text[last:start]))
        found.append(f'<span class="taken" id="s{number}">{_struck(text, sentence)}</span>')
        last = end
    return "".join([*found, html.escape(text[last:])])


def _struck(text: str, sentence: SummarySentence) -> str:
    found, at = [], sentence.source.start
    for span in sentence.spans:
        if text[at : span.start].strip():
            found.append(f"<del>{html.escape(text[at : span.start])}</del>")
        else:
            found.append(html.escape(text[at : span.start]))
        found.append(f"<mark>{html.escape(text[span.start : span.end])}</mark>")
        at = span.end
    rest = text[at : sentence.source.end]
    found.append(f"<del>{html.escape(rest)}</del>" if rest.strip() else html.escape(rest))
    return "".join(found)
