#include "ramify/factors/callback.hpp"

#include "ramify/factors/kernel_group.hpp"

namespace ramify::factors {

namespace {

Capabilities capabilities_of(const Callbacks& callbacks) {
  Capabilities out = kProjectCapabilities | Capability::kArgmax;
  if (callbacks.marginals) out = out | Capability::kMarginals | Capability::kEntropy;
  if (callbacks.score) out = out | Capability::kScore;
  return out;
}

constexpr double kTiny = 1e-9;  // 1 minus a probability near 1 has few digits below this

class CallbackGroup final : public KernelGroup<CallbackGroup> {
 public:
  CallbackGroup(std::string family, Layout layout, Callbacks callbacks)
      : KernelGroup<CallbackGroup>(std::move(family), std::move(layout), capabilities_of(callbacks)),
        callbacks_(std::move(callbacks)) {}

  double score_one(Index f, Assignment y, Scores parts) const {
    if (!callbacks_.score) refuse("score");
    return callbacks_.score(f, y, parts);
  }

  double sum_one(Index f, Scores w, Scores parts, Point masses, Point nu, Workspace& ws) const {
    if (!callbacks_.marginals) refuse("marginals");
    const Point q = ws.take<double>(layout().coords().size(f));
    const Point mu = ws.take<double>(q.size());
    coords_from_states(f, w, q);
    const double log_z = callbacks_.marginals(f, q, parts, mu, nu);
    if (log_z == kForbidden) return log_z;
    expand_direction(layout(), f, mu, masses);
    for (Index s = layout().slots()[f]; s < layout().slots()[f + 1]; ++s) {
      const Index at = layout().state_of(s) - layout().states()[f];
      const bool possible = w[at] != kForbidden;
      if (layout().num_states(s) == 2) masses[at] = possible ? std::max(0.0, 1.0 - masses[at + 1]) : 0.0;
    }
    return log_z;
  }

  // Probabilities of a variable underflow mostly by its own scores: ask again for each one without them. Where one is
  // still too small to tell from impossible, log Z with that state alone says what it is.
  template <class Semiring>
  double sweep_one(Index f, Scores w, Scores parts, Point out, Workspace& ws) const {
    if (std::same_as<Semiring, MaxSemiring>) refuse("max_marginals");
    const Point nu = ws.take<double>(parts.size());
    const Point neutral = ws.take<double>(w.size());
    const Point masses = ws.take<double>(w.size(), 0.0);
    const double log_z = sum_one(f, w, parts, masses, nu, ws);
    for (Index s = layout().slots()[f]; s < layout().slots()[f + 1]; ++s) {
      std::ranges::copy(w, neutral.begin());
      const Index at = layout().state_of(s) - layout().states()[f];
      const Index end = at + layout().num_states(s);
      for (Index k = at; k < end; ++k) neutral[k] = w[k] == kForbidden ? kForbidden : 0.0;
      std::ranges::fill(masses, 0.0);
      const double total = sum_one(f, neutral, parts, masses, nu, ws);
      for (Index k = at; k < end; ++k) {
        if (total == kForbidden || w[k] == kForbidden) {
          out[k] = kForbidden;
        } else if (masses[k] > kTiny) {
          out[k] = std::log(masses[k]) + w[k];
        } else {
          const Point unused = ws.take<double>(w.size(), 0.0);
          for (Index j = at; j < end; ++j) neutral[j] = j == k ? 0.0 : kForbidden;
          const double alone = sum_one(f, neutral, parts, unused, nu, ws);
          for (Index j = at; j < end; ++j) neutral[j] = w[j] == kForbidden ? kForbidden : 0.0;
          out[k] = alone == kForbidden ? kForbidden : alone - total + w[k];
        }
      }
    }
    return log_z;
  }

  void vjp_one(Index, Scores, Scores, Scores, Scores, Point, Point, Workspace&) const { refuse("marginals_vjp"); }

  double argmax_one(Index f, Scores w, Scores parts, AssignmentOut y, Point nu, Workspace& ws) const {
    const Point q = ws.take<double>(layout().coords().size(f));
    coords_from_states(f, w, q);
    if (!callbacks_.argmax(f, q, parts, y, nu)) return kForbidden;
    double total = 0.0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      total += w[layout().state_of(layout().slots()[f] + static_cast<Index>(j)) - layout().states()[f] + y[j]];
    }
    for (std::size_t r = 0; r < nu.size(); ++r) total += nu[r] > 0.0 ? parts[r] : 0.0;
    if (total == kForbidden) {  // what is best breaks a rule, so nothing keeps all of them
      std::ranges::fill(y, 0);
      std::ranges::fill(nu, 0.0);
    }
    return total;
  }

 private:
  void coords_from_states(Index f, Scores w, Point q) const {
    gather_coords(layout(), f, w, q);
    for (Index s = layout().slots()[f]; s < layout().slots()[f + 1]; ++s) {
      const bool forced = layout().num_states(s) == 2 && w[layout().state_of(s) - layout().states()[f]] == kForbidden;
      if (forced) q[layout().coord_of(s) - layout().coords()[f]] = kForced;
    }
  }

  Callbacks callbacks_;
};

}  // namespace

std::unique_ptr<FactorGroup> make_callback_group(std::string family, Layout layout, Callbacks callbacks) {
  return std::make_unique<CallbackGroup>(std::move(family), std::move(layout), std::move(callbacks));
}

}  // namespace ramify::factors
