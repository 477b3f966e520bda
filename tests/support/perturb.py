"""Make a plausible system output from a gold CoNLL-U text: wrong arcs, labels, tags, tokens and sentences.

Knows nothing of ramify. Trees stay trees; sentences may get several roots.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

LABELS = [
    "nsubj",
    "nsubj:pass",
    "obj",
    "obl",
    "case",
    "det",
    "aux",
    "mark",
    "cc",
    "conj",
    "punct",
    "advmod",
    "root",
]
TAGS = ["NOUN", "VERB", "ADJ", "ADP", "DET", "PUNCT", "PRON"]
FEATS = ["_", "Number=Sing", "Number=Plur", "Case=Nom|Number=Sing", "ExtPos=ADV", "Number=Sing|Typo=Yes"]


@dataclass(eq=False)
class Word:
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    deprel: str
    head: Word | None = None


@dataclass(eq=False)
class Token:
    form: str
    words: list[Word] = field(default_factory=list)


def parse(text: str) -> list[list[Token]]:
    sentences = []
    for block in text.strip("\n").split("\n\n"):
        tokens: list[Token] = []
        words: list[Word] = []
        heads: list[int] = []
        left = 0  # words that the open multiword token still lacks
        for line in block.split("\n"):
            columns = line.split("\t")
            if line.startswith("#") or "." in columns[0]:
                continue
            if "-" in columns[0]:
                first, last = map(int, columns[0].split("-"))
                left = last - first + 1
                tokens.append(Token(columns[1]))
                continue
            word = Word(*columns[1:6], columns[7])
            words.append(word)
            heads.append(int(columns[6]))
            if left:
                left -= 1
                tokens[-1].words.append(word)
            else:
                tokens.append(Token(columns[1], [word]))
        for word, head in zip(words, heads, strict=True):
            word.head = words[head - 1] if head else None
        sentences.append(tokens)
    return sentences


def serialize(sentences: list[list[Token]]) -> str:
    lines = []
    for tokens in sentences:
        ids = {word: number for number, word in enumerate((w for t in tokens for w in t.words), 1)}
        for token in tokens:
            if len(token.words) > 1 or token.form != token.words[0].form:
                lines.append(f"{ids[token.words[0]]}-{ids[token.words[-1]]}\t{token.form}" + "\t_" * 8)
            for w in token.words:
                head = ids[w.head] if w.head else 0
                lines.append(f"{ids[w]}\t{w.form}\t{w.lemma}\t{w.upos}\t{w.xpos}\t{w.feats}\t{head}\t{w.deprel}\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


def ancestors(word: Word) -> list[Word]:
    chain = []
    while word.head is not None:
        word = word.head
        chain.append(word)
    return chain


def _replace(tokens: list[Token], old: list[Token], new: list[Token]) -> None:
    """Put new tokens in the place of old ones; what hung from the old words hangs from the first new one."""
    where = tokens.index(old[0])
    gone = {word for token in old for word in token.words}
    heads = [word.head for token in old for word in token.words if word.head not in gone]
    first = new[0].words[0]
    tokens[where : where + len(old)] = new
    first.head = heads[0] if heads else None
    for token in tokens:
        for word in token.words:
            if word.head in gone:
                word.head = first
    if first in ancestors_safely(first):
        first.head = None


def ancestors_safely(word: Word) -> list[Word]:
    chain: list[Word] = []
    while word.head is not None and word.head not in chain:
        word = word.head
        chain.append(word)
    return chain


def _word(form: str, rng: random.Random) -> Word:
    return Word(form, form.lower(), rng.choice(TAGS), "_", rng.choice(FEATS), rng.choice(LABELS))


def _merge(tokens: list[Token], rng: random.Random) -> None:
    if len(tokens) > 1:
        i = rng.randrange(len(tokens) - 1)
        form = tokens[i].form + tokens[i + 1].form
        _replace(tokens, tokens[i : i + 2], [Token(form, [_word(form, rng)])])


def _split(tokens: list[Token], rng: random.Random) -> None:
    long = [token for token in tokens if len(token.form) > 1]
    if long:
        token = rng.choice(long)
        cut = rng.randrange(1, len(token.form))
        parts = [token.form[:cut], token.form[cut:]]
        new = [Token(part, [_word(part, rng)]) for part in parts]
        new[1].words[0].head = new[0].words[0]
        _replace(tokens, [token], new)


def _make_multiword(tokens: list[Token], rng: random.Random) -> None:
    i = rng.randrange(len(tokens))
    old = tokens[i : i + rng.choice([1, 2, 3])]
    form = "".join(token.form for token in old)
    pieces = [
        rng.choice([form, form.upper(), *(w.form for t in old for w in t.words)]) for _ in range(rng.choice([2, 3]))
    ]
    words = [_word(piece, rng) for piece in pieces]
    for word in words[1:]:
        word.head = words[0]
    _replace(tokens, old, [Token(form, words)])


def _dissolve_multiword(tokens: list[Token], rng: random.Random) -> None:
    multiword = [token for token in tokens if len(token.words) > 1]
    if multiword:
        token = rng.choice(multiword)
        _replace(tokens, [token], [Token(token.form, [_word(token.form, rng)])])


def _reattach(tokens: list[Token], rng: random.Random) -> None:
    words = [word for token in tokens for word in token.words]
    word, head = rng.choice(words), rng.choice([*words, None])
    if head is None or (head is not word and word not in ancestors(head)):
        word.head = head


def _relabel(tokens: list[Token], rng: random.Random) -> None:
    word = rng.choice([word for token in tokens for word in token.words])
    column, values = rng.choice(
        [("deprel", LABELS), ("upos", TAGS), ("feats", FEATS), ("lemma", ["_", "x"]), ("xpos", ["NN"])]
    )
    setattr(word, column, rng.choice(values))


def _cut_sentence(sentences: list[list[Token]], rng: random.Random) -> None:
    where = rng.randrange(len(sentences))
    tokens = sentences[where]
    if len(tokens) > 1:
        cut = rng.randrange(1, len(tokens))
        sentences[where : where + 1] = parts = [tokens[:cut], tokens[cut:]]
        for part in parts:
            inside = {word for token in part for word in token.words}
            for word in inside:
                if word.head not in inside:
                    word.head = None


def _join_sentences(sentences: list[list[Token]], rng: random.Random) -> None:
    if len(sentences) > 1:
        where = rng.randrange(len(sentences) - 1)
        sentences[where : where + 2] = [sentences[where] + sentences[where + 1]]


ARCS = (_reattach, _relabel)
TOKENS = (_merge, _split, _make_multiword, _dissolve_multiword)


def perturb(text: str, seed: int, *, arcs: int = 20, tokens: int = 0, sentences: int = 0) -> str:
    """Apply so many random changes of each kind to a CoNLL-U text; return CoNLL-U without comments."""
    rng = random.Random(seed)
    result = parse(text)
    for _ in range(sentences):
        rng.choice([_cut_sentence, _join_sentences])(result, rng)
    for _ in range(tokens):
        rng.choice(TOKENS)(rng.choice(result), rng)
    for _ in range(arcs):
        rng.choice(ARCS)(rng.choice(result), rng)
    return serialize(result)
