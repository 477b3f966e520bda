"""How many were right, out of how many: precision, recall and F1 from counts."""

from __future__ import annotations

from dataclasses import dataclass

from ramify.derived import Derived

__all__ = ["Score", "ratio", "share"]


def share(part: float, whole: float) -> float:
    """Divide a part by the whole; 0 if there is nothing.

    Parameters
    ----------
    part, whole : counts, or figures made of them
    """
    return part / whole if whole else 0.0


def ratio(part: str, whole: str, doc: str) -> Derived[float]:
    """Return an attribute: the share of one count in another.

    Parameters
    ----------
    part, whole : names of the counts
    doc : documentation of the attribute
    """
    return Derived(lambda scores: share(getattr(scores, part), getattr(scores, whole)), doc)


@dataclass(frozen=True)
class Score:
    """Counts of one metric, and the figures made of them.

    Attributes
    ----------
    correct : what gold and system agree on
    gold_total, system_total : what gold holds, what the system proposed
    aligned_total : words that both have, or None where the metric is about those words themselves

    Examples
    --------
    >>> Score(correct=3, gold_total=4, system_total=5).f1
    0.6666666666666666
    """

    correct: int
    gold_total: int
    system_total: int
    aligned_total: int | None = None

    precision = ratio("correct", "system_total", "Share of what the system proposed that is right; 0 if it is nothing.")
    recall = ratio("correct", "gold_total", "Share of what gold holds that the system found; 0 if gold holds nothing.")

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if gold and system are both empty."""
        # One division, as in the official script: the mean of the two quotients can differ in the last digit.
        return share(2 * self.correct, self.gold_total + self.system_total)

    @property
    def aligned_accuracy(self) -> float | None:
        """Share of the aligned words that are right; None where alignment is what the metric measures."""
        if self.aligned_total is None:
            return None
        return share(self.correct, self.aligned_total)

    def to_dict(self) -> dict[str, float | int | None]:
        """Return counts and figures as plain numbers, for JSON."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "aligned_accuracy": self.aligned_accuracy,
            "correct": self.correct,
            "gold_total": self.gold_total,
            "system_total": self.system_total,
            "aligned_total": self.aligned_total,
        }
