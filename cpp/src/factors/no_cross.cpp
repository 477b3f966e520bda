#include "ramify/factors/no_cross.hpp"

#include <numeric>

#include "ramify/factors/automaton_group.hpp"

namespace ramify::factors {

bool arcs_cross(std::int32_t a1, std::int32_t a2, std::int32_t b1, std::int32_t b2) {
  const std::int32_t low = std::min(a1, a2);
  const std::int32_t high = std::max(a1, a2);
  const auto inside = [=](std::int32_t x) { return low < x && x < high; };
  const auto outside = [=](std::int32_t x) { return x < low || x > high; };
  return (inside(b1) && outside(b2)) || (inside(b2) && outside(b1));
}

namespace {

/// The candidate heads of one word; order lists them from left to right.
struct Candidates {
  std::int32_t word;
  std::span<const std::int32_t> heads;
  std::span<const std::int32_t> order;

  std::size_t size() const { return heads.size(); }
  std::size_t num_below(std::int32_t x) const { return count(x); }
  std::size_t num_up_to(std::int32_t x) const { return count(x + 1); }

 private:
  std::size_t count(std::int32_t x) const {
    const auto end = std::ranges::lower_bound(order, x, {}, [&](std::int32_t k) { return heads[k]; });
    return static_cast<std::size_t>(end - order.begin());
  }
};

/// For each head of `own`, the sum of values over the heads of `other` whose arcs cross its arc, and over those whose
/// arcs do not. Sums over stretches that end at own's word, and over what lies beyond both ends: nothing is subtracted.
template <class Semiring>
void crossing_sums(const Candidates& own, const Candidates& other, Scores values, Point crossing, Point apart,
                   Workspace& ws) {
  const Workspace::Frame frame(ws);
  const std::size_t n = other.size();
  const std::size_t left_of = other.num_below(own.word);
  const std::size_t right_of = other.num_up_to(own.word);
  const auto value = [&](std::size_t rank) { return values[other.order[rank]]; };
  const Point prefix = ws.take<double>(n + 1, kForbidden);    // the first t
  const Point suffix = ws.take<double>(n + 1, kForbidden);    // all from t on
  const Point to_right = ws.take<double>(n + 1, kForbidden);  // from the word up to t
  const Point to_left = ws.take<double>(n + 1, kForbidden);   // from t up to the word
  for (std::size_t t = 0; t < n; ++t) prefix[t + 1] = Semiring::plus(prefix[t], value(t));
  for (std::size_t t = n; t-- > 0;) suffix[t] = Semiring::plus(suffix[t + 1], value(t));
  for (std::size_t t = right_of; t < n; ++t) to_right[t + 1] = Semiring::plus(to_right[t], value(t));
  for (std::size_t t = left_of; t-- > 0;) to_left[t] = Semiring::plus(to_left[t + 1], value(t));
  const double at_word = right_of > left_of ? value(left_of) : kForbidden;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::int32_t head = own.heads[i];
    const std::int32_t low = std::min(head, own.word);
    const std::int32_t high = std::max(head, own.word);
    const bool rightward = head > own.word;
    if (other.word == head) {
      crossing[i] = kForbidden;
      apart[i] = prefix[n];
    } else if (low < other.word && other.word < high) {
      crossing[i] = Semiring::plus(prefix[other.num_below(low)], suffix[other.num_up_to(high)]);
      const double stretch = rightward ? to_right[other.num_up_to(head)] : to_left[other.num_below(head)];
      apart[i] = Semiring::plus(at_word, stretch);
    } else {
      crossing[i] = rightward ? to_right[other.num_below(head)] : to_left[other.num_up_to(head)];
      apart[i] = Semiring::plus(prefix[other.num_up_to(low)], suffix[other.num_below(high)]);
    }
  }
}

class NoCrossGroup final : public KernelGroup<NoCrossGroup> {
 public:
  explicit NoCrossGroup(CrossingWords words)
      : KernelGroup<NoCrossGroup>("NoCross", Layout(words.num_factors, words.slots, Offsets(1)), kAllCapabilities),
        words_(std::move(words)),
        order_(words_.heads.size()) {
    for (Index f = 0; f < words_.num_factors; ++f) {
      const Index begin = words_.slots[f];
      const Index middle = begin + words_.num_first[static_cast<std::size_t>(f)];
      sort_heads(begin, middle);
      sort_heads(middle, words_.slots[f + 1]);
    }
  }

  Arguments arguments() const override {
    return {{"heads", words_.heads},
            {"first_word", words_.first_word},
            {"second_word", words_.second_word},
            {"num_first", words_.num_first}};
  }

