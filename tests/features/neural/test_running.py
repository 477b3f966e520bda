"""Networks that the engine runs, against the same steps in NumPy and in PyTorch."""

from __future__ import annotations

import re

import numpy as np
import pytest

from oracles import networks
from ramify._core import neural
from ramify.errors import InvalidInputError
from ramify.neural.quantisation import quantise

pytestmark = pytest.mark.engine

SIZES = {
    "words": 10,
    "characters": 6,
    "spelled": 7,
    "tags": 5,
    "layers": 2,
    "hidden": 9,
    "arc": 11,
    "label": 6,
    "rank": 0,
    "predicts": False,
    "feeds": False,
}
NETWORKS = {
    "everything": {"rank": 3, "predicts": True, "feeds": True, "layers": 3, "hidden": 18},
    "words": {"characters": 0, "tags": 0, "layers": 1},
    "characters": {"words": 0, "tags": 0},
    "tags": {"words": 0, "characters": 0, "rank": 2},
    "side tags": {"tags": 0, "predicts": True},
    "one layer with tags": {"layers": 1, "predicts": True, "feeds": True, "tags": 0},
    "fed": {"predicts": True, "feeds": True, "spelled": 16, "hidden": 16, "arc": 16},
}
"""What they read and write, and sizes that fill vectors of a processor or do not."""
NUM_WORDS, NUM_CHARACTERS, NUM_TAGS, NUM_LABELS = 12, 9, (5, 7, 21), 19


def random_weights(changes, seed=0):
    """Weights of a network by name, large enough that every nonlinearity matters."""
    sizes = SIZES | changes
    random = np.random.default_rng(seed)
    weights = {}

    def add(name, *shape):
        weights[name] = random.normal(0, 1 / np.sqrt(shape[-1]), shape).astype(np.float32)

    def add_lstm(name, inputs, hidden):
        for suffix in ("", "_reverse"):
            add(f"{name}.weight_ih_l0{suffix}", 4 * hidden, inputs)
            add(f"{name}.weight_hh_l0{suffix}", 4 * hidden, hidden)
            add(f"{name}.bias_ih_l0{suffix}", 4 * hidden)
            add(f"{name}.bias_hh_l0{suffix}", 4 * hidden)

    inputs = sizes["words"] + sizes["tags"]
    if sizes["words"]:
        add("words.weight", NUM_WORDS, sizes["words"])
    if sizes["characters"]:
        add("characters.weight", NUM_CHARACTERS, sizes["characters"])
        add_lstm("spelling", sizes["characters"], sizes["spelled"])
        inputs += 2 * sizes["spelled"]
    if sizes["tags"]:
        for k, count in enumerate(NUM_TAGS):
            add(f"tags.{k}.weight", count, sizes["tags"])
    wide, fed = 2 * sizes["hidden"], 13
    feeds = sizes["feeds"]
    for i in range(sizes["layers"]):
        add_lstm(f"layers.{i}", inputs + (fed if feeds and 0 < i == sizes["layers"] - 1 else 0), sizes["hidden"])
        inputs = wide
    rows = 2 * (sizes["arc"] + sizes["label"]) + 5 * sizes["rank"]
    add("dense.weight", rows, wide)
    add("dense.bias", rows)
    add("arc", sizes["arc"] + 1, sizes["arc"])
    add("label", sizes["label"] + 1, NUM_LABELS, sizes["label"] + 1)
    if sizes["predicts"]:
        for k, count in enumerate(NUM_TAGS):
            add(f"tag_heads.{k}.weight", count, wide)
            add(f"tag_heads.{k}.bias", count)
            if feeds:
                add(f"fed.{k}.weight", fed, count)
    return weights


def random_sentences(lengths, seed=0):
    """A batch as `Network.run` takes it; spellings are shared by several words."""
    random = np.random.default_rng(seed)
    total, spellings = sum(lengths), [random.integers(0, NUM_CHARACTERS, k) for k in random.integers(1, 9, 15)]
    return {
        "lengths": np.array(lengths, np.int32),
        "words": random.integers(0, NUM_WORDS, total).astype(np.int32),
        "tags": np.array([random.integers(0, count, total) for count in NUM_TAGS], np.int32).reshape(3, -1),
        "forms": random.integers(0, len(spellings), total).astype(np.int32),
        "characters": np.concatenate(spellings).astype(np.int32),
        "spelling_lengths": np.array([len(spelling) for spelling in spellings], np.int32),
    }


