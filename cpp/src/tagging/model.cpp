#include "ramify/tagging/model.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ramify/data/word_shape.hpp"

namespace ramify::tagging {

namespace {

struct Mark {
  char prefix;  // B I E S O, or 0 for the boundary
  std::string_view type;
};

Mark read_mark(std::string_view label) {
  if (label.empty()) return {0, {}};
  if (label.size() > 2 && label[1] == '-') return {label[0], label.substr(2)};
  return {'O', {}};
}

std::uint16_t clipped(std::size_t length) {
  return static_cast<std::uint16_t>(std::min<std::size_t>(length, std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace

bool may_follow(Scheme scheme, std::string_view before, std::string_view next) {
  const Mark a = read_mark(before);
  const Mark b = read_mark(next);
  const bool inside = (a.prefix == 'B' || a.prefix == 'I') && a.type == b.type;
  switch (scheme) {
    case Scheme::kNone:
      return true;
    case Scheme::kIob1:
      return b.prefix != 'B' || inside;
    case Scheme::kIob2:
      return b.prefix != 'I' || inside;
    case Scheme::kBioes:
      break;
  }
  const bool open = a.prefix == 'B' || a.prefix == 'I';
  const bool goes_on = b.prefix == 'I' || b.prefix == 'E';
  return open == goes_on && (!goes_on || a.type == b.type);
}

LabelSets::LabelSets(std::vector<Key> keys, std::span<const std::uint16_t> counts, std::vector<std::uint16_t> labels)
    : begin_(1, 0), labels_(std::move(labels)) {
  for (const std::uint16_t count : counts) begin_.push_back(begin_.back() + count);
  for (std::uint32_t set = 1; set + 1 < begin_.size(); ++set) {
    Key kind = 0x5e7;
    for (const std::uint16_t label : this->labels(set)) kind = learn::combine(kind, label);
    kinds_.push_back(kind);
  }
  index_.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) index_.emplace(keys[i], static_cast<std::uint32_t>(i + 1));
}

NgramWeights::NgramWeights(int order, std::size_t num_labels) {
  const std::size_t with_boundary = num_labels + 1;
  if (order >= 1) pairs.assign(with_boundary * with_boundary, 0.0F);
  if (order >= 2) triples.assign(with_boundary * with_boundary * with_boundary, 0.0F);
}

TaggerModel::TaggerModel(ModelOptions options, TemplateSet templates, LabelSets sets, Clusters clusters)
    : options_(std::move(options)),
      templates_(std::move(templates)),
      sets_(std::move(sets)),
      clusters_(std::move(clusters)),
      rows_(options_.labels.size()),
      ngrams_(compose(NgramWeights(options_.order, options_.labels.size()))) {}

void TaggerModel::set_weights(const learn::QuantisedRows& rows, const NgramWeights& ngrams) {
  rows_ = learn::FrozenLabelRows(rows, num_labels());
  ngrams_ = compose(ngrams);
}

NgramScores TaggerModel::compose(const NgramWeights& weights) const {
  const std::size_t k = num_labels();
  const auto name = [&](std::size_t label) {
    return label == k ? std::string_view() : std::string_view(options_.labels[label]);
  };
  std::vector<double> pairs(weights.pairs.begin(), weights.pairs.end());
  for (std::size_t b = 0; b <= k && !pairs.empty(); ++b) {
    for (std::size_t c = 0; c <= k; ++c) {
      if (!may_follow(options_.scheme, name(b), name(c))) pairs[b * (k + 1) + c] = kImpossible;
    }
  }
  const std::vector<double> triples(weights.triples.begin(), weights.triples.end());
  return tagging::compose(options_.order, k, pairs, triples);
}

void TaggerModel::read(TagScratch& scratch) const {
  const Columns& columns = scratch.columns;
  const std::size_t n = columns[0].size();
  std::vector<std::uint32_t>& sets = scratch.sets;
  std::vector<std::uint16_t>& lengths = scratch.lengths;
  sets.assign(n, 0);
  lengths.resize(n);
  scratch.features.kinds.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    lengths[i] = clipped(data::num_characters(columns[0][i]));
    scratch.features.kinds[i] = sets_.kind(0);
    if (options_.dictionary_columns.empty()) continue;
    Key key = 0;
    for (const std::uint16_t column : options_.dictionary_columns) {
      key = learn::combine(key, learn::hash_text(columns[column][i]));
    }
    sets[i] = sets_.find(key);
    scratch.features.kinds[i] = sets_.kind(sets[i]);
  }
  extract(templates_, clusters_, columns, scratch.features, scratch.words);
}

void TaggerModel::append_labels(std::uint32_t set, std::uint16_t length, std::int32_t gold, Lattice& lattice) const {
  if (!options_.restricted) set = 0;
  const std::span<const std::uint16_t> labels = sets_.labels(set);
  const std::size_t before = lattice.labels.size();
  if (set == 0 && labels.empty() && options_.min_characters.empty()) {
    lattice.labels.resize(before + num_labels());
    std::iota(lattice.labels.begin() + static_cast<std::ptrdiff_t>(before), lattice.labels.end(), std::uint16_t{0});
    lattice.begin.push_back(static_cast<std::uint32_t>(lattice.labels.size()));
    return;
  }
  if (set == 0 && (labels.empty() || !options_.min_characters.empty())) {
    const std::size_t count = labels.empty() ? num_labels() : labels.size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto label = labels.empty() ? static_cast<std::uint16_t>(i) : labels[i];
      const bool fits = options_.min_characters.empty() || options_.min_characters[label] <= length;
      if (fits) lattice.labels.push_back(label);
    }
  } else {
    lattice.labels.insert(lattice.labels.end(), labels.begin(), labels.end());
  }
  if (gold >= 0) {
    const auto begin = lattice.labels.begin() + static_cast<std::ptrdiff_t>(before);
    const auto at = std::lower_bound(begin, lattice.labels.end(), static_cast<std::uint16_t>(gold));
    if (at == lattice.labels.end() || *at != gold) lattice.labels.insert(at, static_cast<std::uint16_t>(gold));
  }
  if (lattice.labels.size() == before) {  // nothing fits: then anything may
    for (std::size_t i = 0; i < num_labels(); ++i) lattice.labels.push_back(static_cast<std::uint16_t>(i));
  }
  lattice.begin.push_back(static_cast<std::uint32_t>(lattice.labels.size()));
}

Tagging TaggerModel::tag(const TagRequest& request, TagScratch& scratch) const {
  const std::size_t n = scratch.words.num_words();
  const std::size_t stride = ngrams_.stride();
  Lattice& lattice = scratch.lattice;
  lattice.reset(n, stride);
  const double scale = rows_.scale();
  scratch.rows.resize(scratch.words.keys.size());
  rows_.find(scratch.words.keys, scratch.rows);
  for (std::size_t i = 0; i < n; ++i) {
    scratch.sums.assign(stride, 0.0F);
    const std::uint32_t begin = scratch.words.begin[i];
    const auto rows = std::span(scratch.rows).subspan(begin, scratch.words.begin[i + 1] - begin);
    rows_.add(rows, scratch.words.values_of(i), scratch.sums.data());
    double* scores = lattice.scores.data() + i * stride;
    for (std::size_t c = 0; c < stride; ++c) scores[c] = static_cast<double>(scratch.sums[c]) * scale;
    if (!request.allowed.empty() && !request.allowed[i].empty()) {
      lattice.labels.insert(lattice.labels.end(), request.allowed[i].begin(), request.allowed[i].end());
      lattice.begin.push_back(static_cast<std::uint32_t>(lattice.labels.size()));
    } else {
      append_labels(scratch.sets[i], scratch.lengths[i], -1, lattice);
    }
  }
  lattice.mask(stride);
  Tagging out;
  out.best = viterbi(ngrams_, lattice, scratch.chain);
  if (request.k > 1) out.k_best = k_best(ngrams_, lattice, request.k);
  if (request.marginals) {
    marginals(ngrams_, lattice, false, scratch.chain, scratch.marginals);
    out.log_partition = scratch.marginals.log_partition;
    const std::size_t k = num_labels();
    out.marginals.resize(n * k);
    for (std::size_t i = 0; i < n; ++i) {
      std::copy_n(scratch.marginals.words.data() + i * stride, k, out.marginals.data() + i * k);
    }
  }
  return out;
}

}  // namespace ramify::tagging
