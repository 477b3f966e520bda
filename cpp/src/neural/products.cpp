// Products of bytes with the instructions that a processor has for them. Sums are integers, so that all agree.
#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <utility>

#include "kernels.hpp"
#include "ramify/neural/instructions.hpp"
#include "ramify/neural/linear.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define RAMIFY_X86 1
#include <immintrin.h>
#endif

namespace ramify::neural {

namespace {

/// The code for any processor computes with floats, in which integers below 2^24 are exact.
void multiply_portably(const CodeMatrix& matrix, const std::uint8_t* const* tokens, const float* scales, std::size_t n,
                       float* out, bool add) {
  constexpr std::size_t kExact = 1024;  // number of columns whose sum stays below 2^24
  const std::size_t width = matrix.depth * kDepth, stride = matrix.num_blocks * kLanes;
  std::vector<float> inputs(n * width), weights(width * kLanes), sums(n * kLanes);
  std::vector<const float*> rows(n);
  std::vector<std::int32_t> totals(n * kLanes);
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t c = 0; c < width; ++c) inputs[t * width + c] = static_cast<float>(tokens[t][c] - 128);
  }
  const std::vector<float> zeros(kLanes);
  for (std::size_t b = 0; b < matrix.num_blocks; ++b) {
    const std::int8_t* codes = matrix.codes + b * width * kLanes;
    for (std::size_t c = 0; c < width; ++c) {
      for (std::size_t r = 0; r < kLanes; ++r) {
        const std::size_t at = (c / kDepth * kLanes + r) * kDepth + c % kDepth;
        weights[c * kLanes + r] = static_cast<float>(codes[at]);
      }
    }
    std::ranges::fill(totals, 0);
    for (std::size_t begin = 0; begin < width; begin += kExact) {
      for (std::size_t t = 0; t < n; ++t) rows[t] = inputs.data() + t * width + begin;
      const FloatMatrix some{1, std::min(kExact, width - begin), weights.data() + begin * kLanes, zeros.data()};
      multiply_floats(some, rows.data(), n, sums.data(), false);
      for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += static_cast<std::int32_t>(sums[i]);
    }
    for (std::size_t t = 0; t < n; ++t) {
      float* to = out + t * stride + b * kLanes;
      for (std::size_t r = 0; r < kLanes; ++r) {
        const std::size_t row = b * kLanes + r;
        const float product = static_cast<float>(totals[t * kLanes + r]) * matrix.scales[row] * scales[t];
        to[r] = (add ? to[r] : matrix.bias[row]) + product;
      }
    }
  }
}

#if RAMIFY_X86

constexpr std::size_t kBlockCodes = kLanes * kDepth;

/// Which rows and tokens a function computes: outputs of token t start at out + t · stride.
struct Tile {
  const CodeMatrix* matrix;
  std::size_t block;
  const std::uint8_t* const* tokens;
  const std::int16_t* wide;  // the tokens' numbers, one token after the other, if the function wants them
  const float* scales;
  float* out;
  std::size_t stride;
  bool add;
};

#define RAMIFY_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

template <std::size_t kBlocks, std::size_t kTokens>
struct Vnni {
  static constexpr bool kWide = false;
  RAMIFY_VNNI static void run(const Tile& tile) {
    const CodeMatrix& matrix = *tile.matrix;
    const std::size_t step = matrix.depth * kBlockCodes;
    const std::int8_t* codes = matrix.codes + tile.block * step;
    __m512i sums[kTokens][kBlocks];
    const std::uint8_t* tokens[kTokens];
#pragma GCC unroll 8
    for (std::size_t t = 0; t < kTokens; ++t) {
      tokens[t] = tile.tokens[t];
#pragma GCC unroll 8
      for (std::size_t b = 0; b < kBlocks; ++b) {
        sums[t][b] = _mm512_loadu_si512(matrix.starts + (tile.block + b) * kLanes);
      }
    }
    for (std::size_t d = 0; d < matrix.depth; ++d) {
      __m512i weights[kBlocks];
#pragma GCC unroll 8
      for (std::size_t b = 0; b < kBlocks; ++b) weights[b] = _mm512_loadu_si512(codes + b * step + d * kBlockCodes);
#pragma GCC unroll 8
      for (std::size_t t = 0; t < kTokens; ++t) {
        std::int32_t four;
        __builtin_memcpy(&four, tokens[t] + d * kDepth, sizeof four);
        const __m512i input = _mm512_set1_epi32(four);
#pragma GCC unroll 8
        for (std::size_t b = 0; b < kBlocks; ++b)
          asm("vpdpbusd %2, %1, %0" : "+v"(sums[t][b]) : "v"(input), "v"(weights[b]));
      }
    }
#pragma GCC unroll 8
    for (std::size_t b = 0; b < kBlocks; ++b) {
      const std::size_t row = (tile.block + b) * kLanes;
      const __m512 scales = _mm512_loadu_ps(matrix.scales + row), bias = _mm512_loadu_ps(matrix.bias + row);
#pragma GCC unroll 8
      for (std::size_t t = 0; t < kTokens; ++t) {
        float* to = tile.out + t * tile.stride + row;
        const __m512 product = __builtin_convertvector(reinterpret_cast<__v16si>(sums[t][b]), __m512) * scales *
                               _mm512_set1_ps(tile.scales[t]);
        _mm512_storeu_ps(to, (tile.add ? _mm512_loadu_ps(to) : bias) + product);
      }
    }
  }
};

#define RAMIFY_AVX2 __attribute__((target("avx2")))

