// Independent samples from the distribution of trees, in bounded time for scores of any magnitude.
#pragma once

#include <cstdint>

namespace ramify::trees {

/// Tree number i of the stream of `seed` goes to heads[i * (num_words + 1)] on; it does not depend on
/// num_samples or num_threads. Scores as for max_arborescence. Returns false, and draws nothing, where no
/// tree exists.
bool sample(const double* scores, int num_words, bool single_root, std::int64_t num_samples, std::uint64_t seed,
            int num_threads, std::int32_t* heads);

}  // namespace ramify::trees
