"""What a model learns instead of the labels that stand in files, and the way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ramify.data import LabelScheme, convert_labels, encode_spans, find_spans
from ramify.errors import InvalidInputError
from ramify.tagging.lemmas import apply_script, edit_script

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ramify.tagging.config import LabelMarks

__all__ = ["Coding", "LemmaCoding", "PlainCoding", "SpanCoding", "coding_for", "in_order", "written_scheme"]

_IOB2 = {"S": "B", "E": "I"}


class Coding:
    """A translation between labels in files and labels of the model."""

    def encode(self, labels: Sequence[str], forms: Sequence[str]) -> list[str]:
        """Return the model's labels for n labels of a file and n forms."""
        return list(labels)

    def decode(self, labels: Sequence[str], forms: Sequence[str]) -> list[str]:
        """Return the file's labels for n labels of the model."""
        return list(labels)

    def written_names(self, names: Sequence[str]) -> tuple[str, ...] | None:
        """Return what each label of the model is in files, or None if that depends on the words around it."""
        return None

    def meant(self, label: str, form: str, known: Sequence[str]) -> list[str]:
        """Return those of the model's labels that one label of a file can stand for."""
        return [label] if label in known else []


class PlainCoding(Coding):
    """Labels as they are."""

    def written_names(self, names: Sequence[str]) -> tuple[str, ...] | None:
        """Return the same."""
        return tuple(names)


class LemmaCoding(Coding):
    """Lemmas as edit scripts."""

    def encode(self, labels: Sequence[str], forms: Sequence[str]) -> list[str]:
        """See `edit_script`."""
        return [edit_script(form, lemma) for form, lemma in zip(forms, labels, strict=True)]

    def decode(self, labels: Sequence[str], forms: Sequence[str]) -> list[str]:
        """See `apply_script`."""
        return [apply_script(script, form) for form, script in zip(forms, labels, strict=True)]

    def meant(self, label: str, form: str, known: Sequence[str]) -> list[str]:
        """All scripts that make this lemma of the form."""
        return [script for script in known if apply_script(script, form) == label]


@dataclass(frozen=True)
class SpanCoding(Coding):
    """Spans in the scheme that is learned, whatever scheme files have.

    Attributes
    ----------
    learned, written : schemes of the model and of the files
    """

    learned: LabelScheme
    written: LabelScheme

    def encode(self, labels: Sequence[str], forms: Sequence[str]) -> list[str]:
        """Read any scheme, as ``conlleval`` does."""
        return encode_spans(find_spans(labels), len(labels), self.learned)

    def decode(self, labels: Sequence[str], forms: Sequence[str]) -> list[str]:
        """Write the scheme that the training data have."""
        return convert_labels(labels, self.learned, self.written, strict=False)

    def written_names(self, names: Sequence[str]) -> tuple[str, ...] | None:
        """BIOES says more than IOB2, label by label; other schemes need the neighbours."""
        if self.learned is self.written:
            return tuple(names)
        if self.learned is not LabelScheme.BIOES or self.written is not LabelScheme.IOB2:
            return None
        return tuple(_IOB2.get(name[0], name[0]) + name[1:] for name in names)

    def meant(self, label: str, form: str, known: Sequence[str]) -> list[str]:
        """Tell beginnings from insides where the written scheme does; where it marks no ends, they are left open."""
        if label == "O" or self.learned is self.written:
            return [label] if label in known else []
        prefix, _, kind = label.partition("-")
        if self.written is LabelScheme.IOB1 and prefix == "I":
            prefixes = "BIES"
        else:
            prefixes = {"B": "BS", "I": "IE"}.get(prefix, prefix)
            if self.learned is LabelScheme.IOB1 and prefix == "B":
                prefixes = "BI"
        return [name for name in (f"{p}-{kind}" for p in prefixes) if name in known]


def written_scheme(labels: Iterable[Sequence[str]]) -> LabelScheme:
    """Return the scheme that all these label sequences are in, IOB2 if none is."""
    left = [LabelScheme.IOB2, LabelScheme.IOB1, LabelScheme.BIOES]
    for sequence in labels:
        try:
            spans = find_spans(sequence)
        except InvalidInputError as error:
            raise InvalidInputError(f"model.spans is for labels of spans, 'none' for others. {error}") from None
        left = [scheme for scheme in left if encode_spans(spans, len(sequence), scheme) == list(sequence)]
        if not left:
            return LabelScheme.IOB2
    return left[0]


def in_order(labels: Iterable[str], spans: LabelMarks) -> tuple[str, ...]:
    """Return labels in the order in which models have them: what may follow the same labels stands together."""
    if spans == "none":
        return tuple(sorted(labels))
    return tuple(sorted(labels, key=lambda label: ("OBSIE".index(label[0]), label)))


def coding_for(target: str, spans: LabelMarks, written: LabelScheme | None) -> Coding:
    """Return the coding that a model's options ask for."""
    if target == "lemma":
        return LemmaCoding()
    if spans == "none":
        return PlainCoding()
    return SpanCoding(LabelScheme(spans), written or LabelScheme.IOB2)
