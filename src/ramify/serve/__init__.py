"""ramify over HTTP: a REST service for models, and a page on which people annotate treebanks.

Nothing else in the package imports this one. It needs the extra ``serve``.
"""

from ramify.serve.options import ServeOptions

__all__ = ["ServeOptions"]
