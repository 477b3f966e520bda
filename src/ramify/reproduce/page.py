"""A paper's page: what it claims, its tables beside ours, and whether the claims hold here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from ramify.parsing import Config
from ramify.reproduce.treebanks import SUBSTITUTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from ramify.evaluation import Comparison
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale, Trial

__all__ = [
    "OTHER_TREEBANKS",
    "RULE",
    "Claim",
    "Paper",
    "Study",
    "Table",
    "Verdict",
    "compared",
    "evidence",
    "p_text",
    "per_cent",
    "render",
]

_ALPHA = 0.05

RULE = (
    "A claim that one system is better than another *holds* if it is better with p < 0.05, and *does not hold* if it "
    "is worse with p < 0.05; otherwise, there is *no difference found*. A claim that a system loses nothing is tested"
    " in the same way: *no difference found* agrees with it, but does not prove it. Claims about ratios, shares, "
    "bounds and numbers of languages are not tested as such: they hold or do not hold by the figures alone."
)
OTHER_TREEBANKS = (
    "Treebanks: CoNLL-X, CoNLL 2008 and the Penn Treebank in the paper, slices of others here. The paper does not"
    " count punctuation; we do."
)
_SETTINGS = (
    "Unless a table says otherwise, all parsers use the same feature set, that of this package, whatever the paper "
    "had.",
    "`model.single-root = auto`: a tree has exactly one root if this is true of 99% of the training sentences.",
)


class Verdict(Enum):
    """What our figures say of a claim."""

    HOLDS = "holds"
    NO_DIFFERENCE = "no difference found"
    FAILS = "does not hold"
    OPEN = "open"


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, and what we measured.

    Attributes
    ----------
    text : the claim
    holds : whether it does here; None where nothing can be said
    evidence : figures
    why : our explanation where it does not hold, or no difference was found
    tested : whether two systems were compared by a test; then None says that no difference was found
    """

    text: str
    holds: bool | None
    evidence: str
    why: str = ""
    tested: bool = False

    @property
    def verdict(self) -> Verdict:
        """What is written on the page."""
        if self.holds is None:
            return Verdict.NO_DIFFERENCE if self.tested else Verdict.OPEN
        return Verdict.HOLDS if self.holds else Verdict.FAILS


