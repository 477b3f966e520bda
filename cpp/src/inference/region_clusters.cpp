// Which clusters a RegionDual is offered, and what they would gain.
#include <algorithm>

#include "box.hpp"
#include "region_dual.hpp"

namespace ramify::inference {

namespace {

using factors::kForbidden;

constexpr std::size_t kLargestCluster = 20'000;  // entries; their places are 16-bit numbers

}  // namespace

/// The states that matter to the other variable at all, in their table.
std::vector<std::uint8_t> RegionDual::active_places(Index v, Index other) const {
  const ModelTable& table = *pairs_of_[at(v)].at(static_cast<std::int32_t>(other));
  const bool first = table.variables[0] == v;
  const auto columns = at(table.num_classes[1]);
  std::vector<std::uint8_t> out;
  for (const std::int32_t state : domains_[at(v)]) {
    const auto cell = [&](std::int32_t o) {
      return table.values[first ? at(state) * columns + at(o) : at(o) * columns + at(state)];
    };
    const double constant = cell(domains_[at(other)].front());
    out.push_back(std::ranges::any_of(domains_[at(other)], [&](auto o) { return cell(o) != constant; }) ? 1 : 0);
  }
  return out;
}

/// States that do not matter to all their neighbours in the cluster are one class: no cycle of tables runs through
/// them.
RegionDual::Region RegionDual::cluster(const std::vector<std::int32_t>& variables, const Activity* activity) const {
  Region out{variables, {}, {}, 0, 0, {}, {}};
  for (const std::int32_t v : variables) {
    std::vector<std::uint8_t> active(domains_[at(v)].size(), 1);
    for (const std::int32_t other : variables) {
      if (!pairs_of_[at(v)].contains(other)) continue;
      const std::vector<std::uint8_t> mine =
          activity == nullptr ? active_places(v, other) : (*activity)[at(v)].at(other);
      for (std::size_t x = 0; x < active.size(); ++x) active[x] &= mine[x];
    }
    std::vector<std::int32_t> classes(active.size());
    const auto count = static_cast<std::int32_t>(std::ranges::count(active, 1));
    std::int32_t k = 0;
    for (std::size_t x = 0; x < active.size(); ++x) classes[x] = active[x] != 0 ? k++ : count;
    out.classes.push_back(std::move(classes));
    out.sizes.push_back(at(count) == active.size() ? count : count + 1);
  }
  out.size = volume(out.sizes);
  return out;
}

double RegionDual::gain_of(const std::vector<std::int32_t>& variables, const Activity& activity) const {
  if (index_.contains(variables)) return kForbidden;
  const Region region = cluster(variables, &activity);
  if (region.size > kLargestCluster) return kForbidden;
  std::vector<double> total(region.size, 0.0);
  std::vector<std::int32_t> subset;
  for (std::size_t mask = 1; mask + 1 < (std::size_t{1} << variables.size()); ++mask) {
    subset.clear();
    for (std::size_t a = 0; a < variables.size(); ++a) {
      if ((mask >> a & 1U) != 0) subset.push_back(variables[a]);
    }
    const auto found = index_.find(subset);
    if (found == index_.end() || regions_[at(found->second)].is_absorbed) continue;
    if (refines(regions_[at(found->second)], region)) {
      add_losses(regions_[at(found->second)], region, total);
    }
  }
  return -*std::ranges::max_element(total);
}

std::vector<RegionDual::Candidate> RegionDual::find_clusters(bool of_four, std::size_t limit,
                                                             const std::function<bool()>& is_over) const {
  Activity activity(domains_.size());
  for (std::size_t v = 0; v < domains_.size(); ++v) {
    for (const auto& [other, ignored] : pairs_of_[v]) {
      activity[v][other] = active_places(static_cast<Index>(v), other);
    }
  }
  std::vector<Candidate> out;
  constexpr std::size_t kBetweenLooks = 256;
  std::size_t seen = 0;
  for (std::vector<std::int32_t>& scope : of_four ? cliques_of_four(limit) : triangles_and_squares(limit)) {
    if (seen++ % kBetweenLooks == 0 && is_over()) break;
    const double gain = gain_of(scope, activity);
    if (gain != kForbidden) out.push_back({gain, std::move(scope)});
  }
  std::ranges::stable_sort(out, std::greater<>{}, &Candidate::gain);
  return out;
}

/// What the part loses at least in each entry of the region around it.
void RegionDual::add_losses(const Region& part, const Region& region, std::vector<double>& total) const {
  std::vector<std::int32_t> stride(region.variables.size(), 0);
  std::vector<std::vector<std::int32_t>> weight(part.variables.size());
  std::int32_t count = 1;
  for (std::size_t b = part.variables.size(); b-- > 0;) {
    const auto a = at(std::ranges::find(region.variables, part.variables[b]) - region.variables.begin());
    stride[a] = count;
    count *= region.sizes[a];
    weight[b].resize(at(part.sizes[b]));
    for (std::size_t x = 0; x < part.classes[b].size(); ++x) {
      weight[b][at(part.classes[b][x])] = stride[a] * region.classes[a][x];
    }
  }
  std::vector<double> best(at(count), kForbidden);
  std::vector<std::int32_t> y(part.variables.size(), 0);
  std::size_t i = part.begin;
  for (bool more = true; more; more = next(y, part.sizes), ++i) {
    std::int32_t cell = 0;
    for (std::size_t b = 0; b < y.size(); ++b) cell += weight[b][at(y[b])];
    best[at(cell)] = std::max(best[at(cell)], values_[i]);
  }
  std::vector<std::int32_t> x(region.variables.size(), 0);
  std::size_t e = 0;
  for (bool more = true; more; more = next(x, region.sizes), ++e) {
    std::int32_t cell = 0;
    for (std::size_t a = 0; a < x.size(); ++a) cell += x[a] * stride[a];
    total[e] += best[at(cell)];
  }
}

void RegionDual::add_cluster(const std::vector<std::int32_t>& variables) {
  Region region = cluster(variables, nullptr);
  const std::size_t size = region.size;
  connect(add_region(std::move(region), std::vector<double>(size, 0.0)));
}

std::vector<std::vector<std::int32_t>> RegionDual::triangles_and_squares(std::size_t limit) const {
  std::vector<std::vector<std::int32_t>> out;
  const auto n = static_cast<std::int32_t>(pairs_of_.size());
  for (std::int32_t i = 0; i < n; ++i) {
    for (const auto& [j, ignored] : pairs_of_[at(i)]) {
      for (auto k = pairs_of_[at(j)].upper_bound(j); j > i && k != pairs_of_[at(j)].end(); ++k) {
        if (pairs_of_[at(i)].contains(k->first)) out.push_back({i, j, k->first});
      }
      if (out.size() > limit) return out;
    }
  }
  for (std::int32_t i = 0; i < n; ++i) {  // i and l opposite, j and k between them, no diagonal
    for (auto j = pairs_of_[at(i)].upper_bound(i); j != pairs_of_[at(i)].end(); ++j) {
      for (auto k = std::next(j); k != pairs_of_[at(i)].end(); ++k) {
        if (pairs_of_[at(j->first)].contains(k->first)) continue;
        for (auto l = pairs_of_[at(j->first)].upper_bound(i); l != pairs_of_[at(j->first)].end(); ++l) {
          if (l->first == i || !pairs_of_[at(k->first)].contains(l->first)) continue;
          if (pairs_of_[at(i)].contains(l->first)) continue;
          std::vector<std::int32_t> square{i, j->first, k->first, l->first};
          std::ranges::sort(square);
          out.push_back(std::move(square));
        }
      }
      if (out.size() > limit) return out;
    }
  }
  return out;
}

std::vector<std::vector<std::int32_t>> RegionDual::cliques_of_four(std::size_t limit) const {
  std::vector<std::vector<std::int32_t>> out;
  for (const Region& region : regions_) {
    if (region.variables.size() != 3 || region.is_absorbed) continue;
    const auto& scope = region.variables;
    const auto& around = pairs_of_[at(scope[0])];
    for (auto l = around.upper_bound(scope[2]); l != around.end(); ++l) {
      if (!pairs_of_[at(scope[1])].contains(l->first) || !pairs_of_[at(scope[2])].contains(l->first)) continue;
      out.push_back({scope[0], scope[1], scope[2], l->first});
      if (out.size() > limit) return out;
    }
  }
  return out;
}

}  // namespace ramify::inference
