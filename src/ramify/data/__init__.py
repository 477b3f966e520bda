"""Treebanks, label sequences and documents: readers, writers and conversions."""

from ramify.data.conversion import (
    from_conllu,
    from_head_array,
    from_lists,
    from_spacy,
    to_conllu,
    to_head_array,
    to_lists,
    to_spacy,
)
from ramify.data.documents import Document, read_documents, write_documents
from ramify.data.frames import to_arrow, to_frame
from ramify.data.labels import LabelScheme, Span, convert_labels, encode_spans, find_spans
from ramify.data.sentence import EmptyNode, MultiwordToken, Sentence, Token
from ramify.data.sequences import LabelSequence, read_sequences, write_sequences
from ramify.data.tokenized import read_tokenized
from ramify.data.treebanks import Problem, read, write

__all__ = [
    "Document",
    "EmptyNode",
    "LabelScheme",
    "LabelSequence",
    "MultiwordToken",
    "Problem",
    "Sentence",
    "Span",
    "Token",
    "convert_labels",
    "encode_spans",
    "find_spans",
    "from_conllu",
    "from_head_array",
    "from_lists",
    "from_spacy",
    "read",
    "read_documents",
    "read_sequences",
    "read_tokenized",
    "to_arrow",
    "to_conllu",
    "to_frame",
    "to_head_array",
    "to_lists",
    "to_spacy",
    "write",
    "write_documents",
    "write_sequences",
]
