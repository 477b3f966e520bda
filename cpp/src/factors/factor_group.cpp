#include "ramify/factors/factor_group.hpp"

namespace ramify::factors {

void FactorGroup::marginals(Range, Scores, Scores, Point, Point, Point, Workspace&) const { refuse("marginals"); }

void FactorGroup::messages(Range, Product, Scores, Scores, Point, Point, Workspace&) const { refuse("messages"); }

void FactorGroup::marginals_vjp(Range, Scores, Scores, Scores, Scores, Point, Point, Workspace&) const {
  refuse("marginals_vjp");
}

void FactorGroup::argmax(Range, Scores, Scores, AssignmentOut, Point, Point, Workspace&) const { refuse("argmax"); }

void FactorGroup::max_marginals(Range, Scores, Scores, Point, Workspace&) const { refuse("max_marginals"); }

void FactorGroup::project(Range, Scores, Scores, ProjectionState&, Point, Point, Point, Workspace&) const {
  refuse("project");
}

void FactorGroup::project_vjp(Range, Scores, Scores, const ProjectionState&, Scores, Scores, Point, Point,
                              Workspace&) const {
  refuse("project_vjp");
}

void FactorGroup::entropy(Range, Scores, Scores, Point, Workspace&) const { refuse("entropy"); }

Constraints FactorGroup::constraints(Index) const { refuse("constraints"); }

ProjectionState FactorGroup::make_state() const {
  ProjectionState state;
  if (keeps_state()) state.sets.resize(static_cast<std::size_t>(layout_.num_factors()));
  return state;
}

void FactorGroup::refuse(const char* capability) const { throw UnsupportedCapability(family_, capability); }

Constraints FactorGroup::bare_constraints(Index factor) const {
  Constraints out;
  out.num_coords = layout_.coords().size(factor);
  out.num_parts = layout_.parts().size(factor);
  return out;
}

}  // namespace ramify::factors
