"""Reading a treebank: ramify against the package `conllu`, in tokens per second and in memory.

    python bench/reader.py TREEBANK.conllu

Each system reads the file in a process of its own, keeps all sentences, and then takes the form, tag, head and label of
every word out of its objects, so that lazy work counts. Runs alternate; the table gives medians.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys

MEASURE = r"""
import json, sys, time

def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

system, path = sys.argv[1:]
if system == "ramify":
    from ramify.data import read
    def load():
        return list(read(path))
    def use(sentences):
        return sum(len(list(zip(s.forms, s.upos, s.heads.tolist(), s.deprels))) for s in sentences)
else:
    import conllu
    def load():
        with open(path, encoding="utf-8") as file:
            return list(conllu.parse_incr(file))
    def use(sentences):
        rows = 0
        for s in sentences:
            rows += len([(t["form"], t["upos"], t["head"], t["deprel"]) for t in s if isinstance(t["id"], int)])
        return rows
before = memory()
start = time.perf_counter()
sentences = load()
kept = memory() - before
words = use(sentences)
seconds = time.perf_counter() - start
print(json.dumps({"words": words, "seconds": seconds, "bytes": kept}))
"""


def measure(system: str, path: str) -> dict[str, float]:
    command = [sys.executable, "-c", MEASURE, system, path]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    systems = ("ramify", "conllu")
    runs = {system: [] for system in systems}
    for _ in range(arguments.runs):
        for system in systems:
            runs[system].append(measure(system, arguments.treebank))
    words = runs["ramify"][0]["words"]
    if words != runs["conllu"][0]["words"]:
        sys.exit(f"the systems disagree on the number of words: {words} and {runs['conllu'][0]['words']}")
    print(f"{arguments.treebank}: {words:,} words, median of {arguments.runs} runs")
    median = {
        system: {key: statistics.median(run[key] for run in results) for key in ("seconds", "bytes")}
        for system, results in runs.items()
    }
    for system in systems:
        speed, memory = words / median[system]["seconds"], median[system]["bytes"]
        print(f"{system:8} {speed:12,.0f} words/s {memory / 1e6:10.1f} MB {memory / words:8.0f} bytes/word")
    faster = median["conllu"]["seconds"] / median["ramify"]["seconds"]
    smaller = median["conllu"]["bytes"] / median["ramify"]["bytes"]
    print(f"ramify is {faster:.1f} times as fast and needs 1/{smaller:.1f} of the memory")


if __name__ == "__main__":
    main()
