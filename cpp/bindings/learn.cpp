#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "members.hpp"
#include "norms.hpp"
#include "ramify/learn/freeze.hpp"
#include "ramify/learn/frozen_weights.hpp"
#include "ramify/learn/learner.hpp"
#include "ramify/learn/proximal.hpp"
#include "states.hpp"
#include "turns.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {
namespace {

using namespace ramify::learn;

using Keys = In<Key>;
using Rows = In<std::int64_t>;

/// Offsets of rows as in scipy.sparse: ascending from 0 to `end`.
void expect_offsets(const char* name, std::span<const std::int64_t> offsets, std::size_t end) {
  const bool fits = !offsets.empty() && offsets.front() == 0 && std::cmp_equal(offsets.back(), end) &&
                    std::ranges::is_sorted(offsets);
  if (!fits)
    throw InvalidInput(std::string(name) + " expects offsets that ascend from 0 to " + std::to_string(end) + ".");
}

void expect_finite_numbers(const char* name, std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value)) throw InvalidInput(std::string(name) + " expects finite numbers; got another.");
  }
}

void expect_number(const char* name, double value, double low, bool above = false) {
  if (std::isfinite(value) && (above ? value > low : value >= low)) return;
  throw InvalidInput(std::string(name) + " expects a number " + (above ? "above " : "of at least ") +
                     std::to_string(static_cast<int>(low)) + "; got " + std::to_string(value) + ".");
}

using Widths = std::optional<In<std::int32_t>>;

/// Keys of what a feature says about several parts, its labels: eight of them lie side by side, and more elsewhere, as
/// look-ups would be slow with many at one place. The template's bits stay as they are.
Key with_number(Key feature, std::size_t label) {
  if (label == 0) return feature;
  const Key place = (static_cast<Key>(label / 8) * 0x9e3779b97f4a7c15ULL) & kPlace;
  return with_label(feature + place, mix(static_cast<Key>(label)) & ~kTemplate);
}

/// Features of parts. A row scores as many parts as it is wide, each with weights of its own for the same features: the
/// labels of a word, for one. No widths: all 1; no values: all 1.
struct Features {
  Features(const Rows& offsets, const Keys& all_keys, const In<float>& all_values, const Widths& widths)
      : rows(copy(offsets)), keys(view(all_keys)), values(view(all_values)) {
    expect_offsets("rows", rows, keys.size());
    expect_size_or_none("values", all_values, static_cast<std::int64_t>(keys.size()));
    expect_finite("values", values);
    if (widths) expect_size("widths", *widths, static_cast<std::int64_t>(size()));
    parts.reserve(rows.size());
    for (std::size_t row = 0; row < size(); ++row) {
      const std::int64_t width = widths ? view(*widths)[row] : 1;
      expect_within("widths", width, 1, std::int64_t{1} << 30U);
      parts.push_back(parts.back() + static_cast<std::size_t>(width));
    }
  }
  std::size_t size() const { return rows.size() - 1; }
  std::size_t num_parts() const { return parts.back(); }

  /// Calls visit(part, key, value) for all features of the parts of a row.
  template <class Visit>
  void for_each(std::size_t row, const Visit& visit) const {
    for (auto k = static_cast<std::size_t>(rows[row]); std::cmp_less(k, rows[row + 1]); ++k) {
      const double value = values.empty() ? 1.0 : static_cast<double>(values[k]);
      for (std::size_t part = parts[row]; part < parts[row + 1]; ++part) {
        visit(part, with_number(keys[k], part - parts[row]), value);
      }
    }
  }
  template <class Weight>
  std::vector<double> scores(const Weight& weight) const {
    std::vector<double> out(num_parts(), 0.0);
    for (std::size_t row = 0; row < size(); ++row) {
      for_each(row, [&](std::size_t part, Key key, double value) { out[part] += value * weight(key); });
    }
    return out;
  }