def expected_outputs(weights, batch):
    """Outputs of the oracle, sentence by sentence."""
    spellings = np.split(batch["characters"], np.cumsum(batch["spelling_lengths"])[:-1])
    outputs, begin = [], 0
    for length in batch["lengths"]:
        own = slice(begin, begin + length)
        spelled = [spellings[form] for form in batch["forms"][own]]
        outputs.append(networks.run(weights, batch["words"][own], batch["tags"][:, own], spelled))
        begin += length
    return outputs


def all_labels(network, output):
    """Scores of all labels of all pairs of tokens, as an array [head, modifier, label]."""
    t = output.num_tokens
    heads, modifiers = (x.ravel().astype(np.int32) for x in np.meshgrid(range(t), range(t), indexing="ij"))
    return network.label_scores(output, heads, modifiers).reshape(t, t, -1)


def arrays_of(network, output):
    """Everything that a network says of a sentence."""
    found = {"arcs": output.arcs, "labels": all_labels(network, output)}
    for name in ("label_heads", "label_modifiers"):
        found[name] = getattr(output, name)
    for name in ("siblings", "grandparents", "tags"):
        found |= {f"{name} {i}": array for i, array in enumerate(getattr(output, name) or ())}
    return found


def flat(expected):
    """The oracle's outputs by the same names."""
    found = {name: expected[name] for name in ("arcs", "labels", "label_heads", "label_modifiers")}
    for name in ("siblings", "grandparents", "tags"):
        found |= {f"{name} {i}": array for i, array in enumerate(expected[name] or ())}
    return found


def largest_difference(network, outputs, expected):
    """Over all arrays, relative to the spread of each."""
    largest = 0.0
    for output, wanted in zip(outputs, map(flat, expected), strict=True):
        got = arrays_of(network, output)
        assert got.keys() == wanted.keys()
        for name, array in got.items():
            assert array.shape == wanted[name].shape
            largest = max(largest, np.abs(array - wanted[name]).max() / max(1.0, np.abs(wanted[name]).max()))
    return largest


@pytest.fixture
def use_instructions():
    """Let a test choose instructions, and restore the fastest ones."""
    yield neural.use_instructions
    neural.use_instructions(neural.available_instructions()[0])


@pytest.mark.parametrize("name", NETWORKS)
def test_floats_agree_with_numpy(name):
    weights = random_weights(NETWORKS[name])
    batch = random_sentences([4, 1, 9, 2])
    network = neural.Network(weights)
    assert largest_difference(network, network.run(**batch, num_threads=1), expected_outputs(weights, batch)) < 1e-5


@pytest.mark.parametrize("name", NETWORKS)
def test_bytes_stay_near_their_own_values(name):
    # The oracle has the same rounded weights, so that only the rounding of what flows through the network differs.
    arrays = quantise(random_weights(NETWORKS[name]))
    rounded = {
        key.removesuffix(".q"): value * arrays[f"{key.removesuffix('.q')}.scale"] if key.endswith(".q") else value
        for key, value in arrays.items()
        if not key.endswith(".scale")
    }
    batch = random_sentences([4, 1, 9, 2])
    network = neural.Network(arrays)
    difference = largest_difference(network, network.run(**batch, num_threads=1), expected_outputs(rounded, batch))
    assert 0 < difference < 0.05


def bits(network, outputs):
    return [{name: array.tobytes() for name, array in arrays_of(network, output).items()} for output in outputs]


@pytest.mark.parametrize("prepare", [dict, quantise], ids=["floats", "bytes"])
def test_batches_and_threads_change_no_bit(prepare):
    network = neural.Network(prepare(random_weights(NETWORKS["everything"])))
    lengths = [3, 30, 1, 7, 7, 300, 2, *range(1, 30)]
    batch = random_sentences(lengths)
    together = bits(network, network.run(**batch, num_threads=1))
    assert bits(network, network.run(**batch, num_threads=3)) == together
    ends = np.cumsum(lengths)
    for i, (end, length) in enumerate(zip(ends, lengths, strict=True)):
        own = slice(end - length, end)
        alone = batch | {
            "lengths": np.array([length], np.int32),
            "words": batch["words"][own],
            "tags": np.ascontiguousarray(batch["tags"][:, own]),
            "forms": batch["forms"][own],
        }
        assert bits(network, network.run(**alone, num_threads=1)) == [together[i]]