/// Bytes become 16-bit numbers: products of bytes in pairs can be too large for 16 bits.
template <std::size_t kBlocks, std::size_t kTokens>
struct Avx2 {
  static_assert(kBlocks == 1);
  static constexpr bool kWide = true;
  RAMIFY_AVX2 static void run(const Tile& tile) {
    const CodeMatrix& matrix = *tile.matrix;
    const std::int8_t* codes = matrix.codes + tile.block * matrix.depth * kBlockCodes;
    __m256i sums[kTokens][4];  // of four rows each, with two sums for a row
#pragma GCC unroll 8
    for (std::size_t t = 0; t < kTokens; ++t) std::fill_n(sums[t], 4, _mm256_setzero_si256());
    for (std::size_t d = 0; d < matrix.depth; ++d) {
      __m256i inputs[kTokens];
#pragma GCC unroll 8
      for (std::size_t t = 0; t < kTokens; ++t) {
        long long four;
        __builtin_memcpy(&four, tile.wide + (t * matrix.depth + d) * kDepth, sizeof four);
        inputs[t] = _mm256_set1_epi64x(four);
      }
#pragma GCC unroll 8
      for (std::size_t q = 0; q < 4; ++q) {
        const auto* sixteen = reinterpret_cast<const __m128i*>(codes + d * kBlockCodes + q * 16);
        const __m256i weights = _mm256_cvtepi8_epi16(_mm_loadu_si128(sixteen));
#pragma GCC unroll 8
        for (std::size_t t = 0; t < kTokens; ++t) {
          const __m256i products = _mm256_madd_epi16(inputs[t], weights);
          asm("vpaddd %1, %0, %0" : "+x"(sums[t][q]) : "x"(products));
        }
      }
    }
#pragma GCC unroll 8
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t row = tile.block * kLanes + half * 8;
      const __m256 scales = _mm256_loadu_ps(matrix.scales + row), bias = _mm256_loadu_ps(matrix.bias + row);
#pragma GCC unroll 8
      for (std::size_t t = 0; t < kTokens; ++t) {
        const __m256i pairs = _mm256_hadd_epi32(sums[t][2 * half], sums[t][2 * half + 1]);
        const __m256i ordered = _mm256_permute4x64_epi64(pairs, 0b11011000);
        float* to = tile.out + t * tile.stride + row;
        const __m256 product = __builtin_convertvector(reinterpret_cast<__v8si>(ordered), __m256) * scales *
                               _mm256_set1_ps(tile.scales[t]);
        _mm256_storeu_ps(to, (tile.add ? _mm256_loadu_ps(to) : bias) + product);
      }
    }
  }
};

using Run = void(const Tile&);

/// Functions for 1 … kTokens tokens.
template <template <std::size_t, std::size_t> class Kernel, std::size_t kBlocks, std::size_t... kAt>
constexpr std::array<Run*, sizeof...(kAt)> kernels_of(std::index_sequence<kAt...>) {
  return {&Kernel<kBlocks, kAt + 1>::run...};
}

/// Tiles of so many tokens and rows that all sums are in registers.
template <template <std::size_t, std::size_t> class Kernel, std::size_t kBlocks, std::size_t kTokens>
void multiply_with(const CodeMatrix& matrix, const std::uint8_t* const* tokens, const float* scales, std::size_t n,
                   float* out, bool add) {
  static constexpr auto kMany = kernels_of<Kernel, kBlocks>(std::make_index_sequence<kTokens>());
  static constexpr auto kOne = kernels_of<Kernel, 1>(std::make_index_sequence<kTokens>());
  const std::size_t stride = matrix.num_blocks * kLanes, width = matrix.depth * kDepth;
  thread_local std::vector<std::int16_t> wide;
  if constexpr (Kernel<1, 1>::kWide) {
    wide.resize(n * width);
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t c = 0; c < width; ++c) wide[t * width + c] = static_cast<std::int16_t>(tokens[t][c] - 128);
    }
  }
  for (std::size_t b = 0; b < matrix.num_blocks;) {
    const bool many = b + kBlocks <= matrix.num_blocks;
    for (std::size_t t = 0; t < n; t += kTokens) {
      const Tile tile{&matrix, b, tokens + t, wide.data() + t * width, scales + t, out + t * stride, stride, add};
      (many ? kMany : kOne)[std::min(kTokens, n - t) - 1](tile);
    }
    b += many ? kBlocks : 1;
  }
}

#endif

using Multiply = void(const CodeMatrix&, const std::uint8_t* const*, const float*, std::size_t, float*, bool);

struct Choice {
  std::string_view name;
  Multiply* multiply;
};

/// The instructions that this processor has, the fastest first.
std::vector<Choice> choices() {
  std::vector<Choice> found;
#if RAMIFY_X86
  if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    found.push_back({"avx512vnni", &multiply_with<Vnni, 4, 6>});
  }
  if (__builtin_cpu_supports("avx2")) found.push_back({"avx2", &multiply_with<Avx2, 1, 2>});
#endif
  found.push_back({"portable", &multiply_portably});
  return found;
}

std::atomic<Multiply*>& chosen() {
  static std::atomic<Multiply*> function{choices().front().multiply};
  return function;
}

}  // namespace

std::vector<std::string> available_instructions() {
  std::vector<std::string> names;
  for (const Choice& choice : choices()) names.emplace_back(choice.name);
  return names;
}

void use_instructions(std::string_view name) {
  for (const Choice& choice : choices()) {
    if (choice.name != name) continue;
    chosen() = choice.multiply;
    return;
  }
  throw std::invalid_argument("This processor has no instructions " + std::string(name) + ".");
}

void multiply_codes(const CodeMatrix& matrix, const std::uint8_t* const* tokens, const float* scales, std::size_t n,
                    float* out, bool add) {
  chosen().load(std::memory_order_relaxed)(matrix, tokens, scales, n, out, add);
}

}  // namespace ramify::neural
