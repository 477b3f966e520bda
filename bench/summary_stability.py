"""How stable the trees of summaries are: what the parser says of shortened sentences, against the trees that were cut.

Run: ``python bench/summary_stability.py CLUSTERS.jsonl … [--count 20] [--skip 0] [--read FILE]``. A word is stable if
its head, after the summary's text was segmented and parsed again, is its nearest ancestor that is kept. Punctuation
does not count. ``--read`` writes the summaries with their deletions in brackets, to be read by people.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ramify
from ramify.summarization import Summarizer, Summary, SummarySentence, read_clusters

if TYPE_CHECKING:
    from ramify.data import Sentence

_PUNCTUATION = "PUNCT"


def words_at(sentence: Sentence, starts: list[int]) -> list[int]:
    """Return for every word where its token starts."""
    token = {k: (m.first, n) for n, m in enumerate(sentence.multiword_tokens) for k in range(m.first, m.last + 1)}
    found, surface, last = [], -1, None
    for k in range(1, len(sentence) + 1):
        own = token.get(k)
        if own is None or own != last:
            surface += 1
        last = own
        found.append(starts[surface])
    return found


def parse(nlp: Any, text: str) -> dict[tuple[int, int], tuple[int, int] | None]:
    """Return for every word, by its place and its number there, the place of its head; None at a root."""
    segmentation = nlp.segmenter.segment(text)
    found: dict[tuple[int, int], tuple[int, int] | None] = {}
    bounds = segmentation.offsets.tolist()
    for k, result in enumerate(nlp.annotate(segmentation.sentences)):
        places = numbered(words_at(result.sentence, segmentation.starts[bounds[k] : bounds[k + 1]].tolist()))
        for place, head in zip(places, result.sentence.heads.tolist(), strict=True):
            found[place] = places[head - 1] if head else None
    return found


def numbered(starts: list[int]) -> list[tuple[int, int]]:
    """Return places with numbers of the words that have the same."""
    return [(start, starts[:i].count(start)) for i, start in enumerate(starts)]


def places_in(summary: SummarySentence, text: str, starts: list[int]) -> list[int]:
    """Return where in the summary's sentence each place of the document stands, −1 for none."""
    found = dict.fromkeys(starts, -1)
    position = 0
    for span in summary.spans:
        source = text[span.start : span.end]
        shift = len(span.text) - len(span.text.lstrip()) - (len(source) - len(source.lstrip()))
        for start in found:
            if span.start <= start < span.end:
                found[start] = position + shift + start - span.start
        position += len(span.text)
    return [found[start] for start in starts]


def compare(nlp: Any, summary: SummarySentence, document: str) -> tuple[int, int]:
    """Return how many words of a sentence of a summary are stable, and how many there are."""
    source = summary.source
    tree = next(iter(nlp.annotate([source.columns]))).sentence
    places = places_in(summary, document, words_at(tree, source.starts.tolist()))
    again = parse(nlp, summary.text)
    keys = numbered(places)
    stable = total = 0
    for i, key in enumerate(keys):
        if key[0] < 0 or tree.upos[i] == _PUNCTUATION:
            continue
        head = int(tree.heads[i]) - 1
        while head >= 0 and keys[head][0] < 0:
            head = int(tree.heads[head]) - 1
        total += 1
        stable += key in again and again[key] == (keys[head] if head >= 0 else None)
    return stable, total


def marked(summary: SummarySentence, text: str) -> str:
    """Return a sentence of a summary, with what was deleted in brackets."""
    out, last = "", summary.source.start
    for span in summary.spans:
        gone = text[last : span.start].strip()
        out += (f" [-{gone}-]" if gone else "") + span.text
        last = span.end
    gone = text[last : summary.source.end].strip()
    return out + (f" [-{gone}-]" if gone else "")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clusters", nargs="+")
    parser.add_argument("--model", default="en")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--read")
    options = parser.parse_args()
    nlp = ramify.load("en")
    summarizer = Summarizer.load(options.model)
    lines = []
    sums = {"all": [0, 0], "shortened": [0, 0]}
    for path in options.clusters:
        own = [0, 0]
        for cluster in itertools.islice(read_clusters(path), options.skip, options.skip + options.count):
            summary: Summary = summarizer.summarize(cluster.documents, words=cluster.words or 100, pipeline=nlp)
            lines.append(f"## {Path(path).stem} {cluster.id}")
            for sentence in summary.sentences:
                document = summary.documents[sentence.source.document].text
                lines.append(marked(sentence, document))
                stable, total = compare(nlp, sentence, document)
                for counts in (own, sums["all"], *([sums["shortened"]] if sentence.cuts else [])):
                    counts[0] += stable
                    counts[1] += total
        print(f"{Path(path).stem:<20} {own[0] / max(own[1], 1):8.4f} of {own[1]:,} words", flush=True)
    for name, (stable, total) in sums.items():
        print(f"{name:<20} {stable / max(total, 1):8.4f} of {total:,} words")
    if options.read:
        Path(options.read).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
