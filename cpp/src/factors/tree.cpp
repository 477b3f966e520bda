#include "ramify/factors/tree.hpp"

#include "ramify/factors/arc_group.hpp"
#include "ramify/trees/arborescence.hpp"
#include "ramify/trees/matrix_tree.hpp"
#include "ramify/trees/max_marginals.hpp"

namespace ramify::factors {

namespace {

struct TreeAlgorithms {
  static double marginals(Scores matrix, int n, bool single_root, Point out, Workspace& ws) {
    return trees::marginals(matrix.data(), n, single_root, out.data(), nullptr,
                            ws.object<trees::MatrixTreeWorkspace>());
  }

  static void hessian_product(Scores matrix, Scores direction, int n, bool single_root, Point out, Workspace& ws) {
    const double log_z = trees::marginals_vjp(matrix.data(), direction.data(), n, single_root, out.data(),
                                              ws.object<trees::MatrixTreeWorkspace>());
    if (log_z == kForbidden) std::ranges::fill(out, 0.0);
  }

  // From log-odds: log sigmoid is exact at both ends.
  static double log_marginals(Scores matrix, int n, bool single_root, Point out, Workspace& ws) {
    const double log_z =
        trees::messages(matrix.data(), n, single_root, false, out.data(), ws.object<trees::MatrixTreeWorkspace>());
    for (std::size_t i = 0; i < out.size() && log_z != kForbidden; ++i) {
      const double log_odds = matrix[i] == kForbidden ? kForbidden : out[i] + matrix[i];
      out[i] = std::min(log_odds, 0.0) - std::log1p(std::exp(-std::abs(log_odds)));
    }
    return log_z;
  }

  static double max_marginals(Scores matrix, int n, bool single_root, Point out, Workspace& ws) {
    const Workspace::Frame frame(ws);
    const auto heads = ws.take<std::int32_t>(n + 1);
    const bool feasible = trees::max_marginals(matrix.data(), n, single_root, out.data(), nullptr, heads.data(),
                                               ws.object<trees::MaxMarginalsWorkspace>());
    return feasible ? trees::tree_score(matrix.data(), n, heads.data()) : kForbidden;
  }

  static double best(Scores matrix, int n, bool single_root, std::span<std::int32_t> heads, Workspace& ws) {
    const bool feasible =
        trees::max_arborescence(matrix.data(), n, single_root, heads.data(), ws.object<trees::ArborescenceWorkspace>());
    return feasible ? trees::tree_score(matrix.data(), n, heads.data()) : kForbidden;
  }
};

// One head per word, and one word under the root if asked for.
void add_degree_rows(Constraints& out, const ArcView& arcs, bool single_root) {
  const Index first = out.num_rows();
  for (int m = 1; m <= arcs.num_words; ++m) out.add_row(1.0, 1.0);
  const Index root = single_root ? out.add_row(1.0, 1.0) : -1;
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    out.add(first + arcs.modifiers[a] - 1, static_cast<Index>(a), 1.0);
    if (single_root && arcs.heads[a] == 0) out.add(root, static_cast<Index>(a), 1.0);
  }
}

class TreeGroup final : public ArcGroup<TreeGroup, TreeAlgorithms> {
 public:
  explicit TreeGroup(ArcSets arcs) : ArcGroup<TreeGroup, TreeAlgorithms>("Tree", std::move(arcs)) {}

  double score_one(Index f, Assignment y, Scores) const {
    std::vector<std::int32_t> heads(static_cast<std::size_t>(view(f).num_words) + 1);
    return read_heads(f, y, heads) ? 0.0 : kForbidden;
  }

  /// A unit of flow from the root to every word, on the arcs that are on (Martins, Smith & Xing 2009, section 3.2).
  Constraints constraints(Index f) const override {
    const ArcView arcs = view(f);
    Constraints out = bare_constraints(f);
    add_degree_rows(out, arcs, single_root());
    for (int target = 1; target <= arcs.num_words; ++target) {
      const Index first = out.num_rows();
      for (int word = 0; word <= arcs.num_words; ++word) {
        const double supply = word == 0 ? 1.0 : word == target ? -1.0 : 0.0;
        out.add_row(supply, supply);
      }
      for (std::size_t a = 0; a < arcs.size(); ++a) {
        const Index flow = out.add_auxiliary();
        out.add(first + arcs.heads[a], flow, 1.0);
        out.add(first + arcs.modifiers[a], flow, -1.0);
        const Index row = out.add_row(-kForced, 0.0);
        out.add(row, flow, 1.0);
        out.add(row, static_cast<Index>(a), -1.0);
      }
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<FactorGroup> make_tree(ArcSets arcs) { return std::make_unique<TreeGroup>(std::move(arcs)); }

Constraints single_commodity_constraints(std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers,
                                         std::int32_t num_words, bool single_root) {
  const ArcView arcs = {heads, modifiers, num_words};
  Constraints out;
  out.num_coords = static_cast<Index>(arcs.size());
  out.aux_upper = num_words;
  out.exact = false;
  add_degree_rows(out, arcs, single_root);
  const Index first = out.num_rows();  // each word consumes one unit
  out.add_row(num_words, num_words);
  for (int word = 1; word <= num_words; ++word) out.add_row(-1.0, -1.0);
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    const Index flow = out.add_auxiliary();
    out.add(first + heads[a], flow, 1.0);
    out.add(first + modifiers[a], flow, -1.0);
    const Index row = out.add_row(-kForced, 0.0);
    out.add(row, flow, 1.0);
    out.add(row, static_cast<Index>(a), -static_cast<double>(num_words));
  }
  return out;
}

Constraints one_head_constraints(std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers,
                                 std::int32_t num_words, bool single_root) {
  Constraints out;
  out.num_coords = static_cast<Index>(heads.size());
  out.exact = false;
  add_degree_rows(out, {heads, modifiers, num_words}, single_root);
  return out;
}

}  // namespace ramify::factors
