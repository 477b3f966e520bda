"""Turn the weights that ``neural_training.py`` wrote into a parser, calibrated and scored on the dev data.

python bench/neural_import.py joint-small.npz UD_English-EWT parser.zip --machine "NVIDIA H200"
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

import numpy as np

import ramify
from ramify.data import read
from ramify.learn.corpus import load_corpus
from ramify.learn.dates import card_date
from ramify.neural.options import Fitting, Network
from ramify.neural.quantisation import quantise
from ramify.neural.vocabulary import Vocabulary
from ramify.parsing import Config, save_model
from ramify.parsing.calibration import calibrated
from ramify.parsing.corpus import frame_of
from ramify.parsing.network_training import example_of
from ramify.parsing.state import NO_WEIGHTS, ModelState, NetworkWeights
from ramify.parsing.training import scores_of
from ramify.pipeline import Pipeline


def config_of(changes: dict, epochs: int) -> Config:
    """Return the options that train such a network."""
    sections = dict.fromkeys(Network.__dataclass_fields__, "network")
    sections |= dict.fromkeys(Fitting.__dataclass_fields__, "fitting")
    given = {f"{sections[name]}.{name.replace('_', '-')}": value for name, value in changes.items()}
    if changes.get("rank"):
        given["model.parts"] = "any-sibling,grand"
    return Config.preset("neural").override(given | {"training.epochs": epochs})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("treebank", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--machine", default="")
    parser.add_argument("--licence", default="CC BY-SA 4.0")
    parser.add_argument("--set", action="append", default=[], help="section.key=value, options that differ")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--arcs-only", action="store_true", help="leave siblings and grandparents out")
    parser.add_argument("--pipeline", type=Path, help="also write a pipeline with this parser")
    parser.add_argument("--base", default="en", help="pipeline whose segmenter and taggers it gets")
    parser.add_argument("--advice", type=float, default=0.5, help="weight of the taggers of UPOS and XPOS; 0: none")
    parser.add_argument("--keep", type=float, default=0.7, help="share of the weights of these taggers that are kept")
    args = parser.parse_args()
    with np.load(args.weights) as found:
        packed = dict(found)
    meta = json.loads(bytes(packed.pop("meta")))
    arrays = {
        name: (packed[name] * packed[f"{name}.scale"]).astype(np.float32)
        for name in packed
        if not name.endswith(".scale")
    }
    if args.arcs_only and meta["options"].pop("rank", 0):
        sizes = Network(**{name: value for name, value in meta["options"].items() if hasattr(Network, name)})
        kept = 2 * (sizes.arc_size + sizes.label_size)  # the rows of siblings and grandparents come behind
        arrays |= {name: arrays[name][:kept] for name in ("dense.weight", "dense.bias")}
    config = config_of(meta["options"], meta["epochs"]).override(dict(item.split("=", 1) for item in args.set))
    files = {part: next(args.treebank.glob(f"*-{part}.conllu")) for part in ("train", "dev")}
    corpora = {part: load_corpus(path, part) for part, path in files.items()}
    frame = frame_of(corpora["train"], config)
    names = {name: tuple(names) for name, names in meta["vocabulary"].items()}
    if config.network.predict_tags:
        found = Vocabulary.collect([example_of(sentence) for sentence in corpora["train"].sentences])
        names["combinations"] = found.combinations
    else:
        names["combinations"] = ()
    vocabulary = Vocabulary(**names)
    if vocabulary.labels != frame.labels:
        raise SystemExit("the weights are of another treebank: its labels differ")
    state = ModelState(config, frame, NO_WEIGHTS, network=NetworkWeights(vocabulary, quantise(arrays)))
    dev = list(read(files["dev"]))
    state = calibrated(state, dev, args.threads)
    tags = {"tags": "predicted"} if config.network.predict_tags else {}
    scores = scores_of(state, dev, args.threads) | {"epoch": meta["epochs"], "epochs": meta["epochs"]} | tags
    sizes = {part: {"files": [path.name], **size_of(corpora[part])} for part, path in files.items()}
    facts = {**sizes, "licence": args.licence, "single_root": frame.single_root, "weights": state.num_weights}
    facts |= {"machine": args.machine} if args.machine else {}
    facts |= {"date": card_date(), "version": ramify.__version__, "scores": scores}
    save_model(dataclasses.replace(state, facts=facts), args.output)
    print(json.dumps(scores, indent=1))
    if args.pipeline:
        join(args, files)


def join(args: argparse.Namespace, files: dict[str, Path]) -> None:
    """Write a pipeline of the parser with the segmenter and the taggers of another pipeline."""
    base = ramify.load(args.base)
    taggers = {name: base.taggers[name] for name in ("lemma",) if name in base.taggers}
    if args.advice:
        taggers |= {name: smaller(base.taggers[name], args.keep) for name in ("upos", "xpos")}
    fast = ramify.Parser.load(args.output, options={"inference.method": "ad3"})

    def made(facts: dict) -> Pipeline:
        return Pipeline(base.segmenter, taggers, fast, language=base.language, facts=facts, tag_weight=args.advice)

    dev = files["dev"]
    raw, gold = (made({}).evaluate(dev, gold_tokens=given, threads=args.threads) for given in (False, True))
    keys = ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")
    facts = {
        "data": {"treebank": args.treebank.name, "licence": args.licence, "trained-on": [files["train"].name]}
        | {"tuned-on": [dev.name]},
        "raw": {name: raw[name].f1 for name in ("Tokens", "Sentences", "Words", *keys)},
        "gold-tokens": {name: gold[name].f1 for name in keys},
        "training": {"parser": "network", "machine": args.machine, "weights": args.weights.name}
        | {"date": card_date(), "version": f"ramify {ramify.__version__}"},
    }
    made(facts).save(args.pipeline)
    print(json.dumps({name: facts[name] for name in ("raw", "gold-tokens")}, indent=1))


def smaller(tagger: ramify.Tagger, share: float) -> ramify.Tagger:
    """Return a tagger with a share of its weights: those of the features whose largest weight is largest."""
    state = tagger._state
    weights = state.weights
    feature = np.repeat(np.arange(len(weights.keys)), weights.counts)
    largest = np.zeros(len(weights.keys), np.int64)
    np.maximum.at(largest, feature, np.abs(weights.values.astype(np.int64)))
    order = np.argsort(-largest, kind="stable")
    best = order[np.cumsum(weights.counts[order]) <= share * len(weights.values)]
    kept = np.isin(np.arange(len(weights.keys)), best)
    rows = kept[feature]
    changed = {"keys": weights.keys[kept], "counts": weights.counts[kept]}
    changed |= {"labels": weights.labels[rows], "values": weights.values[rows]}
    return ramify.Tagger(dataclasses.replace(state, weights=dataclasses.replace(weights, **changed)))


def size_of(corpus: object) -> dict[str, int]:
    return {"sentences": len(corpus.sentences), "words": corpus.num_words}


if __name__ == "__main__":
    main()
