"""Shards on a Ray cluster: Ray Data gives them to actors, each of which loads the model once."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import warnings
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ramify.distributed.runners import MOST_LOSSES
from ramify.distributed.shards import Shard
from ramify.distributed.work import Receipt
from ramify.errors import InvalidInputError, MissingExtraError
from ramify.options import Integer, check_argument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["RayRunner"]

_LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # off, Ray binds to the loopback interface; read when it is imported
_MOST_BLOCKS = 10_000
_STORE_BYTES = 1 << 27  # only names of files and counts of words travel


@dataclass(frozen=True)
class RayRunner:
    """Works on shards on a Ray cluster. All machines must see the files of the corpus and the folder of the output.

    Parameters
    ----------
    cluster : ``"ray://HOST:PORT"``, ``"auto"`` for the cluster that this machine belongs to, or ``"local:N"`` for N
        workers on this machine, which listen on the loopback interface only
    threads : number of cores that each worker uses
    """

    cluster: str = "auto"
    threads: int = 1

    def __post_init__(self) -> None:
        kind, _, number = self.cluster.partition(":")
        if kind == "local" and number.isdecimal() and int(number) >= 1:
            return
        if self.cluster != "auto" and not self.cluster.startswith("ray://"):
            raise InvalidInputError(
                f"RayRunner expects a cluster ray://HOST:PORT, auto or local:N; got {self.cluster!r}."
            )
        check_argument("RayRunner", "threads", Integer(1), self.threads)

    def run(self, work: Callable[[Shard], Receipt], shards: Sequence[Shard]) -> Iterator[Receipt]:
        """Yield the receipts of all shards, in any order."""
        if self.cluster.startswith("local:"):
            os.environ.setdefault(_LOOPBACK, "0")
        ray = _import_ray()
        with self._connected(ray):
            workers = min(len(shards), max(1, int(ray.cluster_resources().get("CPU", 1)) // self.threads))
            items = [{"shard": json.dumps(asdict(shard))} for shard in shards]
            data = ray.data.from_items(items, override_num_blocks=min(len(items), _MOST_BLOCKS))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Ray 2.60 announces that 2.64 will take no retries here
                done = data.map_batches(
                    _Actor,
                    fn_constructor_args=(work,),
                    batch_size=1,
                    compute=ray.data.ActorPoolStrategy(size=workers),
                    num_cpus=self.threads,
                    max_restarts=-1,
                    max_task_retries=MOST_LOSSES,
                )
            for row in done.iter_rows():
                yield Receipt(**json.loads(row["receipt"]))

    @contextlib.contextmanager
    def _connected(self, ray: Any) -> Iterator[None]:
        ray.init(**self._address(), configure_logging=False, log_to_driver=False)
        try:
            ray.data.DataContext.get_current().enable_progress_bars = False
            logging.getLogger("ray.data").setLevel(logging.ERROR)
            yield
        finally:
            ray.shutdown()

    def _address(self) -> dict[str, Any]:
        kind, _, number = self.cluster.partition(":")
        if kind != "local":
            return {"address": self.cluster}
        return {
            "address": "local",
            "num_cpus": int(number) * self.threads,
            "include_dashboard": False,
            "object_store_memory": _STORE_BYTES,
        }


class _Actor:
    """What Ray keeps alive on a worker; its process loads the model once."""

    def __init__(self, work: Callable[[Shard], Receipt]) -> None:
        self._work = work

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        receipts = [self._work(Shard(**json.loads(shard))) for shard in batch["shard"]]
        return {"receipt": [json.dumps(asdict(receipt)) for receipt in receipts]}


def _import_ray() -> Any:
    try:
        import ray.data
    except ImportError:
        raise MissingExtraError("ray", "cluster", "a job on a Ray cluster") from None
    return ray
