"""A paper's page: what it claims, its tables beside ours, and whether the claims hold here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from ramify.evaluation import Comparison
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale, Trial

__all__ = ["Claim", "Paper", "Study", "Table", "at_least", "better", "evidence", "per_cent", "render"]

_ALPHA = 0.05


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, and what we measured.

    Attributes
    ----------
    text : the claim
    holds : whether it does here; None where nothing can be said
    evidence : figures
    why : our explanation where it does not hold
    """

    text: str
    holds: bool | None
    evidence: str
    why: str = ""


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
    places : sections of the paper, and the modules that do what they say
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
    made: str = ""
    places: tuple[tuple[str, str], ...] = ()
    draw: Callable[[Outcomes, Path], None] | None = None


def per_cent(share: float | None) -> str:
    """Return a share in per cent; nothing where there is none."""
    return "" if share is None else f"{100 * share:.2f}"


def better(text: str, comparison: Comparison | None, why: str = "") -> Claim:
    """Return the claim that the second of two parsers is better, with the test that says so."""
    if comparison is None:
        return Claim(text, None, evidence(None))
    difference = comparison.difference.value
    return Claim(text, difference > 0 and comparison.p_value <= _ALPHA, evidence(comparison), why)


def at_least(text: str, comparison: Comparison | None, why: str = "") -> Claim:
    """Return the claim that the second of two parsers is not worse."""
    if comparison is None:
        return Claim(text, None, evidence(None))
    difference = comparison.difference.value
    return Claim(text, difference >= 0 or comparison.p_value > _ALPHA, evidence(comparison), why)


def evidence(comparison: Comparison | None) -> str:
    """Return what a comparison shows."""
    if comparison is None:
        return "not run in these languages"
    return (
        f"UAS {100 * comparison.system_a.value:.2f} → {100 * comparison.system_b.value:.2f}, "
        f"p = {comparison.p_value:.3f} (paired randomization)"
    )


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
        "| claim | here | evidence |",
        "| --- | --- | --- |",
    ]
    claims = paper.study.claims(outcomes)
    words = {True: "holds", False: "does not hold", None: "open"}
    lines += [f"| {claim.text} | {words[claim.holds]} | {claim.evidence} |" for claim in claims]
    reasons = [f"- {claim.text}: {claim.why}" for claim in claims if claim.why and claim.holds is False]
    if reasons:
        lines += ["", "Where a claim does not hold, what we think of it:", "", *reasons]
    lines += ["", f"![The figures of {paper.title}, drawn from the tables below]({picture})"] if picture else []
    for table in paper.study.tables(outcomes):
        lines += ["", f"## {table.title}", ""]
        lines += ["| " + " | ".join(table.columns) + " |", "| --- |" + " --: |" * (len(table.columns) - 1)]
        lines += ["| " + " | ".join(row) + " |" for row in table.rows]
        lines += ["", table.note] if table.note else []
    if paper.differs:
        lines += ["", "## What differs", "", *(f"- {sentence}" for sentence in paper.differs)]
    if paper.places:
        lines += ["", "## Where it is", "", "| paper | module |", "| --- | --- |"]
        lines += [f"| {section} | {module} |" for section, module in paper.places]
    if paper.left:
        lines += ["", "## Left out", "", paper.left]
    return "\n".join(lines) + "\n"
