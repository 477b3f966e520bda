"""Training a pipeline: every component, the parser on tags as the taggers make them.

Taggers are right more often on the sentences that they learned from than on new ones. So the treebank is cut into
folds, and each is tagged by taggers that learned from the others; the parser, and the taggers that look at tags, learn
from those.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ramify
from ramify import parsing, segmentation, tagging
from ramify.atomic import replacing_file
from ramify.data import read, write
from ramify.errors import InterruptedTrainingError, InvalidInputError
from ramify.learn.checkpoint import checkpoint_file
from ramify.learn.dates import card_date, dated
from ramify.learn.interruption import NOTHING_KEPT, RESUME, interruptible
from ramify.learn.progress import Progress, Report, reporting
from ramify.learn.threads import num_threads
from ramify.pipeline.model_files import TAGGERS, check_pipeline_target
from ramify.pipeline.pipeline import Pipeline
from ramify.pipeline.progress import Inner, StepBegun, StepDone
from ramify.pipeline.treebank import TreebankFolder, blocks_of, held_out, read_all, treebank_of
from ramify.segmentation import Segmenter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ramify.data import Sentence
    from ramify.learn.task import LearningTask
    from ramify.pipeline.config import PipelineConfig

__all__ = ["train", "work_folder"]

_IDENTITY = "identity"
# From here on, scores of label pairs cost more than they give: of the 861 features of Turkish-IMST, 87.05% are right on
# dev without them and 86.95% with them, which takes nine times as long.
_MANY_LABELS = 250
_RAW = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")
_GOLD = ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")
_METRIC_OF = {"xpos": "XPOS", "feats": "UFeats", "lemma": "Lemmas"}
_COLUMN_OF = {"lemma": "lemmas"}


def train(
    config: PipelineConfig,
    train: str | Path | Sequence[str | Path],
    dev: str | Path | Sequence[str | Path] | None = None,
    *,
    output: str | Path | None = None,
    overwrite: bool = False,
    resume: bool = False,
    threads: int = 1,
    licence: str | None = None,
    language: str | None = None,
    date: str | None = None,
    progress: Progress = "auto",
) -> Pipeline:
    """Train a pipeline on a treebank.

    The same files and options give the same pipeline byte for byte, whatever the number of threads, if
    `date` or ``SOURCE_DATE_EPOCH`` fix the date on the cards.

    Parameters
    ----------
    config : options of all components
    train : a folder with files whose names contain train, dev and test; or a file, or files
    dev : files on which the best epochs are chosen; without them, and without any in the folder, every tenth document
        of train is taken
    output : where the pipeline goes: a directory or a ``.zip``. Beside it, ``OUTPUT.work`` keeps what is done so far.
        Without it, nothing is written and nothing is kept of a run that is interrupted
    overwrite : whether a pipeline, or the work of an interrupted run, may be replaced
    resume : whether to continue an interrupted run: components and folds that are done are not trained again, and the
        one that was being trained goes on from its checkpoint
    threads : how many; 0 is all that the machine has
    licence : of the treebank, for the card; if not given, its README or LICENSE tells it
    language : its code; if not given, the names of the files tell it
    date : for the cards, such as ``"2026-01-31"``; today if not given
    progress : True shows lines and a bar, ``"auto"`` does so only on a terminal or in a notebook, False shows nothing;
        a function is called with every event of `ramify.pipeline.progress`

    Raises
    ------
    InterruptedTrainingError
        SIGTERM or ctrl-C ended the training; the message says how to continue.
    """
    found = treebank_of(train, dev)
    found = dataclasses.replace(
        found, language=language or found.language, licence=found.licence if licence is None else licence
    )
    count = num_threads(threads)
    if output is None:
        if resume:
            raise InvalidInputError("Resuming expects the output of the interrupted run.")
        with reporting(progress) as report, dated(date), tempfile.TemporaryDirectory() as folder:
            return _Run(config, found, work_folder(Path(folder) / "pipeline"), count, report).result(resume=False)
    target = Path(output)
    _check_output(target, overwrite=overwrite, resume=resume)
    with reporting(progress) as report, dated(date):
        return _train_to(target, config, found, count, report, resume)


def _train_to(
    target: Path, config: PipelineConfig, treebank: TreebankFolder, threads: int, report: Report, resume: bool
) -> Pipeline:
    """Train and write a pipeline; whatever breaks it off, what is done is kept and the user is told."""
    work = work_folder(target)

    def advice() -> str:
        if not (work / _IDENTITY).is_file():
            return NOTHING_KEPT
        return f"Training was interrupted; the finished steps are saved in {work}. {RESUME}"

    with interruptible(advice) as signals:
        run = _Run(config, treebank, work, threads, report)
        try:
            pipeline = run.result(resume=resume)
        except InterruptedTrainingError as error:  # of a component, which does not know of the others
            raise InterruptedTrainingError(advice(), error.signal) from None
        with signals.finishing(
            f"Training had already finished when the signal came; the pipeline is complete: {target}"
        ):
            pipeline.save(target)
            shutil.rmtree(work)
    return pipeline


def _check_output(target: Path, *, overwrite: bool, resume: bool) -> None:
    """Check before any work that nothing is lost by writing there."""
    begun = (work_folder(target) / _IDENTITY).exists()
    if begun and not (overwrite or resume):
        raise InvalidInputError(
            f"{work_folder(target)} contains an interrupted training run. Continue it with --resume, or start "
            "over with --overwrite (in Python: resume=True, overwrite=True)."
        )
    check_pipeline_target(target, overwrite=overwrite or (resume and begun))


def work_folder(output: Path) -> Path:
    """Return the folder that keeps what is done so far."""
    return output.with_name(f"{output.name}.work")


class _Run:
    """One training run: what it learns from, and what it has."""

    def __init__(
        self,
        config: PipelineConfig,
        treebank: TreebankFolder,
        work: Path,
        threads: int,
        report: Report,
    ) -> None:
        self.treebank = treebank
        self.threads = threads
        self.report = report
        self.work = work
        self.train = read_all(treebank.train)
        self.dev = read_all(treebank.dev)
        if not treebank.dev:
            self.train, self.dev = held_out(self.train)
        self.columns = [name for name in TAGGERS if _has_values(self.train, name)]
        if "upos" not in self.columns:
            raise InvalidInputError(
                f"A pipeline expects tags in column UPOS; {treebank.train[0].name} has none. Its parser relies on them."
            )
        self.own_tags = config.parser.is_neural and config.parser.network.predict_tags  # of the parser's network
        self.tag_weight = config.tag_weight if self.own_tags else 0.0
        if self.own_tags:
            advisers = ("upos", "xpos") if self.tag_weight else ()
            self.columns = [name for name in self.columns if name in (*advisers, "lemma")]
        self.config = dataclasses.replace(config, taggers=self._fitting(config.taggers))
        self.folds = self._cut()

    def _fitting(self, taggers: dict[str, tagging.Config]) -> dict[str, tagging.Config]:
        """Return the options of the taggers that the treebank has columns for, made fit for their labels."""
        chosen = {}
        for name in self.columns:
            config = taggers[name]
            labels = len(set().union(*(_column(sentence, name) for sentence in self.train)))
            if config.model.order and name != "lemma" and labels > _MANY_LABELS:
                config = config.override({"model.order": "0"})
            chosen[name] = config
        return chosen

    def _cut(self) -> list[list[int]]:
        """Deal the documents to the folds, so that each has some of every kind."""
        blocks = blocks_of(self.train)
        folds = [[i for block in blocks[k :: self.config.folds] for i in block] for k in range(self.config.folds)]
        if not all(folds):
            raise InvalidInputError(
                f"--folds {self.config.folds} expects as many documents or blocks of ten sentences to learn from; "
                f"there are {len(blocks)}. Use fewer folds, two at least."
            )
        return folds

    def result(self, *, resume: bool) -> Pipeline:
        """Train all components and return the pipeline."""
        self._open_work(resume)
        segmenter = self._segmenter()
        train = [sentence.copy() for sentence in self.train]
        dev = [sentence.copy() for sentence in self.dev]
        taggers = {}
        for name in self.columns:
            taggers[name] = self._tagger(name, train, dev)
            if self.own_tags:  # the network reads words alone, and taggers of lemmas read gold tags
                continue
            self._jackknife(name, train)
            taggers[name].annotate(dev, threads=self.threads)
        parser = self._parser(train, dev)
        self.report(StepBegun("scores on dev"))
        began = time.monotonic()
        more: dict[str, Any] = {"language": self.treebank.language, "tag_weight": self.tag_weight}
        pipeline = Pipeline(segmenter, taggers, parser, **more)
        facts = self._facts(pipeline)
        self.report(StepDone("scores on dev", time.monotonic() - began))
        return Pipeline(segmenter, taggers, parser, facts=facts, **more)

    # -- the work folder -----------------------------------------------------------------------------------------------

    def _open_work(self, resume: bool) -> None:
        file = self.work / _IDENTITY
        identity = self._identity()
        if self.work.exists() and not file.is_file() and (not self.work.is_dir() or any(self.work.iterdir())):
            raise InvalidInputError(f"{self.work} is needed for what is done so far, and holds other files; remove it.")
        if resume and file.exists():
            if file.read_text(encoding="utf-8") != identity:
                raise InvalidInputError(
                    f"{self.work} belongs to another run: options, treebank or version of ramify differ. "
                    "Use those of that run, or train without --resume."
                )
            return
        if self.work.exists():
            shutil.rmtree(self.work)
        self.work.mkdir(parents=True)
        with replacing_file(file) as opened:
            opened.write(identity.encode())

    def _identity(self) -> str:
        sha = hashlib.sha256(f"{ramify.__version__}\n{self.config.to_toml()}\n{self.treebank.licence}\n".encode())
        for sentence in (*self.train, *self.dev):
            sha.update(sentence.to_bytes())
        return f"{sha.hexdigest()}\n"

    def _step(self, name: str, done: bool, make: Callable[[], None]) -> None:
        """Do a step, unless it is there from a run before."""
        began = time.monotonic()
        if not done:
            self.report(StepBegun(name))
            make()
        self.report(StepDone(name, None if done else time.monotonic() - began))

    def _inner(self, name: str) -> Callable[[Any], None]:
        return lambda event: self.report(Inner(name, event))

    # -- components ----------------------------------------------------------------------------------------------------

    def _segmenter(self) -> Segmenter:
        self._train("segmenter", segmentation.TASK, self.config.segmenter, self.train, self.dev)
        return Segmenter.load(self.work / "segmenter")

    def _tagger(self, name: str, train: list[Sentence], dev: list[Sentence]) -> tagging.Tagger:
        """Train a tagger on all sentences, with the columns before this one as the taggers made them."""
        self._train(name, tagging.TASK, self.config.taggers[name], train, dev)
        return tagging.Tagger.load(self.work / name)

    def _train(self, name: str, task: LearningTask, config: Any, train: list[Sentence], dev: list[Sentence]) -> None:
        path = self.work / name
        make = functools.partial(self._learn, task, config, train, dev, path, self._inner(name))
        self._step(name, _is_whole(path), make)

    def _learn(
        self, task: LearningTask, config: Any, train: list[Sentence], dev: list[Sentence], path: Path, tell: Report
    ) -> None:
        """Train a component, or go on with one whose training was interrupted."""
        task.train(
            config,
            train,
            dev,
            output=path,
            resume=checkpoint_file(path).is_file(),
            threads=self.threads,
            licence=self.treebank.licence,
            progress=tell,
        )

    def _jackknife(self, name: str, train: list[Sentence]) -> None:
        """Replace a column by what taggers make of it that have not seen the sentence."""
        predicted: list[tuple[int, tuple[str, ...]]] = []
        for number, fold in enumerate(self.folds, 1):
            path = self.work / f"{name}-fold-{number}.conllu"
            title = f"{name}, fold {number} of {len(self.folds)}"
            make = functools.partial(self._tag_fold, name, train, fold, path, title)
            self._step(title, path.exists(), make)
            tagged = read(path, multiple_roots=True)
            predicted += [(i, _column(sentence, name)) for i, sentence in zip(fold, tagged, strict=True)]
        for i, values in predicted:  # only now: the folds learned from gold labels
            setattr(train[i], _COLUMN_OF.get(name, name), values)

    def _tag_fold(self, name: str, train: list[Sentence], fold: Sequence[int], path: Path, title: str) -> None:
        mine = set(fold)
        others = [sentence for i, sentence in enumerate(train) if i not in mine]
        inner = self._inner(title)

        def tell(event: tagging.Event) -> None:
            if isinstance(event, tagging.Step):  # the epochs of all folds would be too many lines
                inner(event)

        model = path.with_suffix(".model")
        if not _is_whole(model):
            self._learn(tagging.TASK, self.config.taggers[name], others, [], model, tell)
        sentences = [train[i].copy() for i in fold]
        tagging.Tagger.load(model).annotate(sentences, threads=self.threads)
        write(sentences, path)
        shutil.rmtree(model)

    def _parser(self, train: list[Sentence], dev: list[Sentence]) -> parsing.Parser:
        path, whole = self.work / "parser", self.work / "parser-run"

        def make() -> None:
            if not _is_whole(whole):
                self._learn(parsing.TASK, self.config.parser, train, dev, whole, self._inner("parser"))
            # The card of a parser says on which tags it was scored. From the file, to be the same after a break.
            state = parsing.load_model(whole)
            scores = {**state.facts["scores"], "tags": "predicted"}
            config = state.config
            if self.config.method is not None:
                config = config.override({"inference.method": self.config.method.value})
            state = dataclasses.replace(state.with_config(config), facts=state.facts | {"scores": scores})
            parsing.save_model(state, path)

        self._step("parser", _is_whole(path), make)
        return parsing.Parser.load(path)

    # -- what the pipeline says of itself ------------------------------------------------------------------------------

    def _facts(self, pipeline: Pipeline) -> dict[str, dict[str, Any]]:
        treebank = self.treebank
        raw = pipeline.evaluate(self.dev, threads=self.threads)
        gold = pipeline.evaluate(self.dev, gold_tokens=True, threads=self.threads)
        missing = {metric for name, metric in _METRIC_OF.items() if not _has_values(self.train, name)}
        data: dict[str, Any] = {
            "treebank": treebank.name,
            "licence": treebank.licence or "not stated",
            "trained-on": [file.name for file in treebank.train],
            "tuned-on": [file.name for file in treebank.dev] or "every tenth document of the same",
            "sentences": len(self.train),
            "words": sum(map(len, self.train)),
        }
        training: dict[str, Any] = {} if self.own_tags else {"folds": self.config.folds}
        training |= {
            "parser": ", ".join(["arc", *(part.value for part in self.config.parser.model.parts)]),
            "date": card_date(),
            "version": f"ramify {ramify.__version__}",
        }
        return {
            "data": data,
            "raw": {name: raw[name].f1 for name in _RAW if name not in missing},
            "gold-tokens": {name: gold[name].f1 for name in _GOLD if name not in missing},
            "training": training,
        }


def _is_whole(model: Path) -> bool:
    return (model / "card.md").is_file()


def _column(sentence: Sentence, name: str) -> tuple[str, ...]:
    values: tuple[str, ...] = getattr(sentence, _COLUMN_OF.get(name, name))
    return values


def _has_values(sentences: Sequence[Sentence], name: str) -> bool:
    return any(set(_column(sentence, name)) - {"_"} for sentence in sentences)
