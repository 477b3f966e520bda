#include "table_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ramify/numeric/index.hpp"

namespace ramify::inference {

namespace {

using factors::kForbidden;
using factors::kForced;

constexpr std::size_t kLargestTable = 4096;
constexpr std::size_t kLargestModel = 4'000'000;

}  // namespace

class ModelBuilder {
 public:
  explicit ModelBuilder(const ScoredGraph& problem) : problem_(problem), graph_(problem.graph) {}

  std::optional<TableModel> run() {
    model_.graph_ = &graph_;
    model_.parts_ = problem_.parts;
    model_.places_.resize(at(graph_.num_variables()));
    for (const graph::PlacedGroup& placed : graph_.groups()) {
      for (Index f = 0; f < placed.group->layout().num_factors(); ++f) {
        if (!is_small(placed, f) && !merge(placed, f)) return std::nullopt;
      }
    }
    place_variables();
    for (const graph::PlacedGroup& placed : graph_.groups()) {
      model_.slots_.assign(std::max(model_.slots_.size(), at(placed.group->layout().slots()[placed.group->all().end])),
                           0);
      for (Index f = 0; f < placed.group->layout().num_factors(); ++f) {
        if (!is_side(placed, f) && !tabulate(placed, f)) return std::nullopt;
      }
    }
    for (auto& [scope, values] : pairs_) model_.tables.push_back(pair_table(scope, std::move(values)));
    for (const TableModel::Side& side : model_.sides_) exclude_pairs(side);
    model_.has_sides = !model_.sides_.empty();
    return std::move(model_);
  }

 private:
  std::span<const std::int32_t> variables_of(const graph::PlacedGroup& placed, Index f) const {
    const factors::Layout& layout = placed.group->layout();
    return graph_.slot_variable().subspan(at(placed.slot_begin + layout.slots()[f]), at(layout.slots().size(f)));
  }

  bool is_small(const graph::PlacedGroup& placed, Index f) const {
    std::size_t size = 1;
    for (const std::int32_t v : variables_of(placed, f)) {
      size *= at(graph_.num_states(v));
      if (size > kLargestTable) return false;
    }
    return true;
  }

  bool is_side(const graph::PlacedGroup& placed, Index f) const { return sides_.contains({&placed, f}); }

  // Rows that say "exactly one of these"; they have to reach all of the factor's variables.
  bool merge(const graph::PlacedGroup& placed, Index f) {
    const factors::Layout& layout = placed.group->layout();
    if (layout.parts().size(f) != 0 || !layout.all_binary()) return false;
    if (!placed.group->has(factors::Capability::kConstraints)) return false;
    const factors::Constraints rows = placed.group->constraints(f);
    std::vector<std::vector<Index>> columns(at(rows.num_rows()));
    std::vector<std::uint8_t> plain(at(rows.num_rows()), 1);
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      const auto r = at(rows.rows[i]);
      if (rows.columns[i] >= rows.num_coords || rows.values[i] != 1.0) plain[r] = 0;
      columns[r].push_back(rows.columns[i]);
    }
    const std::span<const std::int32_t> variables = variables_of(placed, f);
    std::size_t covered = 0;
    for (std::size_t r = 0; r < columns.size(); ++r) {
      if (plain[r] == 0 || rows.lower[r] != 1.0 || rows.upper[r] != 1.0) continue;
      const auto is_free = [&](Index c) { return model_.places_[at(variables[at(c)])].variable < 0; };
      if (!std::ranges::all_of(columns[r], is_free)) continue;
      const auto merged = static_cast<std::int32_t>(model_.unary.size());
      model_.unary.emplace_back();
      for (const Index c : columns[r]) add_state(variables[at(c)], merged);
      covered += columns[r].size();
    }
    model_.sides_.push_back({&placed, f});
    sides_.emplace(&placed, f);
    return covered == variables.size();
  }

  void add_state(std::int32_t original, std::int32_t merged) {
    std::vector<double>& unary = model_.unary[at(merged)];
    model_.places_[at(original)] = {merged, static_cast<std::int32_t>(unary.size())};
    unary.push_back(problem_.unary[at(graph_.coord_of(original))]);
  }

