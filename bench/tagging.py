"""Chunking and tagging, ramify beside python-crfsuite: the same templates, one thread, CPU seconds.

    python bench/tagging.py TRAIN TEST            column files: word, tag, label (CoNLL 2000)
    python bench/tagging.py --treebank TRAIN DEV TEST [--preset upos]   accuracy and speed on a treebank
    python bench/tagging.py --attributes TRAIN DEV   FEATS as one label against one tagger for each attribute

The rival's training and tagging are timed with its features ready; ramify's with everything, from words on.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from ramify.data import read, read_sequences
from ramify.evaluation import chunk_scores
from ramify.tagging import Config, Tagger

TEMPLATES = Config.preset("chunk").features.templates
TURNS = 3
MANY_LABELS = 250  # pairs of more labels than this take long, and give nothing


def timed(work, *arguments):
    begin = time.process_time()
    result = work(*arguments)
    return result, time.process_time() - begin


def attributes(sentence, templates):
    """Return the features of every word as CRFsuite's own chunking example names them."""
    columns = {"w": sentence.forms, "pos": sentence.columns["pos"]}
    parsed = [
        [(item[: item.index("[")], int(item[item.index("[") + 1 : -1])) for item in t.split("|")] for t in templates
    ]
    n = len(sentence)
    words = []
    for i in range(n):
        mine = ["__BOS__"] * (i == 0) + ["__EOS__"] * (i == n - 1)
        for name, items in zip(templates, parsed, strict=True):
            if all(0 <= i + offset < n for _, offset in items):
                mine.append(name + "=" + "|".join(columns[atom][i + offset] for atom, offset in items))
        words.append(mine)
    return words


class Crfsuite:
    """One of python-crfsuite's algorithms with its own defaults."""

    def __init__(self, algorithm):
        self.algorithm = algorithm
        self.path = str(Path(tempfile.mkdtemp()) / "model")

    def train(self, features, labels):
        import pycrfsuite

        trainer = pycrfsuite.Trainer(algorithm=self.algorithm, verbose=False)
        for x, y in zip(features, labels, strict=True):
            trainer.append(pycrfsuite.ItemSequence(x), y)
        begin = time.process_time()
        trainer.train(self.path)
        return time.process_time() - begin

    def open(self):
        import pycrfsuite

        self.tagger = pycrfsuite.Tagger()
        self.tagger.open(self.path)

    def tag(self, sequences):
        return [self.tagger.tag(x) for x in sequences]


def row(name, f1, train, rate, whole, size):
    print(f"{name:34} {100 * f1:6.2f} {train:9.1f} {rate:12,.0f} {whole:14,.0f} {size / 1e6:8.1f}")


def chunking(train_file, test_file, algorithms):
    import pycrfsuite

    train = list(read_sequences(train_file, columns=["form", "pos", "label"]))
    test = list(read_sequences(test_file, columns=["form", "pos", "label"]))
    gold = [s.labels for s in test]
    words = sum(map(len, test))
    print(f"{'':34} {'F1':>6} {'train s':>9} {'tag words/s':>12} {'with features':>14} {'MB':>8}")
    rivals = []
    features, making = timed(lambda: [attributes(s, TEMPLATES) for s in train])
    print(f"(features of the training sentences in Python, not counted: {making:.1f} s)")
    for algorithm in algorithms:
        rival = Crfsuite(algorithm)
        rivals.append((rival, rival.train(features, [s.labels for s in train])))
        rival.open()
    del features
    tagger, seconds = timed(lambda: Tagger.train(train=train, preset="chunk"))
    sequences, making = timed(lambda: [attributes(s, TEMPLATES) for s in test])
    sequences = [pycrfsuite.ItemSequence(x) for x in sequences]
    times = {rival: [] for rival, _ in rivals} | {tagger: []}
    predicted = {}
    for _ in range(TURNS):  # in turns, so that what else the machine does hits all alike
        for rival, _ in rivals:
            predicted[rival], spent = timed(rival.tag, sequences)
            times[rival].append(spent)
        predicted[tagger], spent = timed(lambda: [r.labels for r in tagger.tag(test)])
        times[tagger].append(spent)
    path = Path(tempfile.mkdtemp()) / "model.zip"
    tagger.save(path)
    middle = {who: statistics.median(spent) for who, spent in times.items()}
    scores = {who: chunk_scores(gold, labels).overall.f1 for who, labels in predicted.items()}
    for rival, training in rivals:
        speed = words / middle[rival]
        whole = words / (middle[rival] + making)
        row(
            f"python-crfsuite {rival.algorithm}", scores[rival], training, speed, whole, Path(rival.path).stat().st_size
        )
    speed = words / middle[tagger]
    row("ramify, preset chunk", scores[tagger], seconds, speed, speed, path.stat().st_size)
    for rival, training in rivals:
        print(
            f"against {rival.algorithm}: training {training / seconds:.1f} times as fast, tagging "
            f"{middle[rival] / middle[tagger]:.1f} times (features of the rival ready)"
        )


