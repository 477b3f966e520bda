// Kinds of parts, the parts of given trees, and what their features count.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <set>

#include "arrays.hpp"
#include "checks.hpp"
#include "members.hpp"
#include "parsing.hpp"
#include "ramify/parsing/explain.hpp"
#include "ramify/trees/projectivity.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {

using namespace ramify::parsing;

namespace {

/// A part of a tree of so many words.
struct TreePart : Part {
  std::int32_t num_words = 0;
};

/// Heads and labels of the root and all words.
void expect_tree(const ParserModel& model, const In<std::int32_t>& heads, const In<std::int32_t>& labels) {
  expect(trees::is_tree(view(heads), false), "heads expect a tree, every word reaching the root 0.");
  expect_size("labels", labels, static_cast<std::int64_t>(heads.size()));
  expect_within("labels", view(labels).subspan(1), 0, static_cast<std::int64_t>(model.labels().size()) - 1);
}

std::vector<TreePart> parts_of(const ParserModel& model, const In<std::int32_t>& heads,
                               const In<std::int32_t>& labels) {
  expect_tree(model, heads, labels);
  std::vector<TreePart> out;
  for (const Part& part : parts_of_tree(model.options().parts, view(heads), view(labels))) {
    out.push_back({part, static_cast<std::int32_t>(heads.size()) - 1});
  }
  return out;
}

double score_of(const ParserModel& model, const data::Sentence& sentence, const In<std::int32_t>& heads,
                const In<std::int32_t>& labels, const neural::Output* output) {
  expect_output(model, sentence, output);
  expect_size("heads", heads, static_cast<std::int64_t>(sentence.num_words()) + 1);
  expect_tree(model, heads, labels);
  return model.score(model.vocabulary().encode(sentence), view(heads), view(labels), output);
}

/// What the features of each part count.
std::vector<std::vector<FeatureFact>> explain_parts(const ParserModel& model, const data::Sentence& sentence,
                                                    const std::vector<TreePart>& parts, const neural::Output* output) {
  expect_output(model, sentence, output);
  for (const TreePart& part : parts) {
    expect_size("words of a part's tree", static_cast<std::size_t>(part.num_words), sentence.num_words());
    expect(std::ranges::count(model.options().parts.all(), part.kind) > 0 &&
               std::cmp_less(part.label, model.labels().size()),
           "explain expects parts of the same model.");
  }
  const Explainer explainer(model, sentence, output);
  std::vector<std::vector<FeatureFact>> out;
  out.reserve(parts.size());
  for (const TreePart& part : parts) out.push_back(explainer.explain(part));
  return out;
}

/// Names of the kinds that a configuration chooses from.
std::vector<std::string> part_kinds() {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < kNumPartKinds; ++k) {
    if (kPartKinds[k]->use == Use::kChosen) names.emplace_back(kPartKinds[k]->names.name);
  }
  return names;
}

/// Names of the groups that ModelOptions can leave out, each once.
std::vector<std::string> template_groups() {
  std::set<std::string> groups;
  for (std::size_t k = 0; k < kNumPartKinds; ++k) {
    for (const TemplateGroup& group : kPartKinds[k]->templates) groups.emplace(group.name);
  }
  return {groups.begin(), groups.end()};
}

/// A template of a model, with the number that keys of its features have.
struct NumberedTemplate {
  std::size_t number;
  std::string kind, group, pattern;
};

/// All templates but the pruner's.
std::vector<NumberedTemplate> templates_of(const ParserModel& model) {
  std::vector<NumberedTemplate> out;
  for (const PartKind kind : model.options().parts.all()) {
    const TemplateSet& set = model.features().of(kind);
    for (std::size_t t = 0; t < set.size(); ++t) {
      out.push_back({model.features().first_template(kind) + t, std::string(kind_of(kind).names.name),
                     group_of(kind, set.patterns[t]), set.patterns[t]});
    }
  }
  return out;
}

}  // namespace

void expect_output(const ParserModel& model, const data::Sentence& sentence, const neural::Output* output) {
  expect((output == nullptr) == (model.network() == nullptr),
         "A parser expects outputs of a network if it has one, and only then.");
  if (output == nullptr) return;
  expect_size("tokens of an output", output->num_tokens, sentence.num_words() + 1);
}

void register_part_kinds(nb::module_& m) {
  m.def("part_kinds", &part_kinds);
  m.def("template_groups", &template_groups);
  m.def(
      "num_standard_templates",
      [](const std::string& kind) {
        const std::optional<PartKind> found = find_kind(kind);
        expect(found.has_value(), "kind expects one of the parts.");
        return patterns_of(*found, {}).size();
      },
      "kind"_a);
  m.def("problem_with_template", [](const std::string& chosen) { return problem_with(chosen); }, "chosen"_a);
  nb::class_<NumberedTemplate>(m, "Template")
      .def_ro("number", &NumberedTemplate::number)
      .def_ro("kind", &NumberedTemplate::kind)
      .def_ro("group", &NumberedTemplate::group)
      .def_ro("pattern", &NumberedTemplate::pattern);
  nb::class_<PartChoice>(m, "PartChoice")
      .def(
          "__init__", [](PartChoice* self, const std::vector<std::string>& kinds) { new (self) PartChoice(kinds); },
          "kinds"_a);
  nb::class_<FeatureFact>(m, "FeatureFact")
      .def(fields("group", &FeatureFact::group, "pattern", &FeatureFact::pattern, "values", &FeatureFact::values, "key",
                  &FeatureFact::key, "weight", &FeatureFact::weight));
  nb::class_<TreePart>(m, "Part")
      .def_prop_ro("kind", [](const TreePart& p) { return std::string(kind_of(p.kind).names.name); })
      .def_prop_ro("letters", [](const TreePart& p) { return std::string(kind_of(p.kind).names.roles); })
      .def_prop_ro("wording", [](const TreePart& p) { return std::string(kind_of(p.kind).names.words); })
      .def_prop_ro("has_label", [](const TreePart& p) { return p.kind == PartKind::kLabel; })
      .def_ro("label", &TreePart::label)
      .def_prop_ro("side",
                   [](const TreePart& p) {
                     const char* side = p.roles[3] == 0 ? "left" : "right";
                     return std::string(kind_of(p.kind).extra == Extra::kSide ? side : "");
                   })
      .def_prop_ro("count",
                   [](const TreePart& p) -> std::optional<std::int32_t> {
                     if (kind_of(p.kind).extra != Extra::kCount) return std::nullopt;
                     return p.roles[3];
                   })
      .def_prop_ro("roles",
                   [](const TreePart& p) { return std::vector<std::int32_t>(p.roles.begin(), p.roles.end()); });
}

void define_parts(nb::class_<ParserModel>& model) {
  model.def("templates", &templates_of)
      .def("score", &score_of, "sentence"_a, "heads"_a, "labels"_a, nb::arg("output").none())
      .def("parts", &parts_of, "heads"_a, "labels"_a)
      .def("explain", &explain_parts, "sentence"_a, "parts"_a, nb::arg("output").none());
}

}  // namespace ramify::bindings
