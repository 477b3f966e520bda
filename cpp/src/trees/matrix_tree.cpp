#include "ramify/trees/matrix_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

#include "chain.hpp"
#include "leave_one_out.hpp"
#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/forbidden.hpp"

namespace ramify::trees {
namespace {

using numeric::kForbidden;

/// What underflows in doubles is an error of 1e-308 in a probability, and eliminations magnify it by at most
/// 1 / product of the pivots. While that product stays above the first bound the error is below 1e-160 at the
/// end, and numbers above the second bound, where their own digits count, are exact.
constexpr double kSafeProduct = 1e-140;
constexpr double kSafeTerm = 1e-140;

bool is_safe(double value) { return value >= kSafeProduct; }
// Not a number is 0 / 0: a word from which nothing can be reached, so there is no tree.
bool is_safe(const Extended& value) { return value.mantissa > 0.0; }
template <class Real>
bool is_safe(const Dual<Real>& value) {
  return is_safe(value.value);
}

double to_double(double value) { return value; }
double to_double(const Extended& value) { return static_cast<double>(value); }

double log_of(double value) { return std::log(value); }
double log_of(const Extended& value) { return value.log(); }

template <class Real>
Real one() {
  return Real(1.0);
}
template <>
Dual<double> one() {
  return {1.0, 0.0};
}
template <>
Dual<Extended> one() {
  return {Extended(1.0), Extended()};
}

/// With a single root: the words from which a walk cannot get away, where the root's one modifier must be, and
/// those from which it can. Without one, or where no word is open, `open` is empty.
struct Blocks {
  std::vector<std::int32_t> closed, open;
};

/// What elimination in plain numbers needs of a single root: that every word can reach every other. The words that
/// all others can reach do; they are found from one that is last to be reached when walks are followed backwards.
Blocks split(const double* scores, int num_words) {
  const int size = num_words + 1;
  std::vector<char> seen(static_cast<std::size_t>(size), 0);
  std::vector<int> frontier;
  const auto search = [&](int start, bool to_heads) {
    int found = 1;
    seen[static_cast<std::size_t>(start)] = 1;
    frontier.assign(1, start);
    while (!frontier.empty()) {
      const std::ptrdiff_t word = frontier.back();
      frontier.pop_back();
      for (int other = 1; other < size; ++other) {
        const double score = to_heads ? scores[other * static_cast<std::ptrdiff_t>(size) + word]
                                      : scores[word * static_cast<std::ptrdiff_t>(size) + other];
        if (other == word || seen[static_cast<std::size_t>(other)] != 0 || score == kForbidden) continue;
        seen[static_cast<std::size_t>(other)] = 1;
        frontier.push_back(other);
        ++found;
      }
    }
    return found;
  };
  int last = 1;
  int found = 0;
  for (int word = 1; word < size; ++word) {
    if (seen[static_cast<std::size_t>(word)] == 0) last = word, found = search(word, false);
  }
  if (found < num_words) {
    std::ranges::fill(seen, 0);
    if (search(last, false) < num_words) return {};  // two blocks without a way out: two roots
  }
  std::ranges::fill(seen, 0);
  if (search(last, true) == num_words) return {};
  Blocks blocks;
  for (int word = 1; word < size; ++word) {
    (seen[static_cast<std::size_t>(word)] != 0 ? blocks.closed : blocks.open).push_back(word);
  }
  return blocks;
}

template <class Real>
struct Engine {
  Chain<Real> chain;
  LeaveOneOutArena<Real> arena;
  std::vector<Real> escapes;  ///< [word][head], both from 0; at [m][m] the sum over all heads of weight times escape
  Real determinant{};

  Real& escape(int head, int modifier) {
    return escapes[static_cast<std::size_t>((head - 1) * chain.stride + modifier - 1)];
  }
  Engine& block() {
    if (!block_) block_ = std::make_unique<Engine>();
    return *block_;
  }

 private:
  std::unique_ptr<Engine> block_;
};

/// Keeps all escape probabilities, or stops at the first leaf when only the determinant is wanted.
template <class Real>
struct Collector {
  Engine<Real>& engine;
  bool only_determinant;
  bool safe = true;

