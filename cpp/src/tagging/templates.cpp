#include "ramify/tagging/templates.hpp"

#include <algorithm>
#include <charconv>

#include "ramify/data/word_shape.hpp"

namespace ramify::tagging {

namespace {

using learn::combine;
using learn::hash_text;

constexpr int kFarthest = 9;
constexpr Key kAbsent = 0;  // a value that a word does not have: templates with it give no feature

std::optional<Atom> sized(AtomKind kind, std::string_view digits, int most) {
  int size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (error != std::errc() || end != digits.data() + digits.size() || size < 1 || size > most) return std::nullopt;
  return Atom{kind, static_cast<std::uint8_t>(size), 0};
}

std::optional<Atom> read_atom(std::string_view name, std::span<const std::string> columns) {
  if (name == "w") return Atom{AtomKind::kWord, 0, 0};
  if (name == "l") return Atom{AtomKind::kLower, 0, 0};
  if (name == "x") return Atom{AtomKind::kShape, 0, 0};
  if (name == "o") return Atom{AtomKind::kOutline, 0, 0};
  if (name == "n") return Atom{AtomKind::kSigns, 0, 0};
  if (name == "c") return Atom{AtomKind::kCluster, 0, 0};
  if (name == "a") return Atom{AtomKind::kKind, 0, 0};
  if (name == "first") return Atom{AtomKind::kPosition, 0, 0};
  if (name == "last") return Atom{AtomKind::kPosition, 0, 1};
  const auto column = std::ranges::find(columns, name);
  if (column != columns.end()) {
    return Atom{AtomKind::kColumn, 0, static_cast<std::uint16_t>(column - columns.begin())};
  }
  if (name.size() < 2) return std::nullopt;
  if (name == "case") return Atom{AtomKind::kCase, 0, 0};
  if (name == "digit") return Atom{AtomKind::kDigit, 0, 0};
  if (name == "punct") return Atom{AtomKind::kPunct, 0, 0};
  if (name[0] == 'p') return sized(AtomKind::kPrefix, name.substr(1), 9);
  if (name[0] == 's') return sized(AtomKind::kSuffix, name.substr(1), 9);
  if (name[0] == 'c') return sized(AtomKind::kCluster, name.substr(1), 20);
  return std::nullopt;
}

std::uint16_t place_of(const Atom& atom, std::vector<Atom>& atoms) {
  const auto found = std::ranges::find(atoms, atom);
  if (found != atoms.end()) return static_cast<std::uint16_t>(found - atoms.begin());
  atoms.push_back(atom);
  return static_cast<std::uint16_t>(atoms.size() - 1);
}

/// Which kinds of characters a form has, as a hash.
Key outline(std::string_view form) {
  bool upper = false, lower = false, digit = false, hyphen = false, other = false, emoji = false;
  for (std::size_t i = 0, size = 1; i < form.size(); i += size) {
    const char c = form[i];
    size = data::first_characters(form.substr(i), 1).size();
    if (c >= 'A' && c <= 'Z') {
      upper = true;
    } else if (data::is_emoji(form.substr(i, size))) {
      emoji = true;
    } else if ((c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80) {
      lower = true;
    } else if (c >= '0' && c <= '9') {
      digit = true;
    } else if (c == '-') {
      hyphen = true;
    } else {
      other = true;
    }
  }
  const bool first = !form.empty() && form[0] >= 'A' && form[0] <= 'Z';
  Key bits = 1;
  for (const bool bit : {first, upper, lower, digit, hyphen, other}) bits = 2 * bits + (bit ? 1 : 0);
  return learn::mix(emoji ? bits + 64 : bits);  // bits start with a 1, so that this is none of the others
}

/// Its characters that are neither letters nor digits, each once, as a hash.
Key signs(std::string_view form) {
  std::string found;
  for (const char c : form) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && static_cast<unsigned char>(c) < 0x80 && found.find(c) == std::string::npos) found.push_back(c);
  }
  return found.empty() ? kAbsent : hash_text(found);
}

/// Whether none, some or all characters of a form are of a kind.
template <class IsKind>
Key share_of(std::string_view form, const IsKind& is_kind) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(form, is_kind));
  return learn::mix(count == 0 ? 1 : count < form.size() ? 2 : 3);
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_punctuation(char c) {
  return static_cast<unsigned char>(c) < 0x80 && !is_upper(c) && !is_digit(c) && !(c >= 'a' && c <= 'z');
}

/// No capital, only the first, all letters, or others; letters outside ASCII are taken by their lower case.
Key letter_case(std::string_view form, std::string_view low) {
  std::size_t upper = 0, letters = 0, first = 0;
  for (std::size_t i = 0, size = 1; i < form.size(); i += size) {
    size = data::first_characters(form.substr(i), 1).size();
    if (size == 1 && (is_digit(form[i]) || is_punctuation(form[i]))) continue;
    const bool capital = form.size() == low.size() && form.substr(i, size) != low.substr(i, size);
    if (i == 0 && capital) first = 1;
    upper += capital ? 1 : 0;
    ++letters;
  }
  return learn::mix(upper == 0 ? 1 : upper == letters && letters > 1 ? 2 : upper == 1 && first == 1 ? 3 : 4);
}

Key affix(std::string_view whole, std::string_view part) {
  return part.size() == whole.size() ? kAbsent : hash_text(part);
}

