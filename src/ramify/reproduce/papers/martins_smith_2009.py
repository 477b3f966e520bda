"""Martins & Smith (2009), Summarization with a joint model for sentence extraction and compression."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.compression import Compressor, kept_words
from ramify.compression.decoding import best_cuts
from ramify.compression.state import read_tree
from ramify.compression.training import price_for
from ramify.evaluation import compare_counts
from ramify.learn.linear import Linear, combined, rows_of
from ramify.reproduce.page import Claim, Paper, Study, Table, compared, p_text, per_cent
from ramify.reproduce.summaries import claim, inputs_of, pairs_of, summary_banks, timed_texts
from ramify.reproduce.trials import Trial
from ramify.summarization import Config, Summarizer
from ramify.summarization.candidates import candidate_sentences
from ramify.summarization.reading import read_input
from ramify.summarization.relevance import cosines, learn_ranking, marginal_relevance, relevance_rows
from ramify.summarization.source import read_source
from ramify.summarization.state import State
from ramify.summarization.training import gains_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ramify.reproduce.summaries import Inputs
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale
    from ramify.summarization import Cluster
    from ramify.summarization.reading import Reading

__all__ = ["PAPER", "compressors", "extraction"]

_COMMON = {"training.cost": "1", "model.max-weights": "1000000"}
_MODELS = {
    "NoBigram": {"model.cases": "all", "model.rules": "false", "model.reports": "false"},
    "NoBigram, with rules": {"model.cases": "all"},
    "arc deletions, with rules": {"model.cases": "cut"},
}
_REDUNDANCIES = (0.1, 0.25, 0.5)
_MIXTURES = (0.25, 0.5, 1.0, 2.0)
_SETS = ("scitldr", "cl-scisumm-body", "scisummnet-body")
_SHARE = 0.8  # of a sentence that stays at least, as in the paper
_WORDS = 20  # the score of a sentence is for so many words
# Table 1: compression rate, micro and macro F1. Table 2: ROUGE-1 and -2.
_THEIRS = {"NoBigram": "71.20, 75.10, 76.04"}
_THEIRS_2 = {
    "Lead": "38.4 / 17.7",
    "Rel": "38.9 / 17.8",
    "MMR": "39.2 / 17.8",
    "Pipeline": "38.0 / 17.3",
    "Rel + NoBigram, joint": "",
    "Rel + NoBigram, joint, ρ = 0.8": "40.3 / 18.0",
}


def compressors(bank: Treebank, scale: Scale) -> dict[str, Any]:
    """Train compressors and return what each does to the test pairs at the rate of the people's compressions."""
    train, dev, test = pairs_of(bank.train[0], scale)
    found = {}
    for name, options in _MODELS.items():
        began = time.thread_time()
        epochs = {"training.epochs": "3"} if scale.train else {}
        model = Compressor.train(train, dev=dev, options={**_COMMON, **options, **epochs}, progress=False)._model
        trained = time.thread_time() - began
        trees = [read_tree(sentence, model.config.model) for sentence in test]
        gold = [kept_words(sentence) for sentence in test]
        counted = [tree.units.unit >= 0 for tree in trees]
        rate = sum(int((g & c).sum()) for g, c in zip(gold, counted, strict=True)) / sum(int(c.sum()) for c in counted)
        price = price_for(trees, lambda tree, model=model: model.weights.scores(tree.rows), rate)  # type: ignore[misc]
        counts = []
        for tree, own, words in zip(trees, gold, counted, strict=True):
            cuts, stays = tree.split(model.weights.scores(tree.rows))
            kept = best_cuts(tree.units.heads, cuts, stays + price * tree.units.lengths)
            stay = tree.units.kept_words(kept) & words
            counts.append([int((stay & own).sum()), int((own & words).sum()), int(stay.sum()), int(words.sum())])
        found[name] = {"counts": counts, "seconds": trained}
    return {"systems": found}


def _learn_relevance(train: Sequence[Cluster], segmenter: Any) -> Linear:
    """Learn to rank sentences by ROUGE-2; then add as much to every score that most are above 0."""
    inputs = []
    for cluster in train:
        source = read_source(cluster.documents, segmenter)
        reading = read_input(source)
        gains = gains_of(reading, _references(cluster))
        worth = np.array([float(gains[np.unique(own)].sum()) for own in reading.concepts.tokens])
        inputs.append((relevance_rows(source, reading.concepts), worth))
    weights = learn_ranking(inputs)
    lowest = np.median([np.quantile(weights.scores(rows), 0.1) for rows, _ in inputs])
    return combined([(weights, 1.0), (_constant("s"), -float(lowest))])


def _references(cluster: Cluster) -> list[list[tuple[str, str]]]:
    from ramify.summarization.concepts import bigrams_of

    return [bigrams_of(text) for text in cluster.summaries]


def _constant(name: str) -> Linear:
    """Return the model in which one feature has the weight 1."""
    return Linear(rows_of([[name]]).keys, np.array([1], np.int16), 1.0)


