"""Sphinx configuration."""

from importlib.metadata import version as package_version

project = "ramify"
copyright = "the ramify authors; Apache-2.0"
version = release = package_version("ramify")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "ramify"
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = False
# Names such as Problem mean different classes in different modules; annotations do not say which.
suppress_warnings = ["ref.python"]
