#include "ramify/segmentation/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ramify/learn/batches.hpp"
#include "ramify/numeric/random.hpp"

namespace ramify::segmentation {
namespace {

constexpr std::int64_t kMostSpaced = 2000;  // tokens with spaces count if there is one in so many
constexpr std::int64_t kFewPairs = 20;      // fewer are no evidence
constexpr std::int64_t kFewAbbreviations = 3;
constexpr std::int64_t kRarestEnd = 10;  // abbreviations are remembered if no more than one in so many ends a sentence
constexpr std::int64_t kRarestCut = 10000;  // a pair of kinds is always inside if fewer than one in so many are cut

std::size_t pair_of(const Text& text, std::size_t i) {
  const auto at = static_cast<std::ptrdiff_t>(i);
  return static_cast<std::size_t>(text.kind(at)) * kNumClasses + static_cast<std::size_t>(text.kind(at + 1));
}

/// Whether two kinds that the treebank says nothing of are one token in most scripts: letters in a row, and marks and
/// joiners with what they are attached to.
bool belong_together(std::size_t pair) {
  const auto left = static_cast<CharacterClass>(pair / kNumClasses);
  const auto right = static_cast<CharacterClass>(pair % kNumClasses);
  if (is_space(left) || is_space(right)) return false;
  if (right == CharacterClass::kMark || right == CharacterClass::kFormat || left == CharacterClass::kFormat)
    return true;
  return is_wordlike(left) && is_wordlike(right) && !is_unspaced(left) && !is_unspaced(right);
}

std::size_t at(std::span<const std::int64_t> places, std::size_t t) { return static_cast<std::size_t>(places[t]); }

}  // namespace

void Examples::add(std::span<const learn::Key> keys, bool yes) {
  for (const learn::Key key : keys) features_.push_back(static_cast<std::uint32_t>(key >> shift_));
  begins_.push_back(features_.size());
  labels_.push_back(yes ? 1 : 0);
}

LogisticLearner::LogisticLearner(unsigned bits, double step)
    : optimizer_({.method = learn::Method::kAdaGrad, .rate = step}),
      weights_(std::size_t{1} << bits, optimizer_.options()) {}

struct LogisticLearner::Update {
  double loss = 0.0;
  double descent = 0.0;  // the same for all features
};

double LogisticLearner::pass(const Examples& examples, std::uint64_t seed, std::uint64_t epoch) {
  std::vector<std::int64_t> order(examples.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  numeric::Random random(seed, epoch);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
  double loss = 0.0;
  const float* const weights = weights_.weights().data();
  const auto look = [&](int, std::int64_t i, Update& update) {
    const auto example = static_cast<std::size_t>(i);
    double score = 0.0;
    for (const std::uint32_t f : examples.features(example)) score += static_cast<double>(weights[f]);
    const double margin = examples.label(example) ? score : -score;
    update.loss = margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
    update.descent = (examples.label(example) ? 1.0 : -1.0) / (1.0 + std::exp(margin));
  };
  const auto learn = [&](std::int64_t i, const Update& update) {
    const auto features = examples.features(static_cast<std::size_t>(i));
    weights_.move(features, optimizer_, update.descent, optimizer_.options().rate, time_);
    loss += update.loss;
    time_ += 1.0;
  };
  learn::run_batches<Update>(order, 1, 1, look, learn, [] {});
  return examples.size() == 0 ? 0.0 : loss / static_cast<double>(examples.size());
}

void LogisticLearner::save(const std::string& prefix, learn::State& state) const {
  weights_.save(prefix, state);
  state.put_number(prefix + "time", time_);
}

void LogisticLearner::restore(const std::string& prefix, const learn::State& state) {
  weights_.restore(prefix, state);
  time_ = state.number(prefix + "time");
}

learn::State Trainer::save() const {
  learn::State state;
  token_learner_.save("token-", state);
  sentence_learner_.save("sentence-", state);
  return state;
}

void Trainer::restore(const learn::State& state) {
  token_learner_.restore("token-", state);
  sentence_learner_.restore("sentence-", state);
}

Trainer::Trainer(const TrainerOptions& options)
    : options_(options),
      pairs_(kNumClasses * kNumClasses),
      cut_pairs_(kNumClasses * kNumClasses),
      token_examples_(options.bits),
      sentence_examples_(options.bits),
      token_learner_(options.bits, options.token_step),
      sentence_learner_(options.bits, options.sentence_step) {}

void Trainer::count(const Text& text, const GoldSegments& gold) {
  for (std::size_t t = 0; t < gold.begins.size(); ++t) {
    const std::size_t begin = at(gold.begins, t), end = at(gold.ends, t);
    bool spaced = false;
    for (std::size_t i = begin; i + 1 < end; ++i) {
      ++pairs_[pair_of(text, i)];
      spaced = spaced || text.space(static_cast<std::ptrdiff_t>(i));
    }
    if (t + 1 < gold.begins.size() && at(gold.begins, t + 1) == end) {
      ++pairs_[pair_of(text, end - 1)];
      ++cut_pairs_[pair_of(text, end - 1)];
    }
    ++num_tokens_;
    num_spaced_ += spaced ? 1 : 0;
  }
}

void Trainer::count_words(const Text& text, const GoldSegments& gold) {
  for (std::size_t t = 0; t < gold.begins.size(); ++t) {
    const std::size_t begin = at(gold.begins, t), end = at(gold.ends, t);
    if (!is_wordlike(text.kind(static_cast<std::ptrdiff_t>(begin)))) continue;
    const learn::Key word = word_hash(text, begin, end);
    ++(is_unspaced(text.kind(static_cast<std::ptrdiff_t>(begin))) ? unspaced_ : spaced_)[word];
    if (is_abbreviation(text, begin, end)) {
      auto& [all, last] = abbreviations_[word];
      ++all;
      last += gold.sentence_ends[t];
    }
  }
  for (const auto& [word, counts] : abbreviations_) {
    if (counts.first < kFewAbbreviations || counts.second * kRarestEnd > counts.first) spaced_.erase(word);
  }
}

void Trainer::settle(std::int64_t min_pairs, std::int64_t min_words) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const bool never_cut = pairs_[i] >= min_pairs && cut_pairs_[i] * kRarestCut < pairs_[i];
    inside_[i] = never_cut || (pairs_[i] < kFewPairs && belong_together(i)) ? 1 : 0;
  }
  spaces_inside_ = num_spaced_ * kMostSpaced > num_tokens_;
  // To a text that it comes from, every word is known. Only words that also occur elsewhere look as known as those of
  // a new text do.
  lexicon_ = Lexicon(words_from(min_words + 1, kKnownFrom + 1));
  min_words_ = min_words;
}

