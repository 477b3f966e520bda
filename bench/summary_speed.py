"""How long a summary of a long text takes, from its characters to the summary: processor time of one thread.

Run: ``python bench/summary_speed.py TEXT [--most 5000] [--repeat 5] [--profile]``. TEXT is a file with one sentence a
line; after so many words it is cut.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from pathlib import Path

import ramify
from ramify.summarization import Summarizer


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, with its lines."""
    lines: list[str] = []
    for line in text.splitlines():
        words = line.split()[:most]
        lines.append(" ".join(words))
        most -= len(words)
    return "\n".join(lines).strip()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--most", type=int, default=5000, help="words of the text")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--words", type=int, default=100)
    parser.add_argument("--profile", action="store_true", help="show the functions that take longest instead")
    options = parser.parse_args()
    text = cut(options.text.read_text(encoding="utf-8"), options.most)
    nlp, summarizer = ramify.load("en"), Summarizer.load()
    for compress in (True, False):
        name = "with cuts" if compress else "whole sentences"

        def run(compress: bool = compress) -> None:
            summarizer.summarize(text, words=options.words, compress=compress, pipeline=nlp)

        run()
        if options.profile:
            with cProfile.Profile() as profile:
                run()
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
            continue
        seconds = []
        for _ in range(options.repeat):
            began = time.process_time()
            run()
            seconds.append(time.process_time() - began)
        print(f"{len(text.split()):,} words, {name:<16} {min(seconds):.3f} s (slowest run: {max(seconds):.3f} s)")


if __name__ == "__main__":
    main()
