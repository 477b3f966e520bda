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

STRONG = {"layers": 3, "recurrent_dropout": 0.4, "dropout": 0.5}
JOINT = STRONG | {"tag_size": 0, "predict_tags": True}
CONFIGS = {
    "gold-33": {"layers": 3, "recurrent_dropout": 0.3},
    "gold": STRONG,
    "gold-50": STRONG | {"recurrent_dropout": 0.5, "word_dropout": 0.5},
    "gold-tree": STRONG | {"loss": "tree"},
    "gold-2000": STRONG | {"batch": 2000, "rate": 1.5e-3},
    "gold-second": STRONG | {"rank": 128},
    "gold-2x512": STRONG | {"layers": 2, "hidden": 512},
    "joint": JOINT,
    "joint-characters": JOINT | {"character_size": 64, "character_hidden": 100},
    "joint-3x512": JOINT | {"hidden": 512},
    "joint-fed": JOINT | {"feed_tags": True},
    "joint-tree": JOINT | {"loss": "tree", "feed_tags": True},
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

    begin = time.monotonic()
    if torch.cuda.is_available():
        fitting_module.log_partition = on_gpu
    torch.set_num_threads(args.threads)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    of_network = Network.__dataclass_fields__
    network = Network(**{key: value for key, value in changes.items() if key in of_network})
    fitting = Fitting(**{key: value for key, value in changes.items() if key not in of_network})
    torch.manual_seed(fitting.seed)
    files = {part: next(folder.glob(f"*-{part}.conllu")) for part in ("train", "dev")}
    examples = {part: read(path)[: args.sentences] for part, path in files.items()}
    vocabulary = Vocabulary.collect(examples["train"], network.min_count)
    corpora = {part: Corpus(found, vocabulary, device) for part, found in examples.items()}
    model = Scorer(network, vocabulary).to(device)
    fitter = Fitter(model, fitting)
    start = time.monotonic()

    def progress(step: int) -> float:
        return (time.monotonic() - begin) / args.seconds if args.seconds else step / fitting.steps

    def report(step: int, loss: object) -> None:
        if step % args.every == 0:
            scores = evaluate(fitter.averaged, corpora["dev"], fitting.iterations)
            shown = " ".join(f"{key} {value:.2f}" for key, value in scores.items())
            print(f"{name}: step {step} {time.monotonic() - start:.0f} s loss {float(loss):.3f} {shown}", flush=True)

    best = fitter.run(corpora["train"], progress, report)
    scores = evaluate(best, corpora["dev"], fitting.iterations)
    size = sum(parameter.numel() for parameter in model.parameters())
    result = {
        "name": name,
        **changes,
        "steps": fitter.step,
        "seconds": time.monotonic() - start,
        "weights": size,
        **scores,
    }
    print("RESULT", json.dumps(result), flush=True)
    if args.output and name in args.save.split(","):
        arrays = {}
        for key, value in weights_of(best).items():
            scale = np.maximum(np.abs(value).max(-1, keepdims=True), 1e-8) / 127
            arrays[key] = np.round(value / scale).astype(np.int8)
            arrays[f"{key}.scale"] = scale.astype(np.float32)
        meta = np.frombuffer(
            json.dumps({"options": changes, "vocabulary": vars(vocabulary), **result}).encode(), np.uint8
        )
        np.savez(Path(args.output) / f"{name}.npz", meta=meta, **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=0.0, help="time for all; the options decide if it is 0")
    parser.add_argument("--every", type=int, default=500, help="updates between two evaluations on the dev data")
    parser.add_argument("--sentences", type=int, default=None)
    parser.add_argument("--threads", type=int, default=1, help="threads of the processor, for each network")
    parser.add_argument("--output", default="")
    parser.add_argument("--save", default="", help="names of the configurations whose weights are written")
    parser.add_argument("--configs", default="", help="names with commas between; all by default")
    parser.add_argument("--more", default="{}", help="JSON with more configurations")
    args = parser.parse_args()
    configs = CONFIGS | json.loads(args.more)
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
