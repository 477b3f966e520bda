"""Find chunks such as noun phrases: a chain of labels, with words and tags as features.

    python examples/chunking.py [TRAIN TEST]   # files of CoNLL 2000, or 200 sentences that come with ramify

Every word has a label; its features are names in a sparse matrix. One table of scores for neighbouring labels is the
same everywhere, and -inf in it forbids what no chunk can be. ramify's own labeller gets the same features.
"""

import sys
from functools import cache
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from ramify import FactorGraph, SequenceLabeller
from ramify.data import convert_labels, read, read_sequences
from ramify.evaluation import chunk_scores
from ramify.factors import Sequence
from ramify.learn import Parts, StructuredModel

SAMPLE = Path(__file__).parent.parent / "tests" / "data" / "ewt-sample-200.conllu"
LEFT_OF_NOUNS = {"det", "amod", "nummod", "compound", "nmod:poss"}


def noun_phrases(tree):
    """Return labels of a tree's noun phrases: nouns with the dependents just before them."""
    labels = ["O"] * len(tree)
    for noun in np.flatnonzero(np.isin(tree.upos, ["NOUN", "PROPN", "PRON"])):
        start = noun
        while start and tree.heads[start - 1] == noun + 1 and tree.deprels[start - 1] in LEFT_OF_NOUNS:
            start -= 1
        labels[start : noun + 1] = ["B-NP"] + ["I-NP"] * (noun - start)
    return labels


def load(paths):
    """Return sentences as words, tags and labels: those to learn from, and those to test on."""
    if not paths:
        triples = [(s.forms, s.upos, convert_labels(noun_phrases(s), "iob2", "bioes")) for s in read(SAMPLE)]
        return triples[:150], triples[150:]
    files = [read_sequences(path, columns=["form", "pos", "label"]) for path in paths]
    return [[(s.forms, s.columns["pos"], convert_labels(s.labels, "iob2", "bioes")) for s in file] for file in files]


def names(words, tags):
    """Return for every word the names of its features: words and tags around it, alone and two or three in a row."""
    rows = {"w": ["<<", "<", *words, ">", ">>"], "t": ["<<", "<", *tags, ">", ">>"]}
    places = {"w1": range(-2, 3), "w2": (-1, 0), "t1": range(-2, 3), "t2": range(-2, 2), "t3": (-2, -1, 0)}
    grams = [(of, int(n), at) for (of, n), where in places.items() for at in where]
    middle = range(2, len(words) + 2)
    return [[f"{of}{n}{at}={'|'.join(rows[of][i + at : i + at + n])}" for of, n, at in grams] for i in middle]


def matrix(sentence, columns):
    """Return the features of a sentence as a matrix; those that were not seen in training are left out."""
    rows = [[columns[name] for name in word if name in columns] for word in sentence]
    begin = np.cumsum([0, *map(len, rows)])
    return csr_matrix((np.ones(begin[-1]), np.concatenate(rows), begin), shape=(len(rows), len(columns)))


def may_follow(labels):
    """Return scores for pairs of labels: 0, or -inf where one cannot follow, begin or end."""
    begun, open_ = (np.array([label[0] in prefixes for label in labels]) for prefixes in ("IE", "BI"))
    same = np.array([[a[1:] == b[1:] for b in labels] for a in labels])
    legal = np.where(open_[:, None] | begun, open_[:, None] & begun & same, True)
    return np.where(legal, 0.0, -np.inf), np.where(begun, -np.inf, 0.0), np.where(open_, -np.inf, 0.0)


def main(paths):
    """Print how well the model and ramify's labeller find chunks."""
    train, test = load(paths)
    labels = sorted({label for *_, gold in train for label in gold})
    features = [[names(words, tags) for words, tags, _ in part] for part in (train, test)]
    columns = {name: i for i, name in enumerate(sorted({f for s in features[0] for word in s for f in word}))}
    between, first, last = may_follow(labels)

    @cache
    def graph_of(length):
        graph = FactorGraph()
        chain = graph.add_variables(length, num_states=len(labels))
        return graph, chain, graph.add(Sequence(chain, np.tile(between, (length - 1, 1, 1))))

    def parts(x):
        graph, chain, pairs = graph_of(x.shape[0])
        built = Parts(graph).add("word", chain, x).add("neighbours", pairs)
        return built.add_scores(chain[:1], first).add_scores(chain[-1:], last)

    X = [[matrix(sentence, columns) for sentence in part] for part in features]
    model = StructuredModel(parts, loss="softmax-margin", epochs=8, progress="auto")
    model.fit(X[0], [[labels.index(label) for label in gold] for *_, gold in train])
    own = [[labels[state] for state in states] for states in model.predict(X[1])]
    tagger = SequenceLabeller(spans="bioes").fit(features[0], [s[2] for s in train]).predict(features[1])
    for name, guess in (("StructuredModel", own), ("SequenceLabeller", tagger)):
        print(f"{name:<18} F1 of chunks {100 * chunk_scores([s[2] for s in test], guess).overall.f1:6.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
