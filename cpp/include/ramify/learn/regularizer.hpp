// What keeps weights small, and features few: proximal steps between the optimizer's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ramify/learn/optimizer.hpp"

namespace ramify::learn {

class TemplateScales;

/// What the weight of a group grows with: of the most features that it ever had, the number, its logarithm (the bits
/// that name a feature), its root.
enum class GroupSize : std::uint8_t { kOne, kLog2, kSqrt };

/// Groups of templates, none in two of them, each of which is shrunk as one: lambda sum_g d_g |w_g|, equation 8 of
/// Martins et al. (2011).
struct GroupSet {
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<double> weights;       // d of each group; none: all 1
  GroupSize size = GroupSize::kOne;  // what d is multiplied by
  double lambda = 0.0;
  std::int64_t budget = -1;  // at most so many groups are left by each step, whatever lambda; below 0: no budget
};

struct RegularizerOptions {
  // Of (sum of losses + penalty) / number of examples:
  double l1 = 0.0;             // l1 |w|_1
  double l2 = 0.0;             // l2 / 2 |w|^2
  double rows = 0.0;           // rows * sum of the norms of features over their labels, where the table knows labels
  std::vector<GroupSet> sets;  // one after the other: groups that contain others, or overlap with them, come later
  std::int64_t budget = -1;    // of all sets together: they share it by the ranks of their groups
  std::int64_t every = 500;    // examples between two steps

  /// Whether weights become 0 and are forgotten.
  bool forgets() const { return l1 > 0.0 || rows > 0.0 || !sets.empty(); }
  bool active() const { return l2 > 0.0 || forgets(); }
};

/// Composite mirror descent, Duchi et al. (2010): the optimizer steps along the gradient of the losses, then weights go
/// to where penalty and distance, as the optimizer measures it, are smallest together; the norms of groups are measured
/// with equal stiffness. L1 comes first, then groups from the smallest to the largest, then L2: for groups that are
/// nested, that is the proximal step of the sum (Jenatton et al. 2010); for groups that overlap, section 4 of Martins
/// et al. (2011) takes the same steps.
class Regularizer {
 public:
  explicit Regularizer(RegularizerOptions options) : options_(std::move(options)) {}
  const RegularizerOptions& options() const { return options_; }
  bool active() const { return options_.active(); }

  /// Other budgets from here on: of each set, or of all if there is one for all.
  void set_budgets(std::span<const std::int64_t> budgets);

  /// The examples since the last step.
  struct Stretch {
    double rate;   // of the optimizer
    double size;   // examples of an epoch
    double batch;  // examples of a gradient
    double time;   // examples so far
  };
  /// Between two looks at the weights.
  double every(double size) const;
  /// Whether one is due after examples from `before` on.
  bool due(double before, const Stretch& stretch) const;
  /// All steps of a stretch at its end: weights that no gradient touches need not be looked at before.
  template <class Table>
  void apply(Table& table, const Optimizer& optimizer, const Stretch& stretch) const;

 private:
  std::vector<std::int64_t> budgets(const TemplateScales& scales) const;

  RegularizerOptions options_;
};

}  // namespace ramify::learn
