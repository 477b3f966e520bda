// The few words that every factor family shares.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "ramify/numeric/forbidden.hpp"

namespace ramify::factors {

using Index = std::int64_t;
using Scores = std::span<const double>;            // read: one number per coordinate, state or part
using Point = std::span<double>;                   // written: the same
using Assignment = std::span<const std::int32_t>;  // read: one state per variable
using AssignmentOut = std::span<std::int32_t>;     // written: the same

using numeric::kForbidden;
inline constexpr double kForced = std::numeric_limits<double>::infinity();

/// Factors [begin, end) of a group: the unit of work, so that thousands of small factors are one loop.
struct Range {
  Index begin;
  Index end;
};

enum class Product { kSum, kMax };

/// What a family can do; a group reports the union of its bits.
enum class Capability : std::uint32_t {
  kScore = 1U << 0,
  kMarginals = 1U << 1,
  kMarginalsVjp = 1U << 2,
  kArgmax = 1U << 3,
  kMaxMarginals = 1U << 4,
  kProject = 1U << 5,
  kProjectVjp = 1U << 6,
  kEntropy = 1U << 7,
  kConstraints = 1U << 8,
};

using Capabilities = std::uint32_t;

constexpr Capabilities operator|(Capability a, Capability b) {
  return static_cast<Capabilities>(a) | static_cast<Capabilities>(b);
}
constexpr Capabilities operator|(Capabilities a, Capability b) { return a | static_cast<Capabilities>(b); }

inline constexpr Capabilities kSumCapabilities =
    Capability::kMarginals | Capability::kMarginalsVjp | Capability::kEntropy;
inline constexpr Capabilities kProjectCapabilities = Capability::kProject | Capability::kProjectVjp;
inline constexpr Capabilities kAllCapabilities = kSumCapabilities | kProjectCapabilities | Capability::kScore |
                                                 Capability::kArgmax | Capability::kMaxMarginals |
                                                 Capability::kConstraints;

/// What a family is; a group reports the union of its bits.
enum class Trait : std::uint32_t {
  kSoft = 1U << 0,   // forbids nothing by itself: without its scores it says nothing
  kTree = 1U << 1,   // what is on forms a tree
  kTable = 1U << 2,  // a score for each joint state of a few variables
};

using Traits = std::uint32_t;

constexpr Traits operator|(Trait a, Trait b) { return static_cast<Traits>(a) | static_cast<Traits>(b); }

inline constexpr Traits kSoft = static_cast<Traits>(Trait::kSoft);
inline constexpr Traits kSoftTable = Trait::kSoft | Trait::kTable;

/// Raised when an algorithm asks a group for something that it does not report.
class UnsupportedCapability : public std::logic_error {
 public:
  UnsupportedCapability(const std::string& family, const std::string& capability)
      : std::logic_error(family + " has no " + capability) {}
};

}  // namespace ramify::factors
