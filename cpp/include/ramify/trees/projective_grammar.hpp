// The projective dynamic programs as deductive systems: items, and the ways ("derivations") to build each
// one.
//
// A grammar is the only place where a recursion is written. What is computed with it (sums, maxima,
// marginals, samples, k best) is in projective_algorithms.hpp, once for all grammars. Every grammar is
// unambiguous: a projective tree has exactly one derivation of the goal.
//
// Words are 1..n, 0 is the root. Spans are written (head, end): `end` may lie on either side of `head`, so
// each rule covers both directions with a step d = +1 or -1. Items:
//   C(h, e)  complete: h with all its modifiers on that side, and their subtrees, down to e
//   I(h, m)  incomplete: the arc h -> m and everything between them
//   S(s, m)  what lies between two neighbouring modifiers s and m of the same head
// A leading index g (for h) or h (for s, m) is the head of the head: the g-spans of Koo & Collins (2010).
//
// Every derivation has at most two items and one part; a part's score is looked up in one flat table whose
// layout the grammar's comment gives. Tables have `stride` entries along each axis (stride > n for padded
// batches).
#pragma once

#include <cstddef>

namespace ramify::trees {

inline constexpr std::ptrdiff_t kNone = -1;

struct Item {
  int kind;
  int g, h, e;  // g is 0 in grammars without grandparents
};

/// An arc that a part brings into the tree; modifier = 0 where the part brings none.
struct PartArc {
  int head;
  int modifier;
};

namespace detail {

constexpr int step(int from, int to) { return from < to ? 1 : -1; }

/// f(h, e) for the ordered pairs at distance `width` within 0..n where h may have modifiers on the side of e.
template <class F>
void for_each_span(int n, int width, F f) {
  for (int a = 0; a + width <= n; ++a) {
    f(a, a + width);
    if (width > 0 && a > 0) f(a + width, a);  // nothing ends at the root from the right
  }
}

/// f(g, h, e) for the spans with every possible head g of h; the root is written as its own head.
template <class F>
void for_each_headed_span(int n, int width, F f) {
  for_each_span(n, width, [&](int h, int e) {
    if (h == 0) return f(0, 0, e);
    const int low = h < e ? h : e;
    const int high = h < e ? e : h;
    for (int g = 0; g < low; ++g) f(g, h, e);
    for (int g = high + 1; g <= n; ++g) f(g, h, e);
  });
}

}  // namespace detail

/// A sentence and the kinds of items that a grammar has for it, one level after the other.
template <int kNumKinds>
class Chart {
 public:
  static constexpr int kKinds = kNumKinds;

  Chart(int n, int stride, bool single_root) : n_(n), stride_(stride), single_root_(single_root) {}

  int num_words() const { return n_; }
  int num_levels() const { return kKinds * (n_ + 1); }

 protected:
  static constexpr int kS = 0;              // only in grammars with siblings
  static constexpr int kI = kNumKinds - 2;  // a head and a modifier
  static constexpr int kC = kNumKinds - 1;  // a head and all on one side of it

  int n_;
  int stride_;
  bool single_root_;
};

/// Items (kind, h, e) in one square per kind, or with the head g of h, (kind, g, h, e), in one cube per kind.
template <int kNumKinds, bool kHeaded>
class Items : public Chart<kNumKinds> {
 public:
  using Chart<kNumKinds>::Chart;
  using Chart<kNumKinds>::kKinds;

  std::size_t num_items() const { return kKinds * static_cast<std::size_t>(cells()); }
  std::ptrdiff_t goal() const { return item(kC, 0, 0, n_); }
  std::ptrdiff_t index(const Item& x) const { return item(x.kind, x.g, x.h, x.e); }
  Item decode(std::ptrdiff_t index) const {
    const std::ptrdiff_t s = n_ + 1;
    return {static_cast<int>(index / cells()), kHeaded ? static_cast<int>(index / (s * s) % s) : 0,
            static_cast<int>(index / s % s), static_cast<int>(index % s)};
  }

  /// All items of a level, with every head g of h; only complete ones can be of width 0.
  template <class F>
  void items(int level, F f) const {
    const int kind = level % kKinds;
    const int width = level / kKinds;
    if (kind != kC && width == 0) return;
    if constexpr (kHeaded) {
      detail::for_each_headed_span(n_, width, [&](int g, int h, int e) { f(Item{kind, g, h, e}); });
    } else {
      detail::for_each_span(n_, width, [&](int h, int e) { f(Item{kind, 0, h, e}); });
    }
  }

 protected:
  using Chart<kNumKinds>::kC;
  using Chart<kNumKinds>::kI;
  using Chart<kNumKinds>::n_;
  using Chart<kNumKinds>::single_root_;

