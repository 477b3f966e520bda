"""Options of the networks that score words and arcs, and of how they are trained."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ramify.options import Choice, Flag, Integer, Number, Text, checked, option

__all__ = ["Device", "Encoder", "Fitting", "Loss", "Network", "Precision"]


class Loss(str, Enum):
    """Loss of the heads of a sentence."""

    HEADS = "heads"
    TREE = "tree"


class Device(str, Enum):
    """Where a network is trained."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


class Precision(str, Enum):
    """Numbers in which scores are computed while a network is trained; LSTMs and weights always have 32 bits."""

    AUTO = "auto"
    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"


@dataclass(frozen=True, kw_only=True)
class Network(checked):
    """Options of the network: its inputs, its size and its outputs."""

    word_size: int = option(Integer(0, 4096), 100, "Size of the embeddings of words; 0: no word embeddings.")
    min_count: int = option(
        Integer(1), 2, "Smallest number of occurrences in training with which a word has an embedding."
    )
    character_size: int = option(Integer(0, 1024), 50, "Size of the embeddings of characters; 0: no characters.")
    character_hidden: int = option(Integer(1, 4096), 50, "Size of a direction of the LSTM over characters.")
    tag_size: int = option(Integer(0, 1024), 100, "Size of the embeddings of the given tags; 0: tags are not read.")
    layers: int = option(Integer(1, 8), 2, "Number of layers of the BiLSTM over words.")
    hidden: int = option(Integer(1, 4096), 400, "Size of a direction of the BiLSTM over words.")
    arc_size: int = option(Integer(1, 4096), 400, "Size of the vectors of heads and modifiers that score arcs.")
    label_size: int = option(Integer(1, 4096), 100, "Size of the vectors that score labels.")
    rank: int = option(Integer(0, 4096), 0, "Rank of the scores of siblings and grandparents; 0: only arcs are scored.")
    predict_tags: bool = option(Flag(), False, "Whether the network predicts upos, xpos and feats, too.")
    feed_tags: bool = option(
        Flag(), False, "Whether the last layer of the BiLSTM reads the predicted tags, as expected embeddings."
    )


@dataclass(frozen=True, kw_only=True)
class Encoder(checked):
    """Options of a pretrained encoder whose vectors the network reads beside its own embeddings."""

    path: str = option(
        Text("a local folder with a Hugging Face encoder, or nothing"),
        "",
        "Local folder with a Hugging Face encoder: config.json, tokenizer.json and *.safetensors. Empty: no encoder.",
    )
    frozen: bool = option(
        Flag(),
        True,
        "Whether the encoder stays as it is; the model then refers to the folder. Otherwise the encoder is fine-tuned "
        "and the model contains it.",
    )
    layers: int = option(Integer(1, 64), 1, "Number of the last layers of the encoder whose vectors are averaged.")
    rate: float = option(Number(0, 10, above=True), 5e-5, "Largest learning rate of the encoder, with frozen = false.")


@dataclass(frozen=True, kw_only=True)
class Fitting(checked):
    """Options of training a network; its epochs, its patience and its seed are those of ``[training]``."""

    device: Device = option(
        Choice(Device), Device.AUTO, "Device on which the network is trained. auto: a GPU if there is one."
    )
    precision: Precision = option(
        Choice(Precision),
        Precision.AUTO,
        "Numbers in which scores are computed while the network is trained. auto: bfloat16 on a GPU, float32 on a CPU.",
    )
    batch: int = option(Integer(1), 4000, "Number of words in the sentences of one update.")
    rate: float = option(Number(0, 10, above=True), 2e-3, "Largest learning rate.")
    warmup: float = option(
        Number(0, 1), 0.02, "Share of training in which the learning rate rises; then it falls to 0."
    )
    weight_decay: float = option(Number(0, 10), 0.0, "Decoupled weight decay.")
    clip: float = option(Number(0, above=True), 5.0, "Largest norm of a gradient.")
    loss: Loss = option(
        Choice(Loss), Loss.HEADS, "Loss of heads: word by word, or by the probability of the whole tree."
    )
    dropout: float = option(Number(0, 1, below=True), 0.33, "Share of the inputs of every layer that are dropped.")
    word_dropout: float = option(Number(0, 1, below=True), 0.33, "Share of the words, or tags, that are dropped.")
    recurrent_dropout: float = option(
        Number(0, 1, below=True), 0.0, "Share of the recurrent weights of the BiLSTM that are dropped."
    )
    average: float = option(
        Number(0, 1, below=True), 0.999, "Decay of the moving average of the weights, which is the model in the end."
    )
    first_weight: float = option(
        Number(0),
        0.5,
        "Weight of the loss of heads by the scores of arcs alone, if siblings and grandparents are scored, too. "
        "Arcs are pruned by these scores.",
    )
    tag_weight: float = option(Number(0), 1.0, "Weight of the loss of tags, relative to that of arcs and labels.")
    tag_smoothing: float = option(
        Number(0, 1, below=True), 0.0, "Share of the probability of a right tag that its loss spreads over all tags."
    )
    iterations: int = option(Integer(1, 100), 3, "Number of mean-field iterations with siblings and grandparents.")