class _Extractor:
    """The systems of Table 2 on one set."""

    def __init__(self, inputs: Inputs, compressor: Any) -> None:
        import ramify

        self.nlp = ramify.load("en")
        self.inputs, self.compressor = inputs, compressor
        self.relevance = _learn_relevance(inputs.train, self.nlp.segmenter)

    def extract(self, cluster: Cluster, redundancy: float | None) -> str:
        """Return the summary of a cluster by relevance, or its first sentences if redundancy is None."""
        reading, allowed = self._read(cluster)
        if redundancy is None:
            relevance = -np.arange(len(allowed), dtype=np.float64)
        else:
            rows = relevance_rows(reading.source, reading.concepts)
            relevance = self.relevance.scores(rows)[np.array(allowed, int)]
        alike = cosines(reading.concepts)[np.ix_(allowed, allowed)]
        lengths = [reading.source.sentences[s].words for s in allowed]
        chosen = marginal_relevance(relevance, alike, lengths, cluster.words or 100, redundancy or 0.0)
        return " ".join(reading.source.sentences[allowed[i]].text for i in chosen)

    def _read(self, cluster: Cluster) -> tuple[Reading, list[int]]:
        reading = read_input(read_source(cluster.documents, self.nlp.segmenter))
        return reading, candidate_sentences(reading)

    def pipeline(self, cluster: Cluster) -> str:
        """Return the compressed sentences with the highest relevance, as long as they fit."""
        reading, allowed = self._read(cluster)
        relevance = self.relevance.scores(relevance_rows(reading.source, reading.concepts))
        left = cluster.words or 100
        found: dict[int, str] = {}
        for s in sorted(allowed, key=lambda s: -float(relevance[s])):
            if left < 3 or len(found) == 20:
                break
            (result,) = self.nlp.annotate([reading.source.sentences[s].columns])
            text = self.compressor.compress([result.sentence])[0].text if result.found else ""
            if text and len(text.split()) <= left:
                found[s] = text
                left -= len(text.split())
        return " ".join(found[s] for s in sorted(found))

    def joint(self, mixture: float, share: float = 0.0) -> Callable[[Cluster], str]:
        """Return what summarizes by relevance and cuts at once; so large a share of each sentence stays."""
        own = self.compressor._model
        price = _constant("s"), mixture * _WORDS * own.price
        weights = combined([(self.relevance, 1.0), (own.weights, mixture), price])
        config = Config().override({"decoding.min-share": str(share)})
        summarizer = Summarizer(State(config, weights))
        return lambda cluster: str(summarizer.summarize(cluster.documents, words=cluster.words))


def extraction(bank: Treebank, scale: Scale) -> dict[str, Any]:
    """Return what every system of Table 2 does to the test clusters; numbers are chosen on the dev clusters."""
    inputs = inputs_of(bank, scale)
    train, dev, _ = pairs_of(bank.dev[0], dataclasses.replace(scale, train=scale.train or 0))
    options = {"training.epochs": "3"} if scale.train else {}
    systems = _Extractor(inputs, Compressor.train(train, dev=dev, options=options, progress=False))
    redundancy = _best(_REDUNDANCIES, lambda value: lambda cluster: systems.extract(cluster, value), inputs.dev)
    mixture = _best(_MIXTURES, systems.joint, inputs.dev)
    ways: Mapping[str, Callable[[Cluster], str]] = {
        "Lead": lambda cluster: systems.extract(cluster, None),
        "Rel": lambda cluster: systems.extract(cluster, 0.0),
        "MMR": lambda cluster: systems.extract(cluster, redundancy),
        "Pipeline": systems.pipeline,
        "Rel + NoBigram, joint": systems.joint(mixture),
        "Rel + NoBigram, joint, ρ = 0.8": systems.joint(mixture, _SHARE),
    }
    found = {name: timed_texts(way, inputs.test) for name, way in ways.items()}
    return {"systems": found, "redundancy": redundancy, "mixture": mixture}


def _best(
    values: Sequence[float], system: Callable[[float], Callable[[Cluster], str]], dev: Sequence[Cluster]
) -> float:
    scores = [float(np.mean(timed_texts(system(value), dev)["R2"])) for value in values]
    return values[int(np.argmax(scores))]


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    return [
        Trial(bank, "Table 1", "first", study=compressors)
        if bank.language == "pairs"
        else Trial(bank, "Table 2", "first", study=extraction)
        for bank in banks
        if bank.language in ("pairs", *_SETS)
    ]


def _tables(outcomes: Outcomes) -> list[Table]:
    tables = []
    probe = outcomes.probe("pairs", "Table 1")
    if probe:
        rows = [_compression_row(name, own) for name, own in probe["systems"].items()]
        columns = ["", "rate", "precision", "recall", "F1", "macro F1", "training, CPU s", "paper: rate, F1, macro F1"]
        tables.append(Table("Table 1: compression", columns, rows, _NOTE_1))
    languages = [language for language in outcomes.languages if outcomes.probe(language, "Table 2")]
    if languages:
        found = {language: outcomes.probe(language, "Table 2") for language in languages}
        rows = [
            [name, *(_cell(found[language]["systems"][name]) for language in languages), _THEIRS_2[name]]
            for name in _THEIRS_2
        ]
        chosen = "; ".join(
            f"{language}: λ = {own['redundancy']}, η = {own['mixture']}" for language, own in found.items()
        )
        note = f"ROUGE-1 / ROUGE-2 recall in per cent, and seconds of one core for each input. Chosen on dev: {chosen}."
        tables.append(Table("Table 2: summaries", ["", *languages, "paper: DUC 2002"], rows, note))
    return tables


