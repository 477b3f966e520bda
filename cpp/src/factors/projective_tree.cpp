#include "ramify/factors/arc_group.hpp"
#include "ramify/factors/tree.hpp"
#include "ramify/trees/eisner.hpp"
#include "ramify/trees/projective.hpp"
#include "ramify/trees/projective_algorithms.hpp"

namespace ramify::factors {

namespace {

/// LogSum with masses kept as logarithms: slower, and without underflow.
struct LogMass {
  static constexpr double kNothing = kForbidden;
  static constexpr double kAll = 0.0;
  static double sum(std::span<const double> values) { return log_sum_exp(values); }
  static double flow(double mass, double value, double total) { return mass + (value - total); }
  static void collect(double& mass, double flow) { mass = LogSemiring::plus(mass, flow); }
};

struct ProjectiveAlgorithms {
  static trees::ArcGrammar grammar(int n, bool single_root) { return {n, n + 1, single_root}; }

  static double marginals(Scores matrix, int n, bool single_root, Point out, Workspace& ws) {
    return trees::eisner_marginals(n, n + 1, single_root, matrix.data(), ws.object<trees::EisnerWorkspace>(),
                                   out.data());
  }

  static void hessian_product(Scores matrix, Scores direction, int n, bool single_root, Point out, Workspace& ws) {
    trees::hessian_product(grammar(n, single_root), matrix.data(), direction.data(),
                           ws.object<trees::ProjectiveWorkspace>(), out.data());
  }

  static double log_marginals(Scores matrix, int n, bool single_root, Point out, Workspace& ws) {
    return masses<LogMass>(matrix, n, single_root, out, ws);
  }

  static double max_marginals(Scores matrix, int n, bool single_root, Point out, Workspace& ws) {
    const double best = masses<trees::MaxPlus>(matrix, n, single_root, out, ws);
    for (double& x : out) x += best;  // what forcing an arc costs, and the best tree
    return best;
  }

  static double best(Scores matrix, int n, bool single_root, std::span<std::int32_t> heads, Workspace&) {
    const std::int32_t length = n;
    double value = kForbidden;
    trees::best_trees({trees::ProjectiveOrder::kArc, single_root, n + 1, {&length, 1}, matrix.data(), 1}, heads.data(),
                      &value);
    return value;
  }

 private:
  template <class Semiring>
  static double masses(Scores matrix, int n, bool single_root, Point out, Workspace& ws) {
    auto& scratch = ws.object<trees::ProjectiveWorkspace>();
    const trees::ArcGrammar rules = grammar(n, single_root);
    const double total = trees::inside_pass<Semiring>(rules, matrix.data(), scratch.inside, scratch.alternatives);
    if (total != kForbidden) trees::outside_pass<Semiring>(rules, matrix.data(), scratch, out.data());
    return total;
  }
};

class ProjectiveTreeGroup final : public ArcGroup<ProjectiveTreeGroup, ProjectiveAlgorithms> {
 public:
  explicit ProjectiveTreeGroup(ArcSets arcs)
      : ArcGroup<ProjectiveTreeGroup, ProjectiveAlgorithms>("ProjectiveTree", std::move(arcs)) {}

  double score_one(Index f, Assignment y, Scores) const {
    std::vector<std::int32_t> heads(static_cast<std::size_t>(view(f).num_words) + 1);
    return read_heads(f, y, heads) && is_projective(heads) ? 0.0 : kForbidden;
  }

  /// Unit flow from the goal down the derivations of Eisner's grammar (Martin, Rardin & Campbell 1990).
  Constraints constraints(Index f) const override {
    const ArcView arcs = view(f);
    const trees::ArcGrammar rules = ProjectiveAlgorithms::grammar(arcs.num_words, single_root());
    Constraints out = bare_constraints(f);
    std::vector<double> matrix(static_cast<std::size_t>(arcs.matrix_size()), kForbidden);
    std::vector<Index> arc_of(matrix.size(), -1);
    for (std::size_t a = 0; a < arcs.size(); ++a) {
      matrix[static_cast<std::size_t>(arcs.cell(a))] = 0.0;
      arc_of[static_cast<std::size_t>(arcs.cell(a))] = static_cast<Index>(a);
      out.add(out.add_row(0.0, 0.0), static_cast<Index>(a), -1.0);
    }
    std::vector<double> inside;
    std::vector<double> alternatives;
    trees::inside_pass<trees::MaxPlus>(rules, matrix.data(), inside, alternatives);
    const Index first = out.num_rows();
    for (std::size_t item = 0; item < rules.num_items(); ++item) {
      const double unit = static_cast<std::ptrdiff_t>(item) == rules.goal() ? 1.0 : 0.0;
      out.add_row(unit, unit);
    }
    // Items of one word are there for the taking (a tree uses some twice), so they have no flow.
    const auto has_flow = [&](std::ptrdiff_t item) {
      return item != trees::kNone && rules.decode(item).h != rules.decode(item).e;
    };
    for (int level = 0; level < rules.num_levels(); ++level) {
      rules.items(level, [&](const trees::Item& x) {
        if (x.h == x.e) return;
        rules.derivations(x, [&](auto a, auto b, auto part) {
          for (const auto tail : {a, b}) {
            if (tail != trees::kNone && inside[static_cast<std::size_t>(tail)] == kForbidden) return;
          }
          const Index arc = part == trees::kNone ? -1 : arc_of[static_cast<std::size_t>(part)];
          if (part != trees::kNone && arc < 0) return;
          const Index flow = out.add_auxiliary();
          out.add(first + rules.index(x), flow, 1.0);
          for (const auto tail : {a, b}) {
            if (has_flow(tail)) out.add(first + tail, flow, -1.0);
          }
          if (arc >= 0) out.add(arc, flow, 1.0);
        });
      });
    }
    return out;
  }

 private:
  static bool is_projective(std::span<const std::int32_t> heads) {
    const auto n = static_cast<std::int32_t>(heads.size()) - 1;
    for (std::int32_t m = 1; m <= n; ++m) {
      const std::int32_t low = std::min(m, heads[m]);
      const std::int32_t high = std::max(m, heads[m]);
      for (std::int32_t k = 1; k <= n; ++k) {
        const bool inside = low < k && k < high;
        const bool head_inside = low <= heads[k] && heads[k] <= high;
        if (inside && !head_inside) return false;
      }
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<FactorGroup> make_projective_tree(ArcSets arcs) {
  return std::make_unique<ProjectiveTreeGroup>(std::move(arcs));
}

}  // namespace ramify::factors
