"""Smith & Eisner (2008), Dependency Parsing by Belief Propagation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.reproduce.page import Paper, Table, at_least, better, per_cent
from ramify.reproduce.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.reproduce.page import Claim
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
_L2 = {"training.loss": "l2", "training.rate": "0.02"}
_TRAININGS = {"": "CLL, BP", ", L2": "L2 through BP", ", SVM": "SVM, AD3"}
_THEIR_LANGUAGES = ("da", "nl", "en")
_CROSSING = (
    "every arc is in many crossing pairs, and belief propagation takes the many small penalties for "
    "independent, so that its beliefs are far from the true marginals, and likelihood trains on the wrong "
    "gradient. The part itself is good: learned by AD3, where no entropy is approximated, it helps."
)


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    decodings: dict[str, dict[str, str]] = {"": {}}
    decodings |= {name: {"model.tree": tree} for name, tree in _WEAK.items()}
    decodings |= {"PTREE": {"model.tree": "projective"}, "10 iterations": {"inference.bp-iterations": "10"}}
    trials = []
    for bank in banks:
        for name, parts in _PARTS.items():
            ways = decodings if not parts else {"": {}, "10 iterations": decodings["10 iterations"]}
            trials.append(Trial(bank, name, PAPER.name, {"model.parts": parts}, ways))
            trials.append(Trial(bank, f"{name}, SVM", "martins-2011", {"model.parts": parts}))
            trials.append(Trial(bank, f"{name}, L2", PAPER.name, {"model.parts": parts, **_L2}))
        for name, tree in _WEAK.items():
            trials.append(Trial(bank, f"trained with {name}", PAPER.name, {"model.parts": "", "model.tree": tree}))
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
            decoded = score(language, "TREE+LINK", "" if name == "TREE" else name)
            trained = score(language, "TREE+LINK" if name == "TREE" else f"trained with {name}")
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
            "as well).",
        ),
        Table("Five and ten iterations", ["", *languages], iterations, "UAS after 5 / 10 iterations in decoding."),
    ]


def _claims(outcomes: Outcomes) -> list[Claim]:
    base = ("TREE+LINK", "")
    claims = [
        better(
            f"{name[1:]} improves TREE+LINK ({title})",
            outcomes.compare(("TREE+LINK" + training, ""), (name + training, "")),
            _CROSSING if name == "+NOCROSS" and not training else "",
        )
        for training, title in _TRAININGS.items()
        for name in ("+NOCROSS", "+GRAND", "+CHILDSEQ")
    ]
    weak = [("trained with NOT2", ""), ("trained with EXACTLY1", "")]
    return [
        *claims,
        better("TREE beats EXACTLY1 in training", outcomes.compare(weak[1], base)),
        better("EXACTLY1 beats NOT2 in training", outcomes.compare(weak[0], weak[1])),
        at_least(
            "EXACTLY1 may suffice at test time",
            outcomes.compare(base, ("TREE+LINK", "EXACTLY1")),
        ),
    ]


PAPER = Paper(
    name="smith-eisner-2008",
    title="Smith & Eisner 2008: parsing by belief propagation",
    about="A graphical model over arcs with one global factor, TREE, and soft factors for grandparents "
    "(GRAND), sequences of modifiers (CHILDSEQ) and crossing arcs (NOCROSS); conditional log-likelihood "
    "whose gradient comes from five iterations of belief propagation, and the tree of the most likely "
    "arcs. Here candidates are pruned first, labels are learned along, and messages go from factor to "
    "factor in turn instead of all at once.",
    quick=("en", "da", "nl"),
    full=("da", "nl", "en", "eu"),
    plan=_plan,
    tables=_tables,
    claims=_claims,
)
