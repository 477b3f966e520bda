#include <algorithm>

#include "feature_keys.hpp"
#include "ramify/segmentation/features.hpp"

namespace ramify::segmentation {
namespace {

using learn::Key;

constexpr std::int32_t kFarthest = 64;  // tokens ahead that matter: streams look no further

/// Small numbers as they are, larger ones by halves of powers of two.
Key bucket(std::int64_t n) {
  if (n < 5) return static_cast<Key>(std::max<std::int64_t>(n, 0));
  Key steps = 5;
  for (std::int64_t limit = 5; n > limit && steps < 14; limit += limit / 2) ++steps;
  return steps;
}

const Token& beyond() {
  static const Token kBeyond{
      0, 0, Gap::kParagraph, 1, 1, 1, 1, CharacterClass::kBoundary, CharacterClass::kBoundary, Known::kNoWord};
  return kBeyond;
}

}  // namespace

void SentenceState::add(const Text& text, const Token& token) {
  const auto at = static_cast<std::ptrdiff_t>(token.begin);
  if (token.first == CharacterClass::kUpper) ++capitalised;
  if (token.end - token.begin > 2) return;
  if (token.first == CharacterClass::kOpen) ++open;
  if (token.first == CharacterClass::kClose) --open;
  if (token.first == CharacterClass::kQuote && text.at(at) != U'\'') ++quotes;
}

ParagraphView view_paragraph(std::span<const Token> tokens) {
  ParagraphView view{tokens, std::vector<std::int32_t>(tokens.size()), std::vector<std::int32_t>(tokens.size()), 0};
  std::int32_t distance = kFarthest;
  for (std::size_t t = tokens.size(); t-- > 0;) {
    view.to_terminator[t] = distance;
    const bool stops = tokens[t].last == CharacterClass::kTerminator;
    distance = stops ? 0 : std::min(distance + 1, kFarthest);
  }
  std::size_t line = tokens.empty() ? 0 : tokens.front().begin;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    view.line_length[t] = static_cast<std::int32_t>(std::min<std::size_t>(tokens[t].end - line, 250));
    view.longest_line = std::max(view.longest_line, view.line_length[t]);
    if (tokens[t].after == Gap::kLine && t + 1 < tokens.size()) line = tokens[t + 1].begin;
  }
  return view;
}

void sentence_features(const ParagraphView& view, std::size_t t, const SentenceState& state, Keys& keys) {
  keys.clear();
  Emit emit(keys, 1);
  const auto token = [&](std::ptrdiff_t d) -> const Token& {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(t) + d;
    return at < 0 || at >= static_cast<std::ptrdiff_t>(view.tokens.size()) ? beyond()
                                                                           : view.tokens[static_cast<std::size_t>(at)];
  };
  const Token &before2 = token(-2), &before = token(-1), &here = token(0), &next = token(1), &next2 = token(2),
              &next3 = token(3);
  const auto kind = [](CharacterClass c) { return static_cast<Key>(c); };
  const Key gap = static_cast<Key>(here.after), gap_before = static_cast<Key>(before.after);
  const Key length = bucket(static_cast<std::int64_t>(t - state.first) + 1);
  const Key left = bucket(std::min<std::int64_t>(static_cast<std::int64_t>(view.tokens.size() - t) - 1, kFarthest));
  const Key size = bucket(static_cast<std::int64_t>(here.end - here.begin));
  const Key open = static_cast<Key>(std::clamp(state.open, -1, 1) + 1), quoted = static_cast<Key>(state.quotes % 2);
  const Key words = static_cast<Key>(t - state.first) + 1;
  const Key capitals = 4 * static_cast<Key>(state.capitalised) / words;
  const Key kinds = kind(here.first) * 1024 + kind(here.last) * 32 + kind(next.first);
  const Key line = here.after == Gap::kLine ? static_cast<Key>(view.line_length[t] / 10) + 1 : 0;
  const Key to_stop = bucket(view.to_terminator[t]);

  emit(0);
  emit(here.form), emit(next.form), emit(before.form), emit(next2.form), emit(before2.form), emit(next3.form);
  emit(here.raw), emit(next.raw), emit(next2.raw), emit(here.ending), emit(next.ending);
  emit(here.shape), emit(next.shape), emit(before.shape), emit(next2.shape), emit(here.shape, next.shape);
  emit(before.shape, here.shape, next.shape), emit(here.shape, next.shape, next2.shape);
  emit(before2.shape, before.shape, here.shape, next.shape, next2.shape);
  emit(here.form, next.form), emit(before.form, here.form), emit(next.form, next2.form);
  emit(before.form, here.form, next.form), emit(here.form, next.form, next2.form);
  emit(here.form, next.shape), emit(here.shape, next.form), emit(here.form, kinds, gap), emit(kinds, gap);
  emit(before.shape, here.form, next.shape), emit(before.form, here.form, next.shape);
  emit(before.shape, here.form, next.form), emit(here.form, next.shape, next2.shape), emit(here.form, next.raw);
  emit(gap, here.form), emit(gap, next.shape), emit(gap, here.shape, next.shape), emit(gap_before, here.form, gap);
  emit(size, here.shape, next.shape), emit(size, here.ending, kind(next.first));
  emit(length), emit(length, kinds), emit(length, here.form), emit(length, here.shape, next.shape);
  emit(left), emit(left, kinds), emit(left, here.form), emit(left, length, kind(next.first));
  emit(open, here.form), emit(quoted, here.form, kind(next.first)), emit(open, quoted, kinds);
  emit(to_stop, kinds), emit(to_stop, length, kind(next.first)), emit(to_stop, left, kind(next.first));
  emit(capitals, kinds), emit(capitals, length, kind(next.first));
  emit(line, kinds), emit(line, length);
  // A line that had room for the next word was ended on purpose.
  const std::int64_t room = view.longest_line - view.line_length[t] - static_cast<std::int64_t>(next.end - next.begin);
  const Key unforced = here.after != Gap::kLine ? 0 : room <= 0 ? 1 : 2 + bucket(room / 4);
  emit(unforced, kinds), emit(unforced, line, kind(next.first)), emit(unforced, here.shape, next.shape);
  const Token& first = view.tokens[state.first];
  emit(first.form, kinds), emit(first.shape, kinds, length), emit(first.form, here.form);
  // What no dictionary has may be an abbreviation, with the full stop or before it.
  const auto known = [](const Token& word) { return static_cast<Key>(word.known); };
  const Key size_before = bucket(static_cast<std::int64_t>(before.end - before.begin));
  emit(known(here), here.shape, next.shape), emit(known(here), size, here.shape, kind(next.first));
  emit(known(here), here.shape, known(next), kind(next.first), open);
  emit(known(here), kind(next.first)), emit(known(here), open, kind(next.first), known(next));
  emit(known(before), here.form, next.shape), emit(known(before), here.form, kind(next.first), gap_before);
  emit(known(before), size_before, here.form, kind(next.first), gap_before);
  emit(known(before), here.form, known(next), kind(next.first), open);
}

}  // namespace ramify::segmentation
