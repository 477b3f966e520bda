#include "ramify/trees/arborescence.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "contraction.hpp"
#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/index.hpp"

namespace ramify::trees {
namespace {

using Index = std::int32_t;

/// best[m] = max over heads, one row of scores at a time.
RAMIFY_DISPATCH void take_better(const double* row, Index head, Index size, double* best, Index* best_head) {
  for (Index m = 0; m < size; ++m) {
    const bool better = row[m] > best[m];
    best[m] = better ? row[m] : best[m];
    best_head[m] = better ? head : best_head[m];
  }
}

/// Where the maximum stands, the first of equals; two passes, because the first one vectorises.
RAMIFY_DISPATCH Index find_best(const double* column, Index size) {
  constexpr Index kLanes = 8;
  double top[kLanes];
  std::fill_n(top, kLanes, -std::numeric_limits<double>::infinity());
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (Index lane = 0; lane < kLanes; ++lane) top[lane] = column[i + lane] > top[lane] ? column[i + lane] : top[lane];
  }
  for (; i < size; ++i) top[0] = column[i] > top[0] ? column[i] : top[0];
  const double best = *std::max_element(top, top + kLanes);
  return static_cast<Index>(std::find(column, column + size, best) - column);
}

Index find_best(const Lexicographic* column, Index size) {
  return static_cast<Index>(std::max_element(column, column + size) - column);
}

/// The best arcs from every head into a contracted cycle: `into` takes what is better in `from`, less
/// `reduction`.
RAMIFY_DISPATCH void merge_columns(const double* from, const Index* from_modifiers, double reduction, Index size,
                                   double* into, Index* into_modifiers) {
  for (Index h = 0; h < size; ++h) {
    const double candidate = from[h] - reduction;
    const bool better = candidate > into[h];
    into[h] = better ? candidate : into[h];
    into_modifiers[h] = better ? from_modifiers[h] : into_modifiers[h];
  }
}

void merge_columns(const Lexicographic* from, const Index* from_modifiers, const Lexicographic& reduction, Index size,
                   Lexicographic* into, Index* into_modifiers) {
  for (Index h = 0; h < size; ++h) {
    const Lexicographic candidate = from[h] - reduction;
    if (candidate > into[h]) {
      into[h] = candidate;
      into_modifiers[h] = from_modifiers[h];
    }
  }
}

RAMIFY_DISPATCH void subtract(double* column, double reduction, Index size) {
  for (Index h = 0; h < size; ++h) column[h] -= reduction;
}

void subtract(Lexicographic* column, const Lexicographic& reduction, Index size) {
  for (Index h = 0; h < size; ++h) column[h] = column[h] - reduction;
}

/// The arcs into each node as a column over heads. Columns are copied from the matrix only for members of
/// cycles.
template <class Score>
class DenseStore {
  using Traits = ScoreTraits<Score>;

 public:
  DenseStore(const double* scores, Index num_words, ArborescenceWorkspace::Store<Score>& store,
             ArborescenceWorkspace& ws)
      : scores_(scores), size_(num_words + 1), store_(store), ws_(ws) {
    ws_.groups.resize(at(size_));
    for (Index word = 0; word < size_; ++word) ws_.groups[at(word)] = word;
    ws_.slots.assign(at(2 * size_), -1);
    store_.best.assign(at(2 * size_), Traits::kForbidden);
    ws_.best_head.assign(at(2 * size_), -1);
    choose_heads();
  }

  Index top(Index word) const { return ws_.groups[at(word)]; }

  bool best(Index node, Index& head, Index& modifier) {
    if (ws_.best_head[at(node)] < 0) {
      if (node < size_) return false;
      const Score* column = column_of(node);
      const Index found = find_best(column, size_);
      if (Traits::is_forbidden(column[found])) return false;
      ws_.best_head[at(node)] = found;
      store_.best[at(node)] = column[found];
    }
    head = ws_.best_head[at(node)];
    modifier = node < size_ ? node : modifiers_of(node)[head];
    return true;
  }