  bool leaf(int word, const Real* escape, const Real& product) {
    const auto stride = engine.chain.stride;
    safe = is_safe(product) && is_safe(escape[word]);
    if (word == 0) engine.determinant = product * escape[word];
    if (!safe || only_determinant) return false;
    for (int h = 0; h < engine.chain.num_words; ++h)
      engine.escapes[static_cast<std::size_t>(h * stride + word)] = escape[h];
    return true;
  }
  void second_half(const Panel<Real>&, int) {}
};

template <class Real>
bool run_whole(Engine<Real>& engine, bool only_determinant) {
  auto& chain = engine.chain;
  engine.arena.reserve(chain.num_words, chain.stride);
  engine.escapes.resize(static_cast<std::size_t>(chain.stride * chain.num_words));
  Collector<Real> collector{engine, only_determinant};
  leave_one_out(chain.panel(), one<Real>(), chain.root_is_small, engine.arena, 0, collector);
  return collector.safe;
}

/// The words of one block as a chain of their own; whatever they leave it for becomes its root column.
template <class Real>
bool run_block(Engine<Real>& engine, const std::vector<std::int32_t>& words, const std::vector<std::int32_t>& outside,
               bool only_determinant) {
  auto& chain = engine.chain;
  Engine<Real>& block = engine.block();
  block.chain.resize(static_cast<int>(words.size()));
  block.chain.root_is_small = outside.empty();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const int m = words[i];
    const int row = static_cast<int>(i) + 1;
    Real& root = block.chain.weight(0, row);
    if (outside.empty()) root = chain.weight(0, m);
    for (const int h : outside) root += chain.weight(h, m);
    for (std::size_t j = 0; j < words.size(); ++j) {
      block.chain.weight(static_cast<int>(j) + 1, row) = chain.weight(words[j], m);
    }
  }
  if (!run_whole(block, only_determinant)) return false;
  for (std::size_t i = 0; i < words.size() && !only_determinant; ++i) {
    for (std::size_t j = 0; j < words.size(); ++j) {
      engine.escape(words[i], words[j]) = block.escape(static_cast<int>(i) + 1, static_cast<int>(j) + 1);
    }
  }
  return true;
}

/// With a single root, the closed words are a problem of their own, and they are the root of the open ones: from
/// an open word, a walk that comes to them has escaped.
template <class Real>
bool run(Engine<Real>& engine, const Blocks& blocks, bool only_determinant) {
  if (blocks.open.empty()) return run_whole(engine, only_determinant);
  auto& chain = engine.chain;
  engine.escapes.assign(static_cast<std::size_t>(chain.stride * chain.num_words), Real{});
  if (!run_block(engine, blocks.closed, {}, only_determinant)) return false;
  const Real closed = engine.block().determinant;
  if (!run_block(engine, blocks.open, blocks.closed, only_determinant)) return false;
  engine.determinant = closed * engine.block().determinant;
  for (const int h : blocks.closed) {
    for (const int m : blocks.open) engine.escape(h, m) = one<Real>();
  }
  return is_safe(engine.determinant);
}

double log_partition_of(const Engine<double>& engine) { return engine.chain.log_scale + std::log(engine.determinant); }

/// -inf where the best there is has two root arcs.
double log_partition_of(const Engine<Extended>& engine) {
  const auto shift = engine.chain.root_shift;
  if (engine.determinant.is_zero()) return kForbidden;
  const Extended total = engine.determinant.shifted(shift);
  if (shift > 0 && total.exponent < engine.chain.lowest_exponent) return kForbidden;
  return total.log();
}

/// weight times escape of one modifier's heads, 0..num_words; their sum is escapes[m][m].
template <class Real>
void column_terms(Engine<Real>& engine, int modifier, Real* terms) {
  const auto& chain = engine.chain;
  terms[0] = engine.chain.weight(0, modifier);
  for (int h = 1; h <= chain.num_words; ++h) {
    terms[h] = h == modifier ? Real{} : engine.chain.weight(h, modifier) * engine.escape(h, modifier);
  }
}

/// rests[h] = sum of the other terms, from both ends and without subtraction.
template <class Real>
void other_terms(const Real* terms, int size, Real* rests) {
  Real before{};
  for (int h = 0; h < size; ++h) {
    rests[h] = before;
    before += terms[h];
  }
  Real after{};
  for (int h = size - 1; h >= 0; --h) {
    rests[h] += after;
    after += terms[h];
  }
}

/// Tells zero from underflow: which words can reach the root when `avoided` is closed to them.
class Reachability {
 public:
  Reachability(const double* scores, int num_words) : scores_(scores), size_(num_words + 1) {}

