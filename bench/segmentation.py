"""How good segmenters are on raw text, how fast, how large.

    python bench/segmentation.py FOLDER [--languages en tr zh]

FOLDER holds a `splits.tsv` (columns lang, name, train, dev, test) and the treebanks that it names. For each language a
segmenter is trained on train and tuned on dev, where there is one; then the raw text of test is segmented, once for the
F1 of tokens, sentences and words, and several times for the speed, on one thread. The text comes from `raw_text`: where
a treebank records no white space, it is the usual one of its script.

If spaCy is installed, its rules for English tokens and sentences run on the English text in turn with ramify. (They do
less: nothing is learned, and words are not split.)
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import tempfile
import time
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

from ramify.data import read
from ramify.segmentation import Segmenter, raw_text, score_segmentation

CHARACTERS = 1_000_000  # at least so many for a measurement
RUNS = 5


def rows_of(folder: Path, languages: list[str]) -> list[dict[str, str]]:
    with (folder / "splits.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [row for language in languages for row in rows if row["lang"] == language]


def files(folder: Path, cell: str) -> list[Path]:
    root = folder / "treebanks" if (folder / "treebanks").is_dir() else folder
    return [root / name for name in cell.split(",") if name != "-"]


def spacy_pipeline():
    try:
        import spacy
    except ImportError:
        return None
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.max_length = 10**9
    return pipeline


def speeds(text: str, **systems) -> dict[str, float]:
    """Characters a second, the median of runs that take turns."""
    text = text * (CHARACTERS // len(text) + 1)
    times = {name: [] for name in systems}
    for _ in range(RUNS):
        for name, run in systems.items():
            began = time.perf_counter()
            run(text)
            times[name].append(time.perf_counter() - began)
    return {name: len(text) / statistics.median(seconds) for name, seconds in times.items()}


def size_of(segmenter: Segmenter) -> int:
    with tempfile.TemporaryDirectory() as folder:
        segmenter.save(Path(folder) / "model")
        return sum(file.stat().st_size for file in (Path(folder) / "model").iterdir())


def measure(folder: Path, row: dict[str, str]) -> None:
    began = time.perf_counter()
    dev = files(folder, row["dev"])
    segmenter = Segmenter.train(files(folder, row["train"]), dev=dev or None)
    seconds = time.perf_counter() - began
    gold = [sentence for file in files(folder, row["test"]) for sentence in read(file, multiple_roots=True)]
    text = raw_text(gold)
    scores = score_segmentation(gold, segmenter.segment(text))
    speed = speeds(text, ramify=segmenter.segment)["ramify"]
    figures = " | ".join(f"{100 * s.f1:.2f}" for s in (scores.tokens, scores.sentences, scores.words))
    print(
        f"| {row['lang']} | {row['name']} | {figures} | {speed / 1e6:.1f} M | {size_of(segmenter) / 1e6:.2f} MB "
        f"| {seconds:.0f} s |",
        flush=True,
    )
    if row["lang"] == "en" and (pipeline := spacy_pipeline()):
        both = speeds(text[:200_000], ramify=segmenter.segment, spacy=pipeline)
        print(f"|  | (against spaCy's rules: {both['ramify'] / both['spacy']:.1f} times as fast) |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--languages", nargs="+", default=["en", "tr", "eu", "zh", "el", "ja", "it", "ar"])
    arguments = parser.parse_args()
    print("| | treebank | Tokens | Sentences | Words | characters/s | model | training |")
    print("| --- | --- | --: | --: | --: | --: | --: | --: |")
    for row in rows_of(arguments.folder, arguments.languages):
        measure(arguments.folder, row)


if __name__ == "__main__":
    main()