/// Values of one word, one for each atom.
class WordValues {
 public:
  WordValues(const Columns& columns, const Clusters& clusters, FeatureScratch& scratch)
      : columns_(columns), clusters_(clusters), scratch_(scratch) {}

  void fill(const std::vector<Atom>& atoms, std::size_t word, Key* out) {
    const std::string_view form = columns_[0][word];
    data::lower(form, scratch_.lower);
    for (std::size_t a = 0; a < atoms.size(); ++a) out[a] = value(atoms[a], word, form);
  }

 private:
  Key value(const Atom& atom, std::size_t word, std::string_view form) {
    const std::string_view low = scratch_.lower;
    switch (atom.kind) {
      case AtomKind::kWord:
        return hash_text(form);
      case AtomKind::kLower:
        return hash_text(low);
      case AtomKind::kPrefix:
        return affix(low, data::first_characters(low, atom.size));
      case AtomKind::kSuffix:
        return affix(low, data::last_characters(low, atom.size));
      case AtomKind::kShape:
        data::shape(form, scratch_.shape);
        return hash_text(scratch_.shape);
      case AtomKind::kOutline:
        return outline(form);
      case AtomKind::kSigns:
        return signs(form);
      case AtomKind::kCase:
        return letter_case(form, low);
      case AtomKind::kDigit:
        return share_of(form, is_digit);
      case AtomKind::kPunct:
        return share_of(form, is_punctuation);
      case AtomKind::kCluster:
        return cluster(form, atom.size);
      case AtomKind::kColumn:
        return hash_text(columns_[atom.index][word]);
      case AtomKind::kKind:
        return scratch_.kinds[word];
      case AtomKind::kPosition:
        break;
    }
    const std::size_t place = atom.index == 0 ? 0 : columns_[0].size() - 1;
    return word == place ? 1 : kAbsent;
  }

  Key cluster(std::string_view form, std::size_t size) const {
    auto found = clusters_.find(hash_text(form));
    if (found == clusters_.end()) found = clusters_.find(hash_text(scratch_.lower));
    if (found == clusters_.end()) return kAbsent;
    const std::string_view name = found->second;
    return hash_text(size == 0 ? name : name.substr(0, size));
  }

  const Columns& columns_;
  const Clusters& clusters_;
  FeatureScratch& scratch_;
};

}  // namespace

std::optional<std::string> add_template(std::string_view pattern, std::span<const std::string> columns,
                                        TemplateSet& set) {
  Template made;
  made.seed = hash_text(pattern);
  std::string_view rest = pattern;
  if (pattern == "bias") rest = {};
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    const std::string_view item = rest.substr(0, bar);
    rest = bar < rest.size() ? rest.substr(bar + 1) : std::string_view();
    const std::size_t open = item.find('[');
    if (open == std::string_view::npos || item.back() != ']') return "'" + std::string(item) + "' is not like w[-1]";
    const std::string_view name = item.substr(0, open);
    std::string_view number = item.substr(open + 1, item.size() - open - 2);
    if (number.starts_with('+')) number.remove_prefix(1);
    int offset = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), offset);
    if (error != std::errc() || end != number.data() + number.size() || std::abs(offset) > kFarthest) {
      return "the offset of '" + std::string(item) + "' is no number from -9 to 9";
    }
    const std::optional<Atom> atom = read_atom(name, columns);
    if (!atom) return "'" + std::string(name) + "' is neither a value of a word nor a column";
    made.items.push_back({place_of(*atom, set.atoms), static_cast<std::int16_t>(offset)});
    set.reach = std::max(set.reach, std::abs(offset));
  }
  if (pattern.empty()) return "it is empty";
  set.templates.push_back(std::move(made));
  return std::nullopt;
}

void extract(const TemplateSet& set, const Clusters& clusters, const Columns& columns, FeatureScratch& scratch,
             WordFeatures& out) {
  const std::size_t n = columns[0].size();
  const std::size_t width = set.atoms.size();
  const auto reach = static_cast<std::size_t>(set.reach);
  scratch.values.resize((n + 2 * reach) * width);
  for (std::size_t r = 0; r < reach; ++r) {  // beyond the ends, all values are one, told apart by the distance
    std::fill_n(scratch.values.data() + (reach - 1 - r) * width, width, combine(0xb05, r));
    std::fill_n(scratch.values.data() + (reach + n + r) * width, width, combine(0xe05, r));
  }
  WordValues values(columns, clusters, scratch);
  for (std::size_t i = 0; i < n; ++i) values.fill(set.atoms, i, scratch.values.data() + (reach + i) * width);
  out.begin.assign(1, 0);
  out.keys.clear();
  out.values.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const Key* const here = scratch.values.data() + (reach + i) * width;
    for (std::size_t t = 0; t < set.templates.size(); ++t) {
      const Template& made = set.templates[t];
      Key key = made.seed;
      bool present = true;
      for (const Item& item : made.items) {
        const Key value =
            here[static_cast<std::ptrdiff_t>(item.offset) * static_cast<std::ptrdiff_t>(width) + item.atom];
        present = present && value != kAbsent;
        key = combine(key, value);
      }
      if (present) out.keys.push_back(learn::with_template(key, t));
    }
    out.begin.push_back(static_cast<std::uint32_t>(out.keys.size()));
  }
}

}  // namespace ramify::tagging
