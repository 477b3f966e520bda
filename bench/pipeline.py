"""How good and how fast a pipeline is, from raw text to trees.

    python bench/pipeline.py MODEL TREEBANK_DIR [--method exact]

Prints, for the test file of the treebank:

- CoNLL 2018 F1 from raw text: sentences, tokens and words are the segmenter's own;
- the same with gold sentences and words, and predicted tags;
- tokens a second from raw text on one thread, CoNLL-U written, and which component takes how much of it;
- the sizes of the components, and the time that loading takes.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import ramify
from ramify.data import read, write
from ramify.evaluation import evaluate
from ramify.pipeline.treebank import find_treebank
from ramify.segmentation import raw_text

METRICS = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")
# What is asked of the English model, on the test file of English-EWT.
BARS = {"raw text": {"UAS": 82.0, "LAS": 79.0}, "gold tokens": {"UAS": 86.0, "LAS": 83.5}}
BAR_SPEED = 5000


def scores(name: str, gold: list, system: list, bars: dict[str, float]) -> None:
    found = evaluate(gold, system)
    print(f"{name}:")
    for metric in METRICS:
        bar = bars.get(metric)
        value = 100 * found[metric].f1
        print(f"  {metric:10} {value:6.2f}" + (f"   bar {bar}: {'met' if value >= bar else 'NOT met'}" if bar else ""))


def whole(nlp: ramify.Pipeline, text: str) -> tuple[float, int]:
    """Return seconds of processor time from text to CoNLL-U, and tokens."""
    began = time.process_time()
    sentences = [result.sentence for result in nlp.stream([text])]
    write(sentences, io.BytesIO(), format="conllu")
    return time.process_time() - began, sum(map(len, sentences))


def by_component(nlp: ramify.Pipeline, text: str) -> dict[str, float]:
    seconds = {}
    began = time.process_time()
    sentences = list(nlp.segmenter.stream([text]))
    seconds["segmenter"] = time.process_time() - began
    for name, tagger in nlp.taggers.items():
        began = time.process_time()
        for i in range(0, len(sentences), 256):
            tagger.annotate(sentences[i : i + 256])
        seconds[name] = time.process_time() - began
    began = time.process_time()
    for _ in nlp.parser.pipe(sentences, copy=False):
        pass
    seconds["parser"] = time.process_time() - began
    return seconds


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("model")
    options.add_argument("treebank")
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--method", help="of inference, instead of the model's own: exact gives up speed for proofs")
    given = options.parse_args()
    began = time.perf_counter()
    nlp = ramify.load(given.model, options={"parser.inference.method": given.method} if given.method else None)
    print(f"{nlp!r}\nloaded in {time.perf_counter() - began:.2f} s")
    path = Path(given.model)
    if path.is_dir():
        for name in nlp.components:
            print(f"  {name:10} {sum(f.stat().st_size for f in (path / name).iterdir()) / 1e6:6.2f} MB")
    treebank = find_treebank(given.treebank)
    gold = [sentence for file in treebank.test for sentence in read(file)]
    bars = BARS if "EWT" in treebank.name else {}
    text = raw_text(gold)
    scores("raw text", gold, [result.sentence for result in nlp.stream([text])], bars.get("raw text", {}))
    scores("gold tokens", gold, [result.sentence for result in nlp.annotate(gold)], bars.get("gold tokens", {}))
    runs = [whole(nlp, text) for _ in range(given.repeat)]
    speed = statistics.median(tokens / seconds for seconds, tokens in runs)
    met = "met" if speed >= BAR_SPEED else "NOT met"
    print(f"raw text to CoNLL-U, one thread: {speed:,.0f} tokens/s (processor time)   bar {BAR_SPEED:,}: {met}")
    for name, seconds in by_component(nlp, text).items():
        print(f"  {name:10} {runs[0][1] / seconds:10,.0f} tokens/s")


if __name__ == "__main__":
    main()
