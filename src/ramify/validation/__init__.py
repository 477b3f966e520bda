"""Check treebanks against the rules of Universal Dependencies that hold for all languages.

`validate` checks a whole file, `Validator` one sentence after the other, for example while somebody edits it. The
levels and the names of the checks are those of the official validator, so that its documentation explains them, too.
"""

from ramify.validation.finding import Finding
from ramify.validation.validator import LEVELS, Validator, validate

__all__ = ["LEVELS", "Finding", "Validator", "validate"]
