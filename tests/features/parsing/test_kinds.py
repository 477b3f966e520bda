"""Kinds of parts: what is registered, and the worked example of CONTRIBUTING.md against lists of all trees."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import textwrap

import pytest

from ramify import _core
from ramify.parsing import Part

KINDS = "sibling any-sibling grand grand-sibling tri-sibling head-bigram no-cross valency path nonproj"


def test_options_are_the_registered_kinds():
    assert [part.value for part in Part] == KINDS.split() == _core.parsing.part_kinds()
    assert Part.HEAD_BIGRAM.value == "head-bigram"


@pytest.mark.parametrize("name", ["cousin", "arc", "label", "prune", ""])
def test_a_model_chooses_from_kinds_beyond_arcs(name):
    with pytest.raises(ValueError, match=f"parts expect names of kinds that a model may have; got '{name}'"):
        _core.parsing.PartChoice(["sibling", name])


@pytest.fixture(scope="session")
def check(tmp_path_factory, pytestconfig):
    """The checking program, built with the kind that CONTRIBUTING.md adds."""
    root = pytestconfig.rootpath
    libraries = sorted(root.glob("build/*/cpp/libramify_engine.a"), key=lambda path: path.stat().st_mtime)
    compiler = shutil.which("c++")
    if not libraries or compiler is None:
        pytest.skip("needs a C++ compiler and the engine that an installation from this folder leaves in build/")
    section = (root / "CONTRIBUTING.md").read_text().split("## Add a part kind")[1].split("\n## ")[0]
    kind, line = (textwrap.dedent(code) for code in re.findall(r"```cpp\n(.*?)\s*```", section, re.DOTALL))

    folder = tmp_path_factory.mktemp("kind")
    sources = root / "cpp" / "src" / "parsing" / "kinds"
    registry = (root / "cpp/include/ramify/parsing/kinds/registry.hpp").read_text()
    header = folder / "include/ramify/parsing/kinds/registry.hpp"
    header.parent.mkdir(parents=True)
    header.write_text(registry.replace("  KIND(kNonProj)", f"  KIND(kNonProj) {line.strip()}"))
    (folder / "twins.cpp").write_text(kind)
    sanitizers = _core.build_facts()["sanitizers"]
    flags = f"-std=c++20 -O1 -Wall -Wextra {f'-fsanitize={sanitizers}' if sanitizers else ''}"
    files = ["twins.cpp", sources / "registry.cpp", root / "tests/worked/part_kind/check.cpp", libraries[-1]]
    # The first folder has the longer list. The list that registry.cpp makes of it comes before the library's.
    command = [compiler, *shlex.split(flags), "-Iinclude", f"-I{root / 'cpp/include'}", *map(str, files)]
    subprocess.run([*command, "-pthread", "-o", "check"], cwd=folder, check=True)
    return folder / "check"


@pytest.mark.parametrize("names", ["twins", *KINDS.split(), KINDS, f"{KINDS} twins"])
def test_factors_carry_the_parts_of_all_trees(check, names):
    done = subprocess.run([str(check), *names.split()], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
