"""Taggers of an experiment: trained on column files, with what they did to every sentence."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ramify.data import read_sequences
from ramify.evaluation import chunk_counts
from ramify.reproduce.treebanks import Treebank
from ramify.reproduce.trials import epochs_of
from ramify.tagging import Config, EpochDone, Tagger

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ramify.data import LabelSequence
    from ramify.learn.progress import Event
    from ramify.reproduce.trials import Scale

__all__ = ["HELD_OUT", "TagStudy", "sequence_banks"]

HELD_OUT = 9  # where there is no dev file, every ninth training sentence stands for it
_COLUMNS = ("form", "pos", "label")
_FILES = {
    "chunks": ("CoNLL-2000", "conll2000/train.txt", "", "conll2000/test.txt"),
    "es-names": ("CoNLL-2002 Spanish", "conll2002/esp.train", "conll2002/esp.testa", "conll2002/esp.testb"),
    "nl-names": ("CoNLL-2002 Dutch", "conll2002/ned.train", "conll2002/ned.testa", "conll2002/ned.testb"),
}


def sequence_banks(folder: Path) -> list[Treebank]:
    """Return the column files of CoNLL 2000 and 2002 below a folder, as far as they are there."""
    root = folder / "sequence" if (folder / "sequence").is_dir() else folder
    banks = []
    for language, (name, *files) in _FILES.items():
        train, dev, test = ((root / file,) if file else () for file in files)
        if all(path.is_file() for path in (*train, *dev, *test)):
            banks.append(Treebank(language, name, train, dev, test))
    return banks


def _read(paths: Sequence[Path], most: int) -> list[LabelSequence]:
    found = [sequence for path in paths for sequence in read_sequences(path, columns=_COLUMNS)]
    return found[:most] if most else found


@dataclass(frozen=True)
class TagStudy:
    """Trains a tagger, scores it on dev, and once on test.

    Without a dev file, a first tagger is trained without every ninth sentence and scored on these; a second one is
    trained on all sentences and tested.

    Attributes
    ----------
    preset, options : of the tagger
    epochs : passes over the training sentences, as a multiple of those of the scale
    """

    preset: str
    options: Mapping[str, str] = field(default_factory=dict)
    epochs: float = 1.0

    @property
    def __name__(self) -> str:
        config = Config.preset(self.preset).override(dict(self.options))
        return f"{type(self).__name__} {self.epochs} {config.to_toml()}"

    def __call__(self, bank: Treebank, scale: Scale) -> dict[str, Any]:
        """Return what was measured, for JSON."""
        train, test = _read(bank.train, 4 * scale.train), _read(bank.test, 2 * scale.test)
        epochs = epochs_of(scale, self.epochs)
        if bank.dev:
            out, tagger = self._train(train, epochs)
            dev, chooser = _read(bank.dev, scale.test), tagger
        else:
            dev = train[HELD_OUT - 1 :: HELD_OUT]
            rest = [sentence for i, sentence in enumerate(train) if i % HELD_OUT != HELD_OUT - 1]
            chooser = self._train(rest, epochs)[1]
            out, tagger = self._train(train, epochs)
        began = time.thread_time()
        for _ in range(_TIMES):
            tagger.tag(test)
        out["words a second"] = _TIMES * sum(map(len, test)) / (time.thread_time() - began)
        return {**out, "dev": _counts(chooser, dev), "test": _counts(tagger, test)}

    def _train(self, train: Sequence[LabelSequence], epochs: Mapping[str, str]) -> tuple[dict[str, Any], Tagger]:
        held: list[int] = []

        def note(event: Event) -> None:
            if isinstance(event, EpochDone):
                held.append(int(event.figures["weights"]))

        began = time.thread_time()
        tagger = Tagger.train(train=train, preset=self.preset, options={**self.options, **epochs}, progress=note)
        facts = tagger.facts
        selection = facts.get("selection", {"held": [], "path": []})
        out = {
            "seconds": time.thread_time() - began,
            "weights": facts["weights"],
            "held": selection["held"],
            "held in training": held,
            "templates": [name for name, *_ in facts["templates"]],
        }
        return out, tagger


_TIMES = 3  # the test sentences are tagged so often to measure speed


def _counts(tagger: Tagger, sentences: Sequence[LabelSequence]) -> list[list[int]]:
    """Return right, gold and predicted spans of each sentence."""
    predicted = [result.labels for result in tagger.tag(sentences)]
    counts: list[list[int]] = chunk_counts([sentence.labels for sentence in sentences], predicted).tolist()
    return counts
