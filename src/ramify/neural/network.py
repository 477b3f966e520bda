"""The network in PyTorch: embeddings, a BiLSTM, and biaffine and trilinear scores (Dozat & Manning 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, leaky_relu
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ramify.neural.files import FED_SIZE

if TYPE_CHECKING:
    from ramify.neural.options import Network
    from ramify.neural.vocabulary import Vocabulary

__all__ = ["Batch", "Dropouts", "Pieces", "Scorer", "Scores", "mean_field"]

SLOPE = 0.1
"""Of the leaky rectifier behind every dense layer."""


class Pieces(NamedTuple):
    """Words cut into the pieces that a pretrained encoder reads, in r windows of at most s pieces.

    Attributes
    ----------
    ids, mask : int64 tensors of shape (r, s); the mask is 0 in the padding
    places : int64 tensor of shape (b, t): where the first piece of every word is among r * s
    """

    ids: Tensor
    mask: Tensor
    places: Tensor


class Batch(NamedTuple):
    """Sentences as numbers, the root included: t = n + 1 tokens of the longest one, b sentences.

    Attributes
    ----------
    lengths : int64 tensor of shape (b,) on the CPU, the root counted
    words : int64 tensor of shape (b, t)
    tags : int64 tensors of shape (3, b, t): upos, xpos, feats
    forms : int64 tensor of shape (b, t), rows of `spellings`
    spellings : int64 tensor of shape (u, longest), characters of the different forms
    spelling_lengths : int64 tensor of shape (u,) on the CPU
    heads, labels : int64 tensors of shape (b, t); −1 for the root and in the padding
    encoded : vectors of a frozen encoder, shape (b, t, width), or the pieces that the network's own encoder reads
    """

    lengths: Tensor
    words: Tensor
    tags: Tensor
    forms: Tensor
    spellings: Tensor
    spelling_lengths: Tensor
    heads: Tensor
    labels: Tensor
    encoded: Tensor | Pieces | None = None


class Dropouts(NamedTuple):
    """Shares that are dropped in training."""

    layer: float = 0.0
    word: float = 0.0
    recurrent: float = 0.0


class Scores(NamedTuple):
    """What the network says of b sentences with t = n + 1 tokens.

    Attributes
    ----------
    arcs : float tensor of shape (b, t, t), indexed [head, modifier]
    label_heads, label_modifiers : float tensors of shape (b, t, size), which `Scorer.label_scores` needs
    siblings, grandparents : float tensors of shape (b, t, rank) for each of the three roles, or None
    tags : float tensors of shape (b, t, number of tags) for upos, xpos and feats, or None
    """

    arcs: Tensor
    label_heads: Tensor
    label_modifiers: Tensor
    siblings: tuple[Tensor, Tensor, Tensor] | None
    grandparents: tuple[Tensor, Tensor, Tensor] | None
    tags: tuple[Tensor, ...] | None


def _shared_dropout(x: Tensor, share: float) -> Tensor:
    """Drop the same components of all tokens of a sentence (Gal & Ghahramani 2016)."""
    if not share:
        return x
    mask = torch.empty_like(x[:, :1]).bernoulli_(1 - share) / (1 - share)
    return x * mask


class Scorer(nn.Module):
    """Scores of arcs, labels, siblings, grandparents and tags.

    Parameters
    ----------
    options, vocabulary : sizes and names
    encoder : is trained with the network; without it, a batch has the vectors of a frozen one, if any
    """

    def __init__(self, options: Network, vocabulary: Vocabulary, encoder: nn.Module | None = None) -> None:
        super().__init__()
        self.options = options
        self.labels = vocabulary.labels
        self.drop = Dropouts()
        tag_names = (vocabulary.upos, vocabulary.xpos, vocabulary.feats)
        size = options.word_size + vocabulary.encoder_width + options.tag_size
        if options.word_size:
            self.words = nn.Embedding(len(vocabulary.words), options.word_size, padding_idx=0)
        if options.character_size:
            self.characters = nn.Embedding(len(vocabulary.characters), options.character_size, padding_idx=0)
            self.spelling = _lstm(options.character_size, options.character_hidden)
            size += 2 * options.character_hidden
        if options.tag_size:
            self.tags = nn.ModuleList(nn.Embedding(len(names), options.tag_size, padding_idx=0) for names in tag_names)
        wide = 2 * options.hidden
        fed = FED_SIZE if options.predict_tags and options.feed_tags else 0
        sizes = [size, *[wide] * (options.layers - 1)]
        self.tag_layer = max(0, options.layers - 2)
        if options.layers > 1:
            sizes[-1] += fed
        self.layers = nn.ModuleList(_lstm(inputs, options.hidden) for inputs in sizes)
        # One dense layer makes all vectors of a token; its output is split afterwards.
        rank = options.rank
        self.splits = [options.arc_size] * 2 + [options.label_size] * 2 + [rank] * (5 if rank else 0)
        self.dense = nn.Linear(wide, sum(self.splits))
        nn.init.orthogonal_(self.dense.weight)
        self.arc = nn.Parameter(torch.zeros(options.arc_size + 1, options.arc_size))
        nn.init.normal_(self.arc, std=1e-2)
        labels = len(vocabulary.labels)
        self.label = nn.Parameter(torch.zeros(options.label_size + 1, labels, options.label_size + 1))
        nn.init.normal_(self.label, std=1e-2)
        if options.predict_tags:
            self.tag_heads = nn.ModuleList(nn.Linear(wide, len(names)) for names in tag_names)
            if fed:
                self.fed = nn.ModuleList(nn.Linear(len(names), fed, bias=False) for names in tag_names)
        with torch.no_grad():
            for embedding in self.modules():
                if isinstance(embedding, nn.Embedding):
                    embedding.weight.mul_(0.5)
        self.encoder = encoder

    def forward(self, batch: Batch, inputs: Tensor | None = None) -> Scores:
        """Score the sentences of a batch, or other inputs than theirs."""
        states, tags = self._encode(batch, self.inputs(batch) if inputs is None else inputs)
        vectors = leaky_relu(self.dense(_shared_dropout(states, self._share(self.drop.layer))), SLOPE)
        parts = vectors.split(self.splits, -1)
        if self.training and self.drop.layer:
            parts = tuple(_shared_dropout(part, self.drop.layer) for part in parts)
        heads, modifiers, label_heads, label_modifiers, *others = parts
        arcs = _with_one(heads) @ self.arc @ modifiers.transpose(1, 2)
        siblings = grandparents = None
        if others:
            head, modifier, grand_head, grand, grand_modifier = others
            siblings, grandparents = (head, modifier, modifier), (grand, grand_head, grand_modifier)
        return Scores(arcs, label_heads, label_modifiers, siblings, grandparents, tags)

    def label_scores(self, scores: Scores, heads: Tensor) -> Tensor:
        """Score the labels of one head for every token; heads have shape (b, t), the result (b, t, labels)."""
        index = heads.clamp(min=0).unsqueeze(-1).expand(-1, -1, scores.label_heads.shape[-1])
        chosen = _with_one(scores.label_heads.gather(1, index))
        modifiers = _with_one(scores.label_modifiers)
        # The rows of one token: sum over i, j of head[i] * weight[i, label, j] * modifier[j].
        return torch.einsum("btlj,btj->btl", torch.einsum("bti,ilj->btlj", chosen, self.label), modifiers)

    def _share(self, share: float) -> float:
        return share if self.training else 0.0

    def _encode(self, batch: Batch, x: Tensor) -> tuple[Tensor, tuple[Tensor, ...] | None]:
        tags = None
        for i, layer in enumerate(self.layers):
            x = self._run(layer, _shared_dropout(x, self._share(self.drop.layer)), batch.lengths)
            if i == self.tag_layer and self.options.predict_tags:
                dropped = _shared_dropout(x, self._share(self.drop.layer))
                tags = tuple(head(dropped) for head in self.tag_heads)
                if self.options.feed_tags and i + 1 < len(self.layers):
                    expected = sum(feed(t.softmax(-1)) for feed, t in zip(self.fed, tags, strict=True))
                    x = torch.cat((x, expected), -1)
        return x, tags

    def inputs(self, batch: Batch) -> Tensor:
        """Return the vectors that the first layer of the BiLSTM reads, of shape (b, t, size)."""
        options, found = self.options, []
        if options.word_size:
            found.append(self.words(self._dropped(batch.words)))
        if batch.encoded is not None:
            found.append(batch.encoded if self.encoder is None else self.encoder(batch.encoded))
        if options.character_size:
            found.append(self._spell(batch)[batch.forms])
        if options.tag_size:
            pairs = zip(self.tags, batch.tags, strict=True)
            kept = self._dropped(torch.ones_like(batch.words)).unsqueeze(-1)
            found.append(sum(embed(numbers) for embed, numbers in pairs) * kept)
        return torch.cat(found, -1)

    def _dropped(self, numbers: Tensor) -> Tensor:
        share = self._share(self.drop.word)
        return numbers * (torch.rand(numbers.shape, device=numbers.device) >= share) if share else numbers

    def _spell(self, batch: Batch) -> Tensor:
        """Return the last states of both directions over the characters of every form."""
        characters = dropout(self.characters(batch.spellings), self._share(self.drop.layer))
        with _full_precision(characters):
            packed = pack_padded_sequence(
                characters.float(), batch.spelling_lengths, batch_first=True, enforce_sorted=False
            )
            _, (last, _) = self.spelling(packed)
        return torch.cat((last[0], last[1]), -1)

    def _run(self, layer: nn.LSTM, x: Tensor, lengths: Tensor) -> Tensor:
        with _full_precision(x):
            return self._run_whole(layer, x.float(), lengths)

    def _run_whole(self, layer: nn.LSTM, x: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        share = self._share(self.drop.recurrent)
        if share:  # one mask for all steps of the batch (Merity et al. 2018)
            zeros = packed.data.new_zeros(2, len(lengths), layer.hidden_size)
            named = zip(layer._flat_weights_names, layer._flat_weights, strict=True)
            weights = [dropout(w, share) if name.startswith("weight_hh") else w for name, w in named]
            data, _, _ = torch.lstm(packed.data, packed.batch_sizes, (zeros, zeros), weights, True, 1, 0.0, True, True)
            output = packed._replace(data=data)
        else:
            output, _ = layer(packed)
        return pad_packed_sequence(output, batch_first=True, total_length=x.shape[1])[0]


def mean_field(scores: Scores, iterations: int, lengths: Tensor) -> Tensor:
    """Return scores of arcs to which the expected siblings and grandparents are added (Wang et al. 2019, §3.3).

    Every word has a distribution over its heads, independent of the other words. The root and the padding have none, so
    that they are nobody's siblings or grandchildren.
    """
    if scores.siblings is None or scores.grandparents is None:
        return scores.arcs
    head, modifier, other = scores.siblings
    grand, middle, low = scores.grandparents
    scale = head.shape[-1] ** -0.5
    other, low = other * scale, low * scale
    # A pair of a word with itself, and a word that is its own grandparent, do not count. These are their scores.
    own_pair = head @ (modifier * other).transpose(1, 2)
    own_chain = middle @ (grand * low).transpose(1, 2)
    places = torch.arange(scores.arcs.shape[1])
    words = (places > 0) & (places < lengths[:, None])
    legal = torch.isfinite(scores.arcs) & words[:, None, :].to(scores.arcs.device)
    logits = scores.arcs
    for _ in range(iterations):
        q = torch.where(legal, logits.softmax(1), 0.0).to(head.dtype)
        back = q.transpose(1, 2)
        pairs = (head * (q @ other)) @ modifier.transpose(1, 2) - q * own_pair
        above = (middle * (back @ grand)) @ low.transpose(1, 2) - back * own_chain
        below = grand @ (middle * (q @ low)).transpose(1, 2) - (q * own_chain).transpose(1, 2)
        logits = scores.arcs + pairs + above + below
    return logits


def _full_precision(x: Tensor) -> torch.autocast:
    """Keep LSTMs in 32 bits: they add up many small steps, and wait for each other rather than for arithmetic."""
    return torch.autocast(x.device.type, enabled=False)


def _lstm(inputs: int, hidden: int) -> nn.LSTM:
    layer = nn.LSTM(inputs, hidden, batch_first=True, bidirectional=True)
    for name, parameter in layer.named_parameters():
        if name.startswith("weight_hh"):
            for gate in parameter.data.chunk(4):
                nn.init.orthogonal_(gate)
        elif name.startswith("weight"):
            nn.init.xavier_uniform_(parameter)
        else:
            nn.init.zeros_(parameter)
    return layer


def _with_one(x: Tensor) -> Tensor:
    return torch.cat((x, torch.ones_like(x[..., :1])), -1)


def weights_of(module: nn.Module) -> dict[str, Any]:
    """Return the weights as NumPy arrays, for a model file."""
    return {name: value.detach().cpu().numpy() for name, value in module.state_dict().items()}