  double score_one(Index f, Assignment y, Scores parts) const {
    const auto [first, second] = sides(f);
    const std::int32_t i = single(y.first(first.size()));
    const std::int32_t k = single(y.subspan(first.size()));
    if (i < 0 || k < 0) return kForbidden;
    return crosses(first, second, i, k) ? parts[0] : 0.0;
  }

  double sum_one(Index f, Scores w, Scores parts, Point masses, Point nu, Workspace& ws) const {
    const auto [first, second] = sides(f);
    const Sums sums = all_sums<LogSemiring>(f, w, parts[0], ws);
    if (sums.total == kForbidden) return kForbidden;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (sums.first.crossing[i] != kForbidden) {
        nu[0] += std::exp(sums.first.scores[i] + parts[0] + sums.first.crossing[i] - sums.total);
      }
    }
    for (const Side* side : {&sums.first, &sums.second}) {
      for (double& x : side->values) x = std::exp(x - sums.total);
    }
    one_hot_states(sums.first.values, masses, 0.0, std::plus<double>(), ws);
    one_hot_states(sums.second.values, masses.subspan(2 * first.size()), 0.0, std::plus<double>(), ws);
    return sums.total;
  }

  template <class Semiring>
  double sweep_one(Index f, Scores w, Scores parts, Point out, Workspace& ws) const {
    const Sums sums = all_sums<Semiring>(f, w, parts[0], ws);
    one_hot_states(sums.first.values, out, kForbidden, Semiring::plus, ws);
    one_hot_states(sums.second.values, out.subspan(2 * sums.first.values.size()), kForbidden, Semiring::plus, ws);
    return sums.total;
  }

  void vjp_one(Index f, Scores w, Scores parts, Scores dw, Scores dparts, Point dmasses, Point dnu,
               Workspace& ws) const {
    const auto [first, second] = sides(f);
    const Sums sums = all_sums<LogSemiring>(f, w, parts[0], ws);
    if (sums.total == kForbidden) return;
    const std::size_t n = first.size();
    const Point du = ws.take<double>(n);
    const Point dv = ws.take<double>(second.size());
    for (std::size_t i = 0; i < n; ++i) du[i] = dw[2 * i + 1];
    for (std::size_t k = 0; k < dv.size(); ++k) dv[k] = dw[2 * (n + k) + 1];
    const Change a = {first, second, sums.first, sums.second, du, dv};
    const Change b = {second, first, sums.second, sums.first, dv, du};
    dnu[0] = derivatives(a, parts[0], dparts[0], sums.total, dmasses, ws);
    derivatives(b, parts[0], dparts[0], sums.total, dmasses.subspan(2 * n), ws);
  }

  double argmax_one(Index f, Scores w, Scores parts, AssignmentOut y, Point nu, Workspace& ws) const {
    const auto [first, second] = sides(f);
    const Sums sums = all_sums<MaxSemiring>(f, w, parts[0], ws);
    if (sums.total == kForbidden) return kForbidden;
    const auto i = std::ranges::max_element(sums.first.values) - sums.first.values.begin();
    double best = kForbidden;
    std::size_t best_k = 0;
    for (std::size_t k = 0; k < second.size(); ++k) {
      const double x =
          sums.second.scores[k] + (crosses(first, second, i, static_cast<std::ptrdiff_t>(k)) ? parts[0] : 0.0);
      if (x > best) best = x, best_k = k;
    }
    y[static_cast<std::size_t>(i)] = 1;
    y[first.size() + best_k] = 1;
    nu[0] = crosses(first, second, i, static_cast<std::ptrdiff_t>(best_k)) ? 1.0 : 0.0;
    return sums.total;
  }

  /// The joint distribution of the two heads as auxiliary variables.
  Constraints constraints(Index f) const override {
    const auto [first, second] = sides(f);
    Constraints out = bare_constraints(f);
    const Index one = out.add_row(1.0, 1.0);
    for (Index c = 0; c < out.num_coords + 1; ++c) out.add(out.add_row(0.0, 0.0), c, -1.0);
    for (std::size_t i = 0; i < first.size(); ++i) {
      for (std::size_t k = 0; k < second.size(); ++k) {
        const Index both = out.add_auxiliary();
        out.add(one, both, 1.0);
        out.add(one + 1 + static_cast<Index>(i), both, 1.0);
        out.add(one + 1 + static_cast<Index>(first.size() + k), both, 1.0);
        const bool cross = crosses(first, second, static_cast<std::ptrdiff_t>(i), static_cast<std::ptrdiff_t>(k));
        if (cross) out.add(one + 1 + out.num_coords, both, 1.0);
      }
    }
    return out;
  }

 private:
  struct Side {
    Point scores;    // of each head, in logs
    Point crossing;  // sums of the other side's scores, see crossing_sums
    Point apart;
    Point values;  // of all assignments with this head
  };
  struct Sums {
    Side first, second;
    double total;
  };
  /// One side's view of a change of scores.
  struct Change {
    const Candidates& own;
    const Candidates& other;
    const Side& own_sums;
    const Side& other_sums;
    Scores down;    // change of own scores
    Scores dother;  // of the other's
  };