def treebank(train, dev, test, preset):
    config = Config.preset(preset)
    begin = time.process_time()
    tagger = Tagger.train(train=train, dev=dev, config=config)
    training = time.process_time() - begin
    sentences = list(read(test))
    column = {"lemma": "lemmas"}.get(preset, preset)
    gold = [label for s in sentences for label in getattr(s, column)]
    spent = []
    for _ in range(TURNS):
        labels, seconds = timed(lambda: [r.labels for r in tagger.tag(sentences)])
        spent.append(seconds)
    predicted = [label for sentence in labels for label in sentence]
    right = sum(a == b for a, b in zip(gold, predicted, strict=True))
    path = Path(tempfile.mkdtemp()) / "model.zip"
    tagger.save(path)
    print(
        f"{preset}: {100 * right / len(gold):.2f}% of {len(gold):,} words, {len(gold) / statistics.median(spent):,.0f} "
        f"words/s, training {training:.1f} CPU-s, {path.stat().st_size / 1e6:.2f} MB"
    )


def attributes_apart(train_file, dev_file):
    """Compare FEATS as one label with FEATS put together from one tagger for each attribute."""
    train, dev = list(read(train_file)), list(read(dev_file))
    gold = [text for sentence in dev for text in sentence.feats]

    def right(sentences):
        pairs = zip(gold, (text for sentence in sentences for text in sentence.feats), strict=True)
        return 100 * sum(a == b for a, b in pairs) / len(gold)

    labels = {text for sentence in train for text in sentence.feats}
    for order in "01" if len(labels) <= MANY_LABELS else "0":
        config = Config.preset("feats").override({"model.order": order})
        tagger, seconds = timed(lambda config=config: Tagger.train(train=train, dev=dev, config=config))
        tagged = [result.sentence for result in tagger.tag(dev)]
        print(f"jointly, order {order}: {right(tagged):.2f}% of {len(gold):,} words, {seconds:.0f} CPU-s", flush=True)
    names = {item.split("=")[0] for sentence in train for text in sentence.feats for item in text.split("|")} - {"_"}
    blank = [sentence.copy() for sentence in dev]
    for sentence in blank:
        sentence.feats = ["_"] * len(sentence)
    whole = 0.0
    for name in sorted(names):
        config = Config.preset("feats").override({"model.target": f"feats:{name}"})
        tagger, seconds = timed(lambda config=config: Tagger.train(train=train, dev=dev, config=config))
        tagger.annotate(blank)
        whole += seconds
    print(f"each of {len(names)} attributes: {right(blank):.2f}%, {whole:.0f} CPU-s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--treebank", action="store_true")
    parser.add_argument("--attributes", action="store_true")
    parser.add_argument("--preset", action="append")
    parser.add_argument("--algorithms", default="lbfgs,ap")
    arguments = parser.parse_args()
    if arguments.attributes:
        attributes_apart(*arguments.files)
    elif arguments.treebank:
        for preset in arguments.preset or ["upos", "xpos", "feats", "lemma"]:
            treebank(*arguments.files, preset)
    else:
        chunking(*arguments.files, arguments.algorithms.split(","))


if __name__ == "__main__":
    main()
