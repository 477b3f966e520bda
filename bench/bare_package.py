"""Import parts of ramify that need PyTorch and NumPy only, on machines where its C++ core is not compiled."""

from __future__ import annotations

import sys
import types
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "ramify"


def replace_package() -> None:
    """Replace the packages that import the core by empty ones with the same folders."""
    for name, folder in (("ramify", SOURCE), ("ramify.torch", SOURCE / "torch")):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
