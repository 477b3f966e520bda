"""Pretrained encoders against transformers itself, and the folders that are refused."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="encoders need PyTorch: pip install 'ramify[encoders]'")
transformers = pytest.importorskip("transformers", reason="encoders need it: pip install 'ramify[encoders]'")

from dataclasses import replace  # noqa: E402

from ramify.errors import InvalidInputError  # noqa: E402
from ramify.neural.encoder import FrozenEncoding, open_folder, open_state, state_of  # noqa: E402
from ramify.neural.options import Encoder  # noqa: E402
from support.encoders import VOCABULARY, change_config, make_encoder  # noqa: E402

SENTENCES = [["The", "cat"], ["Dogs", "and", "cats", "walked", "."], [], ["antelope"] * 12]


@pytest.fixture
def folder(tmp_path):
    return make_encoder(tmp_path)


def opened(folder, **options):
    return open_folder(Encoder(path=str(folder), **options))


def test_vectors_are_those_of_transformers(folder):
    found = opened(folder, layers=2)[0].vectors(SENTENCES[:2])
    body = transformers.BertModel.from_pretrained(folder).eval()
    pieces = ["[CLS]", "the", "c", "##a", "##t", "[SEP]"]
    with torch.no_grad():
        ids = torch.tensor([[VOCABULARY.index(piece) for piece in pieces]])
        states = body(ids, output_hidden_states=True).hidden_states
    expected = (states[-1] + states[-2])[0, [0, 1, 2]] / 2
    np.testing.assert_allclose(found[0], expected.numpy(), atol=1e-5)


def test_batches_and_windows_change_nothing(folder):
    pretrained, _ = opened(folder)
    together = pretrained.vectors(SENTENCES)
    assert [len(vectors) for vectors in together] == [3, 6, 1, 13]
    for forms, vectors in zip(SENTENCES, together, strict=True):
        np.testing.assert_allclose(vectors, pretrained.vectors([forms])[0], atol=1e-5)
    # The last sentence is longer than the encoder's positions; all words of a window's beginning are alike.
    np.testing.assert_allclose(together[3][1], together[3][5], atol=1e-5)
    batch = FrozenEncoding(pretrained).batch([v.astype(np.float16) for v in together], "cpu")
    assert batch.shape == (4, 13, 16)
    assert not batch[0, 3:].any()


def test_models_hold_what_was_fine_tuned(folder):
    pretrained, checksum = opened(folder)
    weights = {f"encoder.{n}": v.numpy() for n, v in pretrained.module.state_dict().items()}
    options = Encoder(path="gone", frozen=False)
    state = state_of(pretrained, checksum, weights)
    again = open_state(state, options)
    np.testing.assert_allclose(again.vectors(SENTENCES)[1], pretrained.vectors(SENTENCES)[1], atol=0.03)  # 16 bits
    with pytest.raises(InvalidInputError, match="do not fit"):
        open_state(replace(state, config=state.config.replace('"hidden_size": 16', '"hidden_size": 1000000')), options)


def test_frozen_encoders_must_be_the_same(folder):
    pretrained, checksum = opened(folder)
    state = state_of(pretrained, checksum, {})
    assert open_state(state, Encoder(path=str(folder))).width == 16
    change_config(folder, note="changed")
    with pytest.raises(InvalidInputError, match="another checksum"):
        open_state(state, Encoder(path=str(folder)))


def test_code_of_models_is_never_run(folder):
    (folder / "evil.py").write_text("raise SystemExit('this ran')\n", encoding="utf-8")
    change_config(folder, auto_map={"AutoConfig": "evil.Config", "AutoModel": "evil.Model"})
    assert opened(folder)[0].width == 16  # transformers' own BERT
    change_config(folder, model_type="evil")
    with pytest.raises(InvalidInputError, match="code of models is never run"):
        opened(folder)


def test_unfit_encoders_are_refused(folder):
    with pytest.raises(InvalidInputError, match=r"encoder\.layers expects at most 2 for this encoder; got 3"):
        opened(folder, layers=3)
    change_config(folder, num_hidden_layers=3)
    with pytest.raises(InvalidInputError, match=r"expects all weights of the encoder; 'encoder\.layer\.2"):
        opened(folder)
    (folder / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(InvalidInputError, match=r"encoder\.path expects"):
        opened(folder)
    (folder / "config.json").write_text('{"model_type": "t5"}', encoding="utf-8")
    with pytest.raises(InvalidInputError, match="has a decoder, too"):
        opened(folder)
