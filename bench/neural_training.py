"""Train networks of several sizes side by side on one machine with a GPU, and compare them on the dev data.

python bench/neural_training.py ../shared/data/treebanks/UD_English-EWT --seconds 450 --output $OUT

It needs PyTorch and NumPy only: on a machine where the C++ core of ramify is not compiled, the package is replaced by
an empty one with the same folder, and treebanks are read by a few lines of Python. Weights are written with 8 bits, and
a scale for each row.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from pathlib import Path

import numpy as np
from bare_package import replace_package

try:
    import ramify  # noqa: F401 - is it complete?
except ImportError:
    replace_package()

SIZE = {"layers": 3, "hidden": 400}
USUAL = SIZE | {"dropout": 0.4, "recurrent_dropout": 0.25}
STRONG = SIZE | {"dropout": 0.5, "recurrent_dropout": 0.4}
SECOND = {"rank": 128}
JOINT = {"tag_size": 0, "predict_tags": True, "feed_tags": True, "character_size": 64, "character_hidden": 100}
SMALL = USUAL | JOINT | SECOND | {"layers": 2}
MIX = {"character_hidden": 150, "batch": 2000, "rate": 1.5e-3, "tag_smoothing": 0.05, "tag_weight": 2.0}
LONG = {"batch": 12000, "rate": 3e-3}
CONFIGS = {
    "gold-first": USUAL,
    "gold-second": USUAL | SECOND,
    "gold-strong": STRONG | SECOND,
    "gold-tree": USUAL | {"loss": "tree"},
    "joint-first": USUAL | JOINT,
    "joint-second": USUAL | JOINT | SECOND,
    "joint-strong": STRONG | JOINT | SECOND,
    "joint-small": SMALL,
    "gold-batch": USUAL | {"batch": 1000, "rate": 1e-3},
    "joint-batch": SMALL | {"batch": 1000, "rate": 1e-3},
    "joint-mix": SMALL | MIX | {"word_dropout": 0.4},
    "joint-char": SMALL | {"character_hidden": 150},
    "joint-smooth": SMALL | {"tag_smoothing": 0.1},
    "joint-long": SMALL | LONG,
    "joint-longer": SMALL | LONG | {"dropout": 0.5, "recurrent_dropout": 0.3, "tag_smoothing": 0.03, "tag_weight": 1.5},
}


def read(path: Path) -> list:
    from ramify.neural.vocabulary import Example

    examples = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line and line[0] != "#"]
        rows = [row for row in rows if row[0].isdecimal()]
        if rows:
            _, forms, _, upos, xpos, feats, heads, labels, *_ = zip(*rows, strict=True)
            examples.append(Example(forms, upos, xpos, feats, tuple(map(int, heads)), labels))
    return examples


def on_gpu(logits, lengths):
    """Return log Z by the kernel itself: the operators of ramify.torch need the compiled engine."""
    import torch

    from ramify.torch._gpu.trees import MOST, tree_sums

    if logits.shape[1] > MOST + 1:
        from torch_layers import matrix_tree

        return matrix_tree(logits.double(), lengths.to(logits.device), True).to(logits.dtype)
    log_z, marginals = tree_sums(logits.detach(), lengths, True)
    # A function whose value is log Z and whose gradient is the marginals.
    finite = torch.where(marginals > 0, logits, 0.0)
    linear = (finite * marginals.to(logits.dtype)).sum((1, 2))
    return linear - linear.detach() + log_z.to(logits.dtype)


def train(name: str, changes: dict, folder: Path, args: argparse.Namespace) -> None:
    import torch

    from ramify.neural import fitting as fitting_module
    from ramify.neural.batches import Corpus
    from ramify.neural.fitting import Fitter, evaluate
    from ramify.neural.network import Scorer, weights_of
    from ramify.neural.options import Fitting, Network
    from ramify.neural.vocabulary import Vocabulary

    if torch.cuda.is_available():
        fitting_module.log_partition = on_gpu
    torch.set_num_threads(args.threads)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    of_network = Network.__dataclass_fields__
    network = Network(**{key: value for key, value in changes.items() if key in of_network})
    fitting = Fitting(**{key: value for key, value in changes.items() if key not in of_network})
    torch.manual_seed(args.seed)
    files = {part: next(folder.glob(f"*-{part}.conllu")) for part in ("train", "dev")}
    examples = {part: read(path)[: args.sentences] for part, path in files.items()}
    vocabulary = Vocabulary.collect(examples["train"], network.min_count)
    corpora = {part: Corpus(found, vocabulary, device) for part, found in examples.items()}
    model = Scorer(network, vocabulary).to(device)
    fitter = Fitter(model, fitting, args.seed)
    random = np.random.default_rng(args.seed)
    start, begin = time.monotonic(), time.time()
    size = sum(parameter.numel() for parameter in model.parameters())
    print(f"{name}: {size:,} weights on {device}, ready after {begin - args.start:.0f} s", flush=True)
    share, epoch, loss = 0.0, 0, 0.0
    while share < 1:
        batches = corpora["train"].shuffled(fitting.batch, random)
        for i, chosen in enumerate(batches):
            share = (epoch + i / len(batches)) / args.epochs
            if args.seconds:
                share = (time.time() - begin) / (args.start + args.seconds - begin)
            if share >= 1:
                break
            loss = fitter.update(corpora["train"].batch(chosen), share)
        else:
            epoch += 1
            share = epoch / args.epochs if not args.seconds else share
            if epoch % args.every == 0:
                shown = evaluate(fitter.averaged, corpora["dev"], fitting.iterations)
                text = " ".join(f"{key} {value:.2f}" for key, value in shown.items())
                seconds = time.monotonic() - start
                print(f"{name}: epoch {epoch}, {seconds:.0f} s, loss {float(loss):.3f}, {text}", flush=True)
    result = {"name": name, "epochs": epoch, "updates": fitter.step, "seconds": time.monotonic() - start}
    result |= {"weights": size, **evaluate(fitter.averaged, corpora["dev"], fitting.iterations)}
    if network.rank:
        result["arcs alone"] = evaluate(fitter.averaged, corpora["dev"], 0)
    print("RESULT", json.dumps(result), flush=True)
    if args.output and (not args.save or name in args.save.split(",")):
        save(Path(args.output) / name, weights_of(fitter.averaged), changes, vocabulary, result)


def save(path: Path, weights: dict, changes: dict, vocabulary: object, result: dict) -> None:
    """Write weights with 8 bits and a scale for each row, in few files of little size."""
    arrays = {}
    for key, value in weights.items():
        scale = np.maximum(np.abs(value).max(-1, keepdims=True), 1e-8) / 127
        arrays[key] = np.round(value / scale).astype(np.int8)
        arrays[f"{key}.scale"] = scale.astype(np.float32)
    facts = json.dumps({"options": changes, "vocabulary": vars(vocabulary), **result})
    np.savez_compressed(f"{path}.npz", meta=np.frombuffer(facts.encode(), np.uint8), **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.0, help="time for all; replaces the number of epochs")
    parser.add_argument("--every", type=int, default=5, help="epochs between two evaluations on the dev data")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sentences", type=int, default=None)
    parser.add_argument("--threads", type=int, default=1, help="threads of the processor, for each network")
    parser.add_argument("--output", default="")
    parser.add_argument(
        "--save", default="", help="names of the configurations whose weights are written; all if empty"
    )
    parser.add_argument("--configs", default="", help="names with commas between; all by default")
    parser.add_argument("--more", type=Path, help="JSON file with more configurations")
    args = parser.parse_args()
    args.start = time.time()
    configs = CONFIGS | (json.loads(args.more.read_text()) if args.more else {})
    chosen = {name: configs[name] for name in args.configs.split(",") if name} or CONFIGS
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=train, args=(name, changes, args.folder, args)) for name, changes in chosen.items()
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


if __name__ == "__main__":
    main()
