"""A simulated annotator: how many clicks a treebank costs with and without re-parsing, and which right arcs break.

usage: python bench/annotator.py MODEL=TREEBANK… [--sentences N] [--policy NAME…] [--price X…] [--likely P…]

The annotator knows the gold heads. A wrong head costs one click; words that were looked at are locked. Without
re-parsing, the number of clicks is the number of wrong heads. With it, every click is a constraint and the parser moves
other arcs: some for the better, which saves clicks, some for the worse (broken), which costs more. A policy consists of

* an order: from left to right, from the root down (the highest word in the present tree that is not locked), or the
  least sure word first;
* whether the annotator looks at the preview: if a click would break more arcs than it mends, it is made with Shift,
  which changes this arc alone. Without a preview, the annotator can take the moves back afterwards with a key, which
  counts as another click;
* a price for changing arcs whose probability was at least `likely`; price 0 changes whatever is better.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter, OrderedDict

import numpy as np

import ramify
from ramify.annotation.marks import Marks
from ramify.annotation.reparse import Reparser, Tree
from ramify.data import read

POLICIES = [f"{order}{after}" for order in ("left", "top", "doubt") for after in ("", "+back", "+preview")]


def row(count: Counter[str]) -> str:
    """Return the counts as a line of the table."""
    saved = 100 * (1 - count["clicks"] / count["wrong"])
    broken = 100 * count["broken"] / count["wrong"]
    numbers = " ".join(f"{count[name]:6}" for name in ("wrong", "clicks"))
    moved = " ".join(f"{count[name]:6}" for name in ("mended", "broken"))
    return f"{numbers} {saved:6.1f}% {moved} {broken:5.1f}% {count['alone']:5}"


def depth(tree: Tree, word: int) -> int:
    steps = 0
    while word > 0 and steps <= len(tree.heads):
        word, steps = tree.heads[word - 1], steps + 1
    return steps


def next_word(order: str, reparser: Reparser, gold, tree: Tree, marks: Marks) -> int | None:
    """Return the word that the annotator looks at; None at the end."""
    left = [word for word in range(1, len(tree.heads) + 1) if not marks.of(word).locked]
    if not left or order == "left":
        return next(iter(left), None)
    if order == "top":
        return min(left, key=lambda word: (depth(tree, word), word))
    sure = reparser.best(gold, reparser.hard(marks, tree)).marginals
    return left[0] if sure is None else min(left, key=lambda word: sure[tree.heads[word - 1], word])


def moves(tree: Tree, new: Tree, wanted: list[int], word: int) -> tuple[int, int]:
    """Return how many other arcs are mended and broken."""
    others = [t for i, t in enumerate(zip(tree.heads, new.heads, wanted, strict=True), 1) if i != word]
    return sum(a != b == c for a, b, c in others), sum(a == c != b for a, b, c in others)


def annotate(reparser: Reparser, gold, policy: str, count: Counter[str]) -> None:
    """Correct one sentence."""
    first = reparser.best(gold)
    if not first.found:
        return
    order, _, after = policy.partition("+")
    wanted = [int(head) for head in gold.heads]
    tree, marks = Tree.of(first.sentence), Marks()
    count["words"] += len(gold)
    count["wrong"] += sum(a != b for a, b in zip(tree.heads, wanted, strict=True))
    while (word := next_word(order, reparser, gold, tree, marks)) is not None:
        head = wanted[word - 1]
        if tree.heads[word - 1] == head:
            marks = marks.with_word(word, locked=True)
            continue
        count["clicks"] += 1
        decided = marks.with_word(word, head=head)
        answer = reparser.answer(gold, tree, marks, decided)
        if answer.tree is None:  # the gold tree is none that the parser can build, such as one with two roots
            count["refused"] += 1
            heads = [*tree.heads]
            heads[word - 1] = head
            tree, marks = Tree(tuple(heads), tree.labels), marks.with_word(word, locked=True)
            continue
        new = answer.tree
        mended, broken = moves(tree, new, wanted, word)
        if after and broken > mended + (after == "back"):
            new = reparser.answer(gold, tree, marks, decided, alone=True).tree or new
            count["alone"] += 1
            count["clicks"] += after == "back"
            mended, broken = moves(tree, new, wanted, word)
        count["mended"] += mended
        count["broken"] += broken
        tree, marks = new, decided.with_word(word, locked=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("pairs", nargs="+", metavar="MODEL=TREEBANK")
    arguments.add_argument("--sentences", type=int, default=0, help="a random sample of so many; 0 takes all")
    arguments.add_argument("--policy", nargs="+", choices=POLICIES, default=["left", "top+preview"])
    arguments.add_argument("--price", type=float, nargs="+", default=[0.0, 0.5])
    arguments.add_argument("--likely", type=float, nargs="+", default=[0.6])
    options = arguments.parse_args()
    print(f"{'treebank':24} {'policy':14} {'price':>5} likely  wrong clicks  saved  mended broken        alone")
    for pair in options.pairs:
        model, _, path = pair.partition("=")
        loaded = ramify.load(model)
        parser = getattr(loaded, "parser", loaded)
        sentences = [sentence for sentence in read(path, multiple_roots=True) if len(sentence) <= 120]
        if options.sentences and options.sentences < len(sentences):
            chosen = np.random.default_rng(0).choice(len(sentences), options.sentences, replace=False)
            sentences = [sentences[i] for i in sorted(chosen)]
        policies = list(itertools.product(options.policy, options.price, options.likely))
        counts: dict[tuple[str, float, float], Counter[str]] = {policy: Counter() for policy in policies}
        for sentence in sentences:
            known = OrderedDict()  # one policy after the other asks for many of the same trees
            for policy, price, likely in policies:
                reparser = Reparser(parser, likely=likely, price=price, _known=known)
                annotate(reparser, sentence, policy, counts[policy, price, likely])
        for (policy, price, likely), count in counts.items():
            print(f"{path.rpartition('/')[2]:24} {policy:14} {price:5.2f} {likely:6.2f} {row(count)}", flush=True)


if __name__ == "__main__":
    main()
