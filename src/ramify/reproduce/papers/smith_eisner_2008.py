"""Smith & Eisner (2008), Dependency Parsing by Belief Propagation."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.evaluation import compare_counts
from ramify.reproduce.hill_climbing import climb
from ramify.reproduce.page import Claim, Paper, Study, Table, compared, evidence, per_cent
from ramify.reproduce.papers.joint_tags import compare_systems
from ramify.reproduce.papers.projective_search import (
    LEARNING,
    PROJECTIVE,
    search_by_length,
    search_claims,
    search_tables,
)
from ramify.reproduce.trials import PRUNED, UNPRUNED, Trial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.data import Sentence
    from ramify.evaluation import Comparison
    from ramify.parsing import Parser
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale

__all__ = ["PAPER"]

_WEAK = {"NOT2": "not-two", "ATMOST1": "at-most-one", "EXACTLY1": "exactly-one", "+ NO2CYCLE": "no-two-cycle"}
_PARTS = {
    "TREE+LINK": "",
    "+NOCROSS": "no-cross",
    "+GRAND": "grand",
    "+CHILDSEQ": "sibling",
    "all": "sibling,grand,no-cross",
}
# Table 2 (a): cumulative contributions; Table 3: decoding a model trained with TREE, and (trained alike).
_THEIRS_2 = {
    "TREE+LINK": ("85.5", "87.3", "88.6"),
    "+NOCROSS": ("86.1", "88.3", "89.1"),
    "+GRAND": ("86.1", "88.6", "89.4"),
    "+CHILDSEQ": ("86.5", "88.5", "90.1"),
}
_THEIRS_3 = {
    "NOT2": ("81.8 (76.7)", "83.3 (75.0)", "87.5 (66.4)"),
    "ATMOST1": ("85.4 (82.2)", "87.3 (86.3)", "88.5 (84.6)"),
    "EXACTLY1": ("85.7 (85.0)", "87.0 (86.7)", "88.6 (86.0)"),
    "+ NO2CYCLE": ("85.0 (85.2)", "86.2 (86.7)", "88.5 (86.2)"),
    "TREE": ("85.5 (85.5)", "87.3 (87.3)", "88.6 (88.6)"),
    "PTREE": ("85.8", "83.9", "88.8"),
}
_PROGRAM = {"model.tree": "projective", "inference.method": "dynamic-program"}
_SECOND = "GRAND+CHILDSEQ"
_THEIRS_HILL = {"Proj. DP": ("86.0", "84.5", "90.2"), "+hill-climbing": ("86.1", "87.6", "90.2")}
_TREE = "trained with TREE"
_TAGS = "joint tags"
_TAG_SYSTEMS = {
    "words only": "words only, no tags",
    "latent": "joint, tags latent in training",
    "pipeline": "pipeline: tagger, then parser",
    "joint": "joint",
    "gold tags": "parser with gold tags",
}
_L2 = {"training.loss": "l2", "training.rate": "0.02"}
_TRAININGS = {"": "CLL, BP", ", L2": "L2 through BP", ", SVM": "SVM, AD3"}
_THEIR_LANGUAGES = ("da", "nl", "en")
_CROSSING = (
    "every arc is in many crossing pairs, and belief propagation takes the many small penalties for "
    "independent, so that its beliefs are far from the true marginals, and likelihood trains on the wrong "
    "gradient. The part itself is good: learned by AD3, where no entropy is approximated, it helps."
)

_WHY_CLIMBING = (
    "hill climbing starts from a projective tree and changes few heads, which suits a language that is almost "
    "projective; BP with PTREE, which knows as much, is in Table 2 (b)."
)
_WHY_PIPELINE = "gold tags instead of predicted ones, the last row of the table, hardly help this small parser either."

_WHY_TREE = (
    "both end in the best tree under their beliefs, and the constraint in training makes no difference that could be "
    "measured, [on whole treebanks](choices.md) neither. (With our pruner's few candidates there is none between NOT2 "
    "and TREE either: these figures are of all arcs.)"
)
_WHY_TAGS = (
    "five hundred short sentences teach the links between tags and arcs little, and the tagger alone is a chain, whose "
    "marginals are exact, where the joint graph has loops."
)


def hill_climbing(parser: Parser, sentences: list[Sentence]) -> dict[str, Any]:
    """Climb from the best projective tree: right heads of each sentence, steps, and how often the best tree is met."""
    starts = parser.with_options(_PROGRAM).parse(sentences)
    best = parser.with_options({"inference.method": "exact"}).parse(sentences)
    right, steps, met, met_first = [], 0, 0, 0
    for sentence, start, true in zip(sentences, starts, best, strict=True):
        graph = parser.factor_graph(sentence, loose=True)
        heads, values = climb(graph, start.heads.tolist())
        right.append(int((heads == np.array([word.head for word in sentence])).sum()))
        steps += len(values) - 1
        met += values[-1] + graph.constant >= true.value - 1e-6
        met_first += start.value >= true.value - 1e-6
    share = 1 / len(sentences)
    return {"heads": right, "steps": steps * share, "best": met * share, "best at the start": met_first * share}


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    decodings: dict[str, dict[str, str]] = {"": {}}
    decodings |= {name: {"model.tree": tree} for name, tree in _WEAK.items()}
    decodings |= {"PTREE": {"model.tree": "projective"}, "10 iterations": {"inference.bp-iterations": "10"}}
    trials = []
    for bank in banks:
        for name, parts in _PARTS.items():
            ways = {"": {}, "10 iterations": decodings["10 iterations"]}
            trials.append(Trial(bank, name, PAPER.name, {"model.parts": parts}, ways))
            trials.append(Trial(bank, f"{name}, SVM", "martins-2011", {"model.parts": parts}))
            trials.append(Trial(bank, f"{name}, L2", PAPER.name, {"model.parts": parts, **_L2}))
        # With few candidates there is little left for a constraint to do: here all arcs are.
        arcs = {"model.parts": "", **UNPRUNED, "training.threshold": "0"}
        trials.append(Trial(bank, _TREE, PAPER.name, arcs, decodings))
        for name, tree in _WEAK.items():
            trials.append(Trial(bank, f"trained with {name}", PAPER.name, {**arcs, "model.tree": tree}))
        ways = {"": {}, "10 iterations": decodings["10 iterations"], "Proj. DP": _PROGRAM}
        ways |= {"PTREE": decodings["PTREE"], "best tree": {"inference.method": "exact"}}
        trials.append(Trial(bank, _SECOND, PAPER.name, {"model.parts": "sibling,grand"}, ways, hill_climbing))
        for name, parts in PROJECTIVE.items():
            options = {"model.parts": parts, "model.tree": "projective", **LEARNING}
            ways = {"": PRUNED, "DP": {**_PROGRAM, **PRUNED}}
            trials.append(Trial(bank, name, PAPER.name, options, ways, search_by_length))
        trials.append(Trial(bank, _TAGS, PAPER.name, study=compare_systems))
    return trials


def _tables(outcomes: Outcomes) -> list[Table]:
    languages = outcomes.languages
    columns = ["", *languages, *(f"paper: {language}" for language in _THEIR_LANGUAGES)]

    def score(language: str, name: str, decoding: str = "") -> str:
        outcome = outcomes.get(language, name, decoding)
        return per_cent(outcome.uas if outcome else None)

    contributions = []
    for training, title in _TRAININGS.items():
        for name in _PARTS:
            theirs = _THEIRS_2.get(name, ("", "", "")) if not training else ("", "", "")
            ours = [score(language, name + training) for language in languages]
            contributions.append([f"{name}, {title}", *ours, *theirs])
    constraints = []
    for name in _THEIRS_3:
        own = []
        for language in languages:
            decoded = score(language, _TREE, "" if name == "TREE" else name)
            trained = score(language, _TREE if name == "TREE" else f"trained with {name}")
            own.append(decoded + (f" ({trained})" if trained else ""))
        constraints.append([name, *own, *_THEIRS_3[name]])
    iterations = [
        [name, *(f"{score(language, name)} / {score(language, name, '10 iterations')}" for language in languages)]
        for name in _PARTS
    ]
    return [
        Table(
            "Table 2: what each factor adds",
            columns,
            contributions,
            "UAS. Theirs are cumulative from row to row; ours add one kind of factor to TREE+LINK, and all at the "
            "end. Besides their training, the same parts are trained through belief propagation (L2), and as an SVM by "
            "AD3.",
        ),
        Table(
            "Table 3: weaker constraints",
            columns,
            constraints,
            "UAS of a first-order model trained with TREE and decoded with the constraint, and (trained with it "
            "as well); all arcs are candidates.",
        ),
        Table("Five and ten iterations", ["", *languages], iterations, "UAS after 5 / 10 iterations in decoding."),
        _hill_table(outcomes, columns),
        *search_tables(outcomes),
        _tag_table(outcomes),
    ]


def _hill_table(outcomes: Outcomes, columns: list[str]) -> Table:
    rows = []
    ways = {"BP, 5 iterations": "", "BP, 10 iterations": "10 iterations", "BP with PTREE, 5 iterations": "PTREE"}
    for name, decoding in (ways | {"best tree of all": "best tree", "Proj. DP": "Proj. DP"}).items():
        found = [outcomes.get(language, _SECOND, decoding) for language in outcomes.languages]
        theirs = _THEIRS_HILL.get(name, _THEIRS_2["+CHILDSEQ"] if not decoding else ("", "", ""))
        rows.append([name, *(per_cent(outcome.uas if outcome else None) for outcome in found), *theirs])
    probes = [outcomes.probe(language, _SECOND) for language in outcomes.languages]
    found = [outcomes.get(language, _SECOND) for language in outcomes.languages]
    cells = [
        per_cent(sum(probe["heads"]) / sum(outcome.words)) if probe and outcome else ""
        for probe, outcome in zip(probes, found, strict=True)
    ]
    rows.append(["+hill-climbing", *cells, *_THEIRS_HILL["+hill-climbing"]])
    for name in ("best at the start", "best"):
        title = "best tree is projective" if name != "best" else "best tree after climbing"
        cells = [f"{100 * probe[name]:.1f}% of sentences" if probe else "" for probe in probes]
        rows.append([title, *cells, "", "", ""])
    return Table(
        "Table 2 (b): hill climbing",
        columns,
        rows,
        "UAS of one non-projective model with GRAND and CHILDSEQ (theirs has NOCROSS besides), decoded in several "
        "ways. Hill climbing starts at the best projective tree and changes one head at a time; the last rows say how "
        "often the start and the end are the tree that scores most of all.",
    )


def _tag_table(outcomes: Outcomes) -> Table:
    rows = []
    probes = [outcomes.probe(language, _TAGS) for language in outcomes.languages]
    for name, title in _TAG_SYSTEMS.items():
        cells = []
        for probe in probes:
            if not probe:
                cells.append("")
                continue
            heads, tags = (sum(counts) / sum(probe["words"]) for counts in probe["right"][name])
            cells.append(per_cent(heads) + (f", {per_cent(tags)}" if tags else ""))
        rows.append([title, *cells])
    return Table(
        "Joint tags: TAG, TRIGRAM and TAGLINK",
        ["", *outcomes.languages],
        rows,
        "UAS and share of right tags (UPOS), on sentences of at most 12 words, at most 500 of them in training, with a "
        "small set of features of its own. A word may have the tags that it was seen with, a rare or new one those of "
        "rare words. Latent: heads are known in training, of tags this dictionary only. The last row has gold "
        "tags where the dictionary allows them. Not in the paper, which describes the factors (§3.4).",
    )


def _claims(outcomes: Outcomes) -> list[Claim]:
    base = (_TREE, "")
    where = [language for language in ("da", "nl") if language in outcomes.languages] or outcomes.languages
    claims = []
    for training, title in _TRAININGS.items():
        for name in ("+NOCROSS", "+GRAND", "+CHILDSEQ"):
            pair = ("TREE+LINK" + training, ""), (name + training, "")
            why = f"it may be too small to be seen there; in all languages: {evidence(outcomes.compare(*pair))}."
            claims.append(
                compared(
                    f"{name[1:]} improves TREE+LINK on {' and '.join(where)} ({title})",
                    outcomes.compare(*pair, where),
                    _CROSSING if name == "+NOCROSS" and not training else why,
                )
            )
    claims += [*search_claims(outcomes), *_hill_claims(outcomes), *_tag_claims(outcomes)]
    weak = [("trained with NOT2", ""), ("trained with EXACTLY1", "")]
    return [
        *claims,
        compared("TREE beats EXACTLY1 in training", outcomes.compare(weak[1], base), _WHY_TREE),
        compared("EXACTLY1 beats NOT2 in training", outcomes.compare(weak[0], weak[1])),
        compared(
            "EXACTLY1 may suffice at test time",
            outcomes.compare(base, (_TREE, "EXACTLY1")),
            "the loss is small, and what is lost is what a tree would have forbidden: cycles among likely arcs.",
        ),
    ]


def _paired(pairs: list[tuple[list[int], list[int], list[int]]]) -> Comparison:
    """Compare right heads of two systems, with words, language by language."""
    both = [[np.column_stack([pair[i], pair[2], pair[2]]) for pair in pairs] for i in (0, 1)]
    return compare_counts(np.concatenate(both[0]), np.concatenate(both[1]), metric="UAS", samples=2000)


def _hill_claims(outcomes: Outcomes) -> list[Claim]:
    pairs = []
    for language in outcomes.languages:
        probe, outcome = outcomes.probe(language, _SECOND), outcomes.get(language, _SECOND)
        if probe and outcome:
            pairs.append((probe["heads"], outcome.heads, outcome.words))
    text = "BP is at least as accurate as hill climbing from the best projective tree"
    return [compared(text, _paired(pairs), _WHY_CLIMBING)] if pairs else []


def _tag_claims(outcomes: Outcomes) -> list[Claim]:
    probes = [probe for probe in (outcomes.probe(language, _TAGS) for language in outcomes.languages) if probe]
    if not probes:
        return []

    def compare(first: str, second: str, what: int) -> Comparison:
        return _paired([(p["right"][first][what], p["right"][second][what], p["words"]) for p in probes])

    gain = compare("pipeline", "gold tags", 0).difference.value
    why = _WHY_PIPELINE if gain < 0.01 else _WHY_TAGS
    tags = compared("Joint inference finds better tags than a pipeline", compare("pipeline", "joint", 1), _WHY_TAGS)
    return [
        compared("Latent tags help a parser that has words only", compare("words only", "latent", 0)),
        compared("Joint inference finds better trees than a pipeline", compare("pipeline", "joint", 0), why),
        dataclasses.replace(tags, evidence=tags.evidence.replace("UAS", "right tags")),
    ]


PAPER = Paper(
    name="smith-eisner-2008",
    title="Smith & Eisner 2008: parsing by belief propagation",
    about="A graphical model over arcs with one global factor, TREE, and soft factors for grandparents "
    "(GRAND), sequences of modifiers (CHILDSEQ) and crossing arcs (NOCROSS); conditional log-likelihood "
    "whose gradient comes from five iterations of belief propagation, and the tree of the most likely "
    "arcs. Here candidates are pruned first, labels are learned along, and messages go from factor to "
    "factor in turn instead of all at once.",
    use="Use it to see what each factor and constraint does, or where crossing arcs and projective trees are to be "
    "weighed by probability. For trees alone the preset `second` is as fast and more accurate.",
    quick=("en", "da", "nl"),
    full=("da", "nl", "en", "eu"),
    study=Study(_plan, _tables, _claims),
    differs=(
        "Treebanks: three of the CoNLL shared task in the paper, Universal Dependencies and the Copenhagen treebank "
        "here. Training stops after a fixed number of epochs, not at the best one on held-out data.",
        "Training: AdaGrad with a fixed rate instead of plain stochastic gradients, and labels are learned along with"
        " arcs. The models of Table 2 see pruned candidates, which the paper does not prune.",
        "NOCROSS: belief propagation has a factor for every two candidate arcs that cross, with the score of their "
        "two words. The paper's own factor for two words also demands that each has exactly one head, which the tree "
        "does already; AD3 has this factor.",
        "CHILDSEQ has a factor for each head and side; the paper has one for each head, with the same score. With "
        "GRAND and CHILDSEQ, the dynamic program takes O(n⁴) here, and O(n⁵) in the paper.",
        "Messages go from factor to factor in turn instead of all at once.",
        "Hill climbing starts from a model without NOCROSS; the paper's has it.",
    ),
    places=(
        (
            "§3.3 hard constraints",
            "`cpp/src/factors/tree.cpp`, `cpp/src/factors/projective_tree.cpp`, `cpp/src/factors/logic.cpp`",
            "`tests/features/parsing/test_weak_trees.py`",
        ),
        (
            "§3.4 LINK, GRAND, CHILDSEQ, NOCROSS",
            "`cpp/src/parsing/kinds/grand.cpp`, `cpp/src/parsing/kinds/sibling.cpp`, "
            "`cpp/src/parsing/kinds/no_cross.cpp`",
            "`tests/features/parsing/test_inference.py`",
        ),
        (
            "§3.4 TAG, TRIGRAM, TAGLINK",
            "`src/ramify/reproduce/papers/tag_graph.py`, `src/ramify/reproduce/papers/joint_tags.py`",
            "`tests/unit/reproduce/papers/test_joint_tags.py`",
        ),
        (
            "§4 belief propagation",
            "`cpp/src/inference/belief_propagation.cpp`",
            "`tests/unit/inference/test_belief_propagation.py`",
        ),
        (
            "§5 propagators of TREE and PTREE",
            "`cpp/src/trees/matrix_tree.cpp`, `cpp/src/trees/projective.cpp`",
            "`tests/unit/trees/test_sums.py`, `tests/unit/trees/test_projective.py`",
        ),
        (
            "§6 decoding",
            "`src/ramify/inference/decode.py`, `cpp/src/trees/arborescence.cpp`",
            "`tests/unit/inference/test_decode.py`, `tests/unit/trees/test_maxima.py`",
        ),
        (
            "§7, eq. 10 training",
            "`cpp/src/parsing/trainer.cpp`",
            "`tests/features/learn/test_losses.py`",
        ),
        (
            "§8.4 speed and search error",
            "`src/ramify/reproduce/papers/projective_search.py`",
            "`tests/unit/reproduce/papers/test_projective_search.py`",
        ),
        (
            "§8.5 hill climbing",
            "`src/ramify/reproduce/hill_climbing.py`",
            "`tests/unit/reproduce/test_hill_climbing.py`",
        ),
    ),
    left="Search errors of weakened PTREE constraints (§8.6), the speed of hill climbing, and belief propagation with "
    "the paper's own NOCROSS factor.",
)
