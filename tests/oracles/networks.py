"""A network's outputs for one sentence, step by step in NumPy with 64 bits."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def lstm(x, weights, name, suffix):
    """States of one direction: x has a row for each step, in the direction's order."""
    w_ih, w_hh, b_ih, b_hh = (
        weights[f"{name}.{kind}_l0{suffix}"] for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    h = c = np.zeros(w_hh.shape[1])
    states = []
    for row in x:
        i, f, g, o = np.split(w_ih @ row + b_ih + w_hh @ h + b_hh, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states)


def bilstm(x, weights, name):
    return np.hstack((lstm(x, weights, name, ""), lstm(x[::-1], weights, name, "_reverse")[::-1]))


def dense(x, weights, name):
    return x @ weights[f"{name}.weight"].T + weights.get(f"{name}.bias", 0.0)


def with_one(x):
    return np.hstack((x, np.ones((len(x), 1))))


def run(weights, words, tags, spellings):
    """Return the outputs by name; `tags` are three lists, `spellings` the characters of every token."""
    weights = {name: np.asarray(array, float) for name, array in weights.items()}
    parts = []
    if "words.weight" in weights:
        parts.append(weights["words.weight"][words])
    if "characters.weight" in weights:
        vectors = []
        for characters in spellings:
            states = bilstm(weights["characters.weight"][characters], weights, "spelling")
            half = states.shape[1] // 2
            vectors.append(np.concatenate((states[-1, :half], states[0, half:])))
        parts.append(np.array(vectors))
    if "tags.0.weight" in weights:
        parts.append(sum(weights[f"tags.{k}.weight"][tags[k]] for k in range(3)))
    x = np.hstack(parts)
    layers = sum(name.startswith("layers.") and name.endswith("weight_hh_l0") for name in weights)
    out = {"tags": None}
    for i in range(layers):
        x = bilstm(x, weights, f"layers.{i}")
        if i == max(0, layers - 2) and "tag_heads.0.weight" in weights:
            out["tags"] = [dense(x, weights, f"tag_heads.{k}") for k in range(3)]
            if "fed.0.weight" in weights and i + 1 < layers:
                x = np.hstack((x, sum(dense(softmax(t), weights, f"fed.{k}") for k, t in enumerate(out["tags"]))))
    vectors = dense(x, weights, "dense")
    vectors = np.where(vectors < 0, 0.1 * vectors, vectors)
    arc, label = weights["arc"].shape[1], weights["label"].shape[0] - 1
    rank = (vectors.shape[1] - 2 * (arc + label)) // 5
    heads, modifiers, out["label_heads"], out["label_modifiers"], *others = np.split(
        vectors, np.cumsum([arc, arc, label, label, *[rank] * 4]), 1
    )
    out["arcs"] = with_one(heads) @ weights["arc"] @ modifiers.T
    head, modifier, middle, grandparent, low = others
    out["siblings"] = (head, modifier, modifier) if rank else None
    out["grandparents"] = (grandparent, middle, low) if rank else None
    out["labels"] = np.einsum(
        "hi,ilj,mj->hml", with_one(out["label_heads"]), weights["label"], with_one(out["label_modifiers"])
    )
    return out
