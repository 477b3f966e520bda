#include "ramify/parsing/kinds/registry.hpp"

#include "ramify/parsing/kinds/kind.hpp"

namespace ramify::parsing {

constinit const Kind* const kPartKinds[] = {
#define RAMIFY_KIND(name) &kinds::name,
    RAMIFY_PART_KINDS(RAMIFY_KIND)
#undef RAMIFY_KIND
};
constinit const std::size_t kNumPartKinds = std::size(kPartKinds);
static_assert(std::size(kPartKinds) <= kMaxPartKinds);

std::optional<PartKind> find_kind(std::string_view name) {
  for (std::size_t k = 0; k < kNumPartKinds; ++k) {
    if (kPartKinds[k]->names.name == name) return static_cast<PartKind>(k);
  }
  return std::nullopt;
}

}  // namespace ramify::parsing
