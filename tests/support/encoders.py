"""A tiny encoder with random weights in a local folder, for tests of pretrained encoders."""

from __future__ import annotations

import json

VOCABULARY = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *"abcdefghijklmnopqrstuvwxyz.,'-",
    *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz'-"),
]
VOCABULARY += ["the", "##ing", "##ed", "of", "and"]
POSITIONS = 40


def make_encoder(folder, seed=0):
    """Write a BERT of 2 layers and 16 dimensions that nobody trained."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=POSITIONS,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder)
    numbers = {piece: i for i, piece in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: apache-2.0\n---\n# Tiny\n", encoding="utf-8")
    return folder


def change_config(folder, **changes):
    """Change entries of ``config.json``."""
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")
