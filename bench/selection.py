"""The frontier of selected templates: accuracy on dev, speed and size of parsers against today's default.

    python bench/selection.py --data FOLDER [--languages en eu tr zh pt] [--processes 2] [--sentences 4000] …

For every treebank, one parser has the standard templates. Others have some of a pool that is several times as large:
the sparseptron goes through all budgets in one run (Martins et al. 2011), and a parser is trained with the templates
that each budget left. Prints LAS on dev (subtypes of labels not counted), the processor time of parsing dev against
that of the standard parser, timed in turn in the same process, the size of the weights, and the processor time of
training with the selection, both as ratios. Jobs run in parallel processes of one thread each; results are written as
they come, so that a run that is cut short (`--seconds`) shows what was finished.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import itertools
import json
import random
import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from statistics import fmean
from typing import Any

from ramify import Parser
from ramify.data import Sentence, read
from ramify.evaluation import attachment_scores
from ramify.learn.interruption import Signals
from ramify.learn.run import Run
from ramify.parsing import Config
from ramify.parsing.corpus import load_corpus
from ramify.parsing.training import ParserLearner

TREEBANKS = {
    "en": "UD_English-EWT/en_ewt-ud",
    "eu": "UD_Basque-BDT_r1.4/eu-ud",
    "tr": "UD_Turkish-IMST/tr_imst-ud",
    "zh": "UD_Chinese-GSD_r1.4/zh-ud",
    "pt": "UD_Portuguese-Bosque/pt_bosque-ud",
}
STANDARD = "standard"


def treebank(options: argparse.Namespace, language: str, part: str, most: int) -> list[Sentence]:
    sentences = list(read(Path(options.data) / f"{TREEBANKS[language]}-{part}.conllu"))
    return random.Random(1).sample(sentences, most) if 0 < most < len(sentences) else sentences


def configured(options: argparse.Namespace, **given: object) -> Config:
    values: dict[str, object] = {"training.epochs": str(options.epochs), "inference.temperature": "1"}
    values |= {name.replace("__", ".").replace("_", "-"): value for name, value in given.items()}
    return Config.preset(options.preset).override(values)


def select(options: argparse.Namespace, language: str, way: str) -> dict[str, Any]:
    """Return the templates that each budget leaves, and the processor time this took; `way`: WEIGHT/EVERY/kinds."""
    weight, every, kinds = way.split("/")
    given: dict[str, object] = {"select.path": options.budgets, "select.epochs": options.select_epochs}
    given |= {"select.every": int(every), "select.by-kind": kinds == "kinds"}
    ranked = weight == "gain"
    given |= {"select.regularizer": "information-gain"} if ranked else {"select.group-weight": weight}
    config = configured(options).override(given)
    corpus = load_corpus(treebank(options, language, "train", options.sentences), "train", config)
    learner = ParserLearner(config, corpus, None, 1)
    run = Run(learner, "", None, lambda event: None, Signals(str))
    learner.started()
    learner.prepare(run)
    began = time.process_time()
    learner.begin(run)
    if not ranked:
        for epoch in range(learner.epochs):
            for _, chunk in run.chunks(learner.order(epoch)):
                learner.learn(chunk)
            learner.end_epoch()
    assert learner.selector is not None
    found = {one.budget: list(one.templates) for one in learner.selector.found}
    return {"seconds": time.process_time() - began, "found": found, "peak": learner.selector.peak}


def seconds_of(parser: Parser, sentences: list[Sentence]) -> float:
    began = time.process_time()
    for _ in parser.pipe(sentences):
        pass
    return time.process_time() - began


def fit(options: argparse.Namespace, language: str, templates: list[str], standard: str, output: str) -> dict[str, Any]:
    """Train a parser and measure it, its speed against that of the standard one if there is one."""
    train = treebank(options, language, "train", options.sentences)
    dev = treebank(options, language, "dev", options.dev_sentences)
    kinds = {template.partition(": ")[0] for template in templates}
    parts = [part.value for part in configured(options).model.parts if templates == [STANDARD] or part.value in kinds]
    config = configured(options, model__templates=templates, model__parts=parts)
    began = time.process_time()
    parser = Parser.train(train=train, dev=dev, config=config)
    seconds = time.process_time() - began
    parser.save(output)
    scores = attachment_scores(dev, [result.sentence for result in parser.pipe(dev)], subtypes=False)
    out: dict[str, Any] = {"las": 100 * scores.las, "uas": 100 * scores.uas, "seconds": seconds}
    out["bytes"] = (Path(output) / "weights.safetensors").stat().st_size
    out["templates"] = len(templates)
    if standard:
        other = Parser.load(standard)
        times = [(seconds_of(other, dev), seconds_of(parser, dev)) for _ in range(options.timings)]
        out["speed"] = min(a for a, _ in times) / min(b for _, b in times)
    return out


class Bench:
    """Starts jobs as soon as what they need is there."""

    def __init__(self, options: argparse.Namespace, folder: str) -> None:
        self.options, self.folder = options, folder
        self.ways = ["/".join(way) for way in itertools.product(options.weights, options.every, options.kinds)]
        self.results: dict[str, dict[str, Any]] = {}
        self.waiting: list[tuple[str, str, int, list[str]]] = []  # for the standard parser of their language
        self.running: dict[Future[dict[str, Any]], tuple[str, str, int]] = {}

    def start(self, pool: ProcessPoolExecutor) -> None:
        for way in self.ways:
            for language in self.options.languages:
                self.running[pool.submit(select, self.options, language, way)] = (language, way, 0)
        for language in self.options.languages:
            output = f"{self.folder}/{language}"
            self.running[pool.submit(fit, self.options, language, [STANDARD], "", output)] = (language, STANDARD, 0)

    def take(self, pool: ProcessPoolExecutor, language: str, way: str, budget: int, result: dict[str, Any]) -> None:
        if "found" in result:
            self.waiting += [(language, way, size, found) for size, found in result.pop("found").items()]
        self.results[f"{language} {way} {budget}"] = result
        print(json.dumps({"language": language, "way": way, "budget": budget} | result), flush=True)
        ready = [job for job in self.waiting if f"{job[0]} {STANDARD} 0" in self.results]
        for job in ready:
            self.waiting.remove(job)
            lang, how, size, found = job
            output = f"{self.folder}/{lang}-{how.replace('/', '-')}-{size}"
            arguments = (fit, self.options, lang, found, f"{self.folder}/{lang}", output)
            self.running[pool.submit(*arguments)] = (lang, how, size)

    def run(self) -> None:
        end = time.monotonic() + self.options.seconds
        pool = ProcessPoolExecutor(self.options.processes)
        self.start(pool)
        while self.running and time.monotonic() < end:
            done, _ = wait(self.running, timeout=max(0.0, end - time.monotonic()), return_when=FIRST_COMPLETED)
            for future in done:
                self.take(pool, *self.running.pop(future), future.result())
        for process in list(pool._processes.values()) if self.running else []:
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)

    def table(self) -> str:
        """Return a line for each way and budget that is complete: means over the languages."""
        languages = self.options.languages
        head = "| templates | " + " | ".join(languages) + " | mean LAS | difference | speed | size | training |"
        lines = [head, "| --- |" + " --: |" * (len(languages) + 5)]
        standard = {language: self.results.get(f"{language} {STANDARD} 0") for language in languages}
        rows = [(STANDARD, 0), *itertools.product(self.ways, self.options.budgets)]
        for way, budget in rows:
            mine = {language: self.results.get(f"{language} {way} {budget}") for language in languages}
            shared = [one for one in languages if mine[one] and standard[one]]
            if not shared:
                continue
            pairs = [(mine[one], standard[one], self.results.get(f"{one} {way} 0", {})) for one in shared]
            las = [f"{mine[one]['las']:.2f}" if one in shared else "" for one in languages]
            difference = fmean(m["las"] - s["las"] for m, s, _ in pairs)
            speed = fmean(m.get("speed", 1.0) for m, _, _ in pairs)
            size = fmean(m["bytes"] / s["bytes"] for m, s, _ in pairs)
            chosen = [w["seconds"] if way != STANDARD else 0.0 for _, _, w in pairs]
            cost = fmean((m["seconds"] + extra) / s["seconds"] for (m, s, _), extra in zip(pairs, chosen, strict=True))
            mean = fmean(m["las"] for m, _, _ in pairs)
            name = way if way == STANDARD else f"{way} {budget}"
            cells = [name, *las, f"{mean:.2f}", f"{difference:+.2f}", f"{speed:.2f}", f"{size:.2f}", f"{cost:.2f}"]
            lines.append("| " + " | ".join(cells) + " |")
        return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of treebanks")
    parser.add_argument("--languages", nargs="+", default=list(TREEBANKS))
    parser.add_argument("--preset", default="second")
    parser.add_argument("--sentences", type=int, default=0, help="of each training file, drawn at random; 0: all")
    parser.add_argument("--dev-sentences", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--select-epochs", type=int, default=3)
    parser.add_argument("--budgets", type=int, nargs="+", default=[240, 200, 150, 100])
    parser.add_argument("--weights", nargs="+", default=["log2"], help="one, log2, sqrt; gain: by information gain")
    parser.add_argument("--every", nargs="+", default=["500"])
    parser.add_argument("--kinds", nargs="+", default=["kinds"], help="kinds: a budget for each; all: one for all")
    parser.add_argument("--timings", type=int, default=2)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this time")
    parser.add_argument("--output", help="file for all results as JSON")
    options = parser.parse_args()
    options.budgets = sorted(options.budgets, reverse=True)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        bench.run()
        print(bench.table())
        if options.output:
            Path(options.output).write_text(json.dumps(bench.results, indent=1))


if __name__ == "__main__":
    main()
