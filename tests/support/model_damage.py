"""Models that were damaged on purpose: every value of every file in turn, with checksums that are right again."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import sys

import numpy as np
from safetensors.numpy import load, save

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILES = ("config.toml", "vocab.json", "weights.safetensors", "card.md")
HUGE = "9" * 5000  # more digits than Python turns into a number
OTHERS = [None, True, -1, 0, 3, 10**18, 10**400, 1e308, float("nan"), float("inf"), "", "x", "\ud800", [], ["x"], [[]]]
OTHERS += [{}, {"x": 1}]


def resign(folder):
    """Make the checksums right again, as whoever damages on purpose would."""
    names = [name for name in FILES if (folder / name).exists()]
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "SHA256SUMS").write_text("".join(lines))


def paths_of(value, most=6):
    """Yield the keys that lead to every value inside a value; of a list, a few."""
    yield ()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items)[: None if isinstance(value, dict) else most]:
        for path in paths_of(inner, most=2):
            yield (key, *path)


def changed(value, path, change):
    """Return a copy in which `change(container, key)` was made to what stands at a path that is not empty."""
    whole = copy.deepcopy(value)
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    change(inner, path[-1])
    return whole


def damaged_json(text):
    """Yield names of damages with the text that they leave."""
    value = json.loads(text)
    for path in paths_of(value):
        if not path:
            continue
        yield f"{path} removed", json.dumps(changed(value, path, lambda inner, key: inner.pop(key)))
        for other in OTHERS:
            new = changed(value, path, lambda inner, key, other=other: inner.__setitem__(key, other))
            yield f"{path} = {other!r:.20}", json.dumps(new)
        new = changed(value, path, lambda inner, key: inner.__setitem__(key, "HUGE"))
        yield f"{path} = huge", json.dumps(new).replace('"HUGE"', HUGE)


def damaged_toml(text):
    """The same for files whose lines are options."""
    values = ["", "true", "-1", "0", "3", "1" + "0" * 400, "1e308", "nan", "inf", '""', '"x"', "[]", '["x"]', "[[]]"]
    values += ["{}", "{x = 1}", HUGE, f"[{HUGE}]", "1979-05-27", "07:32:00", "'\\u0000'", "[0.5, nan]"]
    lines = text.splitlines()
    for number, line in enumerate(lines):
        yield f"{line!r:.30} removed", "\n".join(lines[:number] + lines[number + 1 :])
        key, equals, _ = line.partition(" = ")
        if equals:
            for value in values:
                yield f"{key} = {value:.20}", "\n".join([*lines[:number], f"{key} = {value}", *lines[number + 1 :]])
            yield f"{key} twice", "\n".join([*lines[: number + 1], *lines[number:]])
        else:
            yield f"{line!r} and more", "\n".join([*lines[: number + 1], "odd = 1", *lines[number + 1 :]])
    assert isinstance(tomllib.loads(text), dict)


def damaged_arrays(content):
    """The same for arrays: other sizes, types and numbers."""
    arrays = load(content)
    for name, array in arrays.items():
        others = {
            "removed": None,
            "empty": array[:0],
            "longer": np.concatenate([array, array[:1]]),
            "shorter": array[1:],
        }
        others |= {"square": array.reshape(-1, 1), "float": array.astype(np.float64), "reversed": array[::-1].copy()}
        others |= {"zeros": np.zeros_like(array), "largest": np.full_like(array, _largest(array))}
        others |= {"smallest": np.full_like(array, -_largest(array) if array.dtype.kind in "if" else 0)}
        if array.dtype.kind == "f":
            others |= {str(x): np.full_like(array, x) for x in (np.nan, np.inf, -np.inf, -1)}
        for what, other in others.items():
            rest = {key: value for key, value in arrays.items() if key != name}
            yield f"{name} {what}", save(rest if other is None else rest | {name: other})
    names = list(arrays)
    for one, two in itertools.pairwise(names):
        yield f"{one} and {two} swapped", save(arrays | {one: arrays[two], two: arrays[one]})


def _largest(array):
    return (np.finfo if array.dtype.kind == "f" else np.iinfo)(array.dtype).max


def damages(folder):
    """Yield for all damages of a model: file, name of the damage, the bytes that the file then has."""
    for damage, text in damaged_toml((folder / "config.toml").read_text(encoding="utf-8")):
        yield "config.toml", damage, text.encode()
    for damage, text in damaged_json((folder / "vocab.json").read_text(encoding="utf-8")):
        yield "vocab.json", damage, text.encode()
    for damage, content in damaged_arrays((folder / "weights.safetensors").read_bytes()):
        yield "weights.safetensors", damage, content
