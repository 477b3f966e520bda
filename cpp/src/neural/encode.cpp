// From numbers to the states of the last layer of the BiLSTM, and the tags.
#include <algorithm>
#include <utility>

#include "layers.hpp"
#include "ramify/numeric/exp.hpp"

namespace ramify::neural {

namespace {

/// Calls `body` with every token of a group: its number in the group, its sentence, and its place in the sentence.
template <class Body>
void for_each_token(const Group& group, const Body& body) {
  for (std::size_t i = 0; i < group.sentences.size(); ++i) {
    const Sequence& sequence = group.sequences[i];
    for (std::int32_t t = 0; t < sequence.length; ++t) {
      body(static_cast<std::size_t>(sequence.begin + t), group.sentences[i], static_cast<std::size_t>(t));
    }
  }
}

void softmax(std::span<const float> scores, std::span<float> out) {
  const float best = *std::ranges::max_element(scores);
  float sum = 0.0F;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    out[i] = static_cast<float>(numeric::fast_exp(static_cast<double>(scores[i] - best)));
    sum += out[i];
  }
  for (float& value : out) value /= sum;
}

}  // namespace

std::vector<Activations> Network::Layers::inputs(const Batch& batch, const Activations& spelled,
                                                 const Group& group) const {
  std::vector<Activations> found;
  const std::size_t num_tokens = group.tokens.size();
  if (words) {
    Activations& out = found.emplace_back(quantised, num_tokens, words->size());
    for (std::size_t i = 0; i < num_tokens; ++i) {
      words->write(batch.words[static_cast<std::size_t>(group.tokens[i])], i, out);
    }
  }
  if (spelling) {
    Activations& out = found.emplace_back(quantised, num_tokens, spelled.width());
    if (quantised) out.set_unit_scale();
    for (std::size_t i = 0; i < num_tokens; ++i) {
      const auto form = static_cast<std::size_t>(batch.forms[static_cast<std::size_t>(group.tokens[i])]);
      if (quantised) {
        std::copy_n(spelled.bytes(form), spelled.width(), out.bytes(i));
      } else {
        std::copy_n(spelled.values(form), spelled.width(), out.values(i));
      }
    }
  }
  if (!tags.empty()) {
    Activations& out = found.emplace_back(quantised, num_tokens, tags[0].size());
    std::vector<float> sum(tags[0].size());
    for (std::size_t i = 0; i < num_tokens; ++i) {
      std::ranges::fill(sum, 0.0F);
      for (std::size_t k = 0; k < tags.size(); ++k) {
        tags[k].add(batch.tags[k][static_cast<std::size_t>(group.tokens[i])], sum);
      }
      out.write(i, sum);
    }
  }
  return found;
}

Activations Network::Layers::encode(std::vector<Activations> inputs, const Group& group,
                                    std::span<Output> outputs) const {
  const std::size_t tag_layer = layers.size() < 2 ? 0 : layers.size() - 2;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::vector<const Activations*> parts;
    for (const Activations& input : inputs) parts.push_back(&input);
    Activations states =
        layers[i].run(std::span<const Activations* const>(parts), quantised, group.tokens.size(), group.sequences);
    inputs.clear();
    inputs.push_back(std::move(states));
    if (i != tag_layer || tag_heads.empty()) continue;
    predict_tags(inputs[0], group, outputs);
    if (!fed.empty()) inputs.push_back(feed(group, outputs));
  }
  return std::move(inputs[0]);
}

void Network::Layers::predict_tags(const Activations& states, const Group& group, std::span<Output> outputs) const {
  for (std::size_t k = 0; k < tag_heads.size(); ++k) {
    const std::size_t width = tag_heads[k].num_rows();
    std::vector<float> scores(group.tokens.size() * width);
    tag_heads[k].apply(states, group.rows, 0, scores.data(), false);
    for (const std::size_t s : group.sentences) {
      outputs[s].tags[k] = {num_tags[k], std::vector<float>(outputs[s].num_tokens * num_tags[k])};
    }
    for_each_token(group, [&](std::size_t row, std::size_t s, std::size_t t) {
      std::copy_n(scores.data() + row * width, num_tags[k], outputs[s].tags[k].values.data() + t * num_tags[k]);
    });
  }
}

Activations Network::Layers::feed(const Group& group, std::span<const Output> outputs) const {
  const std::size_t num_tokens = group.tokens.size(), width = fed[0].num_rows();
  std::vector<float> sum(num_tokens * width);
  for (std::size_t k = 0; k < fed.size(); ++k) {
    Activations expected(quantised, num_tokens, num_tags[k]);
    std::vector<float> probabilities(num_tags[k]);
    for_each_token(group, [&](std::size_t row, std::size_t s, std::size_t t) {
      softmax(outputs[s].tags[k].of(t), probabilities);
      expected.write(row, probabilities);
    });
    fed[k].apply(expected, group.rows, 0, sum.data(), k > 0);
  }
  Activations out(quantised, num_tokens, fed_size);
  for (std::size_t i = 0; i < num_tokens; ++i) out.write(i, std::span(sum).subspan(i * width, fed_size));
  return out;
}

}  // namespace ramify::neural
