"""The network in PyTorch against plain formulas."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="networks are trained with PyTorch: pip install 'ramify[neural]'")

from ramify.neural.batches import Corpus  # noqa: E402
from ramify.neural.files import shapes_of  # noqa: E402
from ramify.neural.fitting import masked_arcs  # noqa: E402
from ramify.neural.network import Scorer, Scores, mean_field, weights_of  # noqa: E402
from ramify.neural.options import Network  # noqa: E402
from ramify.neural.vocabulary import Example, Vocabulary  # noqa: E402

SIZES = {"hidden": 6, "arc_size": 5, "label_size": 4, "word_size": 3, "character_size": 2, "character_hidden": 2}
EXAMPLES = [
    Example(("I", "like", "it"), ("PRON", "VERB", "PRON"), ("_",) * 3, ("_",) * 3, (2, 0, 2), ("nsubj", "root", "obj")),
    Example(("Go",), ("VERB",), ("_",), ("_",), (0,), ("root",)),
]
NAMES = Vocabulary.collect(EXAMPLES)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"layers": 3, "rank": 4, "predict_tags": True, "feed_tags": True, "tag_size": 0},
        {"layers": 1, "predict_tags": True, "feed_tags": True, "word_size": 0},
        {"character_size": 0},
    ],
)
def test_shapes_are_those_of_files(more):
    options = Network(**SIZES | more)
    found = {name: array.shape for name, array in weights_of(Scorer(options, NAMES)).items()}
    assert found == shapes_of(options, NAMES)


def test_mean_field_adds_expected_parts():
    rng = torch.Generator().manual_seed(1)
    t, rank = 5, 3
    arcs = torch.randn(1, t, t, generator=rng)
    arcs.diagonal(dim1=1, dim2=2).fill_(-torch.inf)
    head, modifier, grand, middle, low = (torch.randn(1, t, rank, generator=rng) for _ in range(5))
    found = mean_field(
        Scores(arcs, None, None, (head, modifier, modifier), (grand, middle, low), None), 2, torch.tensor([t])
    )

    def product(*vectors):
        return sum(float(np.prod([float(v[i]) for v in vectors])) for i in range(rank)) * rank**-0.5

    expected = arcs[0].clone()
    for _ in range(2):
        q = expected.softmax(0)
        q[:, 0] = 0  # the root has no head
        more = torch.zeros(t, t)
        for h in range(t):
            for m in range(t):
                if h == m:
                    continue
                for s in range(t):
                    if s != m:
                        more[h, m] += q[h, s] * product(head[0, h], modifier[0, m], modifier[0, s])
                    if s != m and s != h:
                        more[h, m] += q[s, h] * product(grand[0, s], middle[0, h], low[0, m])
                    if s != h and s != m:
                        more[h, m] += q[m, s] * product(grand[0, h], middle[0, m], low[0, s])
        expected = arcs[0] + more
    legal = torch.isfinite(arcs[0])
    torch.testing.assert_close(found[0][legal], expected[legal], rtol=1e-4, atol=1e-5)


def test_labels_are_biaffine():
    options = Network(**SIZES)
    model = Scorer(options, NAMES).eval()
    batch = Corpus(EXAMPLES, NAMES).batch([0, 1])
    scores = model(batch)
    found = model.label_scores(scores, batch.heads)
    h, m = (np.append(v[0, i].detach().numpy(), 1.0) for v, i in ((scores.label_heads, 2), (scores.label_modifiers, 1)))
    expected = np.einsum("i,ilj,j->l", h, model.label.detach().numpy(), m)
    np.testing.assert_allclose(found[0, 1].detach().numpy(), expected, rtol=1e-4, atol=1e-6)


def test_padding_changes_nothing():
    model = Scorer(Network(**SIZES, rank=3), NAMES).eval()
    corpus = Corpus(EXAMPLES, NAMES)
    batches = corpus.batch([1]), corpus.batch([0, 1])
    with torch.no_grad():
        alone, together = (masked_arcs(model(batch), batch.lengths) for batch in batches)
        fields = [mean_field(s, 3, batch.lengths) for s, batch in zip((alone, together), batches, strict=True)]
    torch.testing.assert_close(fields[0][0], fields[1][1, :2, :2])
    torch.testing.assert_close(alone.arcs[0], together.arcs[1, :2, :2])
    torch.testing.assert_close(alone.label_heads[0], together.label_heads[1, :2])
