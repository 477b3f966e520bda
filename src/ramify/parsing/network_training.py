"""Training of a network that scores the parts of trees, by PyTorch; `ramify.learn.run` does the rest of a run."""

from __future__ import annotations

import platform
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError, MissingExtraError
from ramify.learn.progress import Started
from ramify.neural.encoder_files import facts_of
from ramify.neural.options import Device
from ramify.neural.quantisation import quantise
from ramify.neural.vocabulary import Example, Vocabulary
from ramify.parsing.learner import TreeLearner
from ramify.parsing.state import NO_WEIGHTS, ModelState, NetworkWeights
from ramify.parsing.training import calibrated_on, scores_of

try:
    import torch
except ImportError as error:  # pragma: no cover - the tests of this module need it
    raise MissingExtraError("torch", "neural", "Training of networks") from error

from ramify.neural.batches import Corpus as Batches
from ramify.neural.fitting import Fitter, evaluate, fill
from ramify.neural.network import Scorer, weights_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from ramify.data import Sentence
    from ramify.learn.corpus import Corpus
    from ramify.learn.run import Arrays, Run
    from ramify.neural.batches import Encoding
    from ramify.neural.encoder import Pretrained
    from ramify.parsing.config import Config

__all__ = ["NetworkLearner"]

_WORDS = 2  # for seeds: the orders of sentences are independent of what is dropped