  void sort_heads(Index begin, Index end) {
    const auto order =
        std::span(order_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::int32_t k) { return words_.heads[static_cast<std::size_t>(begin + k)]; });
  }

  std::pair<Candidates, Candidates> sides(Index f) const {
    const auto at = static_cast<std::size_t>(f);
    const auto heads = cut(std::span(words_.heads), layout().slots(), f);
    const auto order = cut(std::span(order_), layout().slots(), f);
    const auto n = static_cast<std::size_t>(words_.num_first[at]);
    return {Candidates{words_.first_word[at], heads.first(n), order.first(n)},
            Candidates{words_.second_word[at], heads.subspan(n), order.subspan(n)}};
  }

  static bool crosses(const Candidates& first, const Candidates& second, std::ptrdiff_t i, std::ptrdiff_t k) {
    return arcs_cross(first.heads[static_cast<std::size_t>(i)], first.word, second.heads[static_cast<std::size_t>(k)],
                      second.word);
  }

  static std::int32_t single(Assignment y) {
    std::int32_t on = -1;
    for (std::size_t k = 0; k < y.size(); ++k) {
      if (y[k] == 0) continue;
      if (on >= 0) return -1;
      on = static_cast<std::int32_t>(k);
    }
    return on;
  }

  template <class Semiring>
  Sums all_sums(Index f, Scores w, double score, Workspace& ws) const {
    const auto [first, second] = sides(f);
    Sums out{make_side(first.size(), w, ws), make_side(second.size(), w.subspan(2 * first.size()), ws), kForbidden};
    add_up<Semiring>(first, second, out.first, out.second, score, ws);
    add_up<Semiring>(second, first, out.second, out.first, score, ws);
    for (const double x : out.first.values) out.total = Semiring::plus(out.total, x);
    return out;
  }

  static Side make_side(std::size_t n, Scores w, Workspace& ws) {
    const Side side = {ws.take<double>(n), ws.take<double>(n), ws.take<double>(n), ws.take<double>(n)};
    one_hot_scores(w, side.scores);
    return side;
  }

  template <class Semiring>
  static void add_up(const Candidates& own, const Candidates& other, const Side& side, const Side& other_side,
                     double score, Workspace& ws) {
    crossing_sums<Semiring>(own, other, other_side.scores, side.crossing, side.apart, ws);
    for (std::size_t i = 0; i < own.size(); ++i) {
      side.values[i] = side.scores[i] + Semiring::plus(score + side.crossing[i], side.apart[i]);
    }
  }

  // Writes the changes of own masses; returns the change of the crossing's. The other side's change given each own head
  // is an expectation, summed in logs after a shift that makes it positive.
  static double derivatives(const Change& c, double score, double dscore, double total, Point dmasses, Workspace& ws) {
    const std::size_t n = c.own.size();
    const double shift = *std::ranges::min_element(c.dother);
    const Point shifted = ws.take<double>(c.other.size());
    for (std::size_t k = 0; k < shifted.size(); ++k)
      shifted[k] = c.other_sums.scores[k] + std::log(c.dother[k] - shift);
    const Point crossing = ws.take<double>(n);
    const Point apart = ws.take<double>(n);
    crossing_sums<LogSemiring>(c.own, c.other, shifted, crossing, apart, ws);
    const Side& own = c.own_sums;
    const Point p = ws.take<double>(n, 0.0);
    const Point change = ws.take<double>(n, 0.0);
    double mean = 0.0;
    double crossed = 0.0;
    double crossed_change = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      if (own.values[i] == kForbidden) continue;
      p[i] = std::exp(own.values[i] - total);
      const double base = own.scores[i] - own.values[i];
      const double share = std::exp(base + score + own.crossing[i]);  // of crossing, given this head
      const double moved = std::exp(base + score + crossing[i]) + shift * share;
      const double stayed = std::exp(base + apart[i]) + shift * std::exp(base + own.apart[i]);
      change[i] = c.down[i] + dscore * share + moved + stayed;
      mean += p[i] * change[i];
      crossed += p[i] * share;
      crossed_change += p[i] * (share * (c.down[i] + dscore) + moved);
    }
    for (std::size_t i = 0; i < n; ++i) dmasses[2 * i + 1] = p[i] * (change[i] - mean);
    return crossed_change - crossed * mean;
  }

  CrossingWords words_;
  std::vector<std::int32_t> order_;
};

}  // namespace

std::unique_ptr<FactorGroup> make_no_cross(CrossingWords words) {
  return std::make_unique<NoCrossGroup>(std::move(words));
}

}  // namespace ramify::factors
