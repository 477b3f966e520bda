// How a RegionDual lays its tables out: in the order in which sweeps read them, and without what is excluded.
#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "box.hpp"
#include "region_dual.hpp"

namespace ramify::inference {

namespace {

using factors::kForbidden;

constexpr std::size_t kMostAxes = 16;  // a table of 4096 entries has 12 at most

using Axes = std::array<std::int32_t, kMostAxes>;

std::size_t axis_of(const std::vector<std::int32_t>& scope, std::int32_t variable) {
  return at(std::ranges::find(scope, variable) - scope.begin());
}

/// Calls with the place, in a table with these strides, of each cell of a box, row by row.
template <class F>
void for_each_cell(const std::int32_t* sizes, const std::int32_t* strides, std::size_t n, F&& visit) {
  Axes x{};
  for (std::int32_t cell = 0;;) {
    visit(cell);
    std::size_t a = n;
    while (a-- > 0) {
      cell += strides[a];
      if (++x[a] < sizes[a]) break;
      cell -= strides[a] * sizes[a];
      x[a] = 0;
    }
    if (a == std::size_t(-1)) return;
  }
}

}  // namespace

/// Strides of the parent's axes in the child's table as the parent sees it, 0 for those that the child does not have.
std::int32_t RegionDual::strides_in(const Region& child, const Region& parent, std::int32_t* stride) {
  std::fill_n(stride, parent.variables.size(), 0);
  std::int32_t count = 1;
  for (std::size_t b = child.variables.size(); b-- > 0;) {
    const std::size_t a = axis_of(parent.variables, child.variables[b]);
    stride[a] = count;
    count *= parent.sizes[a];
  }
  return count;
}

/// Appends to maps_, for each entry of the child's table, its place among the entries that the parent tells apart.
void RegionDual::map_entries(const Region& child, const Region& parent, const std::int32_t* stride) {
  const std::size_t n = child.variables.size();
  assert(n <= kMostAxes);
  places_.clear();
  Axes first{};
  for (std::size_t b = 0; b < n; ++b) {
    const std::size_t a = axis_of(parent.variables, child.variables[b]);
    first[b] = static_cast<std::int32_t>(places_.size());
    places_.resize(places_.size() + at(child.sizes[b]));
    for (std::size_t k = 0; k < child.classes[b].size(); ++k) {
      places_[at(first[b] + child.classes[b][k])] = stride[a] * parent.classes[a][k];
    }
  }
  const std::size_t begin = maps_.size();
  maps_.resize(begin + child.size);
  std::uint16_t* out = maps_.data() + begin;
  const std::int32_t* last = places_.data() + first[n - 1];
  const auto run = at(child.sizes[n - 1]);
  Axes x{};
  for (bool more = child.size > 0; more;) {
    std::int32_t row = 0;
    for (std::size_t b = 0; b + 1 < n; ++b) row += places_[at(first[b] + x[b])];
    for (std::size_t k = 0; k < run; ++k) *out++ = static_cast<std::uint16_t>(row + last[k]);
    more = false;
    for (std::size_t b = n - 1; b-- > 0 && !more;) {
      more = ++x[b] < child.sizes[b];
      if (!more) x[b] = 0;
    }
  }
}

RegionDual::View RegionDual::view(const Link& link) {
  View out;
  out.forward = link.forward;
  out.backward = link.backward;
  const Region& parent = regions_[at(link.parent)];
  const Region& child = regions_[at(link.child)];
  assert(parent.variables.size() <= kMostAxes);
  out.table = parent.begin;
  Axes stride;
  out.num_classes = strides_in(child, parent, stride.data());
  // Axes of length one belong to any run.
  std::size_t end = parent.variables.size();
  out.run = 1;
  out.inside = true;
  for (bool any = false; end > 0; --end) {
    const std::size_t a = end - 1;
    if (parent.sizes[a] > 1) {
      if (any && (stride[a] > 0) != out.inside) break;
      out.inside = stride[a] > 0;
      any = true;
    }
    out.run *= parent.sizes[a];
  }
  out.rows = maps_.size();
  out.num_rows = parent.size > 0 ? static_cast<std::int32_t>(parent.size / at(out.run)) : 0;
  maps_.resize(out.rows + at(out.num_rows));
  if (parent.size > 0) {
    std::uint16_t* row = maps_.data() + out.rows;
    for_each_cell(parent.sizes.data(), stride.data(), end,
                  [&](std::int32_t cell) { *row++ = static_cast<std::uint16_t>(cell); });
  }
  out.class_of = maps_.size();
  map_entries(child, parent, stride.data());
  out.same = at(out.num_classes) == child.size;
  for (std::size_t i = 0; i < child.size && out.same; ++i) out.same = maps_[out.class_of + i] == i;
  if (out.same) maps_.resize(out.class_of);
  return out;
}

/// By their last variable, clusters before what is inside them.
void RegionDual::order() {
  steps_.clear();
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (!regions_[i].parents.empty() || i < domains_.size()) steps_.push_back({static_cast<std::int32_t>(i), 0});
  }
  std::ranges::stable_sort(steps_, {}, [&](const Step& step) {
    const auto& scope = regions_[at(step.region)].variables;
    return std::pair(scope.back(), -static_cast<std::ptrdiff_t>(scope.size()));
  });
  std::vector<std::int32_t> place(regions_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) place[at(steps_[i].region)] = static_cast<std::int32_t>(i);
  for (const Region& region : regions_) {
    for (const std::int32_t l : region.children) {
      Link& link = links_[at(l)];
      link.forward = link.backward = false;
      for (const std::int32_t other : region.children) {
        const std::int32_t difference = place[at(links_[at(other)].child)] - place[at(link.child)];
        link.forward = link.forward || difference > 0;
        link.backward = link.backward || difference < 0;
      }
    }
  }
  ordered_ = true;
}

