"""Draw the pictures of README and of the documentation that show trees or layers: ``python docs/images/draw.py``.

A test compares the files with what ramify draws. Run this after a change of the drawings or of the English model.
"""

from __future__ import annotations

import sys
from pathlib import Path

import ramify

sys.path.insert(0, str(Path(__file__).parent))
from layers import layers

_TELESCOPE = "I saw the man with the telescope."
_RIVER = "The people who live near the river saw a man with a telescope, but nobody believed them."


def pictures() -> dict[str, str]:
    """Return the pictures by the names of their files."""
    nlp = ramify.load("en")
    telescope, river = (nlp(text).sentences[0] for text in (_TELESCOPE, _RIVER))
    return {
        "architecture.svg": layers(),
        "readme.svg": river.svg(alternatives=0.2, width=1100),
        "telescope.svg": telescope.svg(),
        "telescope_alternatives.svg": telescope.svg(probabilities=True, alternatives=0.1),
    }


if __name__ == "__main__":
    for name, picture in pictures().items():
        (Path(__file__).parent / name).write_text(picture, encoding="utf-8")
