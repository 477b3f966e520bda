"""The picture of the layers in docs/architecture.md, drawn from one table; ``draw.py`` writes it."""

from __future__ import annotations

from itertools import count

# Label, colour, and the boxes of each row; a star marks what has a C++ side.
_ROWS = (
    ("front", "front", "cli", "serve", "viz", "distributed"),
    ("experiments", "front", "reproduce"),
    ("annotation", "front", "annotation"),
    ("pipeline", "task", "pipeline"),
    ("summaries", "task", "summarization"),
    ("tasks", "task", "parsing*", "tagging*", "segmentation*", "compression"),
    ("networks", "task", "neural*"),
    ("layers", "task", "torch"),
    ("learning", "task", "learn*"),
    ("sentences", "task", "evaluation", "search", "validation", "data*"),
    ("inference", "engine", "inference*"),
    ("graph", "engine", "graph*", "logic", "graph_files"),
    ("factors", "engine", "factors*"),
    ("trees", "engine", "trees*"),
    ("base", "base", "errors, arrays, files", "numeric*"),
)
_LEFT, _RIGHT, _TOP, _STEP, _HEIGHT, _GAP = 140, 704, 16, 42, 34, 8
_STYLE = """
.paper{fill:#ffffff}.label{fill:#5b6570;font-size:13px}.name{fill:#1b1f24;font-size:14px}.note{fill:#5b6570;font-size:12px}
rect{stroke-width:1}.cpp{stroke-width:3}
.front{fill:#f3eefb;stroke:#7a5ea8}.task{fill:#e9f1fa;stroke:#2f5d8a}
.engine{fill:#e9f6ee;stroke:#2e7d4f}.base{fill:#f1f2f4;stroke:#6b7580}
.arrow{stroke:#5b6570;stroke-width:1.5;fill:none}.tip{fill:#5b6570}
@media (prefers-color-scheme:dark){.paper{fill:#15181c}.label,.note{fill:#a5afba}.name{fill:#e9edf1}
.front{fill:#2b2338;stroke:#b39ddb}.task{fill:#1b2a3a;stroke:#8fbbe6}
.engine{fill:#183025;stroke:#7fd69a}.base{fill:#24282d;stroke:#8d97a2}
.arrow{stroke:#a5afba}.tip{fill:#a5afba}}
"""
_FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', 'DejaVu Sans', sans-serif"


def layers() -> str:
    """Return the picture as SVG: each layer uses only layers below it."""
    bottom = _TOP + _STEP * len(_ROWS)
    height = bottom + 44
    text = "; ".join(f"{label}: {', '.join(names)}" for label, _, *names in _ROWS).replace("*", "")
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="720" height="{height}" viewBox="0 0 720 {height}">',
        f"<title>The layers of ramify</title><desc>Each layer uses only layers below it. From top to bottom: {text}."
        f"</desc><style>{_STYLE}</style>",
        f'<rect class="paper" width="720" height="{height}" stroke="none" style="stroke-width:0"/>',
        f'<g font-family="{_FONT}">',
        f'<path class="arrow" d="M14 {_TOP + 4}V{bottom - 8}"/><path class="tip" d="M14 {bottom}l-4 -9h8z"/>',
    ]
    for y, (label, colour, *names) in zip(count(_TOP, _STEP), _ROWS, strict=False):
        lines += [f'<text class="label" x="26" y="{y + 22}">{label}</text>', *_boxes(y, colour, names)]
    lines += [
        f'<rect class="engine cpp" x="140" y="{bottom + 10}" width="26" height="16" rx="4"/>'
        f'<text class="note" x="174" y="{bottom + 23}">Python and C++ (numeric: only C++)</text>',
        f'<rect class="engine" x="470" y="{bottom + 10}" width="26" height="16" rx="4"/>'
        f'<text class="note" x="504" y="{bottom + 23}">only Python</text>',
        "</g></svg>\n",
    ]
    return "\n".join(lines)


def _boxes(y: int, colour: str, names: list[str]) -> list[str]:
    width = (_RIGHT - _LEFT - _GAP * (len(names) - 1)) / len(names)
    lines = []
    for i, name in enumerate(names):
        x = _LEFT + i * (width + _GAP)
        both = " cpp" if name.endswith("*") else ""
        lines += [
            f'<rect class="{colour}{both}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_HEIGHT}" rx="6"/>',
            f'<text class="name" x="{x + width / 2:.1f}" y="{y + 22}" text-anchor="middle">{name.rstrip("*")}</text>',
        ]
    return lines
