"""Watches a worker: counts its cases, sees it die or hang, and starts another behind the case it died of."""

from __future__ import annotations

import json
import os
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Finding:
    """A case that failed: what happened, and the calls that led to it."""

    case: int
    kind: str
    problem: str
    calls: str

    @property
    def signature(self) -> str:
        """What findings of the same cause have in common, as far as it shows."""
        return self.kind + re.sub(r"0x[0-9a-f]+|[-+\d.]+|inf|nan", "#", self.problem.strip())[-200:]

    def text(self, seed: int) -> str:
        return f"seed {seed}, case {self.case} ({self.kind}): {self.problem}\n{self.calls}"


@dataclass
class Outcome:
    """Numbers of cases and calls by kind, and what was found."""

    cases: Counter[str] = field(default_factory=Counter)
    called: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)

    def add(self, finding: Finding) -> None:
        """Keep the first finding of each kind, and count the others."""
        self.failed[finding.signature] += 1
        if self.failed[finding.signature] == 1:
            self.findings.append(finding)

    def table(self) -> str:
        rows = [
            f"{kind:14} {self.cases[kind]:9,} cases {self.called[kind]:10,} calls {self.refused[kind]:10,} refused"
            for kind in sorted(self.cases)
        ]
        sums = self.cases.total(), self.called.total(), self.refused.total()
        total = "{:14} {:9,} cases {:10,} calls {:10,} refused".format("all", *sums)
        return "\n".join([*rows, f"{total}, {self.failed.total()} failed"])


@dataclass
class Watch:
    """One run: its seed, how long it lasts and what it tries."""

    seed: int
    seconds: float
    limit: float = 60.0
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    most_findings: int = 50

    def run(self, first: int = 0, cases: int | None = None) -> Outcome:
        outcome = Outcome()
        end = time.monotonic() + self.seconds
        last = 2**62 if cases is None else first + cases
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "trace"
            while time.monotonic() < end and first < last and len(outcome.findings) < self.most_findings:
                first = self._one_worker(first, last, end, trace, outcome)
        return outcome

    def _one_worker(self, first: int, last: int, end: float, trace: Path, outcome: Outcome) -> int:
        """Run a worker until it is not needed any more, or dies; the next case."""
        choice = [argument for kind in self.only for argument in ("--only", kind)]
        choice += [argument for method in self.skip for argument in ("--skip", method)]
        command = [sys.executable, "-X", "faulthandler", "-m", "fuzz", "--worker", str(trace)]
        command += ["--seed", str(self.seed), "--case", str(first), *choice]
        paths = [str(Path(__file__).resolve().parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, env=environment, **pipes) as worker:
            current, kind = first, "start"
            lines = _Lines(worker)
            limit = self.limit + 60.0  # before the first case, everything is imported
            while True:
                line = lines.next(min(limit, max(end - time.monotonic(), 0.1)))
                over = time.monotonic() >= end
                if over and (line is None or '"begin"' in line):  # also where cases follow one another without a pause
                    worker.kill()
                    return last
                if line is None or line == "":
                    status = f"no answer within {self.limit:g} s" if line is None else f"died with {worker.wait()}"
                    worker.kill()
                    calls = trace.read_text() if trace.exists() else ""
                    outcome.add(Finding(current, kind, f"{status}\n{lines.errors()}", calls))
                    return current + 1
                facts = json.loads(line)
                if "begin" in facts:
                    current, kind, limit = facts["begin"], facts["kind"], self.limit
                    if current >= last:
                        worker.kill()
                        return last
                    continue
                outcome.cases[kind] += 1
                outcome.called[kind] += facts["called"]
                outcome.refused[kind] += facts["refused"]
                if facts["problem"]:
                    outcome.add(Finding(current, kind, facts["problem"], facts["calls"]))
                    if len(outcome.findings) >= self.most_findings:
                        worker.kill()
                        return last


class _Lines:
    """Lines of a worker's output, with a limit on the time that one takes."""

    def __init__(self, worker: subprocess.Popen[bytes]) -> None:
        self._worker = worker
        self._buffer = b""
        self._errors = b""
        self._selector = selectors.DefaultSelector()
        self._selector.register(worker.stdout, selectors.EVENT_READ, "out")  # type: ignore[arg-type]
        self._selector.register(worker.stderr, selectors.EVENT_READ, "err")  # type: ignore[arg-type]

    def next(self, limit: float) -> str | None:
        """The next line; "" where the worker is gone, None where it takes too long."""
        end = time.monotonic() + limit
        while b"\n" not in self._buffer:
            events = self._selector.select(max(end - time.monotonic(), 0.0))
            if not events:
                return None
            for key, _ in events:
                chunk = os.read(key.fd, 65536)
                if key.data == "err":
                    self._errors = (self._errors + chunk)[-20_000:]
                    if not chunk:
                        self._selector.unregister(key.fileobj)
                elif chunk:
                    self._buffer += chunk
                else:
                    return ""
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode()

    def errors(self) -> str:
        return self._errors.decode(errors="replace")[-6000:]
