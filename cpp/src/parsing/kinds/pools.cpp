#include "ramify/parsing/kinds/pools.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace ramify::parsing {

namespace {

using Pool = std::vector<std::string>;

/// One letter for each value: "pw" of h is "h.p h.w".
std::string describe(char role, std::string_view values) {
  std::string text;
  for (const char value : values) {
    if (!text.empty()) text += ' ';
    text.append({role, '.', value});
  }
  return text;
}

/// The tags at these offsets from a word: "h.p-1 h.p".
std::string window(char role, char tag, std::span<const int> offsets) {
  std::string text;
  for (const int offset : offsets) {
    if (!text.empty()) text += ' ';
    text.append({role, '.', tag});
    if (offset != 0) text += (offset > 0 ? "+" : "-") + std::to_string(std::abs(offset));
  }
  return text;
}

const std::vector<std::vector<int>>& windows() {
  static const std::vector<std::vector<int>> all = {{0}, {-1, 0}, {0, 1}, {-1, 0, 1}, {-2, -1, 0}, {0, 1, 2}};
  return all;
}

void with_and_without_distance(Pool& pool, const std::string& pattern) {
  pool.push_back(pattern);
  pool.push_back(pattern + " dist");
}

constexpr std::string_view kOneWord[] = {"w", "l",  "p",  "t",  "F",  "c",  "s", "r",
                                         "x", "pw", "pl", "pF", "pc", "ps", "px"};
constexpr std::string_view kOfPairs[] = {"p", "t", "F", "w", "l", "c", "s", "x", "pw", "pl", "pF", "pc"};
constexpr std::string_view kOfBetween[] = {"p", "t", "F", "w", "l"};

void add_one_word(Pool& pool, std::string_view roles) {
  for (const char role : roles) {
    for (const std::string_view values : kOneWord) with_and_without_distance(pool, describe(role, values));
  }
}

/// Tags around both words.
void add_windows(Pool& pool, std::string_view roles, bool distance) {
  for (const char tag : {'p', 't'}) {
    for (const auto& of_head : windows()) {
      for (const auto& of_modifier : windows()) {
        const std::string pattern = window(roles[0], tag, of_head) + " " + window(roles[1], tag, of_modifier);
        pool.push_back(pattern);
        if (distance) pool.push_back(pattern + " dist");
      }
    }
    for (const char role : roles) {
      for (const auto& offsets : windows()) pool.push_back(window(role, tag, offsets) + " dist");
    }
  }
}

/// A word beside one of the two.
void add_neighbours(Pool& pool, std::string_view roles) {
  for (const auto& [head, modifier] : {std::pair("p", "p"), std::pair("w", "p"), std::pair("p", "w")}) {
    for (const char role : roles) {
      for (const char* offset : {"-1", "+1"}) {
        for (const char value : {'w', 'l', 'c'}) {
          const std::string beside = describe(role, {&value, 1}) + offset;
          const std::string h = describe(roles[0], head);
          const std::string m = describe(roles[1], modifier);
          pool.push_back(role == roles[0] ? h + " " + beside + " " + m : h + " " + m + " " + beside);
        }
      }
    }
  }
}

void add_feats(Pool& pool, std::string_view roles) {
  const auto both = [&](std::string_view a, std::string_view b) {
    return describe(roles[0], a) + " " + describe(roles[1], b);
  };
  for (const auto& [a, b] : {std::pair("pf", "pf"), std::pair("f", "f"), std::pair("p", "pf"), std::pair("pf", "p")}) {
    with_and_without_distance(pool, both(a, b));
  }
  for (const char* value : {"t", "w", "l"}) {
    pool.push_back(both(value, "f"));
    pool.push_back(both("f", value));
  }
}

/// Sequences of what each role is described by, "" being nothing.
template <class Visit>
void each_choice(std::span<const std::string_view> values, std::size_t num_roles, const Visit& visit) {
  std::vector<std::string_view> chosen(num_roles);
  const auto choose = [&](const auto& self, std::size_t role) -> void {
    if (role == num_roles) return visit(std::span<const std::string_view>(chosen));
    for (const std::string_view value : values) {
      chosen[role] = value;
      self(self, role + 1);
    }
  };
  choose(choose, 0);
}

/// At least `fewest` of the words are seen, at most `most` of them by more than their tags.
void add_words(Pool& pool, std::string_view roles, std::ptrdiff_t fewest, std::ptrdiff_t most, bool distance) {
  for (const std::string_view tag : {"p", "t"}) {
    const std::string_view values[] = {"", tag, "w", "l", "c", "F"};
    each_choice(values, roles.size(), [&](std::span<const std::string_view> chosen) {
      const auto empty = std::ranges::count(chosen, "");
      const auto tags = std::ranges::count(chosen, tag);
      const auto size = static_cast<std::ptrdiff_t>(chosen.size());
      if (size - empty < fewest || size - empty - tags > most) return;
      std::string pattern;
      for (std::size_t r = 0; r < chosen.size(); ++r) {
        if (chosen[r].empty()) continue;
        if (!pattern.empty()) pattern += ' ';
        pattern += describe(roles[r], chosen[r]);
      }
      pool.push_back(pattern);
      if (distance && tag == "p") pool.push_back(pattern + " dist");
    });
  }
}

}  // namespace