  void place_variables() {
    for (std::vector<double>& unary : model_.unary) {  // +inf: the other states are out
      if (std::ranges::find(unary, kForced) == unary.end()) continue;
      for (double& s : unary) s = s == kForced ? 0.0 : kForbidden;
    }
    for (Index v = 0; v < graph_.num_variables(); ++v) {
      TableModel::Place& place = model_.places_[at(v)];
      if (place.variable >= 0) continue;
      place.variable = static_cast<std::int32_t>(model_.unary.size());
      const Scores s = problem_.unary.subspan(at(graph_.coord_of(v)), at(graph_.width(v)));
      if (s.size() > 1) {
        model_.unary.emplace_back(s.begin(), s.end());
      } else if (s[0] == kForced) {
        model_.unary.push_back({kForbidden, 0.0});
      } else {
        model_.unary.push_back({0.0, s[0]});
      }
    }
  }

  /// A factor's table over the classes that it tells apart: each state of a variable, or each merged one and the rest.
  bool tabulate(const graph::PlacedGroup& placed, Index f) {
    const std::span<const std::int32_t> slots = variables_of(placed, f);
    ModelTable table;
    for (const std::int32_t v : slots) table.variables.push_back(model_.places_[at(v)].variable);
    std::ranges::sort(table.variables);
    const auto [first, last] = std::ranges::unique(table.variables);
    table.variables.erase(first, last);
    for (const std::int32_t v : table.variables) {
      std::vector<std::int32_t> classes(model_.unary[at(v)].size(), 0);
      std::int32_t n = 0;
      for (const std::int32_t original : slots) {
        const TableModel::Place place = model_.places_[at(original)];
        if (place.variable != v) continue;
        if (place.state < 0) {
          for (std::size_t k = 0; k < classes.size(); ++k) classes[k] = static_cast<std::int32_t>(k);
          n = static_cast<std::int32_t>(classes.size()) - 1;
        } else if (classes[at(place.state)] == 0) {
          classes[at(place.state)] = ++n;
        }
      }
      table.num_classes.push_back(n + 1);
      table.classes.push_back(std::move(classes));
    }
    fill(placed, f, table);
    return keep(std::move(table));
  }

  void fill(const graph::PlacedGroup& placed, Index f, ModelTable& table) {
    const factors::Layout& layout = placed.group->layout();
    const std::span<const std::int32_t> slots = variables_of(placed, f);
    score_.resize(std::max(score_.size(), at(layout.num_factors())));
    std::vector<std::int32_t> x(table.variables.size(), 0);
    for (bool more = true; more; more = next(x, table.num_classes)) {
      for (std::size_t j = 0; j < slots.size(); ++j) {
        const TableModel::Place place = model_.places_[at(slots[j])];
        const auto a = at(std::ranges::find(table.variables, place.variable) - table.variables.begin());
        const std::int32_t on = place.state < 0 ? x[a] : table.classes[a][at(place.state)] == x[a] ? 1 : 0;
        model_.slots_[at(layout.slots()[f]) + j] = on;
      }
      placed.group->score({f, f + 1}, model_.slots_, problem_.parts.subspan(at(placed.part_begin)), score_);
      table.values.push_back(score_[at(f)]);
    }
  }

  static bool next(std::vector<std::int32_t>& x, const std::vector<std::int32_t>& sizes) {
    for (std::size_t a = x.size(); a-- > 0;) {
      if (++x[a] < sizes[a]) return true;
      x[a] = 0;
    }
    return false;
  }

  bool keep(ModelTable table) {
    if (table.variables.size() == 1) {
      std::vector<double>& unary = model_.unary[at(table.variables[0])];
      for (std::size_t k = 0; k < unary.size(); ++k) unary[k] += table.values[at(table.classes[0][k])];
      return true;
    }
    if (table.variables.size() > 2) {
      num_values_ += table.values.size();
      model_.tables.push_back(std::move(table));
      return num_values_ <= kLargestModel;
    }
    const std::pair scope(table.variables[0], table.variables[1]);
    const std::size_t rows = table.classes[0].size();
    const std::size_t columns = table.classes[1].size();
    std::vector<double>& values = pairs_[scope];
    if (values.empty()) num_values_ += rows * columns;
    if (num_values_ > kLargestModel) return false;
    values.resize(rows * columns, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      const double* mine = table.values.data() + table.classes[0][i] * table.num_classes[1];
      for (std::size_t j = 0; j < columns; ++j) values[i * columns + j] += mine[table.classes[1][j]];
    }
    return true;
  }