  std::vector<std::int64_t> rows;  // other threads may change the array
  std::span<const Key> keys;
  std::span<const float> values;
  std::vector<std::size_t> parts{0};  // where those of each row begin
};

/// One call at a time: whoever calls from several threads waits.
class GuardedLearner {
 public:
  explicit GuardedLearner(const LearnerOptions& options) : learner_(options) {}

  double time() {
    const Working working(turn_);
    return learner_.time();
  }
  std::size_t size() {
    const Working working(turn_);
    return learner_.store().size();
  }
  const LearnerOptions& options() const { return learner_.options(); }

  void support(const Keys& keys) {
    const Working working(turn_);
    learner_.store().support(view(keys));
  }

  std::vector<double> scores(const Features& features, bool averaged) {
    const Working working(turn_);
    const double time = averaged ? learner_.averaging_time() : 0.0;
    return features.scores([&](Key key) { return learner_.store().weight(key, time); });
  }

  std::vector<double> weights(const Keys& keys, bool averaged) {
    const Working working(turn_);
    const double time = averaged ? learner_.averaging_time() : 0.0;
    std::vector<double> out;
    for (const Key key : view(keys)) out.push_back(learner_.store().weight(key, time));
    return out;
  }

  /// A batch of examples, each some rows of parts with the gradient of the loss by their scores.
  void update(std::span<const std::int64_t> examples, const Features& features, std::span<const double> gradient,
              std::span<const double> losses) {
    const Working working(turn_);
    std::vector<Gradient> taught;  // first all of it: where something is wrong, nothing is learned
    for (std::size_t i = 0; i < losses.size(); ++i) {
      sum_.clear();
      for (auto row = static_cast<std::size_t>(examples[i]); std::cmp_less(row, examples[i + 1]); ++row) {
        features.for_each(row, [&](std::size_t part, Key key, double value) {
          const double descent = -gradient[part] * value;
          expect(std::abs(descent) < 1e15, "gradient times values expects numbers below 1e15.");
          if (descent != 0.0) sum_.add(key, static_cast<float>(descent));
        });
      }
      taught.push_back(sum_.take(losses[i]));
    }
    for (const Gradient& one : taught) learner_.add(one);
    learner_.end_batch();
  }

  void end_epoch() {
    const Working working(turn_);
    learner_.end_epoch();
  }
  void set_num_examples(double number) {
    const Working working(turn_);
    learner_.set_num_examples(number);
  }

  std::size_t most() {
    const Working working(turn_);
    return learner_.store().most();
  }
  void set_budgets(std::span<const std::int64_t> budgets) {
    const Working working(turn_);
    learner_.set_budgets(budgets);
  }
  std::vector<TemplateNorm> template_norms(bool averaged) {
    const Working working(turn_);
    return learner_.store().template_norms(averaged ? learner_.averaging_time() : 0.0);
  }
  void drop_template(std::size_t number) {
    const Working working(turn_);
    learner_.store().drop_template(number);
  }

  State save() {
    const Working working(turn_);
    return learner_.save();
  }
  void restore(const State& state) {
    const Working working(turn_);
    Learner fresh(learner_.options());
    fresh.restore(state);
    fresh.set_num_examples(learner_.num_examples());
    learner_ = std::move(fresh);
  }
  QuantisedWeights freeze(std::size_t max_weights, double min_weight) {
    const Working working(turn_);
    return learn::freeze(learner_.store(), {learner_.averaging_time(), max_weights, min_weight});
  }

 private:
  Learner learner_;
  GradientSum sum_;
  Turn turn_;
};

/// Keys of the columns of a template's feature matrix.
Out<Key> feature_keys(std::int64_t number, const In<std::uint64_t>& columns) {
  expect_within("template", number, 0, static_cast<std::int64_t>(kMostTemplates) - 1);
  std::vector<Key> keys;
  keys.reserve(columns.size());
  for (const std::uint64_t column : view(columns)) {
    keys.push_back(with_template(combine(mix(static_cast<Key>(number)), column), static_cast<std::size_t>(number)));
  }
  return hand_over(std::move(keys));
}

