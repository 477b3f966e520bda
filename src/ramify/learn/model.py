"""The models that users work with: trained, loaded, saved, copied and pickled in one way."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict

from ramify.errors import InvalidInputError, ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self, Unpack

    from ramify.learn.configuration import Configuration
    from ramify.learn.progress import Progress
    from ramify.learn.task import LearningTask, Task

__all__ = ["Model", "RunOptions", "TrainOptions", "chosen_config"]


class RunOptions(TypedDict, total=False):
    """Where a training run writes, and how it runs; `ramify.learn.task.LearningTask.train` says what each means."""

    output: str | Path | None
    overwrite: bool
    resume: bool
    threads: int
    licence: str
    progress: Progress


class TrainOptions(RunOptions, total=False):
    """Parameters of `Model.train` besides the data and single options."""

    preset: str | None
    config: Any


class Model:
    """Base of trained models, each made of a state.

    A model never changes, so several threads can share it. A pickled model contains its model files.

    Parameters
    ----------
    state : options, weights and facts

    Attributes
    ----------
    task : task that trains, saves and loads such models
    """

    task: ClassVar[LearningTask]

    def __init__(self, state: Any) -> None:
        self._state = state
        self._model = state.build()

    @classmethod
    def train(
        cls,
        train: Any = None,
        dev: Any = None,
        *,
        preset: str | None = None,
        config: Any = None,
        options: Mapping[str, object] | None = None,
        **run: Unpack[RunOptions],
    ) -> Self:
        """Train a model.

        Parameters
        ----------
        train : training data: a path, several paths, or sentences
        dev : dev data, in the same form, on which the best epoch is chosen; without them, the last epoch is used
        preset : name of the preset to start from; the default depends on the task
        config : all options, or the path of a TOML file with them, instead of a preset
        options : options that replace those of the preset, as on the command line: ``{"training.epochs": 5}``
        run : output, overwrite, resume, threads, licence and progress; see `ramify.learn.task.LearningTask.train`
        """
        chosen = chosen_config(cls.task, preset, config, options)
        return cls(cls.task.train(chosen, train, dev, **run))

    @classmethod
    def load(cls, path: str | Path, *, options: Mapping[str, object] | None = None) -> Self:
        """Read a model: a directory, or a zip of one. Loading an untrusted model cannot run code.

        Parameters
        ----------
        path : path of the model
        options : options that differ from those of training, for kinds of models that accept them
        """
        if options:
            raise InvalidInputError(
                f"{cls.__name__}.load expects no options, as all of them are settled in training; got "
                f"{', '.join(options)}."
            )
        return cls._of(cls.task.files.load(path), path)

    @classmethod
    def _of(cls, state: Any, path: str | Path) -> Self:
        """Return the model of a state that was read from files, whose options may contradict each other."""
        try:
            return cls(state)
        except ValueError as error:
            raise ModelError(str(path), "config.toml", str(error)) from None

    def save(self, path: str | Path) -> None:
        """Write the model: a directory, or a zip if the path ends in ``.zip``."""
        self.task.files.save(self._state, path)

    @classmethod
    def _from_files(cls, files: Mapping[str, bytes]) -> Self:
        name = "<pickled model>"  # for errors
        return cls._of(cls.task.files.from_files(files, name), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._from_files, (self.task.files.to_files(self._state),)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @property
    def config(self) -> Any:
        """The options with which the model was trained."""
        return self._state.config

    @property
    def card(self) -> str:
        """The card of the model as Markdown: its data, its size and its scores."""
        return self.task.files.card(self._state.facts, self._state.config)

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the card says, for programs."""
        return copy.deepcopy(self._state.facts)


def chosen_config(
    task: Task, preset: str | None, config: Configuration | str | Path | None, options: Mapping[str, object] | None
) -> Any:
    """Return the options of a training run: those of a preset or a configuration, with some of them replaced."""
    chosen = task.config.read(config) if isinstance(config, (str, Path)) else config
    return (chosen or task.config.preset(preset or task.preset)).override(options or {})
