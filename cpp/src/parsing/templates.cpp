#include "ramify/parsing/templates.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <unordered_set>

namespace ramify::parsing {

namespace {

constexpr std::string_view kAtomLetters = "wlptFcsrx";
constexpr std::string_view kStandard = "standard";
constexpr std::string_view kPool = "pool";
constexpr std::string_view kColon = ": ";

[[noreturn]] void bad_template(std::string_view pattern, const std::string& problem) {
  throw std::invalid_argument("template '" + std::string(pattern) + "': " + problem);
}

template <class Visit>
void each_word(std::string_view pattern, const Visit& visit) {
  for (std::size_t begin = 0; begin < pattern.size();) {
    const std::size_t end = std::min(pattern.find(' ', begin), pattern.size());
    visit(pattern.substr(begin, end - begin));
    begin = end + 1;
  }
}

void read_value(std::string_view word, std::string_view roles, std::string_view pattern, CompiledTemplate& out) {
  const std::string text(word);
  const std::size_t role = word.empty() ? std::string_view::npos : roles.find(word[0]);
  if (word.size() < 3 || word[1] != '.' || role == std::string_view::npos) {
    bad_template(pattern, "expected dir, dist, btw, b, or a word (" + std::string(roles) + ") with a value, such as " +
                              roles[0] + ".p; found '" + text + "'");
  }
  if (word.substr(2) == "f") {
    if (role > 1) bad_template(pattern, "only the first two words have each of their features, not '" + text + "'");
    out.each_feat[role] = true;
    return;
  }
  const std::size_t atom = kAtomLetters.find(word[2]);
  const bool far = word.size() == 5 && (word[3] == '-' || word[3] == '+') && word[4] >= '1' && word[4] <= '9';
  if (atom == std::string_view::npos || (word.size() != 3 && !far)) {
    bad_template(pattern,
                 "expected a value of " + std::string(kAtomLetters) + ", and +1 or the like; found '" + text + "'");
  }
  const int offset = far ? (word[3] == '-' ? -1 : 1) * (word[4] - '0') : 0;
  out.values[role].push_back({static_cast<Atom>(atom), static_cast<std::int8_t>(offset)});
}

CompiledTemplate compile(const Kind& kind, std::string_view pattern) {
  CompiledTemplate compiled;
  compiled.seed = learn::combine(learn::hash_text(kind.names.name), learn::hash_text(pattern));
  bool empty = true;
  each_word(pattern, [&](std::string_view word) {
    empty = false;
    if (word == "dist") {
      compiled.distance = true;
    } else if (word == "btw") {
      compiled.between_counts = true;
    } else if (word == "b") {
      compiled.between_tags = true;
    } else if (word != "dir") {
      read_value(word, kind.names.roles, pattern, compiled);
    }
  });
  if (empty) bad_template(pattern, "expected at least dir");
  // Words of the other shapes may be stand-ins, which have no features and nothing between.
  if (!compiled.simple() && (kind.shape != Shape::kFree || kind.names.roles.size() < 2)) {
    bad_template(pattern, "parts of kind " + std::string(kind.names.name) + " have no btw, b and f");
  }
  if (compiled.between_tags && (compiled.each_feat[0] || compiled.each_feat[1])) {
    bad_template(pattern, "expected b or f, not both");
  }
  return compiled;
}

bool reads(const CompiledTemplate& compiled, std::span<const Atom> atoms) {
  return std::ranges::any_of(compiled.values, [&](const auto& values) {
    return std::ranges::any_of(values, [&](const auto& value) { return std::ranges::count(atoms, value.atom) > 0; });
  });
}

/// Equal for patterns that name the same things in another order.
std::string contents(std::string_view pattern) {
  std::vector<std::string_view> words;
  each_word(pattern, [&](std::string_view word) { words.push_back(word); });
  std::ranges::sort(words);
  std::string text;
  for (const std::string_view word : words) text.append(word).append(" ");
  return text;
}

/// Patterns in the order they came, none that says what an earlier one does.
class Collection {
 public:
  Collection(const Kind& kind, PartKind number, std::span<const std::string> without)
      : kind_(kind), number_(number), without_(without) {}
  void add(std::string_view pattern) {
    if (!known_.insert(contents(pattern)).second) return;
    if (!without_.empty() && std::ranges::count(without_, group_of(number_, pattern)) > 0) return;
    patterns_.emplace_back(pattern);
  }
  void add_standard() {
    each_template(kind_.templates, [&](std::string_view, std::string_view pattern) { add(pattern); });
  }
  void add_pool() {
    add_standard();
    if (kind_.pool == nullptr) return;
    for (const std::string& pattern : kind_.pool(kind_.names.roles)) add(pattern);
  }
  void add_named(std::string_view name) { name == kStandard ? add_standard() : name == kPool ? add_pool() : add(name); }
  std::vector<std::string> take() { return std::move(patterns_); }

