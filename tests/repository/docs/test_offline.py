"""What a page would load from the network is noticed; links that a reader may follow are not."""

from __future__ import annotations

import importlib

import pytest


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<script async="async" src="https://cdn.example/mathjax.js"></script>', ["https://cdn.example/mathjax.js"]),
        ('<link rel="stylesheet" type="text/css" href="//fonts.example/a.css" />', ["//fonts.example/a.css"]),
        ('<img alt="" src="http://example.org/a.png">', ["http://example.org/a.png"]),
        ('<script src="_static/mathjax/tex-chtml.js"></script>', []),
        ('<a class="reference external" href="https://universaldependencies.org">UD</a>', []),
    ],
)
def test_addresses(html, found):
    assert importlib.import_module("offline").loaded_from_network(html) == found
