"""The task of tagging: what `ramify.learn` needs to know to train, save and load taggers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ramify.learn.task import LearningTask
from ramify.tagging.model_files import FILES, TaggerFiles
from ramify.tagging.sentences import load
from ramify.tagging.state import check_options
from ramify.tagging.training import TaggerLearner

if TYPE_CHECKING:
    from ramify.learn.corpus import Corpus
    from ramify.tagging.config import Config
    from ramify.tagging.sentences import AnySentence
    from ramify.tagging.tagger import Tagger

__all__ = ["TASK", "train"]


class TagTask(LearningTask):
    """Taggers of one column."""

    name: ClassVar[str] = "tag"
    kind: ClassVar[str] = FILES.kind
    summary: ClassVar[str] = "a tagger"
    preset: ClassVar[str] = "upos"
    files: ClassVar[TaggerFiles] = FILES

    def check(self, config: Config) -> None:
        """Refuse columns that a tagger cannot look at, and templates that say nothing."""
        check_options(config)

    def load_corpus(self, source: Any, role: str, config: Config) -> Corpus[AnySentence]:
        """Read treebanks, or column files where their columns are named."""
        return load(source, role, config.data.columns)

    def learner(
        self, config: Config, train: Corpus[AnySentence], dev: Corpus[AnySentence] | None, threads: int
    ) -> TaggerLearner:
        """Return what learns a tagger."""
        return TaggerLearner(config, train, dev, threads)

    @property
    def model_type(self) -> type[Tagger]:
        """Class of the taggers."""
        from ramify.tagging.tagger import Tagger

        return Tagger


TASK = TagTask()
train = TASK.train