def test_all_instructions_give_the_same_bits(use_instructions):
    # 1100 columns: more than floats can add exactly, which the portable way must know.
    changes = NETWORKS["everything"] | {"hidden": 550, "layers": 1, "feeds": False}
    network = neural.Network(quantise(random_weights(changes)))
    batch = random_sentences([5, 1, 17, 8])
    found = []
    for name in neural.available_instructions():
        use_instructions(name)
        found.append(bits(network, network.run(**batch, num_threads=1)))
    assert neural.available_instructions()[-1] == "portable"
    assert all(other == found[0] for other in found)


def test_saturated_weights_are_exact():
    # The largest products that there are: their sums in pairs exceed 16 bits.
    weights = random_weights(NETWORKS["words"])
    weights = {name: np.where(array < 0, -3.0, 3.0).astype(np.float32) for name, array in weights.items()}
    network = neural.Network(quantise(weights))
    batch = random_sentences([6, 3])
    assert largest_difference(network, network.run(**batch, num_threads=1), expected_outputs(weights, batch)) < 0.02


@pytest.mark.parametrize("name", NETWORKS)
def test_floats_agree_with_pytorch(name):
    torch = pytest.importorskip("torch", reason="PyTorch trains networks: pip install 'ramify[neural]'")
    from ramify.neural.network import Batch, Scorer, weights_of
    from ramify.neural.options import Network
    from ramify.neural.vocabulary import Vocabulary

    sizes = SIZES | NETWORKS[name]
    options = Network(
        word_size=sizes["words"],
        character_size=sizes["characters"],
        character_hidden=sizes["spelled"],
        tag_size=sizes["tags"],
        layers=sizes["layers"],
        hidden=sizes["hidden"],
        arc_size=sizes["arc"],
        label_size=sizes["label"],
        rank=sizes["rank"],
        predict_tags=sizes["predicts"],
        feed_tags=sizes["feeds"],
    )
    names = [tuple(map(str, range(k))) for k in (NUM_WORDS, NUM_CHARACTERS, *NUM_TAGS, NUM_LABELS)]
    torch.manual_seed(0)
    scorer = Scorer(options, Vocabulary(*names)).eval()
    batch = random_sentences([4, 1, 9, 2])
    network = neural.Network(weights_of(scorer))
    outputs = network.run(**batch, num_threads=1)

    longest, ends = max(batch["lengths"]), np.cumsum(batch["lengths"])[:-1]

    def padded(rows):
        return torch.tensor(np.array([np.pad(row, (0, longest - len(row))) for row in rows]), dtype=torch.int64)

    spellings = np.split(batch["characters"], np.cumsum(batch["spelling_lengths"])[:-1])
    widest = max(map(len, spellings))
    nothing = torch.zeros((4, longest), dtype=torch.int64)
    with torch.no_grad():
        scores = scorer(
            Batch(
                torch.tensor(batch["lengths"], dtype=torch.int64),
                padded(np.split(batch["words"], ends)),
                torch.stack([padded(np.split(tags, ends)) for tags in batch["tags"]]),
                padded(np.split(batch["forms"], ends)),
                torch.tensor(np.array([np.pad(s, (0, widest - len(s))) for s in spellings]), dtype=torch.int64),
                torch.tensor(batch["spelling_lengths"], dtype=torch.int64),
                nothing,
                nothing,
            )
        )
        heads = torch.zeros((4, longest), dtype=torch.int64)
        labels = scorer.label_scores(scores, heads)
    for i, output in enumerate(outputs):
        t = output.num_tokens
        got = arrays_of(network, output)
        np.testing.assert_allclose(got["arcs"], scores.arcs[i, :t, :t], atol=1e-5)
        np.testing.assert_allclose(got["labels"][0], labels[i, :t], atol=1e-5)
        for kind in ("siblings", "grandparents", "tags"):
            for k, wanted in enumerate(getattr(scores, kind) or ()):
                np.testing.assert_allclose(got[f"{kind} {k}"], wanted[i, :t], atol=1e-5)


