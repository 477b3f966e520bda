"""A parser that is trained in the background on what the annotator has accepted."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from ramify.errors import RamifyError
from ramify.parsing import Parser

if TYPE_CHECKING:
    from ramify.annotation.session import Session
    from ramify.data import Sentence

__all__ = ["BackgroundTraining"]

_HELD_OUT = 5  # every fifth accepted sentence tells which parser is better; none is trained on it


class BackgroundTraining:
    """Trains a parser after every `every` accepted sentences, and uses it if it is better than the present one.

    Both parsers are compared on accepted sentences that were held out from training, by their LAS.

    Parameters
    ----------
    every : number of accepted sentences between two runs
    preset : preset of the new parser

    Attributes
    ----------
    report : result of the last run, for people
    num_used : how many trained parsers have been used
    """

    def __init__(self, every: int, preset: str = "first") -> None:
        self._every = every
        self._preset = preset
        self._last = 0
        self._thread: threading.Thread | None = None
        self._better: Parser | None = None
        self.report = ""
        self.num_used = 0

    @property
    def running(self) -> bool:
        """Whether a parser is being trained."""
        return self._thread is not None and self._thread.is_alive()

    def step(self, session: Session) -> None:
        """Begin a training run if it is time, or use the parser of a run that has ended.

        Parameters
        ----------
        session : session whose parser is replaced; nobody else may use it meanwhile
        """
        if self._thread is not None and not self._thread.is_alive():
            self._thread = None
            if self._better is not None:
                session.use(self._better)
                self._better = None
                self.num_used += 1
        accepted = [i for i, marks in enumerate(session.document.marks) if marks.state == "done"]
        if self._thread is None and len(accepted) >= self._last + self._every:
            self._last = len(accepted)
            sentences = [session.document.sentence(i) for i in accepted]
            self._thread = threading.Thread(
                target=self._train, args=(sentences, session.reparser.parser), name="ramify-train", daemon=True
            )
            self._thread.start()

    def close(self, patience: float = 0.0) -> None:
        """Wait for a run for at most so many seconds; abandon it if it has not ended by then."""
        if self._thread is not None:
            self._thread.join(patience)

    def _train(self, sentences: list[Sentence], present: Parser) -> None:
        held = sentences[_HELD_OUT - 1 :: _HELD_OUT]
        used = [sentence for i, sentence in enumerate(sentences) if i % _HELD_OUT != _HELD_OUT - 1]
        if not held or not used:
            return
        try:
            fresh = Parser.train(train=used, preset=self._preset)
            new, old = (parser.evaluate(held).las.f1 for parser in (fresh, present))
        except RamifyError as error:
            self.report = str(error)
            logging.getLogger("ramify.annotation").warning("training in the background: %s", error)
            return
        self.report = f"LAS on {len(held)} held-out sentences: {new:.3f} trained here, {old:.3f} in use"
        if new > old:
            self._better = fresh
