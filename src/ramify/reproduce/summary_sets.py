"""Summarization sets that are free to use, as clusters of documents with the summaries that people wrote.

A cluster is what a JSON line of ``ramify train --task summarize`` has: its documents, its summaries, and the words of
the budget at which the set is scored.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SETS", "read_set", "summary_sets"]

_SENTENCE = re.compile(r"<S[^>]*>(.*?)</S>", re.S)
_SECTION = re.compile(r"<SECTION([^>]*)>(.*?)</SECTION>", re.S)
_TITLE = re.compile(r"""title\s*=\s*["']([^"']*)""")
_SAME = 0.5  # share of the bigrams of a sentence that are those of the abstract, from which it counts as copied


def read(path: Path) -> str:
    """Return a text whose encoding may be broken."""
    return path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")


def cluster(name: str, documents: list[dict[str, Any]], summaries: list[str], words: int) -> dict[str, Any]:
    """Return a line."""
    return {
        "id": name,
        "documents": [document for document in documents if document["text"].strip()],
        "summaries": [summary.strip() for summary in summaries if summary.strip()],
        "words": words,
    }


def opinosis(root: Path) -> Iterator[dict[str, Any]]:
    """Yield topics: sentences of many authors."""
    for path in sorted((root / "opinosis/topics").glob("*.txt.data")):
        name = path.name.removesuffix(".txt.data")
        gold = sorted((root / "opinosis/summaries-gold" / name).glob("*"))
        lines = [line.strip() for line in read(path).split("\n")]
        yield cluster(name, [{"text": "\n".join(line for line in lines if line)}], [read(g) for g in gold], 25)


def fewsum(root: Path) -> Iterator[dict[str, Any]]:
    """Yield products with eight reviews."""
    for part in ("train", "val"):
        with (root / f"fewsum-amazon/{part}.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                reviews = [{"text": row[f"rev{i}"]} for i in range(1, 9)]
                yield cluster(f"{part}-{row['group_id']}", reviews, [row[f"summ{i}"] for i in (1, 2, 3)], 60)


def _text(markup: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", markup)).replace("&amp;", "&").replace("&lt;", "<").strip()


def _bigrams(text: str) -> set[tuple[str, str]]:
    words = re.findall(r"\w+", text.lower())
    return set(itertools.pairwise(words))


def body(xml: str, abstract: str) -> tuple[str, str]:
    """Return the title and the text of a paper without its abstract, also where the abstract stands in a section."""
    title = next((_text(s) for s in _SENTENCE.findall(xml)), "")
    known = _bigrams(abstract + " " + " ".join(re.findall(r"<ABSTRACT>(.*?)</ABSTRACT>", xml, re.S)))
    sections = []
    for head, content in _SECTION.findall(xml) or [("", re.sub(r"<ABSTRACT>.*?</ABSTRACT>", "", xml, flags=re.S))]:
        name = _TITLE.search(head)
        if name and name.group(1).strip().lower() in ("abstract", "references", "acknowledgments"):
            continue
        kept = []
        for sentence in map(_text, _SENTENCE.findall(content)):
            own = _bigrams(sentence)
            if sentence and not (len(own) > 3 and len(own & known) > _SAME * len(own)):
                kept.append(sentence)
        if kept:
            sections.append("\n".join(kept))
    return title, "\n\n".join(sections)


def cl_scisumm(root: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield papers, as the sentences that cite them and as their own text."""
    for folder in sorted((root / "cl-scisumm-2018").iterdir()):
        if folder.is_dir():
            summary = [read(path) for path in sorted((folder / "summary").glob("*.human*"))]
            annotation = "\n".join(read(path) for path in sorted((folder / "annotation").glob("*")))
            cites = [_text(s) for s in re.findall(r"Citation Text:(.*?)\| Reference Offset", annotation, re.S)]
            xml = read(next((folder / "Reference_XML").glob("*.xml")))
            # Abstracts are left where a section repeats them: the summaries were written from the whole paper.
            title, text = body(xml, "")
            documents = [{"text": cite} for cite in dict.fromkeys(cites)]
            yield (
                cluster(folder.name, documents, summary, 150),
                cluster(folder.name, [{"text": text, "headline": title}], summary, 150),
            )


def scisummnet(root: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield papers, as the sentences that cite them and as their own text without the abstract."""
    for folder in sorted((root / "scisummnet").iterdir()):
        if folder.is_dir():
            summary = [read(path) for path in sorted((folder / "summary").glob("*human.txt"))]
            abstract = "\n".join(read(path) for path in sorted((folder / "summary").glob("*abstract.txt")))
            rows = json.loads(read(folder / "citing_sentences.json"))
            cites = [{"text": row["clean_text"]} for row in rows]
            title, text = body(read(next((folder / "Reference_XML").glob("*.xml"))), abstract)
            yield (
                cluster(folder.name, cites, summary, 150),
                cluster(folder.name, [{"text": text, "headline": title}], summary, 150),
            )


def scitldr(root: Path) -> Iterator[dict[str, Any]]:
    """Yield abstracts of papers with one-sentence summaries."""
    for line in (root / "scitldr-a/dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield cluster(row["paper_id"], [{"text": "\n".join(row["source"])}], row["target"], 25)


def summary_sets(source: str | Path) -> dict[str, list[dict[str, Any]]]:
    """Return the clusters of all sets below a folder that are there, by the name of the set.

    Parameters
    ----------
    source : folder with ``opinosis``, ``fewsum-amazon``, ``scitldr-a``, ``cl-scisumm-2018`` and ``scisummnet``
    """
    return {name: read_set(source, name) for name in SETS if (Path(source) / SETS[name]).is_dir()}


def read_set(source: str | Path, name: str) -> list[dict[str, Any]]:
    """Return the clusters of a set, without those that lack documents or summaries.

    Parameters
    ----------
    source : see `summary_sets`
    name : of the set, one of `SETS`
    """
    root = Path(source)
    if name in _SIMPLE:
        found = list(_SIMPLE[name](root))
    else:
        base, part = name.rsplit("-", 1)
        pairs = cl_scisumm(root) if base == "cl-scisumm" else scisummnet(root)
        found = [pair[part == "body"] for pair in pairs]
    return [line for line in found if line["documents"] and line["summaries"]]


SETS = {
    "opinosis": "opinosis",
    "fewsum": "fewsum-amazon",
    "scitldr": "scitldr-a",
    "cl-scisumm-cites": "cl-scisumm-2018",
    "cl-scisumm-body": "cl-scisumm-2018",
    "scisummnet-cites": "scisummnet",
    "scisummnet-body": "scisummnet",
}
_SIMPLE = {"opinosis": opinosis, "fewsum": fewsum, "scitldr": scitldr}
