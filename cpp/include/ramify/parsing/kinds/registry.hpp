// The kinds of parts that there are. This is the only list of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/// A kind `kName` is the object `kinds::kName`, defined in src/parsing/kinds/name.cpp. Those that a configuration
/// chooses stand last. The order is that of features and factors, so that a new kind at the end changes no result.
#define RAMIFY_PART_KINDS(KIND) \
  KIND(kPrune)                  \
  KIND(kArc)                    \
  KIND(kLabel)                  \
  KIND(kSibling)                \
  KIND(kAnySibling)             \
  KIND(kGrand)                  \
  KIND(kGrandSibling)           \
  KIND(kTriSibling)             \
  KIND(kHeadBigram)             \
  KIND(kNoCross)                \
  KIND(kValency)                \
  KIND(kPath)                   \
  KIND(kNonProj)

namespace ramify::parsing {

/// A kind by its place in the list.
enum class PartKind : std::uint8_t {
#define RAMIFY_KIND(name) name,
  RAMIFY_PART_KINDS(RAMIFY_KIND)
#undef RAMIFY_KIND
};

struct Kind;

namespace kinds {
#define RAMIFY_KIND(name) extern const Kind name;
RAMIFY_PART_KINDS(RAMIFY_KIND)
#undef RAMIFY_KIND
}  // namespace kinds

inline constexpr std::size_t kMaxPartKinds = 32;
extern const Kind* const kPartKinds[];
extern const std::size_t kNumPartKinds;

inline const Kind& kind_of(PartKind kind) { return *kPartKinds[static_cast<std::size_t>(kind)]; }
std::optional<PartKind> find_kind(std::string_view name);

}  // namespace ramify::parsing
