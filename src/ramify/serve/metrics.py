"""Counts of what the server does, in the text format of Prometheus."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Counter", "Histogram", "Metrics"]

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_SIZES = (1, 2, 4, 8, 16, 32, 64)


class Counter:
    """A number that only grows, for each combination of labels.

    Parameters
    ----------
    name, text : as they are shown
    labels : names of the labels
    """

    def __init__(self, name: str, text: str, labels: Sequence[str] = ()) -> None:
        self.name = name
        self._text = text
        self._labels = labels
        self._values: dict[tuple[str, ...], float] = {}
        self._lock = threading.Lock()

    def add(self, amount: float = 1, *labels: str) -> None:
        """Add to the counter with these labels."""
        with self._lock:
            self._values[labels] = self._values.get(labels, 0) + amount

    def lines(self) -> Iterator[str]:
        """Write the counter."""
        yield f"# HELP {self.name} {self._text}"
        yield f"# TYPE {self.name} counter"
        for values, number in sorted(self._values.items()):
            pairs = ",".join(f'{name}="{value}"' for name, value in zip(self._labels, values, strict=True))
            yield f"{self.name}{{{pairs}}} {number:g}" if pairs else f"{self.name} {number:g}"


class Histogram:
    """How often values lie below given limits.

    Parameters
    ----------
    name, text : as they are shown
    limits : upper limits, ascending
    """

    def __init__(self, name: str, text: str, limits: Sequence[float]) -> None:
        self._name = name
        self._text = text
        self._limits = limits
        self._counts = [0] * (len(limits) + 1)
        self._sum = 0.0
        self._lock = threading.Lock()

    def observe(self, value: float) -> None:
        """Count a value."""
        place = next((i for i, limit in enumerate(self._limits) if value <= limit), len(self._limits))
        with self._lock:
            self._counts[place] += 1
            self._sum += value

    def lines(self) -> Iterator[str]:
        """Write the histogram."""
        yield f"# HELP {self._name} {self._text}"
        yield f"# TYPE {self._name} histogram"
        total = 0
        for limit, count in zip((*map("{:g}".format, self._limits), "+Inf"), self._counts, strict=True):
            total += count
            yield f'{self._name}_bucket{{le="{limit}"}} {total}'
        yield f"{self._name}_sum {self._sum:g}"
        yield f"{self._name}_count {total}"


class Metrics:
    """All counts of one server.

    Attributes
    ----------
    requests : by path and status
    seconds : from the request to the end of its answer
    batches : requests that were answered together
    words : that were parsed
    """

    def __init__(self) -> None:
        self.requests = Counter("ramify_requests_total", "Number of requests by path and status.", ("path", "status"))
        self.seconds = Histogram("ramify_request_seconds", "Seconds from request to answer.", _SECONDS)
        self.batches = Histogram("ramify_batch_requests", "Number of requests that were answered together.", _SIZES)
        self.words = Counter("ramify_words_total", "Number of words in answers.")

    def text(self, waiting: Callable[[], int]) -> str:
        """Write all counts.

        Parameters
        ----------
        waiting : gives the number of requests that wait now
        """
        lines: list[str] = []
        for metric in (self.requests, self.seconds, self.batches, self.words):
            lines += metric.lines()
        lines += _gauge("ramify_requests_waiting", "Requests that are waiting.", waiting())
        memory = _resident_bytes()
        if memory is not None:
            lines += _gauge("process_resident_memory_bytes", "Memory of the process.", memory)
        return "\n".join(lines) + "\n"


def _gauge(name: str, text: str, value: int) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} gauge", f"{name} {value}"]


def _resident_bytes() -> int | None:
    """Return the memory of this process where the system says it, as Linux does."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    line = next((line for line in status.splitlines() if line.startswith("VmRSS:")), None)
    return None if line is None else int(line.split()[1]) * 1024