void Trainer::add(const Text& text, const GoldSegments& gold) {
  std::size_t t = 0;
  while (t < gold.begins.size()) {
    const Paragraph paragraph = paragraph_at(text, at(gold.begins, t), text.size());
    std::size_t last = t;
    while (last < gold.begins.size() && at(gold.begins, last) < paragraph.end) ++last;
    add_tokens(text, paragraph, gold, t, last);
    std::vector<Token> tokens;
    for (std::size_t k = t; k < last; ++k) {
      const std::size_t next = k + 1 < last ? at(gold.begins, k + 1) : paragraph.next;
      tokens.push_back(make_token(text, at(gold.begins, k), at(gold.ends, k), next, lexicon_));
    }
    add_sentences(text, gold, tokens, t);
    t = std::max(last, t + 1);  // a treebank may have words that text takes for white space
  }
}

void Trainer::add_tokens(const Text& text, const Paragraph& paragraph, const GoldSegments& gold, std::size_t first,
                         std::size_t last) {
  Keys keys;
  std::size_t t = first;
  for (std::size_t begin = paragraph.begin; begin < paragraph.end;) {
    const std::size_t end = chunk_end(text, begin, paragraph.end);
    const Chunk chunk = make_chunk(text, begin, end, paragraph, lexicon_);
    const std::size_t next = skip_space(text, end, paragraph.end);
    const bool asks_space = spaces_inside_ && end < paragraph.end && next == end + 1;
    for (std::size_t i = begin; i + (asks_space ? 0 : 1) < end; ++i) {
      if (i + 1 < end && (inside_[pair_of(text, i)] != 0 || is_one_character(text, i))) continue;
      while (t < last && at(gold.ends, t) < i + 1) ++t;
      token_features(text, chunk, t < last ? at(gold.begins, t) : begin, i, keys);
      token_examples_.add(keys, t < last && at(gold.ends, t) == i + 1);
    }
    begin = next;
  }
}

void Trainer::add_sentences(const Text& text, const GoldSegments& gold, std::span<const Token> tokens,
                            std::size_t first) {
  const ParagraphView view = view_paragraph(tokens);
  SentenceState state;
  Keys keys;
  for (std::size_t t = 0; t + 1 < tokens.size(); ++t) {
    state.add(text, tokens[t]);
    sentence_features(view, t, state, keys);
    const bool ends = gold.sentence_ends[first + t] != 0;
    sentence_examples_.add(keys, ends);
    if (ends) state.start(t + 1);
  }
}

std::pair<double, double> Trainer::pass(std::uint64_t epoch) {
  return {token_learner_.pass(token_examples_, options_.seed, 2 * epoch),
          sentence_learner_.pass(sentence_examples_, options_.seed, 2 * epoch + 1)};
}

std::vector<learn::Key> Trainer::words_from(std::int64_t least_unspaced, std::int64_t least_spaced) const {
  std::vector<learn::Key> words;
  const auto add = [&words](const auto& counts, std::int64_t least) {
    for (const auto& [word, count] : counts) {
      if (count >= least) words.push_back(word);
    }
  };
  add(unspaced_, least_unspaced);
  add(spaced_, least_spaced);
  std::ranges::sort(words);
  return words;
}

}  // namespace ramify::segmentation
