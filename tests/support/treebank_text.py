"""Short ways to write CoNLL-U in tests."""

from __future__ import annotations


def conllu(*sentences: str) -> str:
    """Make CoNLL-U of lines like ``"the/DET/det/2 dog/NOUN/nsubj/3 barks/VERB/root/0"``.

    A word may end in ``/LEMMA/FEATS``; a multiword token is written before its words as ``don't=2``.
    """
    blocks = []
    for sentence in sentences:
        lines, number = [], 0
        for item in sentence.split():
            form, _, width = item.partition("=")
            if "/" not in form and width:
                lines.append(f"{number + 1}-{number + int(width)}\t{form}" + "\t_" * 8)
                continue
            number += 1
            fields = item.split("/")
            form, upos, deprel, head = fields[:4]
            lemma, feats = [*fields[4:], "_", "_"][:2]
            lines.append(f"{number}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{deprel}\t_\t_")
        blocks.append("\n".join(lines) + "\n\n")
    return "".join(blocks)
