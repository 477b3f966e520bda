"""What tests let another process do: it finds this module by name, which it would not be sure to do for a test."""

from __future__ import annotations


def words_and_heads(nlp, text):
    return [(token.form, token.deprel, token.head and token.head.i) for token in nlp(text)]
