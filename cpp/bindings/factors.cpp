#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "members.hpp"
#include "ramify/factors/budget.hpp"
#include "ramify/factors/callback.hpp"
#include "ramify/factors/compression_tree.hpp"
#include "ramify/factors/factor_group.hpp"
#include "ramify/factors/logic.hpp"
#include "ramify/factors/no_cross.hpp"
#include "ramify/factors/pair.hpp"
#include "ramify/factors/sequence.hpp"
#include "ramify/factors/siblings.hpp"
#include "ramify/factors/table.hpp"
#include "ramify/factors/tree.hpp"
#include "turns.hpp"

namespace ramify::bindings {

namespace {

using namespace ramify::factors;

Out<double> numbers(std::vector<double> values) { return hand_over(std::move(values)); }

/// Offsets as they come from Python: all equal steps become one stride. Every factor has at_least of what they count.
Offsets offsets_of(const In<std::int64_t>& array, std::int64_t at_least = 1) {
  const auto values = view(array);
  expect(!values.empty() && values[0] == 0, "offsets expect to begin with 0.");
  for (std::size_t f = 1; f < values.size(); ++f) {
    expect(values[f] >= 0 && values[f - 1] <= kMostOfGroup && values[f] - values[f - 1] >= at_least,
           "offsets expect to rise from factor to factor.");
  }
  const std::int64_t stride = values.size() > 1 ? values[1] : 0;
  bool uniform = true;
  for (std::size_t f = 0; f < values.size(); ++f) {
    uniform = uniform && values[f] == stride * static_cast<std::int64_t>(f);
  }
  return uniform ? Offsets(stride) : Offsets(std::vector<Index>(values.begin(), values.end()));
}

Index count_of(const In<std::int64_t>& offsets) { return static_cast<Index>(offsets.size()) - 1; }

/// The last of them: how many slots there are.
Index total_of(const In<std::int64_t>& offsets) { return offsets.size() == 0 ? 0 : offsets.data()[offsets.size() - 1]; }

/// A number from low to high for each of `count` things.
template <class T>
std::vector<T> checked(const char* name, const In<T>& array, Index count, std::int64_t low,
                       std::int64_t high = std::numeric_limits<std::int32_t>::max()) {
  expect_size(name, array, count);
  expect_within(name, view(array), low, high);
  return copy(array);
}

std::vector<std::int32_t> states_of(const In<std::int32_t>& num_states, Index num_slots) {
  return checked("num_states", num_states, num_slots, 2);
}

std::vector<std::uint8_t> negations_of(const In<std::uint8_t>& negated, Index num_slots) {
  expect_size_or_none("negated", negated, num_slots);
  return copy(negated);
}

std::vector<Index> all_offsets(const FactorGroup& group, const Offsets& offsets) {
  std::vector<Index> out;
  for (Index f = 0; f <= group.layout().num_factors(); ++f) out.push_back(offsets[f]);
  return out;
}

struct Sizes {
  std::size_t factors, slots, coords, states, parts;
  explicit Sizes(const FactorGroup& g) {
    const Layout& layout = g.layout();
    const Index n = layout.num_factors();
    factors = static_cast<std::size_t>(n);
    slots = static_cast<std::size_t>(layout.slots()[n]);
    coords = static_cast<std::size_t>(layout.coords()[n]);
    states = static_cast<std::size_t>(layout.states()[n]);
    parts = static_cast<std::size_t>(layout.parts()[n]);
  }
};

/// A warm start, and the group whose polytopes it is about.
struct BoundState : ProjectionState {
  explicit BoundState(const FactorGroup& g) : ProjectionState(g.make_state()), owner(g.serial()) {}
  std::uint64_t owner;
  Turn turn;
};

/// Scores of the right sizes without NaN, as copies: a factor written in Python or another thread may change the arrays
/// during the call, and what was checked must be what is read.
struct Inputs {
  std::vector<double> q, parts;
  Inputs(const Sizes& n, const In<double>& coord_scores, const In<double>& part_scores)
      : q(copy(coord_scores)), parts(copy(part_scores)) {
    expect_size("q", q.size(), n.coords);
    expect_numbers("q", q);
    expect_size("scores", parts.size(), n.parts);
    expect_numbers("scores", parts);
  }
};

void expect_gradients(const Sizes& n, const In<double>& coords, const In<double>& parts) {
  expect_size("gradients of coordinates", coords, static_cast<std::int64_t>(n.coords));
  expect_size("gradients of parts", parts, static_cast<std::int64_t>(n.parts));
}

void expect_own(const FactorGroup& g, const BoundState& state) {
  expect(state.owner == g.serial(), "project expects a state of the same factors; got one of others.");
}

Out<double> score(const FactorGroup& g, In<std::int32_t> y, In<double> parts) {
  const Sizes n(g);
  const std::vector<std::int32_t> states = copy(y);
  const std::vector<double> scores = copy(parts);
  expect_size("assignment", states.size(), n.slots);
  expect_size("scores", scores.size(), n.parts);
  expect_numbers("scores", scores);
  for (std::size_t slot = 0; slot < n.slots; ++slot) {
    expect_within("assignment", states[slot], 0, g.layout().num_states(static_cast<Index>(slot)) - 1);
  }
  std::vector<double> out(n.factors);
  {
    const nb::gil_scoped_release released;
    g.score(g.all(), states, scores, out);
  }
  return numbers(std::move(out));
}

auto marginals(const FactorGroup& g, In<double> q, In<double> parts) {
  const Sizes n(g);
  const Inputs in(n, q, parts);
  std::vector<double> mu(n.coords), nu(n.parts), log_z(n.factors);
  {
    const nb::gil_scoped_release released;
    Workspace ws;
    g.marginals(g.all(), in.q, in.parts, mu, nu, log_z, ws);
    // Differences of large scores are rounded before they are exponentiated.
    for (double& m : mu) m = std::min(m, 1.0);
    for (double& m : nu) m = std::min(m, 1.0);
  }
  return std::make_tuple(numbers(std::move(log_z)), numbers(std::move(mu)), numbers(std::move(nu)));
}

auto messages(const FactorGroup& g, bool maximise, In<double> q, In<double> parts) {
  const Sizes n(g);
  const Inputs in(n, q, parts);
  std::vector<double> out(n.coords), value(n.factors);
  {
    const nb::gil_scoped_release released;
    Workspace ws;
    g.messages(g.all(), maximise ? Product::kMax : Product::kSum, in.q, in.parts, out, value, ws);
  }
  return std::make_tuple(numbers(std::move(value)), numbers(std::move(out)));
}

auto marginals_vjp(const FactorGroup& g, In<double> q, In<double> parts, In<double> grad_mu, In<double> grad_nu) {
  const Sizes n(g);
  const Inputs in(n, q, parts);
  expect_gradients(n, grad_mu, grad_nu);
  std::vector<double> grad_q(n.coords), grad_parts(n.parts);
  {
    const nb::gil_scoped_release released;
    Workspace ws;
    g.marginals_vjp(g.all(), in.q, in.parts, view(grad_mu), view(grad_nu), grad_q, grad_parts, ws);
  }
  return std::make_tuple(numbers(std::move(grad_q)), numbers(std::move(grad_parts)));
}

auto argmax(const FactorGroup& g, In<double> q, In<double> parts) {
  const Sizes n(g);
  const Inputs in(n, q, parts);
  std::vector<std::int32_t> y(n.slots);
  std::vector<double> nu(n.parts), value(n.factors);
  {
    const nb::gil_scoped_release released;
    Workspace ws;
    g.argmax(g.all(), in.q, in.parts, y, nu, value, ws);
  }
  return std::make_tuple(numbers(std::move(value)), hand_over(std::move(y)), numbers(std::move(nu)));
}

auto project(const FactorGroup& g, In<double> a, In<double> parts, BoundState& state) {
  const Sizes n(g);
  const Inputs in(n, a, parts);
  expect_own(g, state);
  std::vector<double> z(n.coords), nu(n.parts), value(n.factors);
  {
    const Working working(state.turn);
    Workspace ws;
    g.project(g.all(), in.q, in.parts, state, z, nu, value, ws);
  }
  return std::make_tuple(numbers(std::move(value)), numbers(std::move(z)), numbers(std::move(nu)));
}

auto project_vjp(const FactorGroup& g, In<double> a, In<double> parts, BoundState& state, In<double> grad_z,
                 In<double> grad_nu) {
  const Sizes n(g);
  const Inputs in(n, a, parts);
  expect_gradients(n, grad_z, grad_nu);
  expect_own(g, state);
  std::vector<double> grad_a(n.coords), grad_parts(n.parts);
  {
    const Working working(state.turn);
    Workspace ws;
    g.project_vjp(g.all(), in.q, in.parts, state, view(grad_z), view(grad_nu), grad_a, grad_parts, ws);
  }
  return std::make_tuple(numbers(std::move(grad_a)), numbers(std::move(grad_parts)));
}

/// What one method writes into one array.
template <auto kMethod, auto kSize>
Out<double> written(const FactorGroup& g, In<double> q, In<double> parts) {
  const Sizes n(g);
  const Inputs in(n, q, parts);
  std::vector<double> out(n.*kSize);
  {
    const nb::gil_scoped_release released;
    Workspace ws;
    (g.*kMethod)(g.all(), in.q, in.parts, out, ws);
  }
  return numbers(std::move(out));
}

void register_group(nb::module_& m) {
  nb::class_<Constraints>(m, "Constraints")
      .def(fields("num_coords", &Constraints::num_coords, "num_parts", &Constraints::num_parts, "num_auxiliaries",
                  &Constraints::num_auxiliaries, "aux_upper", &Constraints::aux_upper, "exact", &Constraints::exact))
      .def(arrays("rows", &Constraints::rows, "columns", &Constraints::columns, "values", &Constraints::values, "lower",
                  &Constraints::lower, "upper", &Constraints::upper));
  nb::class_<BoundState>(m, "ProjectionState")
      .def("num_active",
           [](const BoundState& s) {
             std::vector<Index> out;
             for (const ActiveSet& set : s.sets)
               out.push_back(static_cast<Index>(set.vertices.size() + set.forest.size()));
             return hand_over(std::move(out));
           })
      .def("num_oracle_calls", [](const BoundState& s) {
        std::vector<Index> out;
        for (const ActiveSet& set : s.sets) out.push_back(set.iterations);
        return hand_over(std::move(out));
      });
  nb::class_<FactorGroup>(m, "FactorGroup")
      .def_prop_ro("family", [](const FactorGroup& g) { return g.family(); })
      .def_prop_ro("capabilities", [](const FactorGroup& g) { return g.capabilities(); })
      .def_prop_ro("traits", [](const FactorGroup& g) { return g.traits(); })
      .def("arguments",
           [](const FactorGroup& g) {
             nb::typed<nb::dict, nb::str, Out<std::int32_t>> out;
             for (auto& [name, numbers] : g.arguments()) out[name.c_str()] = hand_over(std::move(numbers));
             return out;
           })
      .def_prop_ro("num_factors", [](const FactorGroup& g) { return g.layout().num_factors(); })
      .def("slot_offsets", [](const FactorGroup& g) { return hand_over(all_offsets(g, g.layout().slots())); })
      .def("coord_offsets", [](const FactorGroup& g) { return hand_over(all_offsets(g, g.layout().coords())); })
      .def("state_offsets", [](const FactorGroup& g) { return hand_over(all_offsets(g, g.layout().states())); })
      .def("part_offsets", [](const FactorGroup& g) { return hand_over(all_offsets(g, g.layout().parts())); })
      .def("make_state", [](const FactorGroup& g) { return std::make_unique<BoundState>(g); })
      .def("score", &score)
      .def("marginals", &marginals)
      .def("messages", &messages)
      .def("marginals_vjp", &marginals_vjp)
      .def("argmax", &argmax)
      .def("max_marginals", &written<&FactorGroup::max_marginals, &Sizes::states>)
      .def("project", &project)
      .def("project_vjp", &project_vjp)
      .def("entropy", &written<&FactorGroup::entropy, &Sizes::factors>)
      .def("constraints", [](const FactorGroup& g, Index factor) {
        expect_within("factor", factor, 0, g.layout().num_factors() - 1);
        return g.constraints(factor);
      });
}

void register_small_families(nb::module_& m) {
  add_enum<LogicRule>(m, "LogicRule", "EXACTLY_ONE", LogicRule::kExactlyOne, "AT_MOST_ONE", LogicRule::kAtMostOne, "OR",
                      LogicRule::kOr, "OR_OUT", LogicRule::kOrOut);
  add_enum<Relation>(m, "Relation", "AT_MOST", Relation::kAtMost, "EXACTLY", Relation::kExactly, "AT_LEAST",
                     Relation::kAtLeast);
  m.def("make_logic", [](std::string family, LogicRule rule, In<std::int64_t> slots, In<std::uint8_t> negated) {
    return make_logic(std::move(family), rule, count_of(slots), offsets_of(slots, rule == LogicRule::kOrOut ? 2 : 1),
                      negations_of(negated, total_of(slots)));
  });
  m.def("make_budget",
        [](In<std::int64_t> slots, In<std::uint8_t> negated, In<std::int32_t> budgets, Relation relation) {
          Offsets offsets = offsets_of(slots);
          return make_budget(count_of(slots), std::move(offsets), negations_of(negated, total_of(slots)),
                             checked("budget", budgets, count_of(slots), 0), relation);
        });
  m.def("make_knapsack", [](In<std::int64_t> slots, In<std::int32_t> costs, In<std::int32_t> capacities) {
    Offsets offsets = offsets_of(slots);
    return make_knapsack(count_of(slots), std::move(offsets), checked("costs", costs, total_of(slots), 0),
                         checked("capacity", capacities, count_of(slots), 0));
  });
  m.def("make_count", [](In<std::int64_t> slots, In<std::int32_t> num_scores) {
    Offsets offsets = offsets_of(slots);
    return make_count(count_of(slots), std::move(offsets), checked("num_scores", num_scores, count_of(slots), 1));
  });
  m.def("make_pair", [](Index num_factors) {
    expect_within("num_factors", num_factors, 0, kMostOfGroup);
    return make_pair_group(num_factors);
  });
  m.def("make_table", [](std::string family, In<std::int64_t> slots, In<std::int32_t> num_states) {
    Offsets offsets = offsets_of(slots);
    return make_table(std::move(family), count_of(slots), std::move(offsets), states_of(num_states, total_of(slots)));
  });
  m.def("make_tag_link", [](Index num_factors, In<std::int32_t> num_states) {
    expect_within("num_factors", num_factors, 0, kMostOfGroup);
    std::vector<std::int32_t> states = states_of(num_states, 3 * num_factors);
    for (std::size_t i = 0; i < states.size(); i += 3) expect_within("states of an arc", states[i], 2, 2);
    return make_tag_link(num_factors, std::move(states));
  });
}

/// Number of arcs into the head, for each factor; at least one arc of the head is left.
std::vector<std::int32_t> incoming_of(const In<std::int64_t>& slots, const In<std::int32_t>& num_heads) {
  std::vector<std::int32_t> out = checked("num_heads", num_heads, count_of(slots), 0);
  for (std::size_t f = 0; f < out.size(); ++f) {
    expect(out[f] < slots.data()[f + 1] - slots.data()[f], "A head expects at least one arc of its own.");
  }
  return out;
}

/// Heads within each factor, -1 for roots, without a cycle.
std::vector<std::int32_t> forest_of(const In<std::int64_t>& slots, const In<std::int32_t>& heads) {
  expect_size("heads", heads, total_of(slots));
  for (Index f = 0; f < count_of(slots); ++f) {
    const Index begin = slots.data()[f];
    const Index size = slots.data()[f + 1] - begin;
    const std::int32_t* own = heads.data() + begin;
    expect_within("heads", std::span(own, static_cast<std::size_t>(size)), -1, size - 1);
    std::vector<Index> seen(static_cast<std::size_t>(size), -1);  // on the way up from which word
    for (Index word = 0; word < size; ++word) {
      for (Index at = word; at >= 0; at = own[at]) {
        Index& from = seen[static_cast<std::size_t>(at)];
        expect(from != word, "heads expect no cycle.");
        if (from >= 0) break;
        from = word;
      }
    }
  }
  return copy(heads);
}

void register_chain_families(nb::module_& m) {
  m.def("make_sequence", [](In<std::int64_t> slots, In<std::int32_t> num_states) {
    Offsets offsets = offsets_of(slots);
    return make_sequence(count_of(slots), std::move(offsets), states_of(num_states, total_of(slots)));
  });
  m.def("make_second_order_sequence", [](In<std::int64_t> slots, In<std::int32_t> num_states) {
    Offsets offsets = offsets_of(slots);
    return make_second_order_sequence(count_of(slots), std::move(offsets), states_of(num_states, total_of(slots)));
  });
  m.def("make_head_bigram", [](In<std::int64_t> words, In<std::int32_t> num_heads) {
    Offsets offsets = offsets_of(words);
    return make_head_bigram(count_of(words), std::move(offsets), checked("num_heads", num_heads, total_of(words), 1));
  });
  m.def("make_consecutive_siblings",
        [](In<std::int64_t> slots) { return make_consecutive_siblings(count_of(slots), offsets_of(slots)); });
  m.def("make_grand_siblings", [](In<std::int64_t> slots, In<std::int32_t> num_heads) {
    Offsets offsets = offsets_of(slots);
    return make_grand_siblings(count_of(slots), std::move(offsets), incoming_of(slots, num_heads));
  });
  m.def("make_gated_siblings",
        [](In<std::int64_t> slots) { return make_gated_siblings(count_of(slots), offsets_of(slots, 2)); });
  m.def("make_grand_tri_siblings", [](In<std::int64_t> slots, In<std::int32_t> num_heads) {
    Offsets offsets = offsets_of(slots);
    return make_grand_tri_siblings(count_of(slots), std::move(offsets), incoming_of(slots, num_heads));
  });
  m.def("make_tri_siblings",
        [](In<std::int64_t> slots) { return make_tri_siblings(count_of(slots), offsets_of(slots)); });
  m.def("make_compression_tree", [](In<std::int64_t> slots, In<std::int32_t> heads) {
    Offsets offsets = offsets_of(slots);
    return make_compression_tree(count_of(slots), std::move(offsets), forest_of(slots, heads));
  });
}

ArcSets arc_sets(const In<std::int64_t>& slots, const In<std::int32_t>& heads, const In<std::int32_t>& modifiers,
                 const In<std::int32_t>& num_words, bool single_root) {
  Offsets offsets = offsets_of(slots);
  expect_size("heads", heads, total_of(slots));
  expect_size("modifiers", modifiers, total_of(slots));
  expect_size("num_words", num_words, count_of(slots));
  for (std::size_t f = 0; f + 1 < slots.size(); ++f) {
    const auto begin = static_cast<std::size_t>(slots.data()[f]);
    const auto size = static_cast<std::size_t>(slots.data()[f + 1]) - begin;
    expect_arcs(view(heads).subspan(begin, size), view(modifiers).subspan(begin, size), num_words.data()[f]);
  }
  return {count_of(slots), std::move(offsets), copy(heads), copy(modifiers), copy(num_words), single_root};
}

void register_tree_families(nb::module_& m) {
  m.def("make_tree",
        [](In<std::int64_t> slots, In<std::int32_t> heads, In<std::int32_t> modifiers, In<std::int32_t> num_words,
           bool single_root) { return make_tree(arc_sets(slots, heads, modifiers, num_words, single_root)); });
  m.def("make_projective_tree", [](In<std::int64_t> slots, In<std::int32_t> heads, In<std::int32_t> modifiers,
                                   In<std::int32_t> num_words, bool single_root) {
    return make_projective_tree(arc_sets(slots, heads, modifiers, num_words, single_root));
  });
  m.def("single_commodity_constraints",
        [](In<std::int32_t> heads, In<std::int32_t> modifiers, std::int32_t num_words, bool single_root) {
          expect_arcs(view(heads), view(modifiers), num_words);
          return single_commodity_constraints(view(heads), view(modifiers), num_words, single_root);
        });
  m.def("one_head_constraints",
        [](In<std::int32_t> heads, In<std::int32_t> modifiers, std::int32_t num_words, bool single_root) {
          expect_arcs(view(heads), view(modifiers), num_words);
          return one_head_constraints(view(heads), view(modifiers), num_words, single_root);
        });
  m.def("dynamic_sibling_constraints", [](Index num_arcs) {
    expect_within("num_arcs", num_arcs, 0, kMostWords);
    return dynamic_sibling_constraints(num_arcs);
  });
  m.def("make_no_cross", [](In<std::int64_t> slots, In<std::int32_t> heads, In<std::int32_t> first_word,
                            In<std::int32_t> second_word, In<std::int32_t> num_first) {
    Offsets offsets = offsets_of(slots, 2);
    const Index count = count_of(slots);
    std::vector<std::int32_t> first = checked("num_first", num_first, count, 1);
    for (std::size_t f = 0; f < first.size(); ++f) {
      expect(first[f] < slots.data()[f + 1] - slots.data()[f], "NoCross expects arcs into both words.");
    }
    return make_no_cross({count, std::move(offsets), checked("heads", heads, total_of(slots), 0),
                          checked("first_word", first_word, count, 0), checked("second_word", second_word, count, 0),
                          std::move(first)});
  });
}

/// A read-only numpy array with a copy of the numbers: the callee may keep it.
template <class T>
nb::object to_numpy(std::span<const T> values) {
  return nb::cast(hand_over(std::vector<T>(values.begin(), values.end())));
}

template <class T>
void fill_from(const nb::handle& source, std::span<T> target) {
  const auto array = nb::cast<In<T>>(source);
  if (array.size() != target.size()) throw std::length_error("a user-defined factor returned an array of wrong size");
  std::copy_n(array.data(), array.size(), target.data());
}

/// Python functions as the engine's callbacks; the engine runs without the GIL, they need it.
Callbacks python_callbacks(nb::object argmax, nb::object marginals, nb::object score) {
  Callbacks out;
  out.argmax = [argmax](Index f, Scores q, Scores parts, AssignmentOut y, Point nu) {
    const nb::gil_scoped_acquire held;
    const nb::object result = argmax(f, to_numpy(q), to_numpy(parts));
    if (result.is_none()) return false;
    const auto pair = nb::cast<nb::tuple>(result);
    fill_from(pair[0], y);
    fill_from(pair[1], nu);
    return true;
  };
  if (!marginals.is_none()) {
    out.marginals = [marginals](Index f, Scores q, Scores parts, Point mu, Point nu) {
      const nb::gil_scoped_acquire held;
      const auto triple = nb::cast<nb::tuple>(marginals(f, to_numpy(q), to_numpy(parts)));
      fill_from(triple[1], mu);
      fill_from(triple[2], nu);
      return nb::cast<double>(triple[0]);
    };
  }
  if (!score.is_none()) {
    out.score = [score](Index f, Assignment y, Scores parts) {
      const nb::gil_scoped_acquire held;
      return nb::cast<double>(score(f, to_numpy(y), to_numpy(parts)));
    };
  }
  return out;
}

void register_user_families(nb::module_& m) {
  m.def(
      "make_callback_group",
      [](std::string family, In<std::int64_t> slots, In<std::int64_t> parts, In<std::int32_t> num_states,
         nb::object argmax, nb::object marginals, nb::object score) {
        std::vector<std::int32_t> states = states_of(num_states, total_of(slots));
        expect_size("part offsets", parts, count_of(slots) + 1);
        return make_callback_group(std::move(family),
                                   Layout(count_of(slots), offsets_of(slots), offsets_of(parts, 0), std::move(states)),
                                   python_callbacks(std::move(argmax), std::move(marginals), std::move(score)));
      },
      nb::arg("family"), nb::arg("slots"), nb::arg("parts"), nb::arg("num_states"), nb::arg("argmax"),
      nb::arg("marginals").none(), nb::arg("score").none());
}

}  // namespace

void register_factors(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("factors", "Groups of factors: arrays in, arrays out.");
  for (auto* add : {register_group, register_small_families, register_chain_families, register_tree_families,
                    register_user_families})
    add(m);
}

}  // namespace ramify::bindings
