// A factor family is a group of factors of one kind, stored as arrays.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ramify/factors/active_set.hpp"
#include "ramify/factors/constraints.hpp"
#include "ramify/factors/layout.hpp"
#include "ramify/factors/types.hpp"
#include "ramify/factors/workspace.hpp"
#include "ramify/numeric/serial.hpp"

namespace ramify::factors {

/// Warm starts of project(), owned by the caller: one active set per factor (none for closed forms).
struct ProjectionState {
  std::vector<ActiveSet> sets;
};

/// Numbers by name: one per slot, per factor or for the whole group.
using Arguments = std::vector<std::pair<std::string, std::vector<std::int32_t>>>;

/// Const and stateless. Every array spans the whole group; a call reads and writes the stretch of its range.
///
/// Coordinates: a binary variable has one, its log-odds (in marginals: the probability of being on); a variable with
/// k >= 3 states has k. A score of -inf forbids a state; +inf on a binary coordinate forces it on and counts as 0 in
/// log Z and in values. Where nothing is feasible, values are -inf and points are all zero; NaN never appears.
class FactorGroup {
 public:
  FactorGroup(std::string family, Layout layout, Capabilities capabilities, Traits traits = 0)
      : family_(std::move(family)), layout_(std::move(layout)), capabilities_(capabilities), traits_(traits) {}
  virtual ~FactorGroup() = default;
  FactorGroup(const FactorGroup&) = delete;
  FactorGroup& operator=(const FactorGroup&) = delete;

  const std::string& family() const { return family_; }
  const Layout& layout() const { return layout_; }
  Capabilities capabilities() const { return capabilities_; }
  bool has(Capability c) const { return (capabilities_ & static_cast<Capabilities>(c)) != 0; }
  Traits traits() const { return traits_; }
  bool is(Trait t) const { return (traits_ & static_cast<Traits>(t)) != 0; }
  /// What the group was made of besides its layout.
  virtual Arguments arguments() const { return {}; }
  Range all() const { return {0, layout_.num_factors()}; }
  /// Of this group alone: a warm start remembers whose it is.
  std::uint64_t serial() const { return serial_; }

  /// Log-potential of an assignment (parts only), -inf if forbidden. out: one per factor.
  virtual void score(Range range, Assignment y, Scores parts, Point out) const = 0;

  /// mu: coordinates; nu: parts; log_z: factors.
  virtual void marginals(Range range, Scores q, Scores parts, Point mu, Point nu, Point log_z, Workspace& ws) const;

  /// Outgoing messages: for a binary coordinate log-odds minus q, for a k-ary one log-marginals minus q, normalised
  /// to 0 at state 0 where that is possible (else at the best state). Finite or +-inf; 0 where q is infinite.
  virtual void messages(Range range, Product product, Scores q, Scores parts, Point out, Point value,
                        Workspace& ws) const;

  /// Hessian of log Z times (grad_mu, grad_nu).
  virtual void marginals_vjp(Range range, Scores q, Scores parts, Scores grad_mu, Scores grad_nu, Point grad_q,
                             Point grad_parts, Workspace& ws) const;

  /// y: one state per variable; nu: 0/1 per part; value includes q.
  virtual void argmax(Range range, Scores q, Scores parts, AssignmentOut y, Point nu, Point value, Workspace& ws) const;

  /// Best value with each variable at each state (state layout).
  virtual void max_marginals(Range range, Scores q, Scores parts, Point out, Workspace& ws) const;

  /// Maximises <a, z> + <parts, nu> - |z|^2 / 2 over the factor's polytope.
  virtual void project(Range range, Scores a, Scores parts, ProjectionState& state, Point z, Point nu, Point value,
                       Workspace& ws) const;

  /// Gradients of project on the face where its solution lies; a and state are those of the forward call.
  virtual void project_vjp(Range range, Scores a, Scores parts, const ProjectionState& state, Scores grad_z,
                           Scores grad_nu, Point grad_a, Point grad_parts, Workspace& ws) const;

  /// log Z - <mu, q> - <nu, parts>.
  virtual void entropy(Range range, Scores q, Scores parts, Point out, Workspace& ws) const;

  virtual Constraints constraints(Index factor) const;

  /// True if project() uses the state.
  virtual bool keeps_state() const { return false; }
  ProjectionState make_state() const;

 protected:
  [[noreturn]] void refuse(const char* capability) const;
  /// A row system with this factor's coordinates and parts and nothing else.
  Constraints bare_constraints(Index factor) const;

 private:
  std::string family_;
  Layout layout_;
  Capabilities capabilities_;
  Traits traits_;
  std::uint64_t serial_ = numeric::next_serial();
};

}  // namespace ramify::factors