  void merge(Index node, const std::vector<Index>& members) {
    for (const Index member : members) load(member);
    const Index first = members.front();
    ws_.slots[at(node)] = ws_.slots[at(first)];
    Score* column = column_of(node);
    Index* modifiers = modifiers_of(node);
    subtract(column, store_.best[at(first)], size_);
    for (std::size_t i = 1; i < members.size(); ++i) {
      const Index member = members[i];
      merge_columns(column_of(member), modifiers_of(member), store_.best[at(member)], size_, column, modifiers);
    }
    for (Index word = 1; word < size_; ++word) {
      if (ws_.outer[at(ws_.groups[at(word)])] != node) continue;
      ws_.groups[at(word)] = node;
      column[word] = Traits::kForbidden;
    }
  }

 private:
  void choose_heads() {
    if constexpr (std::is_same_v<Score, double>) {
      for (Index head = 0; head < size_; ++head) {
        const double* row = scores_ + static_cast<std::ptrdiff_t>(head) * size_;
        // The diagonal is not ours to read as a score: step over it.
        take_better(row, head, head, store_.best.data(), ws_.best_head.data());
        take_better(row + head + 1, head, size_ - head - 1, store_.best.data() + head + 1,
                    ws_.best_head.data() + head + 1);
      }
    } else {
      for (Index head = 0; head < size_; ++head) {
        for (Index word = 1; word < size_; ++word) {
          const Score score = arc(head, word);
          if (score > store_.best[at(word)]) {
            store_.best[at(word)] = score;
            ws_.best_head[at(word)] = head;
          }
        }
      }
    }
  }

  Score arc(Index head, Index modifier) const {
    if (head == modifier) return Traits::kForbidden;
    return Traits::of_arc(scores_[static_cast<std::ptrdiff_t>(head) * size_ + modifier], head == 0);
  }

  void load(Index node) {
    if (ws_.slots[at(node)] >= 0) return;
    ws_.slots[at(node)] = node - 1;
    const std::size_t needed = at(size_) * at(size_);
    if (store_.columns.size() < needed) store_.columns.resize(needed);
    if (ws_.modifiers.size() < needed) ws_.modifiers.resize(needed);
    Score* column = column_of(node);
    for (Index head = 0; head < size_; ++head) column[head] = arc(head, node);
    std::fill_n(modifiers_of(node), size_, node);
  }

  Score* column_of(Index node) { return store_.columns.data() + at(ws_.slots[at(node)]) * at(size_); }
  Index* modifiers_of(Index node) { return ws_.modifiers.data() + at(ws_.slots[at(node)]) * at(size_); }

  const double* scores_;
  Index size_;
  ArborescenceWorkspace::Store<Score>& store_;
  ArborescenceWorkspace& ws_;
};

/// The arcs into each node as a skew heap with pending additions (Sleator & Tarjan 1986), words in disjoint
/// sets.
template <class Score>
class HeapStore {
  using Traits = ScoreTraits<Score>;

 public:
  HeapStore(const ArcListView& arcs, ArborescenceWorkspace::Store<Score>& store, ArborescenceWorkspace& ws)
      : arcs_(arcs), store_(store), ws_(ws) {
    const auto num_arcs = static_cast<std::size_t>(arcs.num_arcs);
    store_.keys.resize(num_arcs);
    store_.pending.assign(num_arcs, Traits::kZero);
    ws_.left.assign(num_arcs, -1);
    ws_.right.assign(num_arcs, -1);
    ws_.heaps.assign(at(2 * arcs.num_words + 1), -1);
    ws_.sets.resize(at(2 * arcs.num_words + 1));
    for (Index node = 0; node <= 2 * arcs.num_words; ++node) ws_.sets[at(node)] = node;
    for (Index arc = 0; arc < static_cast<Index>(num_arcs); ++arc) {
      const Score key = Traits::of_arc(arcs.scores[arc], arcs.heads[arc] == 0);
      if (Traits::is_forbidden(key)) continue;
      store_.keys[at(arc)] = key;
      Index& heap = ws_.heaps[at(arcs.modifiers[arc])];
      heap = meld(heap, arc);
    }
  }