  /// Where an item stands; without grandparents, g does not matter.
  std::ptrdiff_t item(int kind, int g, int h, int e) const {
    const std::ptrdiff_t row = kHeaded ? static_cast<std::ptrdiff_t>(kind) * (n_ + 1) + g : kind;
    return (row * (n_ + 1) + h) * (n_ + 1) + e;
  }

  /// Derivations of C(g; h, e): nothing, or with m as the last modifier and the part that part(m) names.
  template <class F, class P>
  void complete(const Item& x, F f, P part) const {
    if (x.h == x.e) return f(kNone, kNone, kNone);
    const int d = detail::step(x.h, x.e);
    for (int m = x.h + d; m != x.e + d; m += d) f(item(kI, x.g, x.h, m), item(kC, x.h, m, x.e), part(m));
  }

  /// Derivations of I(g; h, m) in grammars without siblings: h and m complete towards each other.
  template <class F>
  void attach(const Item& x, F f, std::ptrdiff_t part) const {
    const int d = detail::step(x.h, x.e);
    const int last = one_modifier(x.h) ? 0 : x.e - d;
    for (int r = x.h; r != last + d; r += d) f(item(kC, x.g, x.h, r), item(kC, x.h, x.e, r + d), part);
  }

  /// Derivations of S(h; s, m): s and m complete towards each other.
  template <class F>
  void split_between(const Item& x, F f) const {
    const int d = detail::step(x.h, x.e);
    for (int r = x.h; r != x.e; r += d) f(item(kC, x.g, x.h, r), item(kC, x.g, x.e, r + d), kNone);
  }

  bool one_modifier(int h) const { return single_root_ && h == 0; }

 private:
  std::ptrdiff_t cells() const {
    const std::ptrdiff_t s = n_ + 1;
    return kHeaded ? s * s * s : s * s;
  }
};

/// Grammars whose parts have one modifier: arc[h, m], or grand[g, h, m] where the root's modifiers have g = h = 0.
template <bool kHeaded>
class OneModifierGrammar : public Items<2, kHeaded> {
 public:
  using Items<2, kHeaded>::Items;

  static constexpr std::size_t kAxes = kHeaded ? 3 : 2;

  template <class F>
  void derivations(const Item& x, F f) const {
    if (x.kind == this->kC) return this->complete(x, f, [](int) { return kNone; });
    const std::ptrdiff_t head = kHeaded ? static_cast<std::ptrdiff_t>(x.g) * this->stride_ + x.h : x.h;
    this->attach(x, f, head * this->stride_ + x.e);
  }

  PartArc arc(std::ptrdiff_t p) const {
    const std::ptrdiff_t stride = this->stride_;
    return {static_cast<int>(p / stride % stride), static_cast<int>(p % stride)};
  }
};

/// First order (Eisner 1996).
using ArcGrammar = OneModifierGrammar<false>;
/// Grandparents (Koo & Collins 2010, model 0).
using GrandGrammar = OneModifierGrammar<true>;

/// Consecutive siblings (Eisner 1996; McDonald & Pereira 2006). Parts: sibling[h, s, m], where s is the
/// modifier of h next to m on the inner side, s = h when m is the first, m = h when s is the last. Arc scores
/// are folded into these.
class SiblingGrammar : public Items<3, false> {
 public:
  using Items::Items;

  static constexpr std::size_t kAxes = 3;

  template <class F>
  void items(int level, F f) const {
    Items::items(level, [&](const Item& x) {
      if (x.kind != kS || (x.h > 0 && x.h < x.e)) f(x);  // S(s, m) = S(m, s): kept once
    });
  }

  template <class F>
  void derivations(const Item& x, F f) const {
    const int h = x.h;
    if (x.kind == kC) return complete(x, f, [this, h](int m) { return part(h, m, h); });
    const int m = x.e;
    if (x.kind == kS) return split_between(x, f);
    const int d = detail::step(h, m);
    f(item(kC, 0, m, h + d), kNone, part(h, h, m));
    if (one_modifier(h)) return;
    for (int s = h + d; s != m; s += d) f(item(kI, 0, h, s), between(s, m), part(h, s, m));
  }

  PartArc arc(std::ptrdiff_t p) const {
    const int m = static_cast<int>(p % stride_);
    const int h = static_cast<int>(p / stride_ / stride_);
    return {h, m == h ? 0 : m};
  }

 private:
  std::ptrdiff_t between(int s, int m) const { return s < m ? item(kS, 0, s, m) : item(kS, 0, m, s); }
  std::ptrdiff_t part(int h, int s, int m) const {
    return (static_cast<std::ptrdiff_t>(h) * stride_ + s) * stride_ + m;
  }
};

/// Items and parts of grammars with grandparents and siblings.
template <int kNumKinds>
class HeadedItems : public Items<kNumKinds, true> {
 public:
  using Items<kNumKinds, true>::Items;
  using Chart<kNumKinds>::kKinds;

