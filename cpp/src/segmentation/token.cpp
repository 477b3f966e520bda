#include "ramify/segmentation/token.hpp"

#include <algorithm>

namespace ramify::segmentation {
namespace {

constexpr std::size_t kLongestShape = 8;

}  // namespace

Token make_token(const Text& text, std::size_t begin, std::size_t end, std::size_t next) {
  learn::Key form = end - begin > 1 ? 1 : 0, raw = 0, shape = 0;
  std::size_t runs = 0;
  auto previous = CharacterClass::kBoundary;
  for (std::size_t i = begin; i < end; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    form = (form ^ text.lower(at)) * 0x100000001b3ULL + 1;
    raw = (raw ^ text.at(at)) * 0x100000001b3ULL + 1;
    const CharacterClass kind = text.kind(at);
    if (kind != previous && runs < kLongestShape) {
      shape = shape * 32 + static_cast<learn::Key>(kind);
      ++runs;
    }
    previous = kind;
  }
  // One capital and many are different shapes.
  if (end - begin == 1) shape = shape * 32 + 31;
  const auto last = static_cast<std::ptrdiff_t>(end) - 1;
  const learn::Key before_last = end - begin > 1 ? text.lower(last - 1) : 0;
  return {begin,
          end,
          gap_of(text, end, next),
          learn::mix(form),
          learn::mix(raw),
          learn::mix(shape),
          learn::mix(before_last << 32U | text.lower(last)),
          text.kind(static_cast<std::ptrdiff_t>(begin)),
          text.kind(last)};
}

std::size_t skip_space(const Text& text, std::size_t begin, std::size_t end) {
  while (begin < end && text.space(static_cast<std::ptrdiff_t>(begin))) ++begin;
  return begin;
}

std::size_t chunk_end(const Text& text, std::size_t begin, std::size_t end) {
  while (begin < end && !text.space(static_cast<std::ptrdiff_t>(begin))) ++begin;
  return begin;
}

Paragraph paragraph_at(const Text& text, std::size_t begin, std::size_t limit) {
  std::size_t end = begin;
  while (true) {
    end = chunk_end(text, end, limit);
    const std::size_t next = skip_space(text, end, limit);
    if (next == limit || gap_of(text, end, next) == Gap::kParagraph) return {begin, end, next};
    end = next;
  }
}

}  // namespace ramify::segmentation