/// Lays out what sweeps read in the order in which they read it: they are bound by memory.
void RegionDual::prepare() {
  if (!ordered_) order();
  maps_.clear();
  views_.clear();
  for (Step& step : steps_) {
    step.first_view = views_.size();
    for (const std::int32_t l : regions_[at(step.region)].parents) views_.push_back(view(links_[at(l)]));
  }
  prepared_ = true;
}

void RegionDual::forget_layout() {
  prepared_ = false;
  maps_ = {};
  views_ = {};
}

// --- domains ---

void RegionDual::keep_only(Index variable, std::int32_t state) {
  const Region& region = regions_[at(variable)];
  for (std::size_t x = 0; x < region.size; ++x) {
    if (domains_[at(variable)][x] != state) values_[region.begin + x] = kForbidden;
  }
  compress(0.0);
}

void RegionDual::exclude(Index variable, std::int32_t state) {
  const Region& region = regions_[at(variable)];
  for (std::size_t x = 0; x < region.size; ++x) {
    if (domains_[at(variable)][x] == state) values_[region.begin + x] = kForbidden;
  }
  compress(0.0);
}

/// Which states are left, and how large a part of those before is not; nothing where none is excluded.
double RegionDual::count_excluded(Alive& alive) const {
  alive.resize(domains_.size());
  std::size_t dead = 0;
  std::size_t open = 0;
  for (std::size_t v = 0; v < domains_.size(); ++v) {
    alive[v].clear();
    for (std::size_t x = 0; x < domains_[v].size(); ++x) {
      alive[v].push_back(values_[regions_[v].begin + x] == kForbidden ? 0 : 1);
      dead += alive[v].back() == 0 ? 1 : 0;
    }
    open += domains_[v].size() > 1 ? domains_[v].size() : 0;
  }
  return dead == 0 ? 0.0 : static_cast<double>(dead) / static_cast<double>(std::max(open, std::size_t{1}));
}

void RegionDual::compress(double at_least) {
  Alive alive;
  const double excluded = count_excluded(alive);
  if (excluded == 0.0 || excluded < at_least) return;
  std::size_t end = 0;  // tables only move to the front
  for (Region& region : regions_) {
    if (!region.is_absorbed) end = shrink(region, alive, end);
  }
  values_.resize(end);
  for (std::size_t v = 0; v < domains_.size(); ++v) {
    std::size_t kept = 0;
    for (std::size_t x = 0; x < domains_[v].size(); ++x) {
      if (alive[v][x] == 0) continue;
      domains_[v][kept] = domains_[v][x];
      losses_[v][kept++] = losses_[v][x];
    }
    domains_[v].resize(kept);
    losses_[v].resize(kept);
  }
  for (const Region& region : regions_) {
    normalise(region);
    if (bound_ == kForbidden) return;
  }
  absorb_flat_regions();
  prepared_ = false;
}

