"""Sphinx configuration."""

import sys
from importlib.metadata import version as package_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "ramify"
copyright = "the ramify authors; Apache-2.0"
version = release = package_version("ramify")
extensions = [
    "command_reference",
    "myst_parser",
    "offline",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx-mathjax-offline",  # MathJax among our own files: formulas show without a network
    "sphinx_design",
    "typed_fields",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "ramify"
html_static_path = ["static"]
html_css_files = ["width.css"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
autodoc_typehints = "signature"
autodoc_mock_imports = ["spacy", "torch"]  # the documentation is built without them
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
python_maximum_signature_line_length = 100
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
# Names such as Problem mean different classes in different modules; annotations do not say which.
suppress_warnings = ["ref.python"]
