#include "region_dual.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "box.hpp"
#include "ramify/numeric/dispatch.hpp"

namespace ramify::inference {

namespace {

using factors::kForbidden;

/// In eight strands: one would wait for each comparison.
RAMIFY_INLINE double largest(const double* x, std::size_t n) {
  constexpr std::size_t kStrands = 8;
  double best = x[0];
  std::size_t i = 0;
  if (n >= kStrands) {
    double strands[kStrands];
    for (std::size_t k = 0; k < kStrands; ++k) strands[k] = x[k];
    for (i = kStrands; i + kStrands <= n; i += kStrands) {
      for (std::size_t k = 0; k < kStrands; ++k) strands[k] = x[i + k] > strands[k] ? x[i + k] : strands[k];
    }
    for (const double strand : strands) best = strand > best ? strand : best;
  }
  for (; i < n; ++i) best = x[i] > best ? x[i] : best;
  return best;
}

/// Takes the largest loss out of all, and returns it.
RAMIFY_DISPATCH double take_best(double* x, std::size_t n) {
  const double best = largest(x, n);
  if (best == kForbidden) return best;
  for (std::size_t i = 0; i < n; ++i) x[i] -= best;
  return best;
}

RAMIFY_DISPATCH void exclude_below(double* x, std::size_t n, double limit) {
  for (std::size_t i = 0; i < n; ++i) x[i] = x[i] <= limit ? kForbidden : x[i];
}

RAMIFY_DISPATCH void add_by_class(double* x, std::size_t n, const double* terms, const std::uint16_t* class_of) {
  for (std::size_t i = 0; i < n; ++i) x[i] += terms[class_of[i]];
}

/// What is left of a share after the largest of its class went on; excluded entries stay so.
RAMIFY_DISPATCH void keep_rest(double* x, std::size_t n, const double* share, const double* given,
                               const std::uint16_t* class_of) {
  for (std::size_t i = 0; i < n; ++i) {
    const double sum = x[i] + (share[i] - given[class_of[i]]);
    x[i] = x[i] == kForbidden ? kForbidden : sum;
  }
}

/// Divides losses into a share and the rest.
RAMIFY_DISPATCH void divide(double* x, std::size_t n, double weight, double rest, double* share) {
  for (std::size_t i = 0; i < n; ++i) {
    share[i] = x[i] * weight;
    const double left = x[i] * rest;
    x[i] = x[i] == kForbidden ? kForbidden : left;
  }
}

/// Largest entry of each class.
RAMIFY_DISPATCH void take_maxima(const double* table, const std::uint16_t* rows, std::size_t num_rows, std::size_t run,
                                 bool inside, double* out) {
  if (inside) {
    for (std::size_t r = 0; r < num_rows; ++r, table += run) {
      double* mine = out + rows[r];
      for (std::size_t j = 0; j < run; ++j) mine[j] = table[j] > mine[j] ? table[j] : mine[j];
    }
    return;
  }
  for (std::size_t r = 0; r < num_rows; ++r, table += run) {
    const double best = largest(table, run);
    double& mine = out[rows[r]];
    mine = best > mine ? best : mine;
  }
}

RAMIFY_DISPATCH void add_classes(double* table, const std::uint16_t* rows, std::size_t num_rows, std::size_t run,
                                 bool inside, const double* change) {
  if (inside) {
    for (std::size_t r = 0; r < num_rows; ++r, table += run) {
      const double* mine = change + rows[r];
      for (std::size_t j = 0; j < run; ++j) table[j] += mine[j];
    }
    return;
  }
  for (std::size_t r = 0; r < num_rows; ++r, table += run) {
    const double mine = change[rows[r]];
    for (std::size_t j = 0; j < run; ++j) table[j] += mine;
  }
}

}  // namespace

// --- building ---

RegionDual::RegionDual(const TableModel& model) : model_(&model), pairs_of_(at(model.num_variables())) {
  for (Index v = 0; v < model.num_variables(); ++v) {
    const std::vector<double>& unary = model.unary[at(v)];
    std::vector<std::int32_t> states(unary.size());
    std::iota(states.begin(), states.end(), 0);
    domains_.push_back(states);
    const auto size = static_cast<std::int32_t>(unary.size());
    losses_.emplace_back(unary.size(), 0.0);
    add_region({{static_cast<std::int32_t>(v)}, {states}, {size}, 0, 0, {}, {}}, unary);
  }
  for (const ModelTable& table : model.tables) {
    if (table.variables.size() == 2) add_pair(table);
  }
  for (const ModelTable& table : model.tables) {
    if (table.variables.size() == 2) continue;
    connect(add_region({table.variables, table.classes, table.num_classes, 0, 0, {}, {}}, table.values));
  }
  for (const Region& region : regions_) {
    normalise(region);
    if (bound_ == kForbidden) return;
  }
  for (std::size_t v = 0; v < domains_.size(); ++v) {
    const std::span<double> mine = std::span(values_).subspan(regions_[v].begin, regions_[v].size);
    std::ranges::copy(mine, losses_[v].begin());
    if (regions_[v].parents.empty()) settle(mine);
  }
  compress(0.0);
}

/// States whose row is constant are one class: the constant belongs to the variable.
void RegionDual::add_pair(const ModelTable& table) {
  Region region{table.variables, {}, {}, 0, 0, {}, {}};
  std::vector<double> values = table.values;
  const std::size_t stride[2] = {at(table.num_classes[1]), 1};
  for (std::size_t a = 0; a < 2; ++a) {
    const std::size_t n = at(table.num_classes[a]);
    const std::size_t others = at(table.num_classes[1 - a]);
    std::vector<std::int32_t> classes(n, -1);
    std::int32_t count = 0;
    for (std::size_t x = 0; x < n; ++x) {
      double* row = values.data() + x * stride[a];
      const double constant = row[0];
      bool varies = !std::isfinite(constant);
      for (std::size_t y = 1; y < others; ++y) varies = varies || row[y * stride[1 - a]] != constant;
      if (varies) {
        classes[x] = count++;
        continue;
      }
      for (std::size_t y = 0; y < others; ++y) row[y * stride[1 - a]] = 0.0;
      values_[regions_[at(table.variables[a])].begin + x] += constant;
    }
    if (std::ranges::find(classes, -1) != classes.end()) {
      std::ranges::replace(classes, -1, count);
      ++count;
    }
    region.classes.push_back(std::move(classes));
    region.sizes.push_back(count);
  }
  std::vector<double> merged(volume(region.sizes), 0.0);
  for (std::size_t x = 0; x < region.classes[0].size(); ++x) {
    for (std::size_t y = 0; y < region.classes[1].size(); ++y) {
      merged[at(region.classes[0][x] * region.sizes[1] + region.classes[1][y])] = values[x * stride[0] + y];
    }
  }
  connect(add_region(std::move(region), merged));
  pairs_of_[at(table.variables[0])][table.variables[1]] = &table;
  pairs_of_[at(table.variables[1])][table.variables[0]] = &table;
}

std::int32_t RegionDual::add_region(Region region, const std::vector<double>& values) {
  region.begin = values_.size();
  region.size = values.size();
  values_.insert(values_.end(), values.begin(), values.end());
  const auto id = static_cast<std::int32_t>(regions_.size());
  index_.emplace(region.variables, id);
  regions_.push_back(std::move(region));
  ordered_ = prepared_ = false;
  return id;
}

/// Links a region to the largest regions inside it that tell at least as much apart, and to variables in none of them.
void RegionDual::connect(std::int32_t id) {
  const std::vector<std::int32_t> scope = regions_[at(id)].variables;
  const std::size_t n = scope.size();
  std::vector<std::int32_t> inside;
  if (n <= 8) {
    for (std::size_t mask = 1; mask + 1 < (std::size_t{1} << n); ++mask) {
      std::vector<std::int32_t> subset;
      for (std::size_t a = 0; a < n; ++a) {
        if ((mask >> a & 1U) != 0) subset.push_back(scope[a]);
      }
      const auto found = index_.find(subset);
      if (found != index_.end() && !regions_[at(found->second)].is_absorbed &&
          refines(regions_[at(found->second)], regions_[at(id)])) {
        inside.push_back(found->second);
      }
    }
  } else {
    for (const std::int32_t v : scope) inside.push_back(v);
  }
  const auto is_maximal = [&](std::int32_t s) {
    const auto& mine = regions_[at(s)].variables;
    return std::ranges::none_of(inside, [&](std::int32_t other) {
      const auto& theirs = regions_[at(other)].variables;
      return theirs.size() > mine.size() && std::ranges::includes(theirs, mine);
    });
  };
  for (const std::int32_t s : inside) {
    if (!is_maximal(s)) continue;
    const auto l = static_cast<std::int32_t>(links_.size());
    links_.push_back({id, s});
    regions_[at(id)].children.push_back(l);
    regions_[at(s)].parents.push_back(l);
  }
}

bool RegionDual::refines(const Region& child, const Region& parent) const {
  for (std::size_t b = 0; b < child.variables.size(); ++b) {
    const auto a = at(std::ranges::find(parent.variables, child.variables[b]) - parent.variables.begin());
    std::vector<std::int32_t> image(at(child.sizes[b]), -1);
    for (std::size_t x = 0; x < child.classes[b].size(); ++x) {
      std::int32_t& mine = image[at(child.classes[b][x])];
      if (mine >= 0 && mine != parent.classes[a][x]) return false;
      mine = parent.classes[a][x];
    }
  }
  return true;
}

void RegionDual::normalise(const Region& region) {
  if (region.is_absorbed) return;
  const std::span<double> mine = std::span(values_).subspan(region.begin, region.size);
  const double best = mine.empty() ? kForbidden : *std::ranges::max_element(mine);
  bound_ += best;
  if (best == kForbidden) return;
  for (double& x : mine) x -= best;
}

// --- sweeps ---

void RegionDual::sweep() {
  if (!prepared_) prepare();
  for (std::size_t i = 0; i < steps_.size() && !is_done(); ++i) process(steps_[i], true);
  for (std::size_t i = steps_.size(); i-- > 0 && !is_done();) process(steps_[i], false);
}

double RegionDual::threshold() const { return cutoff_ - bound_; }

void RegionDual::process(const Step& step, bool forward) {
  const Region& region = regions_[at(step.region)];
  const View* views = views_.data() + step.first_view;
  collect(region, views);
  const std::span<double> mine = std::span(values_).subspan(region.begin, region.size);
  const double best = take_best(mine.data(), mine.size());
  bound_ += best;
  if (best == kForbidden) return;
  if (region.variables.size() == 1) std::ranges::copy(mine, losses_[at(step.region)].begin());
  exclude_below(mine.data(), mine.size(), threshold());
  if (region.parents.empty()) return settle(mine);
  give(region, views, forward);
}

/// Nothing depends on the variable any more: its best state will do.
void RegionDual::settle(std::span<double> losses) const {
  if (model_->has_sides) return;
  const auto best = std::ranges::max_element(losses) - losses.begin();
  for (std::size_t x = 0; x < losses.size(); ++x) {
    if (x != at(best)) losses[x] = kForbidden;
  }
}

/// Adds to the region what its parents lose in each of its entries; kept in maxima_, one stretch per parent.
void RegionDual::collect(const Region& region, const View* views) {
  maxima_.clear();
  double* mine = values_.data() + region.begin;
  for (const View& link : std::span(views, region.parents.size())) {
    const std::size_t begin = maxima_.size();
    maxima_.resize(begin + at(link.num_classes), kForbidden);
    double* out = maxima_.data() + begin;
    take_maxima(values_.data() + link.table, maps_.data() + link.rows, at(link.num_rows), at(link.run), link.inside,
                out);
    if (link.same) {
      for (std::size_t i = 0; i < region.size; ++i) mine[i] += out[i];
    } else {
      add_by_class(mine, region.size, out, maps_.data() + link.class_of);
    }
  }
}

/// Takes out of the parents what was collected, and hands the region's losses on to those that come later.
void RegionDual::give(const Region& region, const View* views, bool forward) {
  int ahead = 0;
  int behind = 0;
  for (const View& link : std::span(views, region.parents.size())) {
    ahead += (forward ? link.forward : link.backward) ? 1 : 0;
    behind += (forward ? link.backward : link.forward) ? 1 : 0;
  }
  const double weight = 1.0 / std::max(1, std::max(ahead, behind) + (region.children.empty() ? 0 : 1));
  const double rest = std::max(0.0, 1.0 - ahead * weight);
  double* mine = values_.data() + region.begin;
  share_.resize(region.size);
  divide(mine, region.size, weight, rest, share_.data());
  double* change = maxima_.data();
  for (const View& link : std::span(views, region.parents.size())) {
    const auto n = at(link.num_classes);
    const bool gives = forward ? link.forward : link.backward;
    projected_.assign(n, gives ? kForbidden : 0.0);
    double* give = projected_.data();
    const std::uint16_t* class_of = maps_.data() + link.class_of;
    if (gives && link.same) {
      std::copy_n(share_.data(), n, give);
    } else if (gives) {
      for (std::size_t i = 0; i < region.size; ++i) {
        double& best = give[class_of[i]];
        best = share_[i] > best ? share_[i] : best;
      }
      keep_rest(mine, region.size, share_.data(), give, class_of);
    } else if (link.same) {
      for (std::size_t i = 0; i < n; ++i) give[i] = mine[i] == kForbidden ? kForbidden : 0.0;
    }
    for (std::size_t i = 0; i < n; ++i) change[i] = change[i] == kForbidden ? give[i] : give[i] - change[i];
    add_classes(values_.data() + link.table, maps_.data() + link.rows, at(link.num_rows), at(link.run), link.inside,
                change);
    change += n;
  }
}

// --- rounding ---

std::vector<std::int32_t> RegionDual::round() const {
  std::vector<std::int32_t> place(domains_.size(), 0);
  std::vector<std::int32_t> states(domains_.size(), 0);
  for (std::size_t v = 0; v < domains_.size(); ++v) {
    double best = kForbidden;
    for (std::size_t x = 0; x < domains_[v].size(); ++x) {
      double total = values_[regions_[v].begin + x];
      for (const std::int32_t l : regions_[v].parents) {
        const Region& pair = regions_[at(links_[at(l)].parent)];
        if (pair.variables.size() != 2) continue;
        const std::size_t a = at(pair.variables[0]) == v ? 0 : 1;
        const auto other = at(pair.variables[1 - a]);
        double reached = kForbidden;
        for (std::size_t y = 0; y < domains_[other].size(); ++y) {
          if (other < v && static_cast<std::int32_t>(y) != place[other]) continue;
          const std::int32_t mine = pair.classes[a][x];
          const std::int32_t theirs = pair.classes[1 - a][y];
          const std::int32_t cell = a == 0 ? mine * pair.sizes[1] + theirs : theirs * pair.sizes[1] + mine;
          reached = std::max(reached, values_[pair.begin + at(cell)]);
        }
        total += reached;
      }
      if (x > 0 && total <= best) continue;
      best = total;
      place[v] = static_cast<std::int32_t>(x);
      states[v] = domains_[v][x];
    }
  }
  return states;
}

}  // namespace ramify::inference
