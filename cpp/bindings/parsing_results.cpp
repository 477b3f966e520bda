// What a caller wants of the parser, and what comes back.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "members.hpp"
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
      .def(fields("marginals", &ParseRequest::marginals, "k", &ParseRequest::k, "mbr", &ParseRequest::mbr, "projective",
                  &ParseRequest::projective, "time_limit", &ParseRequest::time_limit, "max_words",
                  &ParseRequest::max_words));
  add_enum<Constraint::Kind>(m, "ConstraintKind", "HEAD", Constraint::Kind::kHead, "NOT_HEAD",
                             Constraint::Kind::kNotHead, "LABEL", Constraint::Kind::kLabel);
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
      .def(fields("words", &EpochStats::words, "right_heads", &EpochStats::right_heads, "right_labels",
                  &EpochStats::right_labels, "sentences", &EpochStats::sentences, "certified", &EpochStats::certified,
                  "updates", &EpochStats::updates, "loss", &EpochStats::loss));
  nb::class_<PruneStats>(m, "PruneStats")
      .def(fields("words", &PruneStats::words, "arcs", &PruneStats::arcs, "kept", &PruneStats::kept));
  nb::class_<DevScores>(m, "DevScores")
      .def(fields("words", &DevScores::words, "right_heads", &DevScores::right_heads, "right_labelled",
                  &DevScores::right_labelled, "sentences", &DevScores::sentences, "certified", &DevScores::certified));
  nb::class_<Tree>(m, "Tree").def(arrays("heads", &Tree::heads, "labels", &Tree::labels)).def_ro("value", &Tree::value);
  add_enum<ParseStatus>(m, "ParseStatus", "PARSED", ParseStatus::kParsed, "INFEASIBLE", ParseStatus::kInfeasible,
                        "TOO_LONG", ParseStatus::kTooLong);
  nb::class_<Parse>(m, "Parse")
      .def(fields("status", &Parse::status, "tree", &Parse::tree, "bound", &Parse::bound, "certified",
                  &Parse::certified, "iterations", &Parse::iterations))
      .def(arrays("arc_heads", &Parse::arc_heads, "arc_modifiers", &Parse::arc_modifiers, "arc_marginals",
                  &Parse::arc_marginals))
      .def(fields("k_best", &Parse::k_best, "conflict", &Parse::conflict));
}

}  // namespace ramify::bindings
