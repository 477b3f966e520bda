#include "ramify/summarization/dual.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "prices.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/summarization/forest.hpp"

namespace ramify::summarization {

namespace {

constexpr double kBetter = 1e-9;
constexpr double kFirstStep = 1.0, kSlower = 0.7, kLastStep = 0.005;
constexpr Index kPatience = 6;       // steps without a better bound, after which steps get smaller
constexpr Index kMostSearches = 20;  // searches around a summary of the relaxation

class Solver {
 public:
  Solver(const Problem& problem, const Options& options)
      : problem_(problem),
        options_(options),
        parts_(problem),
        forest_(problem, parts_),
        prices_(parts_),
        best_(prices_) {
    all_.resize(at(problem.num_sentences()));
    std::iota(all_.begin(), all_.end(), Index{0});
    answer_.kept.assign(at(problem.num_units()), 0);
  }

  Answer run(const Mask& start) {
    if (!start.empty()) consider(start);
    descend();
    search(answer_.kept);
    prices_ = best_;
    if (!forest_.is_exact()) return without_bounds();
    answer_.bound = std::min(answer_.bound, relaxed());
    forest_.max_marginals(gains_, answer_.stays, answer_.goes);
    for (double& x : answer_.stays) x += constant_;
    for (double& x : answer_.goes) x += constant_;
    answer_.bound = std::max(answer_.bound, answer_.value);
    return std::move(answer_);
  }

 private:
  Answer without_bounds() {
    answer_.bound = std::numeric_limits<double>::infinity();
    answer_.stays.assign(answer_.kept.size(), answer_.bound);
    answer_.goes = answer_.stays;
    return std::move(answer_);
  }

  /// The bound at the prices, and the summary that reaches it.
  double relaxed() {
    constant_ = prices_.gains(parts_, {}, gains_);
    kept_.resize(at(problem_.num_units()));
    return constant_ + forest_.best(gains_, all_, problem_.budget, kept_);
  }

  void descend() {
    Prices direction = prices_;
    double step = kFirstStep, last_norm = 0.0;
    Index since = 0;
    for (Index i = 0; i < options_.iterations && forest_.work() < options_.work; ++i) {
      const double bound = relaxed();
      if (bound < answer_.bound - kBetter) {
        answer_.bound = bound;
        best_ = prices_;
        since = 0;
      } else if (++since >= kPatience) {
        step *= kSlower;
        since = 0;
      }
      const double before = answer_.value;
      consider(kept_);
      if (searches_ < kMostSearches && (answer_.value > before || i % 16 == 15)) search(kept_);
      if (answer_.bound - answer_.value <= options_.gap * std::abs(answer_.value) || step < kLastStep) return;
      const Prices slope = prices_.gradient(parts_, kept_);
      const double across = last_norm > 0 ? slope.dot(direction) : 0.0;
      direction.deflect(slope, across < 0 ? -1.2 * across / last_norm : 0.0);
      last_norm = direction.norm();
      if (last_norm <= 0) return;
      prices_.move(parts_, direction, -step * (bound - answer_.value) / last_norm);
    }
  }

  double consider(const Mask& kept) {
    const double value = parts_.value(problem_, kept);
    if (value > answer_.value + kBetter) {
      answer_.value = value;
      answer_.kept = kept;
    }
    return value;
  }

  /// Takes one or two sentences out of a summary and fills the place again, as long as that helps.
  void search(const Mask& from) {
    ++searches_;
    Mask now = from;
    double value = parts_.value(problem_, now);
    if (!(value > -std::numeric_limits<double>::infinity())) {
      now = answer_.kept;
      value = answer_.value;
    }
    if (!tried_.insert(now).second) return;
    for (bool more = true; more;) {
      more = false;
      const std::vector<Index> chosen = sentences_of(now);
      for (std::size_t i = 0; i < chosen.size() && !more; ++i) {
        for (std::size_t k = i; k < chosen.size() && !more && forest_.work() < options_.work; ++k) {
          more = exchange(now, value, chosen[i], chosen[k]);
        }
      }
      if (chosen.empty()) more = exchange(now, value, -1, -1);
    }
    tried_.insert(now);
    consider(now);
  }

  bool exchange(Mask& now, double& value, Index first, Index second) {
    std::vector<Index> open;
    Mask fixed(now.size(), 0), covered(parts_.concepts.size(), 0);
    Index left = problem_.budget;
    for (const Index s : all_) {
      const Index root = problem_.begin[at(s)];
      if (!now[at(root)] || s == first || s == second) {
        open.push_back(s);
        continue;
      }
      for (Index u = root; u < problem_.begin[at(s) + 1]; ++u) {
        fixed[at(u)] = now[at(u)];
        left -= now[at(u)] ? problem_.lengths[at(u)] : 0;
      }
    }
    for (std::size_t c = 0; c < covered.size(); ++c) {
      for (Index t = parts_.concepts[c].begin; t < parts_.concepts[c].end && !covered[c]; ++t) {
        covered[c] = fixed[at(parts_.tokens[at(t)].first)] && fixed[at(parts_.tokens[at(t)].second)];
      }
    }
    prices_.gains(parts_, covered, gains_);
    forest_.best(gains_, open, left, fixed);
    const double found = parts_.value(problem_, fixed);
    if (found <= value + kBetter) return false;
    value = found;
    now = std::move(fixed);
    return true;
  }

  std::vector<Index> sentences_of(const Mask& kept) const {
    std::vector<Index> out;
    for (const Index s : all_) {
      if (kept[at(problem_.begin[at(s)])]) out.push_back(s);
    }
    return out;
  }

  const Problem& problem_;
  const Options& options_;
  Parts parts_;
  Forest forest_;
  Prices prices_, best_;
  std::vector<Index> all_;
  std::vector<double> gains_;
  double constant_ = 0.0;
  Mask kept_;
  std::set<Mask> tried_;
  Index searches_ = 0;
  Answer answer_;
};

}  // namespace

Answer solve(const Problem& problem, const Options& options, const Mask& start) {
  return Solver(problem, options).run(start);
}

}  // namespace ramify::summarization
