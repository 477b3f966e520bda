"""The task of parsing: what `ramify.learn` needs to know to train, save and load parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ramify.learn.task import LearningTask
from ramify.parsing.corpus import load_corpus
from ramify.parsing.model_files import FILES, ParserFiles
from ramify.parsing.training import ParserLearner

if TYPE_CHECKING:
    from ramify.data import Sentence
    from ramify.learn.corpus import Corpus
    from ramify.parsing.config import Config
    from ramify.parsing.parser import Parser

__all__ = ["TASK", "train"]


class ParseTask(LearningTask):
    """Dependency parsers."""

    name: ClassVar[str] = "parse"
    kind: ClassVar[str] = FILES.kind
    summary: ClassVar[str] = "a parser"
    preset: ClassVar[str] = "default"
    files: ClassVar[ParserFiles] = FILES
    material: ClassVar[str] = "a treebank"

    def load_corpus(self, source: Any, role: str, config: Config) -> Corpus[Sentence]:
        """Read treebanks, which must have trees."""
        return load_corpus(source, role)

    def learner(
        self, config: Config, train: Corpus[Sentence], dev: Corpus[Sentence] | None, threads: int
    ) -> ParserLearner:
        """Return what learns a parser."""
        return ParserLearner(config, train, dev, threads)

    @property
    def model_type(self) -> type[Parser]:
        """Class of the parsers."""
        from ramify.parsing.parser import Parser

        return Parser


TASK = ParseTask()
train = TASK.train