/// Drops classes without a state that is left, moves the table to begin, and returns its end.
std::size_t RegionDual::shrink(Region& region, const Alive& alive, std::size_t begin) {
  const std::size_t n = region.variables.size();
  const std::vector<std::int32_t> sizes = region.sizes;
  std::vector<std::vector<std::int32_t>> kept(n);  // per axis
  std::vector<std::int32_t> map;
  for (std::size_t a = 0; a < n; ++a) {
    const std::vector<std::uint8_t>& keep = alive[at(region.variables[a])];
    std::vector<std::int32_t>& classes = region.classes[a];
    map.assign(at(sizes[a]), -1);
    for (std::size_t x = 0; x < keep.size(); ++x) {
      if (keep[x] != 0) map[at(classes[x])] = 0;
    }
    for (std::size_t k = 0; k < map.size(); ++k) {
      if (map[k] < 0) continue;
      map[k] = static_cast<std::int32_t>(kept[a].size());
      kept[a].push_back(static_cast<std::int32_t>(k));
    }
    std::size_t left = 0;
    for (std::size_t x = 0; x < keep.size(); ++x) {
      if (keep[x] != 0) classes[left++] = map[at(classes[x])];
    }
    classes.resize(left);
    region.sizes[a] = static_cast<std::int32_t>(kept[a].size());
  }
  const std::size_t old = region.begin;
  region.begin = begin;
  region.size = volume(region.sizes);
  Axes x{};
  for (std::size_t end = begin; end < begin + region.size;) {
    std::size_t row = 0;
    for (std::size_t a = 0; a + 1 < n; ++a) row = (row + at(kept[a][at(x[a])])) * at(sizes[a + 1]);
    for (const std::int32_t k : kept[n - 1]) values_[end++] = values_[old + row + at(k)];
    for (std::size_t a = n - 1; a-- > 0;) {
      if (++x[a] < region.sizes[a]) break;
      x[a] = 0;
    }
  }
  return begin + region.size;
}

/// A table that is flat along all axes but those of a part of it becomes a term of that part.
void RegionDual::absorb_flat_regions() {
  std::vector<std::int32_t> orphans;
  for (std::size_t i = regions_.size(); i-- > domains_.size();) {  // clusters before what is inside them
    Region& region = regions_[i];
    if (region.is_absorbed || std::ranges::find(region.sizes, 1) == region.sizes.end()) continue;
    const std::int32_t heir = heir_of(region);
    if (heir < 0) continue;
    add_to(regions_[at(heir)], region);
    region.is_absorbed = true;
    region.size = 0;
    for (const std::int32_t l : region.children) std::erase(regions_[at(links_[at(l)].child)].parents, l);
    for (const std::int32_t l : region.parents) orphans.push_back(links_[at(l)].parent);
    region.children.clear();
    region.parents.clear();
    ordered_ = false;
  }
  std::ranges::sort(orphans);
  const auto [first, last] = std::ranges::unique(orphans);
  orphans.erase(first, last);
  for (const std::int32_t id : orphans) {
    Region& region = regions_[at(id)];
    if (region.is_absorbed) continue;
    for (const std::int32_t l : region.children) std::erase(regions_[at(links_[at(l)].child)].parents, l);
    region.children.clear();
    connect(id);
  }
}

/// A child that has all axes along which the region is not flat; -1: none.
std::int32_t RegionDual::heir_of(const Region& region) const {
  for (const std::int32_t l : region.children) {
    const std::int32_t child = links_[at(l)].child;
    const std::vector<std::int32_t>& theirs = regions_[at(child)].variables;
    bool covers = true;
    for (std::size_t a = 0; a < region.variables.size() && covers; ++a) {
      covers = region.sizes[a] == 1 || std::ranges::binary_search(theirs, region.variables[a]);
    }
    if (covers) return child;
  }
  return -1;
}

void RegionDual::add_to(const Region& heir, const Region& region) {
  Axes stride;
  strides_in(heir, region, stride.data());
  const std::size_t begin = maps_.size();
  map_entries(heir, region, stride.data());
  for (std::size_t i = 0; i < heir.size; ++i) {
    values_[heir.begin + i] += values_[region.begin + maps_[begin + i]];
  }
  maps_.resize(begin);
}

double RegionDual::probe(Index variable, std::int32_t state, bool keep) {
  if (!prepared_) prepare();
  const std::vector<double> values = values_;
  const std::vector<std::vector<double>> losses = losses_;
  const double bound = bound_;
  const Region& region = regions_[at(variable)];
  for (std::size_t x = 0; x < region.size; ++x) {
    if ((domains_[at(variable)][x] == state) != keep) values_[region.begin + x] = kForbidden;
  }
  sweep();
  values_ = values;
  losses_ = losses;
  return std::exchange(bound_, bound);
}

}  // namespace ramify::inference