def test_what_a_network_says_of_itself():
    network = neural.Network(quantise(random_weights(NETWORKS["everything"])))
    assert network.quantised
    assert network.reads_tags
    assert network.predicts_tags
    assert (network.num_words, network.num_characters, network.num_labels) == (NUM_WORDS, NUM_CHARACTERS, NUM_LABELS)
    assert (tuple(network.num_tags), network.rank) == (NUM_TAGS, 3)
    small = neural.Network(random_weights(NETWORKS["words"]))
    assert (small.quantised, small.reads_tags, small.predicts_tags, small.rank) == (False, False, False, 0)


def test_outputs_keep_their_numbers_alive():
    weights = random_weights(NETWORKS["words"])
    arcs = neural.Network(weights).run(**random_sentences([4]), num_threads=1)[0].arcs
    np.testing.assert_allclose(arcs, expected_outputs(weights, random_sentences([4]))[0]["arcs"], atol=1e-5)


def test_no_sentences_have_no_outputs():
    network = neural.Network(random_weights(NETWORKS["everything"]))
    assert network.run(**random_sentences([]), num_threads=2) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w.pop("arc"), "expects the weights arc"),
        (lambda w: w.pop("layers.0.weight_hh_l0"), "layers.0.weight_hh_l0"),
        (lambda w: w.pop("dense.bias"), "dense.bias"),
        (lambda w: w.update({"dense.bias": w["dense.bias"][1:]}), "dense.bias expects shape (49); got (48)"),
        (lambda w: w.update({k: w[k][1:] for k in ("dense.weight", "dense.bias")}), "dense.weight expects 34 rows"),
        (lambda w: w.update({"words.weight": w["words.weight"][:, :-1]}), "contiguous"),
        (lambda w: w.update({"words.weight": w["words.weight"][:, 0].copy()}), "words.weight expects a matrix"),
        (lambda w: w.update({"tags.1.weight": w["tags.1.weight"][:, 1:].copy()}), "tags of one size"),
        (lambda w: w.update({"label": w["label"][0].copy()}), "label expects three axes"),
        (lambda w: w.update({"arc": np.float32("nan") * w["arc"]}), "arc expects finite numbers"),
        (lambda w: w.update({"arc": "no array"}), "arc expects a contiguous array"),
        (lambda w: w.update(quantise({"arc": w.pop("arc")})), "all matrices as bytes or none; got 1 of"),
        (lambda w: w.update({"arc.scale": quantise(w)["arc.scale"][:, 1:].copy()}), "arc expects bytes, and a scale"),
        (lambda w: w.update({"hidden.scale": w["dense.bias"]}), "hidden expects bytes, and a scale"),
    ],
)
def test_wrong_weights_are_refused(change, message):
    weights = random_weights(NETWORKS["everything"])
    change(weights)
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        neural.Network(weights)


@pytest.mark.parametrize("name", ["words", "forms", "characters", "tags"])
@pytest.mark.parametrize("wrong", [-1, 1000])
def test_numbers_out_of_range_are_refused(name, wrong):
    network = neural.Network(random_weights(NETWORKS["everything"]))
    batch = random_sentences([4, 2])
    batch[name].flat[0] = wrong
    with pytest.raises(InvalidInputError, match=rf"{name} expects numbers from 0 to .* got {wrong}"):
        network.run(**batch, num_threads=1)


def test_numbers_of_another_count_are_refused():
    network = neural.Network(random_weights(NETWORKS["everything"]))
    batch = random_sentences([4, 2])
    with pytest.raises(InvalidInputError, match="words expects 6 numbers; got 5"):
        network.run(**batch | {"words": batch["words"][1:]}, num_threads=1)
    with pytest.raises(InvalidInputError, match="lengths expects numbers above 0"):
        network.run(**batch | {"lengths": np.array([6, 0], np.int32)}, num_threads=1)
    with pytest.raises(InvalidInputError, match="num_threads expects"):
        network.run(**batch, num_threads=0)
    output = network.run(**batch, num_threads=1)[1]
    with pytest.raises(InvalidInputError, match="heads expects numbers from 0 to"):
        network.label_scores(output, np.array([2], np.int32), np.array([1], np.int32))
    with pytest.raises(InvalidInputError, match="modifiers expects 2 numbers; got 1"):
        network.label_scores(output, np.array([0, 1], np.int32), np.array([1], np.int32))


def test_unknown_instructions_are_refused():
    with pytest.raises(InvalidInputError, match="has no instructions abacus"):
        neural.use_instructions("abacus")
