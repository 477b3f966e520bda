// Forward-backward, twice: with scaled numbers, which is fast, and with logarithms where those could lose something.
#include <algorithm>
#include <cmath>

#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/exp.hpp"
#include "ramify/tagging/chain_cells.hpp"

namespace ramify::tagging {

namespace {

// Products of three numbers above e^-230 cannot underflow: then a 0 is an impossibility and nothing else.
constexpr double kDeep = -230.0;
constexpr double kSmall = 1e-100;

RAMIFY_DISPATCH void add_scaled(const double* row, double value, double* out, std::size_t n) {
  for (std::size_t c = 0; c < n; ++c) out[c] += value * row[c];
}

RAMIFY_DISPATCH double dot(const double* a, const double* b, std::size_t n) {
  double lanes[8] = {};
  for (std::size_t c = 0; c < n; c += 8) {
    for (std::size_t l = 0; l < 8; ++l) lanes[l] += a[c + l] * b[c + l];
  }
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

RAMIFY_DISPATCH void exponentiate(const double* in, double shift, double* out, std::size_t n) {
  for (std::size_t c = 0; c < n; ++c) out[c] = numeric::fast_exp(in[c] - shift);
}

/// values *= factors, and their sum.
RAMIFY_DISPATCH double weigh(const double* factors, double* values, std::size_t n) {
  double lanes[8] = {};
  for (std::size_t c = 0; c < n; c += 8) {
    for (std::size_t l = 0; l < 8; ++l) {
      values[c + l] *= factors[c + l];
      lanes[l] += values[c + l];
    }
  }
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

/// values *= factor; the smallest that is not 0. In lanes: one minimum after the other would wait for each other.
RAMIFY_DISPATCH double shrink(double factor, double* values, std::size_t n) {
  double lanes[8];
  for (double& lane : lanes) lane = 1.0;
  for (std::size_t c = 0; c < n; c += 8) {
    for (std::size_t l = 0; l < 8; ++l) {
      values[c + l] *= factor;
      const double seen = values[c + l] > 0.0 ? values[c + l] : 1.0;
      lanes[l] = seen < lanes[l] ? seen : lanes[l];
    }
  }
  return *std::ranges::min_element(lanes);
}

double largest(std::span<const double> values) {
  return values.empty() ? kImpossible : *std::ranges::max_element(values);
}

double smallest_finite(std::span<const double> values, double otherwise) {
  double low = otherwise;
  for (const double v : values) low = v > kImpossible ? std::min(low, v) : low;
  return low;
}

double log_add(double a, double b) {
  const double high = std::max(a, b);
  if (high == kImpossible) return high;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

void prepare(const NgramScores& ngrams, ChainScratch& scratch) {
  if (scratch.ready) return;
  scratch.exp_rows.resize(ngrams.rows().size());
  scratch.exp_stop.resize(ngrams.stops().size());
  exponentiate(ngrams.rows().data(), 0.0, scratch.exp_rows.data(), scratch.exp_rows.size());
  exponentiate(ngrams.stops().data(), 0.0, scratch.exp_stop.data(), scratch.exp_stop.size());
  const double high = std::max({largest(ngrams.rows()), largest(ngrams.stops()), 0.0});
  const double low = std::min(smallest_finite(ngrams.rows(), 0.0), smallest_finite(ngrams.stops(), 0.0));
  scratch.low = high > -kDeep ? kImpossible : low;  // too large is as bad as too small
  scratch.ready = true;
}

/// One sentence with scaled numbers. run() tells whether the result is to be trusted.
class ScaledSums {
 public:
  ScaledSums(const NgramScores& ngrams, const Lattice& lattice, ChainScratch& scratch)
      : ngrams_(ngrams), lattice_(lattice), scratch_(scratch), cells_(ngrams, lattice) {}

  bool run(bool want_ngrams, ChainMarginals& out) {
    prepare(ngrams_, scratch_);
    if (scratch_.low < kDeep || !forward(out)) return false;
    backward(want_ngrams, out);
    return true;
  }

 private:
  const double* exp_row(std::size_t r) const { return scratch_.exp_rows.data() + r * ngrams_.stride(); }

  bool forward(ChainMarginals& out) {
    const std::size_t n = lattice_.num_words;
    const std::size_t stride = ngrams_.stride();
    scratch_.forward.assign(cells_.lay_out(scratch_.offsets), 0.0);
    scratch_.unary.resize(n * stride);
    norms_.resize(n);
    double log_z = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::span<const double> scores(lattice_.scores.data() + i * stride, stride);
      const double high = largest(scores);
      if (!std::isfinite(high) || smallest_finite(scores, high) - high < kDeep) return false;
      double* unary = scratch_.unary.data() + i * stride;
      exponentiate(scores.data(), high, unary, stride);
      double* mine = scratch_.forward.data() + scratch_.offsets[i];
      if (i == 0) {
        std::copy_n(exp_row(ngrams_.start_row()), stride, mine);
      } else {
        const double* before = scratch_.forward.data() + scratch_.offsets[i - 1];
        cells_.for_each(i - 1, [&](const Cell& cell) {
          const NgramScores::Limits& limits = ngrams_.limits(cell.row);
          add_scaled(exp_row(cell.row) + limits.begin, before[cell.at], mine + cell.target * stride + limits.begin,
                     limits.size());
        });
      }
      double total = 0.0;
      const std::size_t contexts = cells_.num_contexts(i);
      for (std::size_t x = 0; x < contexts; ++x) total += weigh(unary, mine + x * stride, stride);
      if (!(total > 0.0) || shrink(1.0 / total, mine, contexts * stride) < kSmall) return false;
      norms_[i] = total;
      log_z += std::log(total) + high;
    }
    end_ = 0.0;
    const double* last = scratch_.forward.data() + scratch_.offsets[n - 1];
    cells_.for_each(n - 1, [&](const Cell& cell) { end_ += last[cell.at] * scratch_.exp_stop[cell.row]; });
    out.log_partition = log_z + std::log(end_);
    return end_ > 0.0;
  }

  void backward(bool want_ngrams, ChainMarginals& out) {
    const std::size_t n = lattice_.num_words;
    const std::size_t stride = ngrams_.stride();
    scratch_.backward.assign(scratch_.offsets[n], 0.0);
    cells_.for_each(n - 1, [&](const Cell& cell) {
      scratch_.backward[scratch_.offsets[n - 1] + cell.at] = scratch_.exp_stop[cell.row] / end_;
    });
    for (std::size_t i = n; i-- > 0;) {
      double* mine = scratch_.backward.data() + scratch_.offsets[i];
      const double* forward = scratch_.forward.data() + scratch_.offsets[i];
      const double* after = i + 1 < n ? scratch_.backward.data() + scratch_.offsets[i + 1] : nullptr;
      cells_.for_each(i, [&](const Cell& cell) {
        if (after != nullptr) {
          const NgramScores::Limits& limits = ngrams_.limits(cell.row);
          const double* next = after + cell.target * stride + limits.begin;
          mine[cell.at] = dot(exp_row(cell.row) + limits.begin, next, limits.size());
          if (want_ngrams) {
            add_scaled(next, forward[cell.at], out.ngrams.data() + cell.row * stride + limits.begin, limits.size());
          }
        } else if (want_ngrams) {
          out.stops[cell.row] += forward[cell.at] * mine[cell.at];
        }
        out.words[i * stride + cell.label] += forward[cell.at] * mine[cell.at];
      });
      // From here on with the word's own scores, as what comes before needs them.
      const double* unary = scratch_.unary.data() + i * stride;
      for (std::size_t x = 0; x < cells_.num_contexts(i); ++x) {
        weigh(unary, mine + x * stride, stride);
        shrink(1.0 / norms_[i], mine + x * stride, stride);
      }
    }
    if (!want_ngrams) return;
    const double* first = scratch_.backward.data();
    add_scaled(first, 1.0, out.ngrams.data() + ngrams_.start_row() * stride, stride);
    for (std::size_t e = 0; e < out.ngrams.size(); ++e) out.ngrams[e] *= scratch_.exp_rows[e];
  }

  const NgramScores& ngrams_;
  const Lattice& lattice_;
  ChainScratch& scratch_;
  Cells cells_;
  std::vector<double> norms_;
  double end_ = 0.0;
};

void log_sums(const NgramScores& ngrams, const Lattice& lattice, bool want_ngrams, ChainScratch& scratch,
              ChainMarginals& out) {
  const Cells cells(ngrams, lattice);
  const std::size_t n = lattice.num_words;
  const std::size_t stride = ngrams.stride();
  const auto unary = [&](std::size_t i, std::size_t c) { return lattice.scores[i * stride + c]; };
  scratch.forward.assign(cells.lay_out(scratch.offsets), kImpossible);
  scratch.backward.assign(scratch.offsets[n], kImpossible);
  for (const std::uint16_t c : lattice.labels_of(0)) {
    scratch.forward[c] = ngrams.row(ngrams.start_row())[c] + unary(0, c);
  }
  for (std::size_t i = 1; i < n; ++i) {
    double* mine = scratch.forward.data() + scratch.offsets[i];
    cells.for_each(i - 1, [&](const Cell& cell) {
      const double before = scratch.forward[scratch.offsets[i - 1] + cell.at];
      if (before == kImpossible) return;
      for (const std::uint16_t c : lattice.labels_of(i)) {
        double& sum = mine[cell.target * stride + c];
        sum = log_add(sum, before + ngrams.row(cell.row)[c] + unary(i, c));
      }
    });
  }
  double log_z = kImpossible;
  cells.for_each(n - 1, [&](const Cell& cell) {
    log_z = log_add(log_z, scratch.forward[scratch.offsets[n - 1] + cell.at] + ngrams.stop(cell.row));
  });
  out.log_partition = log_z;
  if (log_z == kImpossible) return;
  for (std::size_t i = n; i-- > 0;) {
    cells.for_each(i, [&](const Cell& cell) {
      const double forward = scratch.forward[scratch.offsets[i] + cell.at];
      if (forward == kImpossible) return;
      double& mine = scratch.backward[scratch.offsets[i] + cell.at];
      if (i + 1 == n) {
        mine = ngrams.stop(cell.row);
        if (want_ngrams) out.stops[cell.row] += std::exp(forward + mine - log_z);
      } else {
        for (const std::uint16_t c : lattice.labels_of(i + 1)) {
          const double path = ngrams.row(cell.row)[c] + unary(i + 1, c) +
                              scratch.backward[scratch.offsets[i + 1] + cell.target * stride + c];
          mine = log_add(mine, path);
          if (want_ngrams && path > kImpossible) out.ngrams[cell.row * stride + c] += std::exp(forward + path - log_z);
        }
      }
      if (mine > kImpossible) out.words[i * stride + cell.label] += std::exp(forward + mine - log_z);
    });
  }
  if (!want_ngrams) return;
  for (const std::uint16_t c : lattice.labels_of(0)) out.ngrams[ngrams.start_row() * stride + c] += out.words[c];
}

/// Order 0: every word for itself.
void word_sums(const NgramScores& ngrams, const Lattice& lattice, ChainMarginals& out) {
  const std::size_t stride = ngrams.stride();
  for (std::size_t i = 0; i < lattice.num_words; ++i) {
    const std::span<const double> scores(lattice.scores.data() + i * stride, stride);
    double* mine = out.words.data() + i * stride;
    const double high = largest(scores);
    if (high == kImpossible) {
      out.log_partition = high;
      std::ranges::fill(out.words, 0.0);
      return;
    }
    exponentiate(scores.data(), high, mine, stride);
    double total = 0.0;
    for (std::size_t c = 0; c < stride; ++c) total += mine[c];
    shrink(1.0 / total, mine, stride);
    out.log_partition += high + std::log(total);
  }
}

}  // namespace

void marginals(const NgramScores& ngrams, const Lattice& lattice, bool want_ngrams, ChainScratch& scratch,
               ChainMarginals& out) {
  const auto clear = [&] {
    out.words.assign(lattice.num_words * ngrams.stride(), 0.0);
    out.ngrams.assign(want_ngrams ? ngrams.rows().size() : 0, 0.0);
    out.stops.assign(want_ngrams ? ngrams.num_rows() : 0, 0.0);
  };
  clear();
  out.log_partition = 0.0;
  if (lattice.num_words == 0) return;
  if (ngrams.order() == 0) {
    word_sums(ngrams, lattice, out);
    return;
  }
  if (ScaledSums(ngrams, lattice, scratch).run(want_ngrams, out)) return;
  clear();
  log_sums(ngrams, lattice, want_ngrams, scratch, out);
}

}  // namespace ramify::tagging
