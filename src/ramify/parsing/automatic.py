"""The preset ``auto``: train a parser with features and one with a network, and keep the one that is better on dev."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramify.errors import InvalidInputError
from ramify.learn.checkpoint import checkpoint_file
from ramify.learn.containers import check_target, is_model
from ramify.learn.task import LearningTask
from ramify.parsing.config import Config
from ramify.parsing.model_files import FILES

if TYPE_CHECKING:
    from ramify.parsing.state import ModelState

__all__ = ["CANDIDATES", "ParserTask", "candidates"]

CANDIDATES = ("second", "neural")
"""Presets, of which the first is taken where they are equally good."""


def candidates(config: Config) -> dict[str, Config]:
    """Return the options of each preset, with those in which a configuration differs from the preset ``auto``."""
    changed, usual = _options(config), _options(Config.preset("auto"))
    given = {name: value for name, value in changed.items() if value != usual[name]}
    return {name: Config.preset(name).override(given) for name in CANDIDATES}


def _options(config: Config) -> dict[str, object]:
    pairs = (name.split(".") for name in Config.dotted())
    return {f"{s}.{key}": getattr(getattr(config, s), key.replace("-", "_")) for s, key in pairs}


class ParserTask(LearningTask):
    """Parsing, where one preset stands for several."""

    def train(
        self, config: Config, train: Any = None, dev: Any = None, *, output: str | Path | None = None, **how: Any
    ) -> ModelState:
        """Train a parser; see `LearningTask.train`. With ``model.scorer = "auto"``, train two and keep the better one.

        The candidates are beside `output` until the better one is chosen.
        """
        if config.model.scorer != "auto":
            state: ModelState = super().train(config, train, dev, output=output, **how)
            return state
        if dev is None and not config.data.dev:
            raise InvalidInputError(
                "The preset auto chooses a parser by its scores on dev data; got none. Give them (--dev FILE, or "
                "[data] dev = …), or another preset."
            )
        import ramify.parsing.network_training  # noqa: F401 - says now, not after an hour, that PyTorch is missing

        given = output or config.data.output
        target = Path(given) if given else None
        if target is not None:
            check_target(target, overwrite=how.get("overwrite", False))
        trained = {}
        for name, candidate in candidates(config).items():
            path = None if target is None else target.with_name(f"{target.name}.{name}")
            candidate = dataclasses.replace(candidate, data=dataclasses.replace(config.data, output=""))
            trained[name] = self._candidate(candidate, train, dev, path, **how)
        return self._better(trained, target)

    def _candidate(self, config: Config, train: Any, dev: Any, path: Path | None, **how: Any) -> Any:
        """Train a candidate, or take the one that an interrupted run has finished."""
        resume = how.pop("resume", False)
        begun = resume and path is not None and checkpoint_file(path).is_file()
        if resume and not begun and path is not None and is_model(path):
            return FILES.load(path)
        return super().train(config, train, dev, output=path, resume=begun, **how)

    def _better(self, trained: dict[str, ModelState], target: Path | None) -> ModelState:
        found = {name: state.facts["scores"]["las"] for name, state in trained.items()}
        best = trained[max(found, key=lambda name: found[name])]
        state = dataclasses.replace(best, facts=best.facts | {"chosen": found})
        if target is not None:
            FILES.save(state, target)
            for name in trained:
                shutil.rmtree(target.with_name(f"{target.name}.{name}"))
        return state