@dataclass(frozen=True)
class Table:
    """A table of a page; its cells are strings."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True)
class Study:
    """What is computed for a paper: parsers to train on treebanks, and what is made of their outcomes."""

    plan: Callable[[Iterable[Treebank], Scale], list[Trial]]
    tables: Callable[[Outcomes], list[Table]]
    claims: Callable[[Outcomes], list[Claim]]


@dataclass(frozen=True)
class Paper:
    """A paper as an experiment.

    Attributes
    ----------
    name : of the command and of the preset
    title : of the page
    about : what the paper does, and how it is done here
    languages : of the quick run, and of the full one
    study : what is computed
    use : why one would use the preset
    left : what was left out
    differs : what is done otherwise than in the paper, each as a sentence
    banks : data in a folder besides its treebanks
    preset : whether there is a preset of this name
    made : what was trained and scored, where it is not parsers on treebanks
    pruned : whether the parsers see pruned candidates
    places : sections and equations of the paper, the files that do what they say, and the tests of these; paths from
        the root of the repository, in backticks
    draw : draws what the page shows into an SVG file; None: there is no picture
    """

    name: str
    title: str
    about: str
    quick: tuple[str, ...]
    full: tuple[str, ...]
    study: Study
    use: str = ""
    left: str = ""
    differs: tuple[str, ...] = ()
    banks: Callable[[Path], list[Treebank]] = lambda folder: []
    preset: bool = True
    pruned: bool = True
    made: str = ""
    places: tuple[tuple[str, str, str], ...] = ()
    draw: Callable[[Outcomes, Path], None] | None = None


def per_cent(share: float | None) -> str:
    """Return a share in per cent; nothing where there is none."""
    return "" if share is None else f"{100 * share:.2f}"


def compared(text: str, comparison: Comparison | None, why: str = "", *, shown: str = "") -> Claim:
    """Return the claim that the second of two systems is better, with the paired test that says so.

    Parameters
    ----------
    text : the claim
    comparison : of the two systems; None where they were not run
    why : our explanation where the claim does not hold, or no difference was found
    shown : the evidence, if it is not UAS of parsers
    """
    if comparison is None:
        return Claim(text, None, evidence(None))
    differ = comparison.p_value < _ALPHA and comparison.difference.value != 0
    holds = comparison.difference.value > 0 if differ else None
    return Claim(text, holds, shown or evidence(comparison), why, tested=True)


def p_text(p_value: float) -> str:
    """Return a p-value as it is printed: one that would be 0.000 is said to be below 0.001."""
    return "p < 0.001" if f"{p_value:.3f}" == "0.000" else f"p = {p_value:.3f}"


def evidence(comparison: Comparison | None) -> str:
    """Return what a comparison shows."""
    if comparison is None:
        return "not run in these languages"
    return (
        f"UAS {100 * comparison.system_a.value:.2f} → {100 * comparison.system_b.value:.2f}, "
        f"{p_text(comparison.p_value)} (paired randomization)"
    )


def settings(paper: Paper, languages: Sequence[str], scale: Scale) -> list[str]:
    """Return what is the same for all parsers of a page, each as a sentence; nothing where there is no preset."""
    if not paper.preset:
        return []
    pruner = Config.preset(paper.name).pruner
    least = (
        "Unless a table says otherwise, a first-order model prunes the candidates (`pruner.threshold = "
        f"{pruner.threshold:g}`): a head stays if its probability is at least this fraction of that of the most "
        "probable "
        f"head. A word has at most {pruner.max_heads} candidates, and arcs that are longer than any training arc "
        "between "
        "the same tags are dropped."
        if paper.pruned
        else "Unless a table says otherwise, candidates are not pruned (`pruner.threshold = 0`)."
    )
    size = (
        f"A slice is the first {scale.train} sentences of the training files and the first {scale.test} of the test "
        "file "
        f"that have at most {scale.max_words} words, or all of them where there are fewer; the notes of some tables "
        "name fewer."
    )
    found = [SUBSTITUTES[language] for language in languages if language in SUBSTITUTES]
    substitutes = (
        "These treebanks of our collection are substitutes, and their figures cannot be compared with published ones: "
        f"{'; '.join(found)}."
    )
    return [*_SETTINGS, least, *([size] if scale.train else []), *([substitutes] if found else [])]


def render(paper: Paper, outcomes: Outcomes, scale: Scale, command: str, picture: str = "") -> str:
    """Return the page as Markdown; `picture` is the path of a picture from there."""
    size = "all sentences" if not scale.train else f"{scale.train} sentences of training, {scale.test} of test"
    longest = f" of at most {scale.max_words} words" if scale.max_words else ""
    preset = f"Preset `{paper.name}`. " if paper.preset else ""
    usual = f"{size}{longest}, {scale.epochs} epochs, gold tokens and tags, punctuation counted"
    lines = [
        f"# {paper.title}",
        "",
        paper.about,
        "",
        *((paper.use, "") if paper.use else ()),
        f"{preset}Made by `{command}`: {', '.join(outcomes.languages)}; {paper.made or usual}.",
        "",
        "## Claims",
        "",
        RULE,
        "",
        "| claim | here | evidence |",
        "| --- | --- | --- |",
    ]
    claims = paper.study.claims(outcomes)
    lines += [f"| {claim.text} | {claim.verdict.value} | {claim.evidence} |" for claim in claims]
    unsure = (Verdict.FAILS, Verdict.NO_DIFFERENCE)
    reasons = [f"- {claim.text}: {claim.why}" for claim in claims if claim.why and claim.verdict in unsure]
    if reasons:
        lines += ["", "Where a claim does not hold, or no difference was found, what we think of it:", "", *reasons]
    lines += ["", f"![The figures of {paper.title}, drawn from the tables below]({picture})"] if picture else []
    for table in paper.study.tables(outcomes):
        lines += ["", f"## {table.title}", ""]
        lines += ["| " + " | ".join(table.columns) + " |", "| --- |" + " --: |" * (len(table.columns) - 1)]
        lines += ["| " + " | ".join(row) + " |" for row in table.rows]
        lines += ["", table.note] if table.note else []
    return "\n".join([*lines, *about_the_paper(paper, outcomes.languages, scale)]) + "\n"


def about_the_paper(paper: Paper, languages: Sequence[str], scale: Scale) -> list[str]:
    """Return the end of a page, which no result changes: settings, what differs, files and tests, what was left out."""
    lines = []
    if same := settings(paper, languages, scale):
        lines += ["", "## Settings", "", *(f"- {sentence}" for sentence in same)]
    if paper.differs:
        lines += ["", "## How this differs from the paper", "", *(f"- {sentence}" for sentence in paper.differs)]
    if paper.places:
        lines += ["", "## Where it is", "", "| paper | code | tests |", "| --- | --- | --- |"]
        lines += [f"| {section} | {code} | {tests} |" for section, code, tests in paper.places]
    if paper.left:
        lines += ["", "## Left out", "", paper.left]
    return lines
