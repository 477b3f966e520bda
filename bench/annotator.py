"""A simulated annotator: how many clicks a treebank costs with and without re-parsing, and which right arcs break.

usage: python bench/annotator.py MODEL=TREEBANK… [--sentences N] [--price X…] [--likely P…]

The annotator knows the gold heads and goes from left to right. A wrong head costs one click; words that were passed are
locked. Without re-parsing, the number of clicks is the number of wrong heads. With it, every click is a constraint and
the parser moves other arcs: some for the better, which saves clicks, some for the worse (broken), which costs more.
A policy is a price for changing arcs whose probability was at least `likely`; price 0 changes whatever is better.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections import Counter

import numpy as np

import ramify
from ramify.annotation.marks import Marks
from ramify.annotation.reparse import Reparser, Tree
from ramify.data import read


def row(count: Counter[str]) -> str:
    """Return the counts as a line of the table."""
    saved = 100 * (1 - count["clicks"] / count["wrong"])
    broken = 100 * count["broken"] / count["wrong"]
    each = 1000 * count["seconds"] / max(1, count["clicks"])
    numbers = " ".join(f"{count[name]:6}" for name in ("wrong", "clicks"))
    moved = " ".join(f"{count[name]:6}" for name in ("mended", "broken"))
    return f"{numbers} {saved:6.1f}% {moved} {broken:5.1f}% {each:7.1f}"


def annotate(reparser: Reparser, gold, count: Counter[str]) -> None:
    """Correct one sentence from left to right."""
    first = reparser.best(gold)
    if not first.found:
        return
    wanted = [int(head) for head in gold.heads]
    tree, marks = Tree.of(first.sentence), Marks()
    count["words"] += len(gold)
    count["wrong"] += sum(a != b for a, b in zip(tree.heads, wanted, strict=True))
    for word, head in enumerate(wanted, 1):
        if tree.heads[word - 1] == head:
            marks = marks.with_word(word, locked=True)
            continue
        count["clicks"] += 1
        begun = time.perf_counter()
        after = marks.with_word(word, head=head)
        answer = reparser.answer(gold, tree, marks, after)
        count["seconds"] += time.perf_counter() - begun
        if answer.tree is None:  # the gold tree is none that the parser can build, such as one with two roots
            count["refused"] += 1
            heads = [*tree.heads]
            heads[word - 1] = head
            tree = Tree(tuple(heads), tree.labels)
            continue
        for other, (old, new, right) in enumerate(zip(tree.heads, answer.tree.heads, wanted, strict=True), 1):
            if other != word and old != new:
                count["mended"] += new == right
                count["broken"] += old == right
        tree, marks = answer.tree, after.with_word(word, locked=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("pairs", nargs="+", metavar="MODEL=TREEBANK")
    arguments.add_argument("--sentences", type=int, default=0, help="a random sample of so many; 0 takes all")
    arguments.add_argument("--price", type=float, nargs="+", default=[0.0, 0.5])
    arguments.add_argument("--likely", type=float, nargs="+", default=[0.6])
    options = arguments.parse_args()
    print(f"{'treebank':28} {'price':>5} {'likely':>6}  wrong clicks  saved  mended broken        ms/click")
    for pair in options.pairs:
        model, _, path = pair.partition("=")
        loaded = ramify.load(model)
        parser = getattr(loaded, "parser", loaded)
        sentences = [sentence for sentence in read(path, multiple_roots=True) if len(sentence) <= 120]
        if options.sentences and options.sentences < len(sentences):
            chosen = np.random.default_rng(0).choice(len(sentences), options.sentences, replace=False)
            sentences = [sentences[i] for i in sorted(chosen)]
        for price, likely in itertools.product(options.price, options.likely):
            count: Counter[str] = Counter()
            reparser = Reparser(parser, likely=likely, price=price)
            for sentence in sentences:
                annotate(reparser, sentence, count)
            name = path.rpartition("/")[2]
            print(f"{name:28} {price:5.2f} {likely:6.2f} {row(count)}", flush=True)


if __name__ == "__main__":
    main()
