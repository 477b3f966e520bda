"""How fast networks run: ramify's engine, PyTorch, onnxruntime and the linear parser, one thread, in one run.

    python bench/neural_speed.py ../shared/data/treebanks/UD_English-EWT [--layers 3 --hidden 400]

The weights are random, because speed does not depend on them; words, spellings and lengths are those of the dev file.
Prints words a second of processor time (the best of several turns, in which all take part) and ratios to PyTorch with
floats. PyTorch and onnxruntime take part if they are installed:

- PyTorch runs the whole network in batches of 2,000 words, with floats, and with dynamic quantisation to bytes;
- onnxruntime runs the BiLSTM over words alone, in the same batches, which is a part of the work of the others.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import numpy as np

import ramify
from ramify._core import neural  # noqa: TID251 - what is measured
from ramify.data import Sentence, read
from ramify.neural.options import Network
from ramify.neural.quantisation import quantise
from ramify.neural.vocabulary import ROOT, UNKNOWN, Example, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

BATCH = 2000


def examples_of(path: Path, count: int) -> list[Example]:
    def example(s: Sentence) -> Example:
        return Example(s.forms, s.upos, s.xpos, s.feats, s.heads, s.deprels)

    return [example(sentence) for sentence in islice(read(path), count)]


def numbers_of(examples: list[Example], vocabulary: Vocabulary) -> dict[str, np.ndarray]:
    """Return what `Network.run` takes."""
    tables = [
        {name: i for i, name in enumerate(names)}
        for names in (vocabulary.words, vocabulary.upos, vocabulary.xpos, vocabulary.feats)
    ]
    forms: dict[str, int] = {"": 0}
    rows = [[], [], [], [], []]
    for example in examples:
        columns = ([form.lower() for form in example.forms], example.upos, example.xpos, example.feats)
        for row, table, column in zip(rows, tables, columns, strict=False):
            row += [ROOT, *(table.get(name, UNKNOWN) for name in column)]
        rows[4] += [0, *(forms.setdefault(form, len(forms)) for form in example.forms)]
    characters = {name: i for i, name in enumerate(vocabulary.characters)}
    spellings = [[characters.get(c, UNKNOWN) for c in form] or [ROOT] for form in forms]
    words, *tags, of_forms = (np.array(row, np.int32) for row in rows)
    return {
        "lengths": np.array([len(example.forms) + 1 for example in examples], np.int32),
        "words": words,
        "tags": np.array(tags, np.int32),
        "forms": of_forms,
        "characters": np.concatenate(spellings).astype(np.int32),
        "spelling_lengths": np.array([len(spelling) for spelling in spellings], np.int32),
    }


def random_weights(options: Network, vocabulary: Vocabulary) -> dict[str, np.ndarray]:
    """Return weights with the shapes of `ramify.neural.network.Scorer`."""
    random = np.random.default_rng(0)
    weights: dict[str, np.ndarray] = {}

    def add(name: str, *shape: int) -> None:
        weights[name] = random.normal(0, shape[-1] ** -0.5, shape).astype(np.float32)

    def add_lstm(name: str, inputs: int, hidden: int) -> None:
        for suffix in ("", "_reverse"):
            add(f"{name}.weight_ih_l0{suffix}", 4 * hidden, inputs)
            add(f"{name}.weight_hh_l0{suffix}", 4 * hidden, hidden)
            add(f"{name}.bias_ih_l0{suffix}", 4 * hidden)
            add(f"{name}.bias_hh_l0{suffix}", 4 * hidden)

    tags = (vocabulary.upos, vocabulary.xpos, vocabulary.feats)
    add("words.weight", len(vocabulary.words), options.word_size)
    add("characters.weight", len(vocabulary.characters), options.character_size)
    add_lstm("spelling", options.character_size, options.character_hidden)
    inputs, wide = options.word_size + 2 * options.character_hidden, 2 * options.hidden
    for i in range(options.layers):
        last = i == options.layers - 1
        add_lstm(f"layers.{i}", inputs + (100 if i and last else 0), options.hidden)
        inputs = wide
    for k, names in enumerate(tags):
        add(f"tag_heads.{k}.weight", len(names), wide)
        add(f"tag_heads.{k}.bias", len(names))
        add(f"fed.{k}.weight", 100, len(names))
    rows = 2 * (options.arc_size + options.label_size) + 5 * options.rank
    add("dense.weight", rows, wide)
    add("dense.bias", rows)
    add("arc", options.arc_size + 1, options.arc_size)
    add("label", options.label_size + 1, len(vocabulary.labels), options.label_size + 1)
    return weights


def batches_of(lengths: np.ndarray) -> list[np.ndarray]:
    """Sentences of similar length, about BATCH words each."""
    order = np.argsort(lengths, kind="stable")
    return np.array_split(order, max(1, int(lengths.sum() // BATCH)))


def engine(arrays: dict, numbers: dict, instructions: str) -> Callable[[], None]:
    network = neural.Network(arrays)

    def run() -> None:
        neural.use_instructions(instructions)
        network.run(**numbers, num_threads=1)

    return run


def labels(arrays: dict, numbers: dict) -> Callable[[], None]:
    """Scores of labels of three heads for every word, which a parser asks for after pruning."""
    network = neural.Network(arrays)
    outputs = network.run(**numbers, num_threads=1)

    def run() -> None:
        neural.use_instructions(neural.available_instructions()[0])
        for output in outputs:
            modifiers = np.repeat(np.arange(1, output.num_tokens, dtype=np.int32), 3)
            heads = (modifiers * 7 + np.arange(len(modifiers)) * 5) % output.num_tokens
            network.label_scores(output, heads.astype(np.int32), modifiers)

    return run


def pytorch(options: Network, vocabulary: Vocabulary, weights: dict, numbers: dict, in_bytes: bool) -> Callable:
    import torch

    from ramify.neural.network import Batch, Scorer

    torch.set_num_threads(1)
    scorer = Scorer(options, vocabulary).eval()
    scorer.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    if in_bytes:
        scorer = torch.ao.quantization.quantize_dynamic(scorer, {torch.nn.LSTM, torch.nn.Linear}, torch.qint8)
    ends = np.cumsum(numbers["lengths"])[:-1]
    spellings = np.split(numbers["characters"], np.cumsum(numbers["spelling_lengths"])[:-1])
    rows = {name: np.split(numbers[name], ends) for name in ("words", "forms")}
    tags = [np.split(row, ends) for row in numbers["tags"]]

    def padded(found: list) -> torch.Tensor:
        longest = max(map(len, found))
        return torch.tensor(np.array([np.pad(row, (0, longest - len(row))) for row in found]), dtype=torch.int64)

    batches = []
    for chosen in batches_of(numbers["lengths"]):
        used = np.unique(np.concatenate([rows["forms"][i] for i in chosen]))
        own = [np.searchsorted(used, rows["forms"][i]) for i in chosen]
        words = padded([rows["words"][i] for i in chosen])
        batches.append(
            Batch(
                torch.from_numpy(numbers["lengths"][chosen]).long(),
                words,
                torch.stack([padded([row[i] for i in chosen]) for row in tags]),
                padded(own),
                padded([spellings[form] for form in used]),
                torch.tensor([len(spellings[form]) for form in used]),
                words,
                words,
            )
        )

    def run() -> None:
        with torch.inference_mode():
            for batch in batches:
                scorer(batch)

    return run


def onnxruntime(options: Network, weights: dict, numbers: dict, in_bytes: bool) -> Callable[[], None]:
    """The BiLSTM over words, with the operators of ONNX."""
    import tempfile

    import onnx
    import onnxruntime as ort
    from onnx import TensorProto, helper, numpy_helper

    def gates(array: np.ndarray) -> np.ndarray:  # PyTorch has i, f, g, o; ONNX has i, o, f, g
        i, f, g, o = np.split(array, 4)
        return np.concatenate((i, o, f, g))

    nodes, constants, now = [], [], "x"
    size = weights["layers.0.weight_ih_l0"].shape[1]
    for layer in range(options.layers):
        stacked = {}
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            both = [gates(weights[f"layers.{layer}.{kind}_l0{suffix}"]) for suffix in ("", "_reverse")]
            stacked[kind] = np.stack(both)
        if layer:
            stacked["weight_ih"] = stacked["weight_ih"][:, :, : 2 * options.hidden]
        stacked["bias"] = np.concatenate((stacked.pop("bias_ih"), stacked.pop("bias_hh")), 1)
        constants += [numpy_helper.from_array(array, f"{layer}.{kind}") for kind, array in stacked.items()]
        inputs = [now, f"{layer}.weight_ih", f"{layer}.weight_hh", f"{layer}.bias", "lengths"]
        nodes += [
            helper.make_node("LSTM", inputs, [f"{layer}.y"], direction="bidirectional", hidden_size=options.hidden),
            helper.make_node("Transpose", [f"{layer}.y"], [f"{layer}.t"], perm=[0, 2, 1, 3]),
            helper.make_node("Reshape", [f"{layer}.t", "flat"], [f"{layer}.out"]),
        ]
        now = f"{layer}.out"
    constants.append(numpy_helper.from_array(np.array([0, 0, 2 * options.hidden]), "flat"))
    graph = helper.make_graph(
        nodes,
        "bilstm",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["t", "b", size]),
            helper.make_tensor_value_info("lengths", TensorProto.INT32, ["b"]),
        ],
        [helper.make_tensor_value_info(now, TensorProto.FLOAT, ["t", "b", 2 * options.hidden])],
        constants,
    )
    settings = ort.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), path)
        if in_bytes:
            from onnxruntime.quantization import quantize_dynamic

            quantize_dynamic(path, path := Path(folder) / "bytes.onnx", op_types_to_quantize=["LSTM"])
        session = ort.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
    random = np.random.default_rng(0)
    batches = []
    for chosen in batches_of(numbers["lengths"]):
        lengths = numbers["lengths"][chosen]
        x = random.normal(0, 1, (lengths.max(), len(lengths), size)).astype(np.float32)
        batches.append({"x": x, "lengths": lengths})

    def run() -> None:
        for batch in batches:
            session.run(None, batch)

    return run


def linear(path: Path, count: int) -> Callable[[], None]:
    parser = ramify.load("en").parser
    sentences = list(read(path))[:count]

    def run() -> None:
        for _ in parser.pipe(sentences):
            pass

    return run


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("treebank", type=Path)
    given.add_argument("--layers", type=int, default=3)
    given.add_argument("--hidden", type=int, default=400)
    given.add_argument("--rank", type=int, default=0)
    given.add_argument("--sentences", type=int, default=500)
    given.add_argument("--repeat", type=int, default=5)
    args = given.parse_args()
    path = next(args.treebank.glob("*-dev.conllu"))
    examples = examples_of(path, args.sentences)
    vocabulary = Vocabulary.collect(examples)
    options = Network(
        layers=args.layers,
        hidden=args.hidden,
        rank=args.rank,
        character_size=64,
        character_hidden=100,
        tag_size=0,
        predict_tags=True,
        feed_tags=True,
    )
    weights, numbers = random_weights(options, vocabulary), numbers_of(examples, vocabulary)
    num_words = sum(len(example.forms) for example in examples)
    arrays = quantise(weights)
    fastest = neural.available_instructions()[0]
    runs = {f"ramify, bytes, {name}": engine(arrays, numbers, name) for name in neural.available_instructions()}
    runs["ramify, floats"] = engine(weights, numbers, fastest)
    runs["ramify, labels of 3 arcs a word, alone"] = labels(arrays, numbers)
    runs["linear parser of the English model"] = linear(path, args.sentences)
    makers = {
        "PyTorch, floats": lambda: pytorch(options, vocabulary, weights, numbers, False),
        "PyTorch, bytes": lambda: pytorch(options, vocabulary, weights, numbers, True),
        "onnxruntime, BiLSTM alone, floats": lambda: onnxruntime(options, weights, numbers, False),
        "onnxruntime, BiLSTM alone, bytes": lambda: onnxruntime(options, weights, numbers, True),
    }
    for name, make in makers.items():
        module = name.partition(",")[0].lower().replace("pytorch", "torch")
        if find_spec(module):
            runs[name] = make()
        else:
            print(f"{name}: left out, because {module} is not installed", file=sys.stderr)
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(args.repeat):
        for name, run in runs.items():
            gc.collect()
            began = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - began)
    size = sum(array.nbytes for array in arrays.values())
    print(f"{options}\n{num_words} words; the weights are {size / 1e6:.1f} MB as bytes")
    base = best.get("PyTorch, floats")
    for name, seconds in best.items():
        ratio = f"{base / seconds:6.2f} times PyTorch with floats" if base else ""
        print(f"{name:42} {num_words / seconds:9,.0f} words/s {ratio}")


if __name__ == "__main__":
    main()
