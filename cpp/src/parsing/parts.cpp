#include "ramify/parsing/parts.hpp"

#include <algorithm>
#include <stdexcept>

#include "ramify/numeric/index.hpp"
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/trees/projectivity.hpp"

namespace ramify::parsing {

namespace {

/// Stops at the places of a tree where parts are read.
class TreeWalk {
 public:
  TreeWalk(const PartChoice& choice, std::span<const std::int32_t> heads, std::span<const std::int32_t> labels)
      : choice_(choice), tree_{heads, labels, 0, false, {}} {}

  std::vector<Part> read() {
    const std::int32_t n = tree_.num_words();
    for (tree_.word = 1; tree_.word <= n; ++tree_.word) stop_at(Place::kWord);
    if (choice_.chosen().empty()) return std::move(out_);
    stop_at(Place::kTree);
    if (stops_at(Place::kWordAgain)) read_words_again();
    for (std::int32_t h = 0; h <= n; ++h) {
      if (h > 0) read_side(h, false);
      read_side(h, true);
      read_head(h);
    }
    return std::move(out_);
  }

 private:
  void stop_at(Place place) {
    for (const PartKind kind : choice_.all()) {
      const Kind& self = kind_of(kind);
      if (self.reading.place == place) self.reading.read(tree_, out_);
    }
  }

  bool stops_at(Place place) const {
    return std::ranges::any_of(choice_.chosen(), [&](PartKind kind) { return kind_of(kind).reading.place == place; });
  }

  void read_words_again() {
    std::vector<std::uint8_t> nonprojective(tree_.heads.size());
    trees::nonprojective_arcs(tree_.heads, nonprojective.data());
    for (tree_.word = 1; tree_.word <= tree_.num_words(); ++tree_.word) {
      tree_.nonprojective = nonprojective[at(tree_.word)] != 0;
      stop_at(Place::kWordAgain);
    }
  }

  void read_head(std::int32_t h) {
    sequence_.clear();
    for (std::int32_t m = 1; m <= tree_.num_words(); ++m) {
      if (tree_.head_of(m) == h) sequence_.push_back(m);
    }
    tree_.word = h;
    tree_.modifiers = sequence_;
    stop_at(Place::kHead);
  }

  /// Parts that have a shape.
  void read_side(std::int32_t h, bool right) {
    const std::int32_t n = tree_.num_words();
    sequence_.assign(1, n + 1);  // start
    for (std::int32_t m = right ? h + 1 : h - 1; m >= 1 && m <= n; m += right ? 1 : -1) {
      if (tree_.head_of(m) == h) sequence_.push_back(m);
    }
    sequence_.push_back(n + 2);  // stop
    for (std::size_t i = 0; i + 1 < sequence_.size(); ++i) {
      for (const PartKind kind : choice_.chosen()) read_neighbours(kind, h, right, i);
    }
  }

  void read_neighbours(PartKind kind, std::int32_t h, bool right, std::size_t i) {
    const std::int32_t g = h == 0 ? -1 : tree_.head_of(h);
    const std::int32_t m = sequence_[i];
    const std::int32_t s = sequence_[i + 1];
    const Shape shape = kind_of(kind).shape;
    if (shape == Shape::kPair) out_.push_back({kind, 0, {h, m, s, right ? 1 : 0}});
    if (i + 2 == sequence_.size()) return;
    if (shape == Shape::kTriple) out_.push_back({kind, 0, {h, m, s, sequence_[i + 2]}});
    if (g < 0) return;
    if (shape == Shape::kGrand) out_.push_back({kind, 0, {g, h, s, 0}});
    if (shape == Shape::kGrandPair) out_.push_back({kind, 0, {g, h, m, s}});
  }

  const PartChoice& choice_;
  TreeView tree_;
  std::vector<std::int32_t> sequence_;
  std::vector<Part> out_;
};

}  // namespace

PartChoice::PartChoice(std::span<const std::string> names) {
  for (const std::string& name : names) {
    const std::optional<PartKind> kind = find_kind(name);
    if (!kind || kind_of(*kind).use != Use::kChosen) {
      throw std::invalid_argument("parts expect names of kinds that a model may have; got '" + name + "'.");
    }
  }
  for (std::size_t k = 0; k < kNumPartKinds; ++k) {
    const Kind& kind = *kPartKinds[k];
    const bool wanted = kind.use == Use::kChosen && std::ranges::count(names, kind.names.name) > 0;
    if (kind.use == Use::kAlways) ++num_always_;
    if (kind.use == Use::kAlways || wanted) all_.push_back(static_cast<PartKind>(k));
  }
}

std::vector<Part> parts_of_tree(const PartChoice& choice, std::span<const std::int32_t> heads,
                                std::span<const std::int32_t> labels) {
  return TreeWalk(choice, heads, labels).read();
}

}  // namespace ramify::parsing
