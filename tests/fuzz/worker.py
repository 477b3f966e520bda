"""The process that makes the calls, and says before each what it is about to do."""

from __future__ import annotations

import ctypes
import json
import time
import traceback
import zlib
from typing import TYPE_CHECKING

import numpy as np

from fuzz import factors, graphs, learning, measures, models, networks, projective, structures, texts
from fuzz.calls import FoundError, Recorder

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

KINDS: dict[str, Callable[[Recorder], None]] = {
    "right graph": graphs.right_graph,
    "wrong graph": graphs.wrong_graph,
    "wrong factor": factors.wrong_factor,
    "right tree": structures.right_tree,
    "wrong tree": structures.wrong_tree,
    "chain": structures.chain,
    "statements": structures.statements,
    "read": texts.read,
    "parse": texts.parse,
    "model": texts.model,
    "learner": learning.learner,
    "penalties": learning.penalties,
    "own model": learning.own_model,
    "tag": models.tag,
    "label": models.label,
    "segment": models.segment,
    "text": models.read_text,
    "compress": measures.compress,
    "rouge": measures.score_texts,
    "validate": measures.check,
    "compare": measures.compare,
    "documents": measures.read_documents,
    "tables": projective.tables,
    "train": projective.train,
    "network": networks.network,
}
# Cases that show how a bad end is noticed; only where they are asked for.
BAD_ENDS: dict[str, Callable[[Recorder], None]] = {
    "dies": lambda r: r.call("ctypes.string_at", ctypes.string_at, 0),
    "hangs": lambda r: r.call("time.sleep", time.sleep, 3600.0),
    "raises": lambda r: r.call("next", next, iter(())),
    "lies": lambda r: r.expect(False, "a certificate is wrong"),
}
SLOW = ("parse", "model", "train", "label", "own model", "compress", "compare")  # seldom, for they take long
WEIGHTS = np.array([0.2 if kind in SLOW else 4.0 if kind.endswith("graph") else 1.0 for kind in KINDS])


def kind_of(seed: int, case: int, only: list[str]) -> str:
    if only and only[0] in BAD_ENDS:
        return only[0]
    kinds = [kind for kind in KINDS if not only or kind in only]
    weights = WEIGHTS[[kind in kinds for kind in KINDS]]
    return str(np.random.default_rng([seed, case, 1]).choice(kinds, p=weights / weights.sum()))


def run(seed: int, first: int, only: list[str], skip: list[str], trace: TextIO, report: TextIO) -> None:
    """Run case after case, without end; a line of report for each, and the calls of the present one in trace."""

    def write(line: str) -> None:
        trace.write(f"  {line}\n")  # may be the last thing that this process does
        trace.flush()

    for case in range(first, 2**62):
        kind = kind_of(seed, case, only)
        trace.seek(0)
        trace.truncate()
        recorder = Recorder(np.random.default_rng([seed, case, zlib.crc32(kind.encode())]), write, skip)
        report.write(json.dumps({"begin": case, "kind": kind}) + "\n")
        report.flush()
        problem = ""
        try:
            (KINDS | BAD_ENDS)[kind](recorder)
        except FoundError as failure:
            problem = str(failure)
        except Exception:
            problem = traceback.format_exc()
        facts = {"end": case, "called": recorder.called, "refused": recorder.refused, "problem": problem}
        if problem:
            trace.seek(0)
            facts["calls"] = trace.read()
        report.write(json.dumps(facts) + "\n")
        report.flush()