  static constexpr std::size_t kAxes = 4;

  /// All items of a level. Of the first kind are spans between neighbouring modifiers s (inner) and m (outer) of h:
  /// S(h; s, m) = S(h; m, s) is kept once.
  template <class F>
  void items(int level, F f) const {
    const int width = level / kKinds;
    if (level % kKinds != kS) return Items<kNumKinds, true>::items(level, f);
    for (int a = 1; width > 0 && a + width <= n_; ++a) {
      const int b = a + width;
      for (int h = 0; h < a; ++h) f(Item{kS, h, a, b});
      for (int h = b + 1; h <= n_; ++h) f(Item{kS, h, b, a});
    }
  }

 protected:
  using Chart<kNumKinds>::kS;
  using Chart<kNumKinds>::n_;
  using Chart<kNumKinds>::stride_;

  std::ptrdiff_t part(int g, int h, int m) const {
    return (static_cast<std::ptrdiff_t>(g) * stride_ + h) * stride_ + m;
  }
  std::ptrdiff_t part(int g, int h, int s, int m) const { return part(g, h, s) * stride_ + m; }
};

/// Grand-siblings (Koo & Collins 2010, model 1). Parts: grandsib[g, h, s, m], s and m as in SiblingGrammar;
/// arcs, siblings and grandparents are folded into these.
class GrandSiblingGrammar : public HeadedItems<3> {
 public:
  using HeadedItems::HeadedItems;

  template <class F>
  void derivations(const Item& x, F f) const {
    const auto [kind, g, h, e] = x;
    if (kind == kC) return complete(x, f, [this, g, h](int m) { return part(g, h, m, h); });
    if (kind == kS) return split_between(x, f);
    const int d = detail::step(h, e);
    f(item(kC, h, e, h + d), kNone, part(g, h, h, e));
    if (one_modifier(h)) return;
    for (int s = h + d; s != e; s += d) f(item(kI, g, h, s), item(kS, h, s, e), part(g, h, s, e));
  }

  PartArc arc(std::ptrdiff_t p) const {
    const int m = static_cast<int>(p % stride_);
    const int h = static_cast<int>(p / stride_ / stride_ % stride_);
    return {h, m == h ? 0 : m};
  }
};

/// Tri-siblings and outermost grand-siblings (Koo & Collins 2010, model 2). Two tables, one after the other:
/// trisib[h, t, s, m], where t, s, m are neighbouring modifiers of h going outwards (s = t = h: m is the
/// first; t = h: m is the second), and last[g, h, s, m], where m is the last modifier of h on its side, s the
/// one before it (s = h: m is the only one) and g the head of h. Everything of lower order is folded into
/// these.
class TriSiblingGrammar : public HeadedItems<4> {
 public:
  using HeadedItems::HeadedItems;

  static constexpr int kJ = 1;  // J(h; s, m): I(h, m) that remembers the modifier s before m, an s-span

  template <class F>
  void items(int level, F f) const {
    if (level % kKinds != kJ) return HeadedItems::items(level, f);
    detail::for_each_span(n_, level / kKinds, [&](int h, int m) {
      const int d = detail::step(h, m);
      for (int s = h; s != m; s += d) f(Item{kJ, h, s, m});
    });
  }

  template <class F>
  void derivations(const Item& x, F f) const {
    const auto [kind, g, h, e] = x;
    if (kind == kC) return complete(x, f, [](int) { return kNone; });
    if (kind == kS) return split_between(x, f);
    if (kind == kJ) return extend(g, h, e, f);
    const int d = detail::step(h, e);
    const int end = one_modifier(h) ? h + d : e;
    for (int s = h; s != end; s += d) f(item(kJ, h, s, e), kNone, last_table() + part(g, h, s, e));
  }

  PartArc arc(std::ptrdiff_t p) const {
    if (p >= last_table()) return {0, 0};
    const auto s = static_cast<std::ptrdiff_t>(stride_);
    return {static_cast<int>(p / (s * s * s)), static_cast<int>(p % s)};
  }

 private:
  template <class F>
  void extend(int h, int s, int m, F f) const {
    const int d = detail::step(h, m);
    if (s == h) return f(item(kC, h, m, h + d), kNone, part(h, h, h, m));
    for (int t = h; t != s; t += d) f(item(kJ, h, t, s), item(kS, h, s, m), part(h, t, s, m));
  }
  std::ptrdiff_t last_table() const { return part(stride_, 0, 0, 0); }
};

}  // namespace ramify::trees
