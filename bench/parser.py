"""How fast a trained parser is, how its time grows, how sure it is of itself.

    python bench/parser.py MODEL TREEBANK [--plot reliability.svg]

Prints, for one model and one treebank with gold trees:

- tokens a second on one thread, reading and writing included, and how much faster two threads are;
- the share of sentences with a certificate;
- the exponent of time per sentence against its length, fitted on all sentences and on those of at least ten words, each
  timed alone in processor time;
- the expected calibration error of the arcs' probabilities (15 equal bins), and a reliability plot.
"""

from __future__ import annotations

import argparse
import io
import time

import numpy as np

from ramify import Parser
from ramify.data import read, write
from ramify.evaluation import attachment_scores


def seconds_of(parser: Parser, path: str, threads: int) -> float:
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        out = io.BytesIO()
        results = parser.pipe(read(path), threads=threads, copy=False)
        write((result.sentence for result in results), out, format="conllu")
        best = min(best, time.perf_counter() - began)
    return best


def growth(parser: Parser, sentences: list) -> tuple[float, float]:
    times = []
    for sentence in sentences:
        best = float("inf")
        for _ in range(2):
            began = time.thread_time()
            parser.parse(sentence)
            best = min(best, time.thread_time() - began)
        times.append(best)
    lengths = np.array([len(sentence) for sentence in sentences])

    def exponent(shortest: int) -> float:
        used = lengths >= shortest
        return float(np.polyfit(np.log(lengths[used]), np.log(np.array(times)[used]), 1)[0])

    return exponent(1), exponent(10)


def calibration(parser: Parser, sentences: list) -> tuple[np.ndarray, np.ndarray]:
    probabilities, right = [], []
    for gold, result in zip(sentences, parser.pipe(sentences, marginals=True), strict=True):
        probabilities.append(result.probabilities)
        right.append(result.heads == gold.heads)
    return np.concatenate(probabilities), np.concatenate(right)


def calibration_error(probabilities: np.ndarray, right: np.ndarray, bins: int = 15) -> float:
    which = np.minimum((probabilities * bins).astype(int), bins - 1)
    return sum(
        abs(probabilities[which == b].mean() - right[which == b].mean()) * np.mean(which == b)
        for b in range(bins)
        if np.any(which == b)
    )


def draw(probabilities: np.ndarray, right: np.ndarray, path: str) -> None:
    import matplotlib.pyplot as plt

    which = np.minimum((probabilities * 10).astype(int), 9)
    used = [b for b in range(10) if np.any(which == b)]
    figure, axes = plt.subplots(figsize=(4, 4))
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1)
    sizes = [4 + 60 * np.mean(which == b) for b in used]
    axes.scatter([probabilities[which == b].mean() for b in used], [right[which == b].mean() for b in used], s=sizes)
    axes.set(xlabel="probability of the arc", ylabel="share of right heads", xlim=(0, 1), ylim=(0, 1))
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("model")
    arguments.add_argument("treebank")
    arguments.add_argument("--plot")
    options = arguments.parse_args()
    began = time.perf_counter()
    parser = Parser.load(options.model)
    print(f"loading       {time.perf_counter() - began:.2f} s")
    sentences = list(read(options.treebank))
    words = sum(len(sentence) for sentence in sentences)
    one, two = (seconds_of(parser, options.treebank, threads) for threads in (1, 2))
    print(f"one thread    {words / one:,.0f} tokens/s")
    print(f"two threads   {one / two:.2f} times that")
    results = parser.parse(sentences)
    scores = attachment_scores(sentences, [result.sentence for result in results], subtypes=False)
    print(f"UAS / LAS     {100 * scores.uas:.2f} / {100 * scores.las:.2f}")
    print(f"certified     {100 * np.mean([result.certified for result in results]):.1f}%")
    of_all, of_long = growth(parser, sentences)
    print(f"growth        n^{of_all:.2f} (n^{of_long:.2f} from ten words on)")
    probabilities, right = calibration(parser, sentences)
    print(f"calibration   {100 * calibration_error(probabilities, right):.2f}% expected error")
    if options.plot:
        draw(probabilities, right, options.plot)


if __name__ == "__main__":
    main()
