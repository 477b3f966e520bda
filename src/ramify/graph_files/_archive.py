"""A graph with its scores in one file: a zip of plain arrays (numpy's .npz) and a header; nothing in it can run."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify import factors as families
from ramify.atomic import replacing_file
from ramify.errors import InvalidInputError, ParseError
from ramify.graph import FactorGraph
from ramify.zips import reading_zip

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

__all__ = ["load_graph", "save_graph"]

_FORMAT = "ramify factor graph"
_VERSION = 1
_HEADER = "header.json"


def save_graph(path: str | PathLike[str], graph: FactorGraph, scores: ArrayLike | None = None) -> None:
    """Write a graph and scores of its variables to a single file, for bug reports and benchmarks.

    The file appears whole or not at all.

    Parameters
    ----------
    path : file to write, by custom ``.npz``
    graph : with factors of any family but `UserFactor`
    scores : array of shape (num_coordinates,); all 0 if not given
    """
    checked = graph.problem(scores).scores
    arrays: dict[str, NDArray[Any]] = {"num_states": graph.num_states, "scores": checked}
    for i, factor in enumerate(graph.factors):
        arrays.update({f"factors.{i}.{name}": array for name, array in factor.arguments().items()})
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "families": [type(factor).__name__ for factor in graph.factors],
        "sha256": _checksum(arrays),
    }
    with replacing_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        # A fixed date, so that equal graphs make equal files.
        archive.writestr(zipfile.ZipInfo(_HEADER), json.dumps(header, indent=1))
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array, order="C"), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, buffer.getvalue())


def load_graph(path: str | PathLike[str], *, max_bytes: int = 2**30) -> tuple[FactorGraph, NDArray[np.float64]]:
    """Read a graph and scores that `save_graph` wrote.

    Parameters
    ----------
    path : file to read
    max_bytes : int
        Largest size when unpacked; more is refused before any of it is read.

    Returns
    -------
    graph : FactorGraph
    scores : array of shape (num_coordinates,)

    Raises
    ------
    ParseError : if the file is not such a file, damaged, or of a later version
    """
    name = str(path)
    header, arrays = _read(Path(path), max_bytes)
    if header["sha256"] != _checksum(arrays):
        raise ParseError(name, 0, "sha256", "a checksum that fits the arrays", "another: the file is damaged")
    graph = FactorGraph()
    try:
        graph.add_variables(arrays["num_states"].size, arrays["num_states"])
        for i, family in enumerate(header["families"]):
            prefix = f"factors.{i}."
            own = {key[len(prefix) :]: array for key, array in arrays.items() if key.startswith(prefix)}
            graph.add(_family(name, family).from_arguments(own))
        return graph, graph.problem(arrays["scores"]).scores
    except (InvalidInputError, KeyError, ValueError, OverflowError) as error:
        if isinstance(error, ParseError):
            raise
        raise ParseError(name, 0, "", "arrays that make a graph", str(error)) from error


def _family(file: str, name: Any) -> type[families.Factor]:
    cls = getattr(families, name, None) if isinstance(name, str) and name in families.__all__ else None
    if (
        not isinstance(cls, type)
        or not issubclass(cls, families.Factor)
        or cls in (families.Factor, families.UserFactor)
    ):
        raise ParseError(file, 0, "families", "names of factor families", repr(name))
    return cls


def _checksum(arrays: dict[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name], order="C")
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _read(path: Path, max_bytes: int) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    file = str(path)
    with reading_zip(path, lambda found: ParseError(file, 0, "", "a graph saved by ramify", found)) as archive:
        entries = archive.infolist()
        size = sum(entry.file_size for entry in entries)
        if size > max_bytes:
            raise ParseError(file, 0, "", f"at most {max_bytes} bytes unpacked (max_bytes)", f"{size}")
        contents = {entry.filename: archive.read(entry) for entry in entries}
    header = _header(file, contents.pop(_HEADER, b""))
    arrays = {name.removesuffix(".npy"): _array(file, name, data) for name, data in contents.items()}
    return header, arrays


def _header(file: str, data: bytes) -> dict[str, Any]:
    try:
        header = json.loads(data)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise ParseError(file, 0, _HEADER, f'a header with format "{_FORMAT}"', "none")
    if header.get("version") != _VERSION:
        raise ParseError(
            file, 0, "version", f"version {_VERSION}", f"{header.get('version')}; update ramify to read it"
        )
    if not isinstance(header.get("families"), list) or not isinstance(header.get("sha256"), str):
        raise ParseError(file, 0, _HEADER, "families and sha256", "none")
    return header


def _array(file: str, name: str, data: bytes) -> Any:
    """Read one array; its header's shape must fit the bytes that are there, so that nothing else is allocated."""
    stream = io.BytesIO(data)
    try:
        np.lib.format.read_magic(stream)
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        plain = not fortran and dtype.kind in "iufbU" and dtype.itemsize > 0
        array = np.frombuffer(data, dtype=dtype, offset=stream.tell()).reshape(shape) if plain else None
    except (ValueError, SyntaxError, TypeError) as error:
        raise ParseError(file, 0, name, "a plain array", str(error)) from error
    if array is None:
        raise ParseError(file, 0, name, "a plain array", str(dtype))
    return array.copy()
