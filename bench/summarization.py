"""How good and how fast the decoders of summaries are, against HiGHS's integer program on the same problems.

Run: ``python bench/summarization.py CLUSTERS.jsonl [--model MODEL]``. Every input is cut to its best 1,000 words and
parsed; the summary has at most 100 words and 6 sentences. Times are processor times of one thread, without parsing.
"""

from __future__ import annotations

import argparse
import itertools
import time

import numpy as np

import ramify
from ramify.summarization import Method, Summarizer, read_clusters, solve
from ramify.summarization.candidates import best_sentences, candidate_sentences, standing_sentences
from ramify.summarization.reading import lay_out, read_input
from ramify.summarization.source import read_source

METHODS = (Method.AD3, Method.SEARCH, Method.AD3_PAPER, Method.LP, Method.AD3_EXACT, Method.ILP)


def problems(path: str, model: str, count: int, words: int, sentences: int):
    """Yield summary problems."""
    state = Summarizer.load(model)._model
    nlp = ramify.load("en")
    for cluster in itertools.islice(read_clusters(path), count):
        source = read_source(cluster.documents, nlp.segmenter)
        reading = read_input(source)
        scores = reading.scores(state.weights.scores(reading.rows))
        chosen = standing_sentences(reading, candidate_sentences(reading))
        chosen = standing_sentences(reading, best_sentences(reading, scores, chosen, 1000))
        results = nlp.annotate([source.sentences[s].columns for s in chosen])
        trees = {s: r.sentence for s, r in zip(chosen, results, strict=True) if r.found}
        reading = read_input(source, trees=trees, concepts=reading.concepts)
        scores = reading.scores(state.weights.scores(reading.rows))
        layout = lay_out(reading, chosen, words, sentences=sentences)
        yield layout.scored(scores, state.config.decoding.cut_price)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clusters")
    parser.add_argument("--model", default="en")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--words", type=int, default=100)
    parser.add_argument("--sentences", type=int, default=6)
    options = parser.parse_args()
    found = list(problems(options.clusters, options.model, options.count, options.words, options.sentences))
    print(f"{len(found)} problems, {np.mean([len(p.heads) for p in found]):.0f} units on average")
    seconds = {method: np.zeros(len(found)) for method in METHODS}
    values = {method: np.zeros(len(found)) for method in METHODS}
    for i, problem in enumerate(found):
        for method in METHODS:
            began = time.process_time()
            values[method][i] = solve(problem, method, 100).value
            seconds[method][i] = time.process_time() - began
    best, slow = values[Method.ILP], seconds[Method.ILP].sum()
    print(f"{'method':<12} {'seconds':>8} {'ILP is slower by':>17} {'mean gap':>9} {'worst gap':>10} {'none':>5}")
    for method in METHODS:
        gap = 1 - values[method] / np.maximum(best, 1e-9)
        none = int(np.sum(values[method] <= 0))
        total = seconds[method].sum()
        print(f"{method.value:<12} {total:8.2f} {slow / total:17.1f} {gap.mean():9.2%} {gap.max():10.2%} {none:5}")


if __name__ == "__main__":
    main()