/// Templates that exist, none in two groups.
void expect_groups(const std::vector<std::vector<std::uint32_t>>& groups) {
  std::vector<bool> seen(kMostTemplates);
  for (const std::vector<std::uint32_t>& group : groups) {
    for (const std::uint32_t m : group) {
      expect_within("template", m, 0, static_cast<std::int64_t>(kMostTemplates) - 1);
      if (seen[m]) throw InvalidInput("The groups of a set expect template " + std::to_string(m) + " at most once.");
      seen[m] = true;
    }
  }
}

void register_options(nb::module_& m) {
  m.attr("MOST_TEMPLATES") = kMostTemplates;
  add_enum<LossKind>(m, "LossKind", "FAMILY", LossKind::kFamily, "L2", LossKind::kL2, "RISK", LossKind::kRisk,
                     "L2_RISK", LossKind::kL2Risk);
  nb::class_<Loss>(m, "Loss")
      .def(
          "__init__",
          [](Loss* self, LossKind kind, double beta, double gamma) {
            expect(beta > 0.0, "beta expects a number above 0, or infinity.");
            expect_number("gamma", gamma, 0.0);
            new (self) Loss{kind, beta, gamma};
          },
          "kind"_a, "beta"_a, "gamma"_a)
      .def_prop_ro("needs_best", &Loss::needs_best)
      .def_prop_ro("temperature", &Loss::temperature)
      .def("value", &Loss::value, "reached"_a, "gold_score"_a);
  add_enum<Method>(m, "Method", "AUTOMATIC", Method::kAutomatic, "ADAGRAD", Method::kAdaGrad, "SGD", Method::kSgd);
  nb::class_<OptimizerOptions>(m, "Optimizer")
      .def(
          "__init__",
          [](OptimizerOptions* self, Method method, double rate, double decay, double damping, bool averaged) {
            expect_number("rate", rate, 0.0, true);
            expect_number("decay", decay, 0.0);
            expect_number("damping", damping, 0.0, true);
            new (self) OptimizerOptions{method, rate, decay, damping, averaged};
          },
          "method"_a, "rate"_a, "decay"_a, "damping"_a, "averaged"_a);
  m.attr("DAMPING") = OptimizerOptions{}.damping;
  add_enum<GroupSize>(m, "GroupSize", "ONE", GroupSize::kOne, "LOG2", GroupSize::kLog2, "SQRT", GroupSize::kSqrt);
  nb::class_<GroupSet>(m, "GroupSet")
      .def(
          "__init__",
          [](GroupSet* self, std::vector<std::vector<std::uint32_t>> groups, const In<double>& weights, GroupSize size,
             double strength, std::int64_t budget) {
            expect_groups(groups);
            expect_size_or_none("weights", weights, static_cast<std::int64_t>(groups.size()));
            for (const double weight : view(weights)) expect_number("weights", weight, 0.0, true);
            expect_number("strength", strength, 0.0);
            new (self) GroupSet{std::move(groups), copy(weights), size, strength, budget};
          },
          "groups"_a, "weights"_a, "size"_a, "strength"_a, "budget"_a);
  nb::class_<RegularizerOptions>(m, "Regularizer")
      .def(
          "__init__",
          [](RegularizerOptions* self, double l1, double l2, double rows, std::vector<GroupSet> sets,
             std::int64_t budget, std::int64_t every) {
            expect_number("l1", l1, 0.0);
            expect_number("l2", l2, 0.0);
            expect_number("rows", rows, 0.0);
            expect(rows == 0.0 || (l1 == 0.0 && l2 == 0.0 && sets.empty()), "rows expects no other penalty.");
            expect(every >= 1, "every expects at least 1.");
            new (self) RegularizerOptions{l1, l2, rows, std::move(sets), budget, every};
          },
          "l1"_a = 0.0, "l2"_a = 0.0, "rows"_a = 0.0, "sets"_a = std::vector<GroupSet>(), "budget"_a = -1,
          "every"_a = 500);
  add_enum<FeatureSet>(m, "FeatureSet", "COMPLETE", FeatureSet::kComplete, "SUPPORTED", FeatureSet::kSupported,
                       "BUCKETS", FeatureSet::kBuckets);
}

