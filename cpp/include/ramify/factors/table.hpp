// Dense tables over a few variables with any number of states.
#pragma once

#include <memory>

#include "ramify/factors/factor_group.hpp"

namespace ramify::factors {

/// One part per cell; the last variable varies fastest.
std::unique_ptr<FactorGroup> make_table(std::string family, Index num_factors, Offsets slots,
                                        std::vector<std::int32_t> num_states);

/// Smith & Eisner (2008), section 3.4, TAGLINK: an arc (binary), the head's tag and the modifier's tag; one part per
/// pair of tags, scored when the arc is on.
std::unique_ptr<FactorGroup> make_tag_link(Index num_factors, std::vector<std::int32_t> num_states);

}  // namespace ramify::factors