 private:
  const Kind& kind_;
  PartKind number_;
  std::span<const std::string> without_;
  std::unordered_set<std::string> known_;
  std::vector<std::string> patterns_;
};

/// What the pool's templates of arcs and labels see, finest first.
std::string group_by_contents(std::string_view roles, std::string_view pattern) {
  bool between = false, morphology = false, lexical = false, offset = false, lemma = false, affix = false;
  std::string seen;
  each_word(pattern, [&](std::string_view word) {
    if (word == "btw" || word == "b") between = true;
    if (word.size() < 3 || word[1] != '.') return;
    if (seen.find(word[0]) == std::string::npos) seen.push_back(word[0]);
    const char value = word[2];
    morphology |= value == 'F' || value == 'f';
    lemma |= value == 'l';
    affix |= value == 'c' || value == 's' || value == 'r' || value == 'x';
    offset |= word.size() == 5;
    lexical |= word.size() == 5 && value != 'p' && value != 't';
  });
  if (between) return "between";
  if (offset) return lexical ? "around-words" : "around";
  if (morphology) return "morphology";
  if (lemma) return "lemma";
  if (affix) return "affix";
  return seen.size() == roles.size() ? "pair" : "word";
}

/// The kind and the rest of "arc: h.p m.p".
std::optional<std::pair<PartKind, std::string_view>> of_one_kind(std::string_view chosen) {
  const std::size_t colon = chosen.find(kColon);
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<PartKind> kind = find_kind(chosen.substr(0, colon));
  if (!kind) throw std::invalid_argument("there are no parts '" + std::string(chosen.substr(0, colon)) + "'");
  return std::pair(*kind, chosen.substr(colon + kColon.size()));
}

}  // namespace

std::vector<std::string> patterns_of(PartKind kind, const TemplateChoice& choice) {
  Collection collection(kind_of(kind), kind, choice.without);
  if (choice.chosen.empty() || kind_of(kind).use == Use::kPruner) collection.add_standard();
  if (kind_of(kind).use == Use::kPruner) return collection.take();
  for (const std::string& chosen : choice.chosen) {
    const auto mine = of_one_kind(chosen);
    if (!mine) {
      collection.add_named(chosen);
    } else if (mine->first == kind) {
      collection.add_named(mine->second);
    }
  }
  return collection.take();
}

std::string group_of(PartKind kind, std::string_view pattern) {
  const std::span<const TemplateGroup> groups = kind_of(kind).templates;
  std::string_view found;
  each_template(groups, [&](std::string_view group, std::string_view each) {
    if (found.empty() && each == pattern) found = group;
  });
  if (!found.empty()) return std::string(found);
  return groups.size() == 1 ? std::string(groups[0].name) : group_by_contents(kind_of(kind).names.roles, pattern);
}

std::string problem_with(std::string_view chosen) {
  try {
    const auto mine = of_one_kind(chosen);
    if (!mine) return chosen == kStandard || chosen == kPool ? "" : "expected a kind of parts, a colon and a template";
    if (kind_of(mine->first).use == Use::kPruner) return "the templates of the pruner are fixed";
    if (mine->second != kStandard && mine->second != kPool) compile(kind_of(mine->first), mine->second);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TemplateSet compile_templates(PartKind kind, const TemplateChoice& choice, std::span<const Atom> empty_columns,
                              bool no_feats) {
  TemplateSet set;
  set.kind = kind;
  set.num_roles = kind_of(kind).names.roles.size();
  std::vector<std::pair<CompiledTemplate, std::string>> found;
  for (std::string& pattern : patterns_of(kind, choice)) {
    CompiledTemplate compiled = compile(kind_of(kind), pattern);
    if (reads(compiled, empty_columns) || (no_feats && std::ranges::count(compiled.each_feat, true) > 0)) continue;
    found.emplace_back(std::move(compiled), std::move(pattern));
  }
  std::ranges::stable_partition(found, [](const auto& entry) { return entry.first.simple(); });
  for (auto& [compiled, pattern] : found) {
    set.num_simple += compiled.simple() ? 1 : 0;
    set.templates.push_back(std::move(compiled));
    set.patterns.push_back(std::move(pattern));
  }
  return set;
}

}  // namespace ramify::parsing