/// An array with f of every value.
template <class F>
auto mapped(const In<double>& values, F f) {
  std::vector<double> out = copy(values);
  for (double& value : out) value = f(value);
  return hand_over(std::move(out));
}

/// The arithmetic of proximal steps, on arrays.
void register_proximal(nb::module_& m) {
  m.def(
      "soft_threshold",
      [](const In<double>& values, double threshold) {
        return mapped(values, [threshold](double value) { return soft_threshold(value, threshold); });
      },
      "values"_a, "threshold"_a);
  m.def(
      "shrink_factors",
      [](const In<double>& norms, const In<double>& thresholds) {
        expect_size("thresholds", thresholds, static_cast<std::int64_t>(norms.size()));
        std::vector<double> out = copy(norms);
        for (std::size_t g = 0; g < out.size(); ++g) out[g] = shrink_factor(out[g], view(thresholds)[g]);
        return hand_over(std::move(out));
      },
      "norms"_a, "thresholds"_a);
  m.def(
      "group_weights",
      [](GroupSize size, const In<double>& features) {
        return mapped(features, [size](double number) { return group_weight(size, number); });
      },
      "size"_a, "features"_a);
  m.def(
      "budget_threshold",
      [](const In<double>& ratios, std::size_t budget) { return budget_threshold(copy(ratios), budget); }, "ratios"_a,
      "budget"_a);
}

void update(GuardedLearner& self, const Rows& examples, const Rows& rows, const Keys& keys, const In<float>& values,
            const In<double>& gradient, const In<double>& losses, const Widths& widths) {
  const Features features(rows, keys, values, widths);
  const std::vector<std::int64_t> offsets = copy(examples);
  expect_offsets("examples", offsets, features.size());
  expect_size("gradient", gradient, static_cast<std::int64_t>(features.num_parts()));
  expect_finite_numbers("gradient", view(gradient));
  expect_size("losses", losses, static_cast<std::int64_t>(offsets.size()) - 1);
  expect_finite_numbers("losses", view(losses));
  const auto batch = self.options().batch;
  expect_within("number of examples of a batch", static_cast<std::int64_t>(losses.size()), 0, batch);
  self.update(offsets, features, view(gradient), view(losses));
}