  Index top(Index word) const {
    Index node = word;
    while (ws_.sets[at(node)] != node) node = ws_.sets[at(node)] = ws_.sets[at(ws_.sets[at(node)])];
    return node;
  }

  bool best(Index node, Index& head, Index& modifier) {
    Index& heap = ws_.heaps[at(node)];
    while (heap >= 0 && top(arcs_.heads[heap]) == node) {
      push_down(heap);
      heap = meld(ws_.left[at(heap)], ws_.right[at(heap)]);
    }
    if (heap < 0) return false;
    head = arcs_.heads[heap];
    modifier = arcs_.modifiers[heap];
    return true;
  }

  void merge(Index node, const std::vector<Index>& members) {
    Index merged = -1;
    for (const Index member : members) {
      const Index heap = ws_.heaps[at(member)];
      add(heap, Traits::kZero - store_.keys[at(heap)]);
      merged = meld(merged, heap);
      ws_.sets[at(member)] = node;
    }
    ws_.heaps[at(node)] = merged;
  }

 private:
  void add(Index heap, const Score& amount) {
    if (heap < 0) return;
    store_.keys[at(heap)] = store_.keys[at(heap)] + amount;
    store_.pending[at(heap)] = store_.pending[at(heap)] + amount;
  }
  void push_down(Index heap) {
    add(ws_.left[at(heap)], store_.pending[at(heap)]);
    add(ws_.right[at(heap)], store_.pending[at(heap)]);
    store_.pending[at(heap)] = Traits::kZero;
  }
  Index meld(Index a, Index b) {
    Index root = -1;
    Index* link = &root;
    while (a >= 0 && b >= 0) {
      if (store_.keys[at(a)] < store_.keys[at(b)]) std::swap(a, b);
      push_down(a);
      *link = a;
      const Index next = ws_.right[at(a)];
      ws_.right[at(a)] = ws_.left[at(a)];
      link = &ws_.left[at(a)];
      a = next;
    }
    *link = a >= 0 ? a : b;
    return root;
  }

  const ArcListView& arcs_;
  ArborescenceWorkspace::Store<Score>& store_;
  ArborescenceWorkspace& ws_;
};

template <class Store>
bool solve(Store store, int num_words, std::int32_t* heads, ArborescenceWorkspace& ws) {
  std::int32_t num_nodes = 0;
  if (!contract(store, num_words, ws, num_nodes)) return false;
  expand(num_nodes, ws, heads);
  return true;
}

}  // namespace

bool max_arborescence(const double* scores, int num_words, bool single_root, std::int32_t* heads,
                      ArborescenceWorkspace& ws) {
  if (!single_root) return solve(DenseStore<double>(scores, num_words, ws.plain, ws), num_words, heads, ws);
  return solve(DenseStore<Lexicographic>(scores, num_words, ws.counted, ws), num_words, heads, ws) &&
         count_root_arcs(num_words, heads) == 1;
}

bool max_arborescence(const ArcListView& arcs, bool single_root, std::int32_t* heads, ArborescenceWorkspace& ws) {
  if (!single_root) return solve(HeapStore<double>(arcs, ws.plain, ws), arcs.num_words, heads, ws);
  return solve(HeapStore<Lexicographic>(arcs, ws.counted, ws), arcs.num_words, heads, ws) &&
         count_root_arcs(arcs.num_words, heads) == 1;
}

double tree_score(const double* scores, int num_words, const std::int32_t* heads) {
  double total = 0.0;
  for (int word = 1; word <= num_words; ++word) {
    total += scores[static_cast<std::ptrdiff_t>(heads[word]) * (num_words + 1) + word];
  }
  return total;
}

}  // namespace ramify::trees
