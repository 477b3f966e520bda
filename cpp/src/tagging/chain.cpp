#include "ramify/tagging/chain.hpp"

#include <algorithm>
#include <cmath>

#include "ramify/numeric/dispatch.hpp"
#include "ramify/tagging/chain_cells.hpp"

namespace ramify::tagging {

namespace {

constexpr std::size_t kVector = 8;

RAMIFY_DISPATCH void relax(const double* row, double value, std::int32_t from, double* best, std::int32_t* back,
                           std::size_t n) {
  for (std::size_t c = 0; c < n; ++c) {
    const double candidate = value + row[c];
    const bool better = candidate > best[c];
    best[c] = better ? candidate : best[c];
    back[c] = better ? from : back[c];
  }
}

/// Order 0: every word for itself.
Labelling best_labels(const NgramScores& ngrams, const Lattice& lattice) {
  Labelling out{std::vector<std::uint16_t>(lattice.num_words), 0.0};
  for (std::size_t i = 0; i < lattice.num_words; ++i) {
    const double* scores = lattice.scores.data() + i * ngrams.stride();
    const std::span<const std::uint16_t> labels = lattice.labels_of(i);
    out.labels[i] = *std::ranges::max_element(labels, {}, [&](std::uint16_t label) { return scores[label]; });
    out.value += scores[out.labels[i]];
  }
  if (out.value == kImpossible) out.labels.clear();
  return out;
}

}  // namespace

NgramScores::NgramScores(int order, std::size_t num_labels)
    : order_(order), num_labels_(num_labels), stride_((num_labels + kVector - 1) / kVector * kVector) {
  const std::size_t with_boundary = num_labels + 1;
  const std::size_t rows = order == 0 ? 1 : order == 1 ? with_boundary : with_boundary * with_boundary;
  rows_.assign(rows * stride_, kImpossible);
  for (std::size_t r = 0; r < rows; ++r) std::fill_n(row(r), num_labels_, 0.0);
  stop_.assign(rows, 0.0);
  limits_.assign(rows, {0, stride_});
}

void NgramScores::find_limits() {
  const auto possible = [](double score) { return score > kImpossible; };
  for (std::size_t r = 0; r < num_rows(); ++r) {
    const std::span<const double> scores(row(r), stride_);
    const auto first = std::ranges::find_if(scores, possible);
    std::size_t end = stride_;
    while (end > 0 && !possible(scores[end - 1])) --end;
    const auto begin = static_cast<std::size_t>(first - scores.begin()) / kVector * kVector;
    end = (end + kVector - 1) / kVector * kVector;
    limits_[r] = {std::min(begin, end), end};
  }
}

NgramScores compose(int order, std::size_t num_labels, std::span<const double> pairs, std::span<const double> triples) {
  const std::size_t k = num_labels;
  NgramScores out(order, k);
  if (order == 0) return out;
  const std::size_t contexts = order == 1 ? 1 : k + 1;
  for (std::size_t b = 0; b <= k; ++b) {
    for (std::size_t c = 0; c <= k; ++c) {
      for (std::size_t a = 0; a < contexts; ++a) {
        const std::size_t row = order == 1 ? b : a * (k + 1) + b;
        const double score = pairs[b * (k + 1) + c] + (order == 1 ? 0.0 : triples[row * (k + 1) + c]);
        (c == k ? out.stop(row) : out.row(row)[c]) = score;
      }
    }
  }
  out.find_limits();
  return out;
}

void Lattice::reset(std::size_t words, std::size_t stride) {
  num_words = words;
  scores.assign(words * stride, 0.0);
  begin.assign(1, 0);
  labels.clear();
}

void Lattice::mask(std::size_t stride) {
  for (std::size_t i = 0; i < num_words; ++i) {
    double* row = scores.data() + i * stride;
    std::size_t from = 0;
    const std::size_t last = labels_of(i).back();
    if (last + 1 == labels_of(i).size()) {  // all up to here: only what comes after cannot be
      std::fill(row + last + 1, row + stride, kImpossible);
      continue;
    }
    for (const std::uint16_t label : labels_of(i)) {
      std::fill(row + from, row + label, kImpossible);
      from = label + std::size_t{1};
    }
    std::fill(row + from, row + stride, kImpossible);
  }
}

double score_of(const NgramScores& ngrams, const Lattice& lattice, std::span<const std::uint16_t> labels) {
  const Cells cells(ngrams, lattice);
  std::size_t row = ngrams.start_row();
  double total = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    total += ngrams.row(row)[labels[i]] + lattice.scores[i * ngrams.stride() + labels[i]];
    row = cells.next_row(row, labels[i]);
  }
  return total + ngrams.stop(row);
}

