"""Turns the shared summarization sets into JSON lines as ``ramify train --task summarize`` reads them.

Run: ``python bench/summarization_data.py ../shared/data/summarization OUT``. Every line of OUT/SET.jsonl is a cluster:
its documents, the summaries that people wrote, and the words of the budget at which the set is scored. Every third
cluster of a set is for tests, OUT/test/SET.jsonl; OUT/train.jsonl has some of the others, from which the built-in
summarizer learned.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ramify.reproduce.summary_sets import summary_sets

_TRAINED_ON = {  # clusters of each set
    "scitldr": 200,
    "fewsum": 27,
    "opinosis": 34,
    "cl-scisumm-cites": 27,
    "scisummnet-cites": 66,
    "cl-scisumm-body": 27,
    "scisummnet-body": 66,
}


def write(path: Path, clusters: list[dict[str, Any]]) -> None:
    """Write clusters as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in clusters)


def main(source: str, target: str) -> None:
    """Write all sets."""
    out = Path(target)
    whole = summary_sets(source)
    for name, clusters in whole.items():
        write(out / f"{name}.jsonl", clusters)
        write(out / "test" / f"{name}.jsonl", clusters[::3])
        print(f"{name}: {len(clusters)} clusters")
    others = {name: [line for i, line in enumerate(clusters) if i % 3] for name, clusters in whole.items()}
    write(out / "train.jsonl", [line for name, count in _TRAINED_ON.items() for line in others[name][:count]])


if __name__ == "__main__":
    main(*sys.argv[1:])
