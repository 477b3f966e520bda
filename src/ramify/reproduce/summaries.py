"""Summarizers and compressors of an experiment: their data, and what they did to every input."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.evaluation import compare_scores, rouge
from ramify.reproduce.page import Claim, compared, p_text
from ramify.reproduce.summary_sets import SETS, read_set
from ramify.reproduce.treebanks import Treebank
from ramify.summarization.clusters import as_cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from ramify.reproduce.trials import Outcomes, Scale
    from ramify.summarization import Cluster

__all__ = ["Inputs", "claim", "inputs_of", "pairs_of", "scored", "summary_banks", "timed_texts"]

_PAIRS = "compression/google-sentence-compression-eval/eval_data.csv"
_METRICS = ("1", "2", "SU4")
_TEST_PAIRS = 1000
# Quick runs: clusters of training, dev and test, and pairs likewise.
_QUICK = {"scitldr": (100, 30, 90), "fewsum": (15, 5, 10), "opinosis": (15, 5, 10)}
_QUICK_LONG = (12, 4, 10)
_QUICK_PAIRS = (1200, 150, 300)


@dataclass(frozen=True)
class Inputs:
    """Clusters to learn from, to choose by, and to test on once: every third one is for the test."""

    train: list[Cluster]
    dev: list[Cluster]
    test: list[Cluster]


def summary_banks(folder: Path) -> list[Treebank]:
    """Return the summarization sets below a folder, each with the compression pairs as its dev file, and these pairs.

    Parameters
    ----------
    folder : with ``summarization`` and ``compression``
    """
    root, pairs = folder / "summarization", folder / _PAIRS
    dev = (pairs,) if pairs.is_file() else ()
    banks = [
        Treebank(name, name, (root / name,), dev, ()) for name, part in SETS.items() if dev and (root / part).is_dir()
    ]
    return [*banks, *(Treebank("pairs", "Google compressions", dev, (), ()) for _ in dev)]


def inputs_of(bank: Treebank, scale: Scale) -> Inputs:
    """Return the clusters of a set, or a few of them in quick runs."""
    (place,) = bank.train
    found = [as_cluster(line) for line in read_set(place.parent, bank.name)]
    rest = [cluster for i, cluster in enumerate(found) if i % 3]
    train = [cluster for i, cluster in enumerate(rest) if i % 4]
    parts = (train, rest[::4], found[::3])
    sizes = _QUICK.get(bank.name, _QUICK_LONG) if scale.train else (None, None, None)
    return Inputs(*(list(part[:size]) for part, size in zip(parts, sizes, strict=True)))


def pairs_of(path: Path, scale: Scale) -> tuple[list[Any], list[Any], list[Any]]:
    """Return parsed sentences whose words are marked: of training, dev and test. The first 1,000 pairs are the test.

    Parameters
    ----------
    path : file of pairs
    scale : of the experiment
    """
    import ramify
    from ramify.pipeline.compression import marked_sentences, read_pairs

    pairs = list(read_pairs(path))
    train, dev, test = _QUICK_PAIRS if scale.train else (len(pairs), 500, _TEST_PAIRS)
    nlp = ramify.load("en")
    rest = pairs[_TEST_PAIRS:][: train + dev]
    return (
        list(marked_sentences(rest[dev:], nlp)),
        list(marked_sentences(rest[:dev], nlp)),
        list(marked_sentences(pairs[:test], nlp)),
    )


def timed_texts(
    summarize: Callable[[Cluster], str], clusters: Sequence[Cluster], progress: Callable[[], float] = time.thread_time
) -> dict[str, Any]:
    """Return the scores of summaries of clusters, their words, and the seconds of the processor for each."""
    began = progress()
    texts = [summarize(cluster) for cluster in clusters]
    seconds = (progress() - began) / max(len(clusters), 1)
    return {**scored(texts, clusters), "seconds": seconds}


def scored(texts: Sequence[str], clusters: Sequence[Cluster]) -> dict[str, Any]:
    """Return ROUGE recall of each summary in per cent, and the mean number of words.

    Parameters
    ----------
    texts : summaries
    clusters : what they are summaries of
    """
    found = rouge(texts, [cluster.summaries for cluster in clusters], metrics=_METRICS)
    scores = {f"R{metric.value}": (100 * values.recall).round(4).tolist() for metric, values in found.items()}
    return {**scores, "words": float(np.mean([len(text.split()) for text in texts]))}


def claim(text: str, outcomes: Outcomes, name: str, first: str, second: str, why: str = "") -> Claim:
    """Return the claim that one system has a higher ROUGE-2 than another, with a paired test over all sets.

    Parameters
    ----------
    text : the claim
    outcomes : of all sets
    name : of the trial
    first, second : names of systems; the second is said to be better
    why : our explanation where this does not hold, or no difference was found
    """
    rows: list[list[float]] = [[], []]
    for language in outcomes.languages:
        systems: Mapping[str, Any] = (outcomes.probe(language, name) or {}).get("systems", {})
        if first in systems and second in systems:
            rows[0] += systems[first]["R2"]
            rows[1] += systems[second]["R2"]
    if not rows[0]:
        return Claim(text, None, "not run")
    found = compare_scores(rows[0], rows[1], metric="ROUGE-2", samples=2000)
    evidence = (
        f"ROUGE-2 {found.system_a.value:.2f} → {found.system_b.value:.2f} ({len(rows[0])} inputs), "
        f"{p_text(found.p_value)} (paired randomization)"
    )
    return compared(text, found, why, shown=evidence)
