// What a caller wants of the parser, and what comes back.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "parsing.hpp"
#include "ramify/parsing/trainer.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {

using namespace ramify::parsing;

namespace {

void register_request(nb::module_& m) {
  nb::class_<ParseRequest>(m, "ParseRequest")
      .def(
          "__init__",
          [](ParseRequest* self, bool marginals, std::int64_t k, bool mbr, bool projective, double time_limit,
             std::int32_t max_words) { new (self) ParseRequest{marginals, k, mbr, projective, time_limit, max_words}; },
          "marginals"_a, "k"_a, "mbr"_a, "projective"_a, "time_limit"_a, "max_words"_a)
      .def_ro("marginals", &ParseRequest::marginals)
      .def_ro("k", &ParseRequest::k)
      .def_ro("mbr", &ParseRequest::mbr)
      .def_ro("projective", &ParseRequest::projective)
      .def_ro("time_limit", &ParseRequest::time_limit)
      .def_ro("max_words", &ParseRequest::max_words);
  nb::enum_<Constraint::Kind>(m, "ConstraintKind")
      .value("HEAD", Constraint::Kind::kHead)
      .value("NOT_HEAD", Constraint::Kind::kNotHead)
      .value("LABEL", Constraint::Kind::kLabel);
  nb::class_<Constraint>(m, "Constraint")
      .def(
          "__init__",
          [](Constraint* self, Constraint::Kind kind, std::int32_t word, std::int32_t value) {
            new (self) Constraint{kind, word, value};
          },
          "kind"_a, "word"_a, "value"_a);
}

}  // namespace

void register_results(nb::module_& m) {
  register_request(m);
  nb::class_<EpochStats>(m, "EpochStats")
      .def_ro("words", &EpochStats::words)
      .def_ro("right_heads", &EpochStats::right_heads)
      .def_ro("right_labels", &EpochStats::right_labels)
      .def_ro("sentences", &EpochStats::sentences)
      .def_ro("certified", &EpochStats::certified)
      .def_ro("updates", &EpochStats::updates)
      .def_ro("loss", &EpochStats::loss);
  nb::class_<PruneStats>(m, "PruneStats")
      .def_ro("words", &PruneStats::words)
      .def_ro("arcs", &PruneStats::arcs)
      .def_ro("kept", &PruneStats::kept);
  nb::class_<DevScores>(m, "DevScores")
      .def_ro("words", &DevScores::words)
      .def_ro("right_heads", &DevScores::right_heads)
      .def_ro("right_labelled", &DevScores::right_labelled)
      .def_ro("sentences", &DevScores::sentences)
      .def_ro("certified", &DevScores::certified);
  nb::class_<Tree>(m, "Tree")
      .def("heads", [](const Tree& t) { return hand_over(t.heads); })
      .def("labels", [](const Tree& t) { return hand_over(t.labels); })
      .def_ro("value", &Tree::value);
  nb::enum_<ParseStatus>(m, "ParseStatus")
      .value("PARSED", ParseStatus::kParsed)
      .value("INFEASIBLE", ParseStatus::kInfeasible)
      .value("TOO_LONG", ParseStatus::kTooLong);
  nb::class_<Parse>(m, "Parse")
      .def_ro("status", &Parse::status)
      .def_ro("tree", &Parse::tree)
      .def_ro("bound", &Parse::bound)
      .def_ro("certified", &Parse::certified)
      .def_ro("iterations", &Parse::iterations)
      .def("arc_heads", [](const Parse& p) { return hand_over(p.arc_heads); })
      .def("arc_modifiers", [](const Parse& p) { return hand_over(p.arc_modifiers); })
      .def("arc_marginals", [](const Parse& p) { return hand_over(p.arc_marginals); })
      .def_ro("k_best", &Parse::k_best)
      .def_ro("conflict", &Parse::conflict);
}

}  // namespace ramify::bindings
