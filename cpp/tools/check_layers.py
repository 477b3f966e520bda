"""Check that C++ files include only what their layer may use, as ``lint-imports`` checks Python.

Run it from the root of the repository: ``python cpp/tools/check_layers.py``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# What each folder of include/ramify and src may include besides itself. No folder may use a later one.
_ENGINE = ("numeric", "trees", "factors", "graph", "inference")
_TASK = (*_ENGINE, "learn", "data", "neural")  # no task knows another task
MAY_USE = {
    "numeric": (),
    "trees": ("numeric",),
    "factors": ("numeric", "trees"),
    "graph": ("numeric", "trees", "factors"),
    "inference": ("numeric", "trees", "factors", "graph"),
    "learn": _ENGINE,  # parts and weights, but no words
    "data": ("numeric",),
    "neural": ("numeric",),
    "parsing": _TASK,
    "tagging": _TASK,
    "segmentation": _TASK,
    "summarization": ("numeric",),
}
_BINDINGS = "bindings"  # may use everything, and is the only one that knows Python
_PYTHON = ("nanobind/", "Python.h", "pybind11/")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)


def layer_of(path: Path) -> str | None:
    """Return the layer of a file inside ``cpp``; None where there is no such layer."""
    match path.parts:
        case ("include", "ramify", layer, _, *_) if layer in MAY_USE:
            return layer
        case ("src", layer, _, *_) if layer in MAY_USE:
            return layer
        case ("bindings", *_):
            return _BINDINGS
    return None


def violations(root: Path) -> list[str]:
    """Return one message for every include under ``root``, the folder ``cpp``, that breaks the layers."""
    found = []
    for file in sorted(p for suffix in ("hpp", "cpp") for p in root.rglob(f"*.{suffix}")):
        layer = layer_of(file.relative_to(root))
        if layer is None:
            found.append(f"{file}: the folder is in no layer; name it in {Path(__file__).name}.")
            continue
        for included in _INCLUDE.findall(file.read_text(encoding="utf-8")):
            problem = _problem(root, layer, included)
            if problem:
                found.append(f"{file}: {layer} may not include {included}: {problem}.")
    return found


def _problem(root: Path, layer: str, included: str) -> str | None:
    if layer == _BINDINGS:
        return None
    if included.startswith(_PYTHON):
        return "only the bindings know Python"
    if not included.startswith("ramify/"):  # the standard library, or a file of the same folder
        return "name files of other folders from ramify/ on" if ".." in included else None
    target = included.split("/")[1]
    if target not in (layer, *MAY_USE[layer]):
        allowed = ", ".join(MAY_USE[layer]) or "nothing else"
        return f"this layer may use {allowed}"
    return None if (root / "include" / included).is_file() else "there is no such file"


def main() -> int:
    """Print every violation; the exit status is 1 if there is one."""
    root = Path(__file__).resolve().parents[1]
    found = violations(root)
    for message in found:
        print(message)
    print(f"C++ layers: {len(found)} violations." if found else "C++ layers: kept.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