  void avoid(int avoided) {
    avoided_ = avoided;
    is_known_ = false;
  }
  bool escapes(int head) {
    if (!is_known_) search();
    return reached_[static_cast<std::size_t>(head)] != 0;
  }
  /// Whether some head of the avoided word other than this one serves it in a tree.
  bool has_other_head(int head) {
    for (int other = 0; other < size_; ++other) {
      if (other != head && other != avoided_ && is_allowed(other, avoided_) && escapes(other)) return true;
    }
    return false;
  }

 private:
  bool is_allowed(int head, int modifier) const {
    return scores_[static_cast<std::ptrdiff_t>(head) * size_ + modifier] != kForbidden;
  }
  void search() {
    is_known_ = true;
    reached_.assign(static_cast<std::size_t>(size_), 0);
    reached_[0] = 1;
    frontier_.assign(1, 0);
    while (!frontier_.empty()) {
      const int head = frontier_.back();
      frontier_.pop_back();
      for (int word = 1; word < size_; ++word) {
        if (word == avoided_ || reached_[static_cast<std::size_t>(word)] != 0 || !is_allowed(head, word)) continue;
        reached_[static_cast<std::size_t>(word)] = 1;
        frontier_.push_back(word);
      }
    }
  }

  const double* scores_;
  int size_;
  int avoided_ = 0;
  bool is_known_ = false;
  std::vector<char> reached_;
  std::vector<int> frontier_;
};

/// The marginals from weights[0..n][word] and escapes[1..n][word]: rows over words, so that it vectorises.
RAMIFY_DISPATCH void normalize_terms(const double* weights, const double* escapes, std::ptrdiff_t stride, int num_words,
                                     double* totals, double* marginals) {
  const std::ptrdiff_t size = num_words + 1;
  for (int m = 0; m < num_words; ++m) totals[m] = marginals[m + 1] = weights[m];
  for (int h = 1; h <= num_words; ++h) {
    double* row = marginals + h * size + 1;
    const double* weight = weights + h * stride;
    const double* escape = escapes + (h - 1) * stride;
    for (int m = 0; m < num_words; ++m) row[m] = weight[m] * escape[m];
    row[h - 1] = 0.0;
    for (int m = 0; m < num_words; ++m) totals[m] += row[m];
  }
  for (int m = 0; m < num_words; ++m) totals[m] = 1.0 / totals[m];
  for (int h = 0; h <= num_words; ++h) {
    double* row = marginals + h * size;
    row[0] = 0.0;
    for (int m = 0; m < num_words; ++m) row[m + 1] *= totals[m];
  }
}

bool is_exact(double value) { return value >= kSafeTerm; }
bool is_exact(const Extended&) { return true; }

template <class Real>
void write_column(const std::vector<Real>& values, const Real& scale, int size, double* out) {
  for (int h = 0; h < size; ++h) {
    out[static_cast<std::ptrdiff_t>(h) * size] = to_double(values[static_cast<std::size_t>(h)] * scale);
  }
}

/// False where a complement needs a number that doubles cannot hold.
template <class Real>
bool write_marginals(Engine<Real>& engine, const double* scores, double* marginals, double* complements) {
  if constexpr (std::is_same_v<Real, double>) {
    if (complements == nullptr) {
      auto& totals = engine.arena.scratch;
      totals.resize(std::max(totals.size(), static_cast<std::size_t>(engine.chain.num_words)));
      normalize_terms(engine.chain.data.data(), engine.escapes.data(), engine.chain.stride, engine.chain.num_words,
                      totals.data(), marginals);
      return true;
    }
  }
  const int size = engine.chain.num_words + 1;
  std::vector<Real> terms(static_cast<std::size_t>(size));
  std::vector<Real> rests(static_cast<std::size_t>(size));
  Reachability reachability(scores, size - 1);
  for (int m = 1; m < size; ++m) {
    column_terms(engine, m, terms.data());
    Real total{};
    for (const Real& term : terms) total += term;
    const Real scale = one<Real>() / total;
    write_column(terms, scale, size, marginals + m);
    if (complements == nullptr) continue;
    other_terms(terms.data(), size, rests.data());
    reachability.avoid(m);
    for (int h = 0; h < size; ++h) {
      if (h != m && !is_exact(rests[static_cast<std::size_t>(h)]) && reachability.has_other_head(h)) return false;
    }
    write_column(rests, scale, size, complements + m);
  }
  for (std::ptrdiff_t h = 0; h < size; ++h) {
    marginals[h * size] = 0.0;
    if (complements != nullptr) complements[h * size] = 1.0;
  }
  return true;
}

/// Where the root is weakened, odds of its order or beyond belong to trees with two root arcs: they are 0 or
/// infinite.
template <class Real>
double without_second_root(const Chain<Real>& chain, double message) {
  const double limit = 0.5 * 0.6931471805599453 * static_cast<double>(chain.root_shift);
  if (chain.root_shift == 0 || std::fabs(message + chain.lowest_score) < limit) return message;
  return message + chain.lowest_score < 0.0 ? kForbidden : -kForbidden;
}

/// False where a message needs a number that doubles cannot hold.
template <class Real>
bool write_messages(Engine<Real>& engine, const double* scores, bool of_pruned, double* messages) {
  const auto& chain = engine.chain;
  const int size = chain.num_words + 1;
  std::vector<Real> terms(static_cast<std::size_t>(size));
  std::vector<Real> rests(static_cast<std::size_t>(size));
  for (int h = 0; h < size; ++h) messages[static_cast<std::ptrdiff_t>(h) * size] = 0.0;
  Reachability reachability(scores, size - 1);
  for (int m = 1; m < size; ++m) {
    reachability.avoid(m);
    column_terms(engine, m, terms.data());
    other_terms(terms.data(), size, rests.data());
    const double scale = chain.row_log_scale[static_cast<std::size_t>(m - 1)];
    for (int h = 0; h < size; ++h) {
      double& out = messages[static_cast<std::ptrdiff_t>(h) * size + m];
      const Real& rest = rests[static_cast<std::size_t>(h)];
      if (h == m) {
        out = 0.0;
        continue;
      }
      if (!of_pruned && scores[static_cast<std::ptrdiff_t>(h) * size + m] == kForbidden) {
        out = kForbidden;
        continue;
      }
      if (!is_exact(rest) && reachability.has_other_head(h)) return false;
      if (h > 0 && !is_exact(engine.escape(h, m)) && reachability.escapes(h)) return false;
      const double log_escape = h == 0 ? -chain.root_log_scale : log_of(engine.escape(h, m));
      out = without_second_root(chain, log_escape - scale - log_of(rest));
    }
  }
  return true;
}

template <class Base>
void write_product(Engine<Dual<Base>>& engine, double* product) {
  const int size = engine.chain.num_words + 1;
  std::vector<Dual<Base>> terms(static_cast<std::size_t>(size));
  for (int h = 0; h < size; ++h) product[static_cast<std::ptrdiff_t>(h) * size] = 0.0;
  for (int m = 1; m < size; ++m) {
    column_terms(engine, m, terms.data());
    Dual<Base> total{};
    for (const auto& term : terms) total += term;
    for (int h = 0; h < size; ++h) {
      product[static_cast<std::ptrdiff_t>(h) * size + m] =
          to_double((terms[static_cast<std::size_t>(h)] / total).tangent);
    }
  }
}

}  // namespace