Labelling viterbi(const NgramScores& ngrams, const Lattice& lattice, ChainScratch& scratch) {
  const Cells cells(ngrams, lattice);
  const std::size_t n = lattice.num_words;
  const std::size_t stride = ngrams.stride();
  Labelling out;
  if (n == 0) {
    out.value = 0.0;
    return out;
  }
  if (ngrams.order() == 0) return best_labels(ngrams, lattice);
  const std::size_t size = cells.lay_out(scratch.offsets);
  scratch.forward.assign(size, kImpossible);
  scratch.back.assign(size, -1);
  double* best = scratch.forward.data();
  for (std::size_t i = 0; i < n; ++i) {
    double* mine = best + scratch.offsets[i];
    const double* unary = lattice.scores.data() + i * stride;
    if (i == 0) {
      std::copy_n(ngrams.row(ngrams.start_row()), stride, mine);
    } else {
      std::int32_t* back = scratch.back.data() + scratch.offsets[i];
      cells.for_each(i - 1, [&](const Cell& cell) {
        const double value = best[scratch.offsets[i - 1] + cell.at];
        if (value == kImpossible) return;
        const NgramScores::Limits& limits = ngrams.limits(cell.row);
        const std::size_t to = cell.target * stride + limits.begin;
        relax(ngrams.row(cell.row) + limits.begin, value, static_cast<std::int32_t>(cell.at), mine + to, back + to,
              limits.size());
      });
    }
    for (std::size_t x = 0; x < cells.num_contexts(i); ++x) {
      for (std::size_t c = 0; c < stride; ++c) mine[x * stride + c] += unary[c];
    }
  }
  std::int32_t last = -1;
  cells.for_each(n - 1, [&](const Cell& cell) {
    const double value = best[scratch.offsets[n - 1] + cell.at] + ngrams.stop(cell.row);
    if (value > out.value) out.value = value, last = static_cast<std::int32_t>(cell.at);
  });
  if (last < 0) return out;
  out.labels.resize(n);
  for (std::size_t i = n; i-- > 0;) {
    out.labels[i] = static_cast<std::uint16_t>(static_cast<std::size_t>(last) % stride);
    last = scratch.back[scratch.offsets[i] + static_cast<std::size_t>(last)];
  }
  return out;
}

std::vector<Labelling> k_best(const NgramScores& ngrams, const Lattice& lattice, std::size_t k) {
  struct Item {
    double value;
    std::uint32_t from;  // cell of the word before
    std::uint32_t rank;  // in its list
  };
  const auto better = [](const Item& a, const Item& b) { return a.value > b.value; };
  const auto keep = [&](std::vector<Item>& items) {
    std::ranges::stable_sort(items, better);
    if (items.size() > k) items.resize(k);
  };
  const Cells cells(ngrams, lattice);
  const std::size_t n = lattice.num_words;
  const std::size_t stride = ngrams.stride();
  std::vector<std::vector<std::vector<Item>>> table(n);  // [word][cell]
  for (std::size_t i = 0; i < n; ++i) {
    table[i].resize(cells.num_contexts(i) * stride);
    if (i == 0) {
      for (const std::uint16_t c : lattice.labels_of(0)) {
        table[0][c].push_back({ngrams.row(ngrams.start_row())[c], 0, 0});
      }
    } else {
      cells.for_each(i - 1, [&](const Cell& cell) {
        const std::vector<Item>& before = table[i - 1][cell.at];
        for (const std::uint16_t c : lattice.labels_of(i)) {
          std::vector<Item>& items = table[i][cell.target * stride + c];
          const double step = ngrams.row(cell.row)[c];
          for (std::size_t r = 0; r < before.size(); ++r) {
            items.push_back(
                {before[r].value + step, static_cast<std::uint32_t>(cell.at), static_cast<std::uint32_t>(r)});
          }
        }
      });
    }
    for (std::size_t at = 0; at < table[i].size(); ++at) {
      const double unary = lattice.scores[i * stride + at % stride];
      for (Item& item : table[i][at]) item.value += unary;
      std::erase_if(table[i][at], [](const Item& item) { return item.value == kImpossible; });
      keep(table[i][at]);
    }
  }
  std::vector<Labelling> out;
  if (n == 0) {
    out.push_back({{}, 0.0});
    return out;
  }
  std::vector<Item> ends;
  cells.for_each(n - 1, [&](const Cell& cell) {
    for (std::size_t r = 0; r < table[n - 1][cell.at].size(); ++r) {
      const double value = table[n - 1][cell.at][r].value + ngrams.stop(cell.row);
      if (value > kImpossible) {
        ends.push_back({value, static_cast<std::uint32_t>(cell.at), static_cast<std::uint32_t>(r)});
      }
    }
  });
  keep(ends);
  for (const Item& end : ends) {
    Labelling labelling{std::vector<std::uint16_t>(n), end.value};
    Item at = end;
    for (std::size_t i = n; i-- > 0;) {
      labelling.labels[i] = static_cast<std::uint16_t>(at.from % stride);
      at = table[i][at.from][at.rank];
    }
    out.push_back(std::move(labelling));
  }
  return out;
}

}  // namespace ramify::tagging
