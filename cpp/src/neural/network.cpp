#include "ramify/neural/network.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "kernels.hpp"
#include "layers.hpp"
#include "ramify/numeric/parallel.hpp"

namespace ramify::neural {

namespace {

constexpr std::size_t kSentences = 24;  // maximum number that run together
constexpr std::size_t kHeads = 12;      // number whose products with the weights of labels are kept at a time

void expect_numbers(const char* name, std::span<const std::int32_t> numbers, std::size_t count, std::size_t limit) {
  if (numbers.size() != count) {
    throw std::invalid_argument(std::string(name) + " expects " + std::to_string(count) + " numbers; got " +
                                std::to_string(numbers.size()) + ".");
  }
  for (const std::int32_t number : numbers) {
    if (number < 0 || static_cast<std::size_t>(number) >= limit) {
      throw std::invalid_argument(std::string(name) + " expects numbers from 0 to " + std::to_string(limit) +
                                  " − 1; got " + std::to_string(number) + ".");
    }
  }
}

std::size_t total(const char* name, std::span<const std::int32_t> lengths) {
  std::size_t sum = 0;
  for (const std::int32_t length : lengths) {
    if (length < 1) throw std::invalid_argument(std::string(name) + " expects numbers above 0; got another.");
    sum += static_cast<std::size_t>(length);
  }
  return sum;
}

/// Groups sentences of similar length, the longest first, so that few steps have few sentences.
std::vector<Group> groups_of(std::span<const std::int32_t> lengths, int num_threads) {
  std::vector<std::int32_t> begins(lengths.size() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), begins.begin() + 1);
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return lengths[i]; });
  const auto threads = static_cast<std::size_t>(num_threads);
  const std::size_t size = std::clamp<std::size_t>((lengths.size() + threads - 1) / threads, 1, kSentences);
  std::vector<Group> groups;
  for (std::size_t first = 0; first < order.size(); first += size) {
    Group& group = groups.emplace_back();
    for (std::size_t k = first; k < std::min(first + size, order.size()); ++k) {
      const std::size_t i = order[k];
      group.sentences.push_back(i);
      group.sequences.push_back({static_cast<std::int32_t>(group.tokens.size()), lengths[i]});
      for (std::int32_t t = begins[i]; t < begins[i + 1]; ++t) group.tokens.push_back(t);
    }
    group.rows.resize(group.tokens.size());
    std::iota(group.rows.begin(), group.rows.end(), 0);
  }
  return groups;
}

}  // namespace

Network::Network(const Tensors& tensors) : layers_(std::make_unique<const Layers>(tensors)) {}
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

std::vector<Output> Network::run(const Batch& batch, int num_threads) const {
  const std::size_t num_tokens = total("lengths", batch.lengths);
  if (layers_->words) expect_numbers("words", batch.words, num_tokens, num_words());
  if (layers_->spelling) {
    expect_numbers("forms", batch.forms, num_tokens, batch.spelling_lengths.size());
    expect_numbers("characters", batch.characters, total("spelling_lengths", batch.spelling_lengths), num_characters());
  }
  for (std::size_t k = 0; k < layers_->tags.size(); ++k) {
    expect_numbers("tags", batch.tags[k], num_tokens, layers_->tags[k].num_rows());
  }
  std::vector<Output> outputs(batch.lengths.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].num_tokens = static_cast<std::size_t>(batch.lengths[i]);
  const Activations spelled = layers_->spell(batch, num_threads);
  const std::vector<Group> groups = groups_of(batch.lengths, num_threads);
  numeric::parallel_for(static_cast<std::int64_t>(groups.size()), num_threads, [&](int, std::int64_t item) {
    const Group& group = groups[static_cast<std::size_t>(item)];
    const Activations states = layers_->encode(layers_->inputs(batch, spelled, group), group, outputs);
    layers_->score(states, group, outputs);
  });
  return outputs;
}

void Network::label_scores(const Output& output, std::span<const std::int32_t> heads,
                           std::span<const std::int32_t> modifiers, std::span<float> out) const {
  expect_numbers("heads", heads, heads.size(), output.num_tokens);
  expect_numbers("modifiers", modifiers, heads.size(), output.num_tokens);
  std::vector<std::size_t> order(heads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t a) { return heads[a]; });
  std::vector<std::int32_t> different;
  for (const std::size_t a : order) {
    if (different.empty() || different.back() != heads[a]) different.push_back(heads[a]);
  }
  const Linear& label = layers_->label;
  Activations of_heads(quantised(), output.num_tokens, layers_->label_size);
  for (const std::int32_t h : different) {
    of_heads.write(static_cast<std::size_t>(h), output.label_heads.of(static_cast<std::size_t>(h)));
  }
  // All arcs of a head are scored one after the other, because its product with the weights serves all of them.
  const std::size_t lanes = padded(num_labels(), kLanes);
  std::vector<float> products(std::min(kHeads, different.size()) * label.num_rows()), sums(lanes);
  auto next = order.begin();
  for (std::size_t first = 0; first < different.size(); first += kHeads) {
    const auto some = std::span(different).subspan(first, std::min(kHeads, different.size() - first));
    label.apply(of_heads, some, 0, products.data(), false);
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (; next != order.end() && heads[*next] == some[i]; ++next) {
        const auto modifier = output.label_modifiers.of(static_cast<std::size_t>(modifiers[*next]));
        add_labels(products.data() + i * label.num_rows(), modifier.data(), modifier.size(), lanes, sums.data());
        std::copy_n(sums.data(), num_labels(), out.data() + *next * num_labels());
      }
    }
  }
}

std::size_t Network::num_labels() const { return layers_->num_labels; }
std::size_t Network::num_words() const { return layers_->words ? layers_->words->num_rows() : 0; }
std::size_t Network::num_characters() const { return layers_->num_characters; }
std::array<std::size_t, 3> Network::num_tags() const {
  std::array<std::size_t, 3> found = layers_->num_tags;
  for (std::size_t k = 0; k < layers_->tags.size(); ++k) found[k] = layers_->tags[k].num_rows();
  return found;
}
bool Network::reads_tags() const { return !layers_->tags.empty(); }
bool Network::predicts_tags() const { return !layers_->tag_heads.empty(); }
std::size_t Network::rank() const { return layers_->rank; }
bool Network::quantised() const { return layers_->quantised; }

}  // namespace ramify::neural