void register_learner(nb::module_& m) {
  nb::class_<GuardedLearner>(m, "Learner")
      .def(
          "__init__",
          [](GuardedLearner* self, const Loss& loss, const OptimizerOptions& optimizer,
             const RegularizerOptions& regularizer, FeatureSet features, std::uint64_t num_buckets,
             std::int64_t batch) {
            expect(features != FeatureSet::kBuckets || num_buckets > 0, "num_buckets expects at least 1.");
            expect(batch >= 1, "batch expects at least 1.");
            expect(optimizer.method != Method::kAutomatic || regularizer.l2 == 0.0,
                   "The automatic step expects no L2 penalty: its rate is what keeps weights small.");
            expect(regularizer.rows == 0.0, "Groups of a feature with its labels expect a tagger's weights.");
            expect(features != FeatureSet::kBuckets || regularizer.sets.empty(),
                   "Groups of templates expect weights that are not in buckets.");
            expect(features != FeatureSet::kSupported || !regularizer.forgets(),
                   "Penalties that forget weights expect complete features, so that gradients can bring them back.");
            new (self) GuardedLearner({loss, optimizer, regularizer, features, num_buckets, batch});
          },
          "loss"_a, "optimizer"_a, "regularizer"_a, "features"_a, "num_buckets"_a, "batch"_a)
      .def_prop_ro("time", &GuardedLearner::time)
      .def_prop_ro("num_weights", &GuardedLearner::size)
      .def_prop_ro("most_weights", &GuardedLearner::most)
      .def(
          "set_budgets", [](GuardedLearner& self, const Rows& budgets) { self.set_budgets(view(budgets)); },
          "budgets"_a)
      .def("support", &GuardedLearner::support, "keys"_a)
      .def(
          "scores",
          [](GuardedLearner& self, const Rows& rows, const Keys& keys, const In<float>& values, bool averaged,
             const Widths& widths) { return hand_over(self.scores(Features(rows, keys, values, widths), averaged)); },
          "rows"_a, "keys"_a, "values"_a, "averaged"_a, "widths"_a = nb::none())
      .def(
          "weights",
          [](GuardedLearner& self, const Keys& keys, bool averaged) { return hand_over(self.weights(keys, averaged)); },
          "keys"_a, "averaged"_a)
      .def("update", &update, "examples"_a, "rows"_a, "keys"_a, "values"_a, "gradient"_a, "losses"_a,
           "widths"_a = nb::none())
      .def("end_epoch", &GuardedLearner::end_epoch)
      .def(
          "set_num_examples",
          [](GuardedLearner& self, std::int64_t number) {
            expect(number >= 1, "set_num_examples expects at least 1.");
            self.set_num_examples(static_cast<double>(number));
          },
          "number"_a)
      .def(
          "template_norms",
          [](GuardedLearner& self, bool averaged) { return norm_arrays(self.template_norms(averaged)); }, "averaged"_a)
      .def(
          "drop_template",
          [](GuardedLearner& self, std::int64_t number) {
            expect_within("template", number, 0, static_cast<std::int64_t>(kMostTemplates) - 1);
            self.drop_template(static_cast<std::size_t>(number));
          },
          "template"_a)
      .def("state", [](GuardedLearner& self) { return to_dict(self.save()); })
      .def(
          "restore", [](GuardedLearner& self, const StateDict& state) { self.restore(to_state(state)); }, "state"_a)
      .def(
          "freeze",
          [](GuardedLearner& self, std::size_t max_weights, double min_weight) {
            expect_number("min_weight", min_weight, 0.0);
            QuantisedWeights out = self.freeze(max_weights, min_weight);
            return std::make_tuple(hand_over(std::move(out.keys)), hand_over(std::move(out.weights)), out.scale);
          },
          "max_weights"_a, "min_weight"_a);
  nb::class_<FrozenWeights>(m, "FrozenWeights")
      .def(
          "__init__",
          [](FrozenWeights* self, const Keys& keys, const In<std::int16_t>& weights, double scale,
             std::uint64_t num_buckets) {
            expect_size("weights", weights, static_cast<std::int64_t>(keys.size()));
            expect(std::isfinite(scale), "scale expects a finite number.");
            expect(std::ranges::is_sorted(view(keys)), "keys expect to ascend.");
            new (self) FrozenWeights(view(keys), view(weights), scale, num_buckets);
          },
          "keys"_a, "weights"_a, "scale"_a, "num_buckets"_a)
      .def(
          "scores",
          [](const FrozenWeights& self, const Rows& rows, const Keys& keys, const In<float>& values,
             const Widths& widths) {
            const Features features(rows, keys, values, widths);
            std::vector<double> out;
            {
              const nb::gil_scoped_release release;
              out = features.scores([&](Key key) { return self.weight(key); });
            }
            return hand_over(std::move(out));
          },
          "rows"_a, "keys"_a, "values"_a, "widths"_a = nb::none());
}

}  // namespace

void register_learn(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("learn", "Losses, optimizers and weights: the learner of all tasks.");
  m.def("feature_keys", &feature_keys, "template"_a, "columns"_a);
  register_options(m);
  register_proximal(m);
  register_learner(m);
}

}  // namespace ramify::bindings
