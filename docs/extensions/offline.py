"""Warn of pages that load something from the network: the documentation is read offline, too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_LOADED = re.compile(r'<(?:script|img|iframe|link rel="stylesheet")\s[^>]*?\b(?:src|href)="((?:https?:)?//[^"]*)"')


def loaded_from_network(html: str) -> list[str]:
    """Return the addresses of scripts, style sheets and pictures that a page would fetch."""
    return _LOADED.findall(html)


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    from sphinx.util.logging import getLogger

    def check(app: Any, error: Exception | None) -> None:
        pages = sorted(Path(app.outdir).rglob("*.html")) if error is None else []
        for page in pages:
            for address in loaded_from_network(page.read_text(encoding="utf-8")):
                getLogger(__name__).warning("%s loads %s from the network", page, address)

    app.connect("build-finished", check)
    return {"parallel_read_safe": True}
