// 64-bit feature keys by tabulation: a part's key is the sum of independent hashes of what it is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ramify::learn {

/// The key of a feature: template and values, hashed. Sums of well-mixed hashes are as good as a hash of the whole,
/// and let the contributions of words, labels and distances be computed once each.
using Key = std::uint64_t;

/// Finaliser of splitmix64: every input bit reaches every output bit.
constexpr Key mix(Key z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

constexpr Key combine(Key seed, Key value) { return mix(seed * 0x9e3779b97f4a7c15ULL + value); }

/// Upper bits of a key say where tables keep it. A label leaves them alone, so that all labels of a feature lie
/// together and cost one access to memory.
inline constexpr Key kPlace = ~Key{0} << 40U;

/// The lowest bits of a key may name its template; tables that know it can measure, scale or drop a template as a
/// whole. Look-ups leave these bits alone, so that only who learns needs to know templates.
inline constexpr unsigned kTemplateBits = 12;
inline constexpr Key kTemplate = (Key{1} << kTemplateBits) - 1;
inline constexpr std::size_t kMostTemplates = std::size_t{1} << kTemplateBits;

constexpr std::size_t template_of(Key key) { return static_cast<std::size_t>(key & kTemplate); }
/// Templates beyond the last number share it.
constexpr Key with_template(Key feature, std::size_t number) {
  return (feature & ~kTemplate) | (number < kMostTemplates ? static_cast<Key>(number) : kTemplate);
}

constexpr Key with_label(Key feature, Key label) { return (feature & kPlace) | ((feature + label) & ~kPlace); }

/// FNV-1a, then mixed. The same on every platform: models depend on it.
constexpr Key hash_text(std::string_view text) {
  Key h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix(h);
}

}  // namespace ramify::learn
