// Chains: label n-grams over variables with any number of states, and heads of consecutive words.
#pragma once

#include <memory>

#include "ramify/factors/factor_group.hpp"

namespace ramify::factors {

/// Parts: for each pair of neighbours the table [left, right]. Forward-backward; Smith & Eisner (2008), section 5.3.
std::unique_ptr<FactorGroup> make_sequence(Index num_factors, Offsets slots, std::vector<std::int32_t> num_states);

/// Parts: the table of the first two variables, then for each three neighbours the table [left, middle, right]
/// (TRIGRAM of Smith & Eisner 2008).
std::unique_ptr<FactorGroup> make_second_order_sequence(Index num_factors, Offsets slots,
                                                        std::vector<std::int32_t> num_states);

/// Words in order, each with one-hot binary variables for its candidate heads; parts: for each pair of neighbouring
/// words the table [head of left, head of right]. Martins, Almeida & Smith (2013), section 3, sequential head bigrams.
/// words: offset of each factor's words in num_heads; num_heads: candidates of each word.
std::unique_ptr<FactorGroup> make_head_bigram(Index num_factors, Offsets words, std::vector<std::int32_t> num_heads);

}  // namespace ramify::factors
