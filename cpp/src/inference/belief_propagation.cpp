#include "ramify/inference/belief_propagation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ramify/inference/indexed_heap.hpp"
#include "ramify/numeric/index.hpp"

namespace ramify::inference {

using factors::kForbidden;
using factors::kForced;
using factors::Point;
using factors::Product;
using factors::Scores;

namespace {

/// Messages this much larger than all scores come from a loop that feeds itself.
constexpr double kGrowth = 1e8;

/// How far a message moved; from or to infinity is infinitely far.
double distance(double a, double b) { return a == b ? 0.0 : std::abs(a - b); }

/// Infinite messages are facts: they are not mixed, and none is taken back (a factor falls silent about a state that
/// the others have decided; without memory, two factors that know the same would silence each other in turns).
double blend(double fresh, double old, double damping) {
  if (!std::isfinite(old)) return old;
  return std::isfinite(fresh) ? fresh + damping * (old - fresh) : fresh;
}

}  // namespace

BeliefPropagation::BeliefPropagation(const FactorGraph& graph, Scores unary, Scores parts,
                                     std::span<const double> counting, Mask active, const BpOptions& options)
    : graph_(graph),
      unary_(unary),
      parts_(parts),
      counting_(counting.begin(), counting.end()),
      active_(active),
      options_(options),
      all_(parallel_schedule(graph, active)) {
  const std::size_t num_edges = at(graph.num_edges());
  q_ = Buffer(num_edges);
  next_ = Buffer(num_edges);
  value_ = Buffer(at(graph.num_factors()));
  for (const Scores scores : {unary, parts}) {
    for (const double x : scores) largest_ = std::isfinite(x) ? std::max(largest_, std::abs(x)) : largest_;
  }
  largest_ = kGrowth * (1.0 + largest_);
  if (options.order == Order::kSequential) schedule_ = sequential_schedule(graph, active);
  if (options.order == Order::kResidual) owner_ = factor_of_edge(graph);
  if (counting_.empty()) return;
  edge_counting_.reserve(num_edges);
  scaled_parts_.assign(parts.begin(), parts.end());
  for (const graph::PlacedGroup& placed : graph.groups()) {
    const auto& layout = placed.group->layout();
    for (Index f = 0; f < layout.num_factors(); ++f) {
      const double k = counting_[at(placed.factor_begin + f)];
      edge_counting_.insert(edge_counting_.end(), at(layout.coords().size(f)), k);
      const Index begin = placed.part_begin + layout.parts()[f];
      for (Index r = begin; r < begin + layout.parts().size(f); ++r) scaled_parts_[at(r)] /= k;
    }
  }
  parts_ = scaled_parts_;
}

void BeliefPropagation::set_active(Mask active) {
  active_ = active;
  all_ = parallel_schedule(graph_, active);
  if (options_.order == Order::kSequential) schedule_ = sequential_schedule(graph_, active);
}

void BeliefPropagation::read_beliefs(const Buffer& messages, std::vector<double>& out) {
  gather(messages);
  bool contradiction = false;
  out.resize(at(graph_.num_coords()));
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = beliefs_.at(c, contradiction);
}

BeliefPropagation::Stretch BeliefPropagation::edges(const Run& run) const {
  const graph::PlacedGroup& placed = graph_.groups()[at(run.group)];
  const auto& coords = placed.group->layout().coords();
  return {at(placed.edge_begin + coords[run.begin]), at(placed.edge_begin + coords[run.end])};
}

Run BeliefPropagation::run_of(Index factor) const {
  const auto groups = graph_.groups();
  const auto next = std::ranges::upper_bound(groups, factor, {}, &graph::PlacedGroup::factor_begin);
  const auto g = static_cast<Index>(next - groups.begin()) - 1;
  const Index local = factor - groups[at(g)].factor_begin;
  return {g, local, local + 1};
}

void BeliefPropagation::gather(const Buffer& messages) {
  beliefs_.reset(unary_);
  const auto coords = graph_.edge_coord();
  for (const Run& run : all_.runs) {
    const Stretch s = edges(run);
    for (std::size_t e = s.begin; e < s.end; ++e) {
      if (!std::isfinite(messages[e])) beliefs_.harden();
      beliefs_.add(at(coords[e]), messages[e], scale(e));
    }
  }
}

void BeliefPropagation::tell(const Run& run, const Buffer& messages) {
  const Stretch s = edges(run);
  const auto coords = graph_.edge_coord();
  bool contradiction = false;
  for (std::size_t e = s.begin; e < s.end; ++e) {
    q_[e] = beliefs_.without(at(coords[e]), messages[e], contradiction);
  }
  if (contradiction) feasible_ = false;
}

void BeliefPropagation::ask(const Run& run, Product product) {
  const graph::PlacedGroup& placed = graph_.groups()[at(run.group)];
  const Index begin = placed.edge_begin;
  placed.group->messages({run.begin, run.end}, product, Scores(q_).subspan(at(begin)),
                         parts_.subspan(at(placed.part_begin)), Point(next_).subspan(at(begin)),
                         Point(value_).subspan(at(placed.factor_begin)), workspace_);
  const auto values = std::span(value_).subspan(at(placed.factor_begin + run.begin), at(run.end - run.begin));
  for (const double value : values) {
    if (value == kForbidden) feasible_ = false;
  }
}

double BeliefPropagation::commit(const Run& run, Buffer& messages, bool update_beliefs) {
  const Stretch s = edges(run);
  const auto coords = graph_.edge_coord();
  double residual = 0.0;
  for (std::size_t e = s.begin; e < s.end; ++e) {
    const double old = messages[e];
    if (!std::isfinite(old)) next_[e] = old;
    residual = std::max(residual, distance(next_[e], old));
    messages[e] = blend(next_[e], old, options_.damping);
    if (std::isfinite(next_[e]) && std::abs(next_[e]) > largest_) diverged_ = true;
    if (!update_beliefs) continue;
    if (!std::isfinite(messages[e])) beliefs_.harden();
    beliefs_.remove(at(coords[e]), old, scale(e));
    beliefs_.add(at(coords[e]), messages[e], scale(e));
  }
  return residual;
}

void BeliefPropagation::record(const Run& run, BpTape* tape) const {
  if (tape == nullptr || !options_.record) return;
  const Stretch s = edges(run);
  tape->inputs.insert(tape->inputs.end(), q_.data() + s.begin, q_.data() + s.end);
}

double BeliefPropagation::sweep(Buffer& messages, BpTape* tape) {
  const Schedule& schedule = options_.order == Order::kParallel ? all_ : schedule_;
  const bool incremental = schedule.num_phases() > 1;
  double residual = 0.0;
  gather(messages);
  for (std::size_t p = 0; p < schedule.num_phases(); ++p) {
    for (const Run& run : schedule.phase(p)) {
      tell(run, messages);
      record(run, tape);
    }
    for (const Run& run : schedule.phase(p)) ask(run, options_.product);
    for (const Run& run : schedule.phase(p)) residual = std::max(residual, commit(run, messages, incremental));
  }
  return residual;
}

BpProgress BeliefPropagation::run(Buffer& messages, BpTape* tape) {
  feasible_ = true;
  diverged_ = false;
  if (options_.order == Order::kResidual) return run_residual(messages, tape);
  BpProgress progress;
  while (progress.iterations < options_.max_iterations && feasible_ && !diverged_) {
    if (tape != nullptr && options_.checkpoint > 0 && progress.iterations % options_.checkpoint == 0) {
      tape->checkpoints.push_back(messages);
    }
    progress.residual = sweep(messages, tape);
    ++progress.iterations;
    progress.converged = progress.residual <= options_.tolerance && !diverged_;
    if (progress.converged && !options_.fixed) break;
  }
  if (all_.runs.empty()) progress.converged = true;
  progress.diverged = diverged_;
  progress.feasible = feasible_;
  return progress;
}

double BeliefPropagation::update_one(Index factor, Buffer& messages, BpTape* tape) {
  const Run run = run_of(factor);
  tell(run, messages);
  record(run, tape);
  ask(run, options_.product);
  return commit(run, messages, true);
}

/// A factor's priority bounds how far its messages can move: what its incoming ones moved since it last spoke. (A
/// message's log-odds move no farther than all incoming ones together.)
BpProgress BeliefPropagation::run_residual(Buffer& messages, BpTape* tape) {
  BpProgress progress;
  gather(messages);
  std::vector<std::int32_t> factors;
  for (const Run& run : all_.runs) {
    const Index first = graph_.groups()[at(run.group)].factor_begin;
    for (Index f = first + run.begin; f < first + run.end; ++f) factors.push_back(static_cast<std::int32_t>(f));
  }
  IndexedHeap heap(at(graph_.num_factors()), factors, kForced);
  std::vector<double> before;
  const auto coords = graph_.edge_coord();
  while (progress.iterations < options_.max_iterations && feasible_ && !diverged_) {
    if (tape != nullptr && options_.checkpoint > 0 && progress.iterations % options_.checkpoint == 0) {
      tape->checkpoints.push_back(messages);
    }
    gather(messages);
    for (std::size_t n = 0; n < factors.size() && feasible_ && !diverged_; ++n) {
      const double limit = options_.fixed ? 0.0 : options_.tolerance;
      if (heap.top_priority() <= limit) break;
      const std::int32_t factor = heap.top();
      const Stretch s = edges(run_of(factor));
      before.assign(messages.data() + s.begin, messages.data() + s.end);
      update_one(factor, messages, tape);
      if (tape != nullptr) tape->order.push_back(factor);
      heap.set(factor, 0.0);
      for (std::size_t e = s.begin; e < s.end; ++e) {
        // With damping, what is left of the step stays pending for the factor itself.
        heap.add(factor, distance(next_[e], messages[e]));
        const double moved = distance(messages[e], before[e - s.begin]);
        if (moved == 0.0) continue;
        for (const std::int32_t other : graph_.edges_of(coords[e])) {
          if (owner_[at(other)] != factor) heap.add(owner_[at(other)], moved);
        }
      }
    }
    if (tape != nullptr) tape->order_begin.push_back(tape->order.size());
    ++progress.iterations;
    progress.residual = factors.empty() ? 0.0 : heap.top_priority();
    progress.converged = progress.residual <= options_.tolerance && !diverged_;
    if (progress.converged && !options_.fixed) break;
  }
  progress.diverged = diverged_;
  progress.feasible = feasible_;
  return progress;
}

void BeliefPropagation::replay(const BpTape& tape, Index iteration, Buffer& messages, BpTape* segment) {
  if (options_.order != Order::kResidual) {
    sweep(messages, segment);
    return;
  }
  gather(messages);
  for (std::size_t n = tape.order_begin[at(iteration)]; n < tape.order_begin[at(iteration) + 1]; ++n) {
    update_one(tape.order[n], messages, segment);
  }
}

}  // namespace ramify::inference
