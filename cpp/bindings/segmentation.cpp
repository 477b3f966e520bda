#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "members.hpp"
#include "ramify/segmentation/document.hpp"
#include "ramify/segmentation/trainer.hpp"
#include "states.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {
namespace {

using namespace ramify::segmentation;

/// A word of a rule: begin, end, letters.
using RuleWord = std::tuple<std::uint32_t, std::uint32_t, std::string>;
using Rule = std::pair<std::string, std::vector<RuleWord>>;

std::u32string characters_of(std::string_view utf8) {
  const Text text(utf8);
  std::u32string out;
  for (std::size_t i = 0; i < text.size(); ++i) out += text.at(static_cast<std::ptrdiff_t>(i));
  return out;
}

MultiwordRules rules_of(const std::vector<Rule>& rules) {
  MultiwordRules result;
  for (const auto& [ending, words] : rules) {
    SplitRule rule;
    for (const auto& [begin, end, letters] : words) rule.push_back({begin, end, characters_of(letters)});
    result.add(characters_of(ending), std::move(rule));
  }
  return result;
}

std::vector<float> weights_of(const char* name, const In<float>& weights) {
  expect_finite(name, view(weights));
  expect(std::has_single_bit(weights.size()) && weights.size() >= 2, "Weights expect a power of two of them.");
  return copy(weights);
}

void make_model(SegmenterModel* self, const In<float>& token, const In<float>& sentence, const In<std::uint8_t>& inside,
                bool spaces_inside, double sentence_bias, const In<std::uint64_t>& lexicon,
                const std::vector<Rule>& rules) {
  InsidePairs pairs;
  expect_size("inside", inside, static_cast<std::int64_t>(pairs.size()));
  expect(!std::isnan(sentence_bias), "sentence_bias expects a number; got NaN.");
  std::copy_n(inside.data(), pairs.size(), pairs.begin());
  const auto words = view(lexicon);
  new (self) SegmenterModel({weights_of("token", token), weights_of("sentence", sentence), pairs, spaces_inside,
                             sentence_bias, Lexicon(words), rules_of(rules)});
}

/// How many of the forms are words, and how many of these the treebank has.
std::pair<std::int64_t, std::int64_t> count_known(const SegmenterModel& self, const std::vector<std::string>& forms) {
  std::int64_t words = 0, known = 0;
  for (const std::string& form : forms) {
    const Text text(form);
    const Known kind = text.size() == 0 ? Known::kNoWord : known_word(text, 0, text.size(), self.lexicon());
    words += kind == Known::kNoWord ? 0 : 1;
    known += kind >= Known::kKnown ? 1 : 0;
  }
  return {words, known};
}

/// Tokens of the text, one after the other and none of them empty.
GoldSegments checked_gold(const Text& text, const GoldSegments& gold) {
  expect_size("ends", gold.ends.size(), gold.begins.size());
  expect_size("sentence_ends", gold.sentence_ends.size(), gold.begins.size());
  std::int64_t before = 0;
  for (std::size_t t = 0; t < gold.begins.size(); ++t) {
    expect(before <= gold.begins[t] && gold.begins[t] < gold.ends[t], "Tokens expect to follow one another.");
    before = gold.ends[t];
  }
  expect(std::cmp_less_equal(before, text.size()), "Tokens expect to end with the text.");
  return gold;
}

template <auto kMethod>
void learn_from(Trainer& self, std::string_view text, const In<std::int64_t>& begins, const In<std::int64_t>& ends,
                const In<std::uint8_t>& sentence_ends) {
  // Copies, as other threads may change the arrays.
  const auto from = copy(begins), to = copy(ends);
  const auto last = copy(sentence_ends);
  const nb::gil_scoped_release release;
  const Text characters(text);
  (self.*kMethod)(characters, checked_gold(characters, {from, to, last}));
}

void register_trainer(nb::module_& m) {
  nb::class_<Trainer>(m, "Trainer")
      .def(
          "__init__",
          [](Trainer* self, unsigned bits, double token_step, double sentence_step, std::uint64_t seed) {
            expect_within("bits", bits, 1, 30);
            new (self) Trainer({bits, token_step, sentence_step, seed});
          },
          "bits"_a, "token_step"_a, "sentence_step"_a, "seed"_a)
      .def("count", &learn_from<&Trainer::count>, "text"_a, "begins"_a, "ends"_a, "sentence_ends"_a)
      .def("count_words", &learn_from<&Trainer::count_words>, "text"_a, "begins"_a, "ends"_a, "sentence_ends"_a)
      .def("settle", &Trainer::settle, "min_pairs"_a, "min_words"_a)
      .def("add", &learn_from<&Trainer::add>, "text"_a, "begins"_a, "ends"_a, "sentence_ends"_a)
      .def("run_pass", &Trainer::pass, "epoch"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("token_weights", [](const Trainer& self) { return hand_over(self.token_weights()); })
      .def("sentence_weights", [](const Trainer& self) { return hand_over(self.sentence_weights()); })
      .def("inside",
           [](const Trainer& self) {
             return hand_over(std::vector<std::uint8_t>(self.inside().begin(), self.inside().end()));
           })
      .def("state", [](const Trainer& self) { return save_state(self); })
      .def(
          "restore", [](Trainer& self, const StateDict& state) { self.restore(to_state(state)); }, "state"_a)
      .def_prop_ro("spaces_inside", &Trainer::spaces_inside)
      .def("lexicon", [](const Trainer& self) { return hand_over(self.lexicon()); });
}

}  // namespace

void register_segmentation(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("segmentation", "Text to tokens and sentences.");
  m.attr("NUM_CLASSES") = kNumClasses;
  nb::class_<StreamState>(m, "StreamState").def(nb::init<>()).def_ro("characters", &StreamState::characters);
  nb::class_<Document>(m, "Document")
      .def("take_sentences", [](Document& self) { return std::exchange(self.sentences, {}); })
      .def(arrays("token_begins", &Document::token_begins, "token_ends", &Document::token_ends, "num_tokens",
                  &Document::num_tokens))
      .def_ro("num_bytes", &Document::bytes);
  nb::class_<SegmenterModel>(m, "Segmenter")
      .def("__init__", &make_model, "token"_a, "sentence"_a, "inside"_a, "spaces_inside"_a, "sentence_bias"_a,
           "lexicon"_a, "rules"_a)
      .def(
          "segment",
          [](const SegmenterModel& self, std::string_view text, bool final, bool whole_paragraphs, StreamState& state) {
            const nb::gil_scoped_release release;
            return segment_text(self, text, final, whole_paragraphs, state);
          },
          "text"_a, "final"_a, "whole_paragraphs"_a, "state"_a)
      .def("count_known", &count_known, "forms"_a);
  register_trainer(m);
}

}  // namespace ramify::bindings