_NOTE_1 = (
    "All models delete as much as people did: a price for each word is chosen so that the rate is theirs, since F1 "
    "without a fixed rate rewards a system that deletes nothing."
)


def _compression_row(name: str, own: Mapping[str, Any]) -> list[str]:
    right, gold, stay, words = np.array(own["counts"], float).T
    macro = np.divide(2 * right, gold + stay, out=np.ones_like(gold), where=gold + stay > 0).mean()
    figures = (stay.sum() / words.sum(), right.sum() / stay.sum(), right.sum() / gold.sum(),
               2 * right.sum() / (gold + stay).sum(), macro)  # fmt: skip
    return [name, *map(per_cent, map(float, figures)), f"{own['seconds']:.0f}", _THEIRS.get(name, "")]


def _cell(own: Mapping[str, Any]) -> str:
    return f"{np.mean(own['R1']):.2f} / {np.mean(own['R2']):.2f}, {own['seconds']:.2f} s"


def _claims(outcomes: Outcomes) -> list[Claim]:
    joint = "Rel + NoBigram, joint"
    pairs = (
        ("Joint extraction and compression beats extraction by relevance", "Rel", joint, _WHY),
        ("Joint extraction and compression beats MMR", "MMR", joint, _WHY),
        ("Compression after extraction is worse than joint decisions", "Pipeline", joint, _WHY),
        ("Compression after extraction is worse than extraction alone", "Pipeline", "Rel", _WHY),
    )
    claims = [claim(text, outcomes, "Table 2", first, second, why) for text, first, second, why in pairs]
    probe = outcomes.probe("pairs", "Table 1")
    if probe:
        pair = [np.array(probe["systems"][name]["counts"])[:, :3] for name in ("NoBigram", "arc deletions, with rules")]
        found = compare_counts(*pair, samples=2000)
        evidence = (
            f"F1 {100 * found.system_a.value:.2f} → {100 * found.system_b.value:.2f}, {p_text(found.p_value)} "
            "(paired randomization)"
        )
        text = "Ours: rules, and verbs of saying that can go, help compression"
        claims.append(compared(text, found, _WHY_RULES, shown=evidence))
    return claims


_WHY = "the difference is too small for a significant test with so many inputs, or has the other sign."
_WHY_RULES = (
    "headlines leave out words that the rules keep, such as determiners and possessors. The rules are for readers, not "
    "for this score."
)


PAPER = Paper(
    name="martins-smith-2009",
    title="Martins & Smith 2009: joint extraction and compression",
    about="A summary is chosen and compressed at once: the score is that of the relevance of the sentences and that of "
    "the deletions in their dependency trees. Relevance is learned by ranking, deletions from compressed sentences, "
    "and a factor η between both is chosen on dev.",
    use="[Summarizing documents](../guides/summarization.md) uses the newer model of "
    "[Almeida & Martins](almeida-martins-2013.md); [compressing sentences](../guides/compression.md) can score all "
    'cases of this paper with `model.cases = "all"`.',
    quick=("pairs", "scitldr"),
    full=("pairs", *_SETS),
    study=Study(_plan, _tables, _claims),
    banks=summary_banks,
    preset=False,
    made="every third cluster is for testing; at most 1,200 pairs of sentences in quick runs",
    left="The bigrams of the Bigram model. Its programs have a quadratic number of variables, and the paper found no "
    "better summaries with it.",
    differs=(
        "DUC 2002 and the corpus of Clarke and Lapata cannot be had. Papers with short or long summaries stand in for "
        "the first, and pairs of sentences from Google's news corpus, which were made from headlines, for the second. "
        "Levels cannot be compared with the paper, only the order of systems.",
        "The relevance of a sentence counts for every 20 words of it, and a word cannot stay if its head goes. "
        "The row without ρ has no lower limit to the share of words that stay; the claims are about this row.",
        "The joint problem is solved by the default decoder instead of a rounded linear program.",
        "Sentences of the pipeline are compressed at the rate of the pairs.",
    ),
    places=(
        ("§2 Rel, MMR", "`src/ramify/summarization/relevance.py`", "`tests/unit/summarization/test_relevance.py`"),
        (
            "§3.1, §3.3 joint model",
            "`src/ramify/summarization/problem.py`",
            "`tests/unit/summarization/test_problem.py`",
        ),
        ("§3.2 compression", "`src/ramify/compression/compressor.py`", "`tests/unit/compression/test_compressor.py`"),
        (
            "§4 learning",
            "`src/ramify/compression/training.py`, `src/ramify/learn/linear.py`",
            "`tests/unit/learn/test_linear.py`",
        ),
    ),
)
