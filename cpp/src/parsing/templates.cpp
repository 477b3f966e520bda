#include "ramify/parsing/templates.hpp"

#include <algorithm>
#include <stdexcept>

namespace ramify::parsing {

namespace {

constexpr std::string_view kAtomLetters = "wlptFcsrx";

[[noreturn]] void bad_template(std::string_view pattern) {
  throw std::logic_error("template table: cannot read '" + std::string(pattern) + "'");
}

void read_word(std::string_view word, std::string_view roles, std::string_view pattern, CompiledTemplate& out) {
  if (word == "dist") {
    out.distance = true;
  } else if (word == "btw") {
    out.between_counts = true;
  } else if (word == "b") {
    out.between_tags = true;
  } else {
    const std::size_t role = roles.find(word[0]);
    if (word.size() < 3 || word[1] != '.' || role == std::string_view::npos) bad_template(pattern);
    if (word[2] == 'f') {
      out.each_feat[role] = true;
      return;
    }
    const std::size_t atom = kAtomLetters.find(word[2]);
    if (atom == std::string_view::npos || word.size() == 4 || word.size() > 5) bad_template(pattern);
    int offset = 0;
    if (word.size() == 5) offset = (word[3] == '-' ? -1 : 1) * (word[4] - '0');
    out.values[role].push_back({static_cast<Atom>(atom), static_cast<std::int8_t>(offset)});
  }
}

CompiledTemplate compile(const Kind& kind, std::string_view pattern) {
  CompiledTemplate compiled;
  compiled.seed = learn::combine(learn::hash_text(kind.names.name), learn::hash_text(pattern));
  for (std::size_t begin = 0; begin < pattern.size();) {
    const std::size_t end = std::min(pattern.find(' ', begin), pattern.size());
    read_word(pattern.substr(begin, end - begin), kind.names.roles, pattern, compiled);
    begin = end + 1;
  }
  return compiled;
}

bool reads(const CompiledTemplate& compiled, std::span<const Atom> atoms) {
  return std::ranges::any_of(compiled.values, [&](const auto& values) {
    return std::ranges::any_of(values, [&](const auto& value) { return std::ranges::count(atoms, value.atom) > 0; });
  });
}

}  // namespace

TemplateSet compile_templates(PartKind kind, std::span<const std::string> without, std::span<const Atom> empty_columns,
                              bool no_feats) {
  TemplateSet set;
  set.kind = kind;
  set.num_roles = kind_of(kind).names.roles.size();
  std::vector<std::pair<CompiledTemplate, std::string>> found;
  each_template(kind_of(kind).templates, [&](std::string_view group, std::string_view pattern) {
    if (std::ranges::count(without, group) > 0) return;
    CompiledTemplate compiled = compile(kind_of(kind), pattern);
    if (reads(compiled, empty_columns) || (no_feats && std::ranges::count(compiled.each_feat, true) > 0)) return;
    found.emplace_back(std::move(compiled), pattern);
  });
  std::ranges::stable_partition(found, [](const auto& entry) { return entry.first.simple(); });
  for (auto& [compiled, pattern] : found) {
    set.num_simple += compiled.simple() ? 1 : 0;
    set.templates.push_back(std::move(compiled));
    set.patterns.push_back(std::move(pattern));
  }
  return set;
}

}  // namespace ramify::parsing
