// From the states of the last layer to the scores of arcs and labels.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernels.hpp"
#include "layers.hpp"

namespace ramify::neural {

namespace {

constexpr std::size_t kChunk = 128;  // tokens whose vectors are computed at a time

/// Where the parts of a token's vector go, in the order of the dense layer.
struct Part {
  std::size_t width;
  float* to;
};

float rectified(float x) { return x < 0.0F ? 0.1F * x : x; }

Vectors room(std::size_t num_tokens, std::size_t width) { return {width, std::vector<float>(num_tokens * width)}; }

}  // namespace

float Output::sibling(std::size_t h, std::size_t m, std::size_t s) const {
  const auto x = head.of(h), y = modifier.of(m), z = modifier.of(s);
  float sum = 0.0F;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * (y[k] * z[k]);
  return sum / std::sqrt(static_cast<float>(x.size()));
}

float Output::grandparent_score(std::size_t g, std::size_t h, std::size_t m) const {
  const auto x = grandparent.of(g), y = middle.of(h), z = low.of(m);
  float sum = 0.0F;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k] * z[k];
  return sum / std::sqrt(static_cast<float>(x.size()));
}

void Network::Layers::score(const Activations& states, const Group& group, std::span<Output> outputs) const {
  const std::size_t width = dense.num_rows(), arc_width = arc.num_rows();
  std::vector<float> vectors(kChunk * width), products, transposed, arcs;
  for (std::size_t i = 0; i < group.sentences.size(); ++i) {
    Output& out = outputs[group.sentences[i]];
    const std::size_t t = out.num_tokens;
    const auto begin = static_cast<std::size_t>(group.sequences[i].begin);
    Vectors heads = room(t, arc_size), modifiers = room(t, arc_size);
    out.label_heads = room(t, label_size);
    out.label_modifiers = room(t, label_size);
    for (Vectors* part : {&out.head, &out.modifier, &out.middle, &out.grandparent, &out.low}) *part = room(t, rank);
    const std::array parts{&heads,    &modifiers,    &out.label_heads, &out.label_modifiers,
                           &out.head, &out.modifier, &out.middle,      &out.grandparent,
                           &out.low};
    for (std::size_t first = 0; first < t; first += kChunk) {
      const std::size_t count = std::min(kChunk, t - first);
      dense.apply(states, std::span(group.rows).subspan(begin + first, count), 0, vectors.data(), false);
      for (std::size_t k = 0; k < count; ++k) {
        const float* from = vectors.data() + k * width;
        for (Vectors* part : parts) {
          std::transform(from, from + part->width, part->values.data() + (first + k) * part->width, rectified);
          from += part->width;
        }
      }
    }
    Activations of_heads(quantised, t, arc_size);
    for (std::size_t h = 0; h < t; ++h) of_heads.write(h, heads.of(h));
    products.resize(t * arc_width);
    arc.apply(of_heads, std::span(group.rows).first(t), 0, products.data(), false);
    const std::size_t lanes = padded(t, kLanes);
    transposed.assign(arc_width * lanes, 0.0F);
    for (std::size_t m = 0; m < t; ++m) {
      for (std::size_t k = 0; k < arc_size; ++k) transposed[k * lanes + m] = modifiers.of(m)[k];
    }
    arcs.resize(t * lanes);
    multiply_arcs(products.data(), transposed.data(), t, arc_width, lanes, arcs.data());
    out.arcs.resize(t * t);
    for (std::size_t h = 0; h < t; ++h) std::copy_n(arcs.data() + h * lanes, t, out.arcs.data() + h * t);
  }
}

}  // namespace ramify::neural