struct MatrixTreeWorkspace::Impl {
  std::vector<double> scores;
  double unit = 1.0;  ///< of the scores of the last run
  Engine<double> plain;
  Engine<Extended> extended;
  Engine<Dual<double>> plain_dual;
  Engine<Dual<Extended>> extended_dual;
};

MatrixTreeWorkspace::MatrixTreeWorkspace() : impl_(std::make_unique<Impl>()) {}
MatrixTreeWorkspace::~MatrixTreeWorkspace() = default;

namespace {

/// A root arc into an open word is in no tree with one root arc.
const double* without_open_roots(const double* scores, int num_words, const Blocks& blocks,
                                 std::vector<double>& scratch) {
  if (blocks.open.empty()) return scores;
  const auto size = static_cast<std::size_t>(num_words) + 1;
  scratch.assign(scores, scores + size * size);
  for (const int m : blocks.open) scratch[static_cast<std::size_t>(m)] = kForbidden;
  return scratch.data();
}

/// Extended numbers hold e^score up to here, and doubles of this size are further apart than any logarithm of a number
/// of trees: larger scores can be divided by anything without a change that is not lost in their rounding anyway.
constexpr double kLargest = 1e15;

struct Tamed {
  const double* scores;
  double unit = 1.0;  ///< what they were divided by
};

Tamed tame(const double* scores, int num_words, std::vector<double>& scratch) {
  const auto size = static_cast<std::size_t>(num_words) + 1;
  double largest = 0.0;
  for (std::size_t i = 0; i < size * size; ++i) {
    if (std::isfinite(scores[i])) largest = std::max(largest, std::fabs(scores[i]));
  }
  if (largest <= kLargest) return {scores};
  const double unit = largest / kLargest;
  scratch.assign(scores, scores + size * size);
  for (double& s : scratch) s /= unit;
  return {scratch.data(), unit};
}

struct Wanted {
  bool only_determinant = false;
  bool of_pruned = false;  ///< of arcs that do not exist, too: with one of them, open words could be closed
};

/// Runs the elimination in doubles and, where `finish` or the range asks for it, again in extended numbers.
template <class Finish>
double in_some_range(const double* scores, int num_words, bool single_root, Wanted wanted,
                     MatrixTreeWorkspace::Impl& impl, Finish finish) {
  impl.unit = 1.0;
  const Blocks blocks = single_root && !wanted.of_pruned ? split(scores, num_words) : Blocks{};
  const double* allowed = without_open_roots(scores, num_words, blocks, impl.scores);
  if (build(allowed, num_words, single_root, impl.plain.chain) && run(impl.plain, blocks, wanted.only_determinant) &&
      finish(impl.plain, allowed)) {
    return log_partition_of(impl.plain);
  }
  const Tamed tamed = tame(scores, num_words, impl.scores);
  build(tamed.scores, num_words, single_root, impl.extended.chain);
  if (!run(impl.extended, {}, wanted.only_determinant)) return kForbidden;
  impl.unit = tamed.unit;
  const double result = log_partition_of(impl.extended) * tamed.unit;
  if (result > kForbidden) finish(impl.extended, tamed.scores);
  return result;
}

}  // namespace

