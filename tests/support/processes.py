"""What tests let another process do: it finds this module by name, which it would not be sure to do for a test."""

from __future__ import annotations

import subprocess
import sys


def words_and_heads(nlp, text):
    return [(token.form, token.deprel, token.head and token.head.i) for token in nlp(text)]


def printed_without(library, *lines):
    """Return what a program prints where a library is not installed."""
    program = "\n".join((f"import sys; sys.modules[{library!r}] = None", *lines))
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