class NetworkLearner(TreeLearner):
    """The training data of a network and its weights."""

    title = "network"
    stage = "network"
    remedy = "Train again with a smaller fitting.rate."

    def __init__(self, config: Config, train: Corpus[Sentence], dev: Corpus[Sentence] | None, threads: int) -> None:
        super().__init__(config, train, dev, threads)
        self.device = _device(config.fitting.device)
        examples = [example_of(sentence) for sentence in train.sentences if (sentence.heads >= 0).any()]
        self.left_out = len(train.sentences) - len(examples)
        collected = Vocabulary.collect(examples, config.network.min_count)
        # The numbers of labels are those of the frame.
        known = {"labels": self.frame.labels} | ({} if config.network.predict_tags else {"combinations": ()})
        self.vocabulary = Vocabulary(**vars(collected) | known)
        self.pretrained: Pretrained | None = None
        self._encoding: Encoding | None = None
        if config.encoder.path:
            self._open_encoder()
        self.batches = Batches(examples, self.vocabulary, self.device, self._encoding)
        self.lengths = self.batches.lengths - 1
        self.tested = None
        if dev is not None:
            tested = [example_of(s) for s in dev.sentences]
            self.tested = Batches(tested, self.vocabulary, self.device, self._encoding)
        self.best = np.empty(0, np.float32)
        self._epoch = self._done = 0
        self._plan: list[list[int]] = []

    def _open_encoder(self) -> None:
        from ramify.neural.encoder import FrozenEncoding, PiecesEncoding, open_folder  # needs transformers

        options = self.config.encoder
        torch.set_num_threads(self.threads)
        self.pretrained, self._checksum = open_folder(options)
        self._checksum_bytes = np.frombuffer(bytes.fromhex(self._checksum), np.uint8)
        self.vocabulary = replace(self.vocabulary, encoder_width=self.pretrained.width)
        frozen = FrozenEncoding(self.pretrained, self.device)
        self._encoding = frozen if options.frozen else PiecesEncoding(self.pretrained.splitter)

    def started(self) -> Started:
        """Count the sentences that have heads; words without one are no matter."""
        reason = "none of their words has a head"
        return Started(len(self.lengths), int(self.lengths.sum()), left_out=self.left_out, reason=reason)

    def begin(self, run: Run) -> None:
        """Make the network, with its first weights."""
        torch.set_num_threads(self.threads)
        torch.set_float32_matmul_precision("high")
        torch.manual_seed(self.seed)
        tuned = None if self.pretrained is None or self.config.encoder.frozen else self.pretrained.module
        model = Scorer(self.config.network, self.vocabulary, tuned)
        self.trainer = Fitter(model.to(self.device), self.config.fitting, self.seed, self.config.encoder.rate)

    def order(self, epoch: int) -> npt.NDArray[np.int64]:
        """Return the sentences of an epoch; those of a batch have similar lengths."""
        random = np.random.default_rng([self.seed, _WORDS, epoch])
        self._plan = self.batches.shuffled(self.config.fitting.batch, random)
        self._epoch, self._done = epoch, 0
        return np.concatenate([np.array(batch, np.int64) for batch in self._plan])

    def cut(self, order: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
        """Yield the batches."""
        begin = 0
        for batch in self._plan:
            self._done = begin  # also of those that a resumed run passes over
            begin += len(batch)
            yield order[begin - len(batch) : begin]

    def learn(self, chunk: npt.NDArray[np.int64]) -> Mapping[str, float]:
        """Make one update, from sentences of shape (chunk,)."""
        share = (self._epoch + self._done / len(self.lengths)) / self.epochs
        loss = self.trainer.update(self.batches.batch(chunk.tolist()), share)
        return {"loss": float(loss) * len(chunk), "sentences": len(chunk)}

    def scores(self) -> Mapping[str, float]:
        """Return the scores of the averaged weights; every word gets its best head, be it a tree or not."""
        if self.tested is None:
            return {}
        found = evaluate(self.trainer.averaged, self.tested, self.config.fitting.iterations)
        tags = {name: found[key] / 100 for name, key in (("UPOS", "upos"), ("UFeats", "feats")) if key in found}
        return tags | {"UAS": found["uas"] / 100, "LAS": found["las"] / 100}

    def figures(self, sums: Mapping[str, float]) -> Mapping[str, float]:
        """Return the number of weights."""
        return {"weights": sum(p.numel() for p in self.trainer.model.parameters())}

    def keep(self) -> None:
        """Remember the averaged weights."""
        self.best = self.trainer.state()["averaged"]

    def kept(self) -> Arrays:
        """Return the best weights, and the checksum of the encoder's files."""
        files = {} if self.pretrained is None else {"encoder": self._checksum_bytes}
        return {"best": self.best} | files

    def restore(self, kept: Arrays) -> None:
        """Take back the best weights."""
        if kept["best"].dtype != np.float32 or kept["best"].ndim != 1:
            raise ValueError("sizes or types differ")
        if self.pretrained is not None and not np.array_equal(kept["encoder"], self._checksum_bytes):
            raise ValueError("the files in encoder.path have changed")
        self.best = kept["best"]

    def result(self, run: Run) -> ModelState:
        """Return the parser with the best weights, calibrated on the dev data."""
        model = self.trainer.averaged
        fill(model, self.best)
        weights = weights_of(model)
        own = {name: array for name, array in weights.items() if not name.startswith("encoder.")}
        network = NetworkWeights(self.vocabulary, quantise(own))
        if self.pretrained is not None:
            from ramify.neural.encoder import state_of

            network = replace(network, encoder=state_of(self.pretrained, self._checksum, weights))
        state = ModelState(self.config, self.frame, NO_WEIGHTS, network=network)
        return calibrated_on(state, self.dev, self.threads, run)

    def facts(self, state: ModelState) -> dict[str, Any]:
        """Return the number of weights, the kind of trees, and the machine."""
        where = torch.cuda.get_device_name() if self.device == "cuda" else f"{platform.machine()} processor"
        facts = {"single_root": self.frame.single_root, "weights": state.num_weights, "machine": where}
        if self.pretrained is None:
            return facts
        return facts | {"encoder": facts_of(self.config.encoder.path, self.pretrained.config)}

    def dev_scores(self, state: ModelState, run: Run) -> dict[str, Any]:
        """Score the model as it will be saved with the CoNLL 2018 metrics."""
        assert self.dev is not None  # noqa: S101 - the caller looks
        tags = {"tags": "predicted"} if self.config.network.predict_tags else {}
        return {**scores_of(state, list(self.dev.sentences), self.threads, run.counter), **run.best, **tags}


def example_of(sentence: Sentence) -> Example:
    """Return what a network reads of a sentence."""
    heads = sentence.heads.tolist()
    return Example(sentence.forms, sentence.upos, sentence.xpos, sentence.feats, heads, sentence.deprels)


def _device(chosen: Device) -> str:
    if chosen is Device.CUDA and not torch.cuda.is_available():
        raise InvalidInputError("fitting.device = 'cuda' expects a GPU that PyTorch can use; there is none.")
    return "cuda" if chosen is not Device.CPU and torch.cuda.is_available() else "cpu"
