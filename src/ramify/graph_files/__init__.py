"""Factor graphs in files: a single file of arrays of our own, and the UAI format for exchange with other tools."""

from ramify.graph_files._archive import load_graph, save_graph
from ramify.graph_files._uai import (
    UAIModel,
    read_uai,
    read_uai_evidence,
    read_uai_marginals,
    read_uai_partition,
    write_uai,
)

__all__ = [
    "UAIModel",
    "load_graph",
    "read_uai",
    "read_uai_evidence",
    "read_uai_marginals",
    "read_uai_partition",
    "save_graph",
    "write_uai",
]