double log_partition(const double* scores, int num_words, bool single_root, MatrixTreeWorkspace& workspace) {
  return in_some_range(scores, num_words, single_root, {.only_determinant = true}, workspace.impl(),
                       [](auto&, const double*) { return true; });
}

double marginals(const double* scores, int num_words, bool single_root, double* marginals, double* complements,
                 MatrixTreeWorkspace& workspace) {
  return in_some_range(scores, num_words, single_root, {}, workspace.impl(), [&](auto& engine, const double* allowed) {
    return write_marginals(engine, allowed, marginals, complements);
  });
}

double messages(const double* scores, int num_words, bool single_root, bool of_pruned, double* messages,
                MatrixTreeWorkspace& workspace) {
  const double result = in_some_range(
      scores, num_words, single_root, {.of_pruned = of_pruned}, workspace.impl(),
      [&](auto& engine, const double* allowed) { return write_messages(engine, allowed, of_pruned, messages); });
  const double unit = workspace.impl().unit;
  const std::ptrdiff_t size = num_words + 1;
  if (unit != 1.0) std::for_each(messages, messages + size * size, [unit](double& m) { m *= unit; });
  return result;
}

double marginals_and_walk_length(const double* scores, int num_words, double* marginals, double* walk_length,
                                 MatrixTreeWorkspace& workspace) {
  return in_some_range(scores, num_words, false, {}, workspace.impl(), [&](auto& engine, const double* allowed) {
    write_marginals(engine, allowed, marginals, nullptr);
    *walk_length = std::numeric_limits<double>::infinity();
    if constexpr (std::is_same_v<decltype(engine), Engine<double>&>) {
      // The expected number of visits to a word is 1 / its probability of no return.
      *walk_length = 0.0;
      for (int m = 0; m < num_words; ++m) {
        *walk_length += 1.0 / engine.escapes[static_cast<std::size_t>(m * engine.chain.stride + m)];
      }
    }
    return true;
  });
}

double marginals_vjp(const double* scores, const double* direction, int num_words, bool single_root, double* product,
                     MatrixTreeWorkspace& workspace) {
  auto& impl = workspace.impl();
  const Blocks blocks = single_root ? split(scores, num_words) : Blocks{};
  const double* allowed = without_open_roots(scores, num_words, blocks, impl.scores);
  if (build(allowed, direction, num_words, single_root, impl.plain.chain, impl.plain_dual.chain) &&
      run(impl.plain_dual, blocks, false)) {
    write_product(impl.plain_dual, product);
    impl.plain.determinant = impl.plain_dual.determinant.value;
    return log_partition_of(impl.plain);
  }
  const Tamed tamed = tame(scores, num_words, impl.scores);
  build(tamed.scores, direction, num_words, single_root, impl.extended.chain, impl.extended_dual.chain);
  if (!run(impl.extended_dual, {}, false)) return kForbidden;
  impl.extended.determinant = impl.extended_dual.determinant.value;
  const double result = log_partition_of(impl.extended) * tamed.unit;
  if (result > kForbidden) write_product(impl.extended_dual, product);
  return result;
}

}  // namespace ramify::trees