std::vector<std::string> arc_pool(std::string_view roles) {
  Pool pool = {"dir", "dist"};
  add_one_word(pool, roles);
  for (const std::string_view a : kOfPairs) {
    for (const std::string_view b : kOfPairs) {
      with_and_without_distance(pool, describe(roles[0], a) + " " + describe(roles[1], b));
    }
  }
  add_windows(pool, roles, true);
  add_neighbours(pool, roles);
  for (const std::string_view a : kOfBetween) {
    for (const std::string_view b : kOfBetween) {
      for (const char* between : {" btw", " b"}) {
        pool.push_back(describe(roles[0], a) + " " + describe(roles[1], b) + between);
      }
    }
  }
  for (const std::string_view tag : {"p", "t"}) {
    pool.push_back(describe(roles[0], tag) + " " + describe(roles[1], tag) + " dist btw");
  }
  add_feats(pool, roles);
  return pool;
}

std::vector<std::string> label_pool(std::string_view roles) {
  Pool pool = {"dir", "dist"};
  add_one_word(pool, roles);
  for (const std::string_view a : kOfPairs) {
    for (const std::string_view b : kOfPairs) pool.push_back(describe(roles[0], a) + " " + describe(roles[1], b));
  }
  for (const std::string_view a : {"p", "t", "F"}) {
    for (const std::string_view b : {"p", "t", "F"}) {
      pool.push_back(describe(roles[0], a) + " " + describe(roles[1], b) + " dist");
    }
  }
  add_windows(pool, roles, false);
  add_neighbours(pool, roles);
  for (const auto& [a, b] : {std::pair("p", "p"), std::pair("t", "t"), std::pair("w", "p"), std::pair("p", "w")}) {
    for (const char* between : {" btw", " b"}) {
      pool.push_back(describe(roles[0], a) + " " + describe(roles[1], b) + between);
    }
  }
  add_feats(pool, roles);
  return pool;
}

std::vector<std::string> triple_pool(std::string_view roles) {
  Pool pool = {"dir", "dist"};
  add_words(pool, roles, 2, 2, true);
  for (const char tag : {'p', 't'}) {
    for (const char around : roles) {
      for (const auto& offsets : windows()) {
        std::string pattern;
        for (const char role : roles) {
          if (!pattern.empty()) pattern += ' ';
          pattern += role == around ? window(role, tag, offsets) : describe(role, {&tag, 1});
        }
        pool.push_back(pattern);
      }
    }
  }
  return pool;
}

std::vector<std::string> quadruple_pool(std::string_view roles) {
  Pool pool = {"dir", "dist"};
  add_words(pool, roles, 3, 1, false);
  return pool;
}

}  // namespace ramify::parsing