  ModelTable pair_table(std::pair<std::int32_t, std::int32_t> scope, std::vector<double> values) const {
    ModelTable out;
    out.variables = {scope.first, scope.second};
    for (const std::int32_t v : out.variables) {
      out.num_classes.push_back(static_cast<std::int32_t>(model_.unary[at(v)].size()));
      out.classes.emplace_back();
      for (std::int32_t k = 0; k < out.num_classes.back(); ++k) out.classes.back().push_back(k);
    }
    out.values = std::move(values);
    return out;
  }

  // What a side condition forbids of two variables goes into their table, if they have one.
  void exclude_pairs(const TableModel::Side& side) {
    const factors::FactorGroup& group = *side.placed->group;
    if (!group.has(factors::Capability::kMaxMarginals)) return;
    const factors::Layout& layout = group.layout();
    const std::span<const std::int32_t> slots = variables_of(*side.placed, side.factor);
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> tables;
    for (std::size_t t = 0; t < model_.tables.size(); ++t) {
      const auto& scope = model_.tables[t].variables;
      if (scope.size() == 2) tables[{scope[0], scope[1]}] = t;
    }
    std::vector<double> q(at(layout.coords()[layout.num_factors()]), 0.0);
    std::vector<double> out(at(layout.states()[layout.num_factors()]));
    factors::Workspace ws;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto c = at(layout.coords()[side.factor]) + i;
      q[c] = kForced;
      group.max_marginals({side.factor, side.factor + 1}, q, {}, out, ws);
      q[c] = 0.0;
      const TableModel::Place a = model_.places_[at(slots[i])];
      for (std::size_t j = 0; j < slots.size(); ++j) {
        const TableModel::Place b = model_.places_[at(slots[j])];
        if (a.variable >= b.variable || out[at(layout.states()[side.factor]) + 2 * j + 1] != kForbidden) continue;
        const auto found = tables.find({a.variable, b.variable});
        if (found == tables.end()) continue;
        ModelTable& table = model_.tables[found->second];
        table.values[at(a.state) * at(table.num_classes[1]) + at(b.state)] = kForbidden;
      }
    }
  }

  const ScoredGraph& problem_;
  const FactorGraph& graph_;
  TableModel model_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<double>> pairs_;
  std::set<std::pair<const graph::PlacedGroup*, Index>> sides_;
  std::vector<double> score_;
  std::size_t num_values_ = 0;
};

std::optional<TableModel> TableModel::build(const ScoredGraph& problem) { return ModelBuilder(problem).run(); }

std::vector<std::int32_t> TableModel::expand(const std::vector<std::int32_t>& states) const {
  std::vector<std::int32_t> y(places_.size());
  for (std::size_t v = 0; v < y.size(); ++v) {
    const std::int32_t state = states[at(places_[v].variable)];
    y[v] = places_[v].state < 0 ? state : places_[v].state == state ? 1 : 0;
  }
  return y;
}

std::vector<std::int32_t> TableModel::restrict_to_model(const std::vector<std::int32_t>& y) const {
  std::vector<std::int32_t> states(unary.size(), -1);
  for (std::size_t v = 0; v < y.size(); ++v) {
    const Place place = places_[v];
    if (place.state < 0) {
      states[at(place.variable)] = y[v];
    } else if (y[v] == 1) {
      if (states[at(place.variable)] >= 0) return {};
      states[at(place.variable)] = place.state;
    }
  }
  if (std::ranges::find(states, -1) != states.end()) return {};
  return states;
}

bool TableModel::allows(const std::vector<std::int32_t>& states) const {
  for (const Side& side : sides_) {
    const factors::Layout& layout = side.placed->group->layout();
    const Index begin = layout.slots()[side.factor];
    slots_.resize(std::max(slots_.size(), at(layout.slots()[layout.num_factors()])));
    for (Index s = begin; s < layout.slots()[side.factor + 1]; ++s) {
      const Place place = places_[at(graph_->slot_variable()[at(side.placed->slot_begin + s)])];
      slots_[at(s)] = states[at(place.variable)] == place.state ? 1 : 0;
    }
    std::vector<double> score(at(layout.num_factors()));
    side.placed->group->score({side.factor, side.factor + 1}, slots_, parts_.subspan(at(side.placed->part_begin)),
                              score);
    if (score[at(side.factor)] == factors::kForbidden) return false;
  }
  return true;
}

}  // namespace ramify::inference
