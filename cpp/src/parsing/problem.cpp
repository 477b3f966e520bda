#include "ramify/parsing/problem.hpp"

#include "ramify/factors/budget.hpp"
#include "ramify/factors/logic.hpp"
#include "ramify/factors/no_cross.hpp"
#include "ramify/factors/pair.hpp"
#include "ramify/factors/sequence.hpp"
#include "ramify/factors/siblings.hpp"
#include "ramify/factors/tree.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/parsing/paths.hpp"

namespace ramify::parsing {

namespace {

using factors::Index;
using factors::Offsets;

/// Collects the factors of one family.
struct Family {
  std::vector<Index> slots = {0};       // offsets
  std::vector<std::int64_t> variables;  // of the slots
  std::vector<std::int32_t> counts;     // what the family asks for: heads of an automaton, of a word
  std::vector<double> scores;           // of the parts
  std::vector<Part> names;              // of what each score is made of
  std::vector<std::int32_t> num_names;
  void name(std::initializer_list<Part> parts) {
    names.insert(names.end(), parts);
    num_names.push_back(static_cast<std::int32_t>(parts.size()));
  }
  Index size() const { return static_cast<Index>(slots.size()) - 1; }
  void close() { slots.push_back(static_cast<Index>(variables.size())); }
};

class Builder {
 public:
  Builder(const Candidates& candidates, Scorer& scorer, Factorization factorization)
      : candidates_(candidates),
        scorer_(scorer),
        factorization_(factorization),
        grand_(scorer.choice().grand || scorer.choice().grand_sibling) {}

  ParseProblem build(std::span<const double> arc_scores, TreeKind tree, bool single_root) {
    problem_.arc_scores.assign(arc_scores.begin(), arc_scores.end());
    problem_.name_begin.assign(1, 0);
    const bool tight = factorization_ == Factorization::kTight;
    const bool loose = factorization_ == Factorization::kLoose;
    if (tree == TreeKind::kFlow && loose) tree = TreeKind::kNonProjective;
    add_tree(tree, single_root);
    const PartChoice& choice = scorer_.choice();
    const bool automata = choice.sibling || grand_ || choice.tri_sibling;
    const std::vector<Side> sides = automata || choice.any_sibling ? sides_of(candidates_) : std::vector<Side>{};
    for (const Side& side : sides) {
      if (side.arcs.empty()) {
        const std::int32_t right = side.right ? 1 : 0;
        if (choice.sibling) {
          problem_.constant +=
              scorer_.score(PartKind::kSibling, {side.head, scorer_.start_word(), scorer_.stop_word(), right});
        }
        continue;
      }
      if (automata && tight) add_automaton(side);
      if (automata && !tight) add_apart(side);
    }
    if (choice.any_sibling) add_any_siblings(sides);
    if (choice.no_cross && loose) add_crossing_pairs();
    if (choice.no_cross && !loose) add_crossings();
    if (automata_.size() > 0) add(make_automata(choice.tri_sibling), automata_);
    if (siblings_.size() > 0) {
      add(factors::make_consecutive_siblings(siblings_.size(), Offsets(siblings_.slots)), siblings_);
    }
    if (gated_.size() > 0) add(factors::make_gated_siblings(gated_.size(), Offsets(gated_.slots)), gated_);
    if (tri_siblings_.size() > 0) {
      add(factors::make_tri_siblings(tri_siblings_.size(), Offsets(tri_siblings_.slots)), tri_siblings_);
    }
    if (pairs_.size() > 0) add(factors::make_pair_group(pairs_.size()), pairs_);
    if (choice.head_bigram && candidates_.num_words > 1) add_head_bigrams();
    if (choice.valency) add_valencies();
    if (choice.needs_paths() || tree == TreeKind::kFlow) add_paths(tree == TreeKind::kFlow);
    connect();
    return std::move(problem_);
  }

 private:
  void add(std::unique_ptr<factors::FactorGroup> group, Family& family) {
    problem_.groups.push_back(std::move(group));
    problem_.part_scores.insert(problem_.part_scores.end(), family.scores.begin(), family.scores.end());
    problem_.variables.push_back(std::move(family.variables));
    problem_.names.insert(problem_.names.end(), family.names.begin(), family.names.end());
    for (const std::int32_t n : family.num_names) problem_.name_begin.push_back(problem_.name_begin.back() + n);
  }

  void add_tree(TreeKind tree, bool single_root) {
    if (!is_tree(tree)) return add_weak_tree(tree);
    if (tree == TreeKind::kFlow) {
      add_weak_tree(TreeKind::kExactlyOne);
      if (single_root) add_single_root();
      return;
    }
    factors::ArcSets arcs{1,
                          Offsets(static_cast<Index>(candidates_.size())),
                          candidates_.heads,
                          candidates_.modifiers,
                          {candidates_.num_words},
                          single_root};
    Family family;
    for (std::int32_t a = 0; a < candidates_.size(); ++a) family.variables.push_back(a);
    add(tree == TreeKind::kProjective ? factors::make_projective_tree(std::move(arcs))
                                      : factors::make_tree(std::move(arcs)),
        family);
  }

  void add_weak_tree(TreeKind tree) {
    if (tree == TreeKind::kNotTwo) return add_not_two();
    Family family;
    for (std::int32_t m = 1; m <= candidates_.num_words; ++m) {
      for (std::int32_t a = candidates_.begin[at(m) - 1]; a < candidates_.begin[at(m)]; ++a) {
        family.variables.push_back(a);
      }
      family.close();
    }
    const bool at_most = tree == TreeKind::kAtMostOne;
    Offsets slots(family.slots);
    add(factors::make_logic(at_most ? "AtMostOne" : "ExactlyOne",
                            at_most ? factors::LogicRule::kAtMostOne : factors::LogicRule::kExactlyOne, family.size(),
                            std::move(slots), {}),
        family);
    if (tree == TreeKind::kNoTwoCycle) add_no_two_cycles();
  }

  void add_single_root() {
    Family family;
    for (std::int32_t a = 0; a < candidates_.size(); ++a) {
      if (candidates_.heads[at(a)] == 0) family.variables.push_back(a);
    }
    family.close();
    add(factors::make_logic("ExactlyOne", factors::LogicRule::kExactlyOne, 1, Offsets(family.slots), {}), family);
  }

  void add_not_two() {
    std::vector<std::int64_t> pairs;
    for (std::int32_t m = 1; m <= candidates_.num_words; ++m) {
      for (std::int32_t a = candidates_.begin[at(m) - 1]; a < candidates_.begin[at(m)]; ++a) {
        for (std::int32_t b = a + 1; b < candidates_.begin[at(m)]; ++b) pairs.insert(pairs.end(), {a, b});
      }
    }
    add_not_both(std::move(pairs));
  }

  void add_no_two_cycles() {
    std::vector<std::int64_t> pairs;
    for (std::int32_t a = 0; a < candidates_.size(); ++a) {
      const std::int32_t h = candidates_.heads[at(a)];
      const std::int32_t m = candidates_.modifiers[at(a)];
      const std::int32_t back = h > m ? candidates_.find(m, h) : -1;
      if (back >= 0) pairs.insert(pairs.end(), {a, back});
    }
    add_not_both(std::move(pairs));
  }

  /// Not both arcs of each pair.
  void add_not_both(std::vector<std::int64_t> pairs) {
    if (pairs.empty()) return;
    Family family;
    family.variables = std::move(pairs);
    const auto count = static_cast<Index>(family.variables.size() / 2);
    add(factors::make_logic("AtMostOne", factors::LogicRule::kAtMostOne, count, Offsets(Index{2}), {}), family);
  }

  /// Words of a sequence with start and stop around them.
  std::vector<std::int32_t> words(const Side& side) const {
    std::vector<std::int32_t> words = {scorer_.start_word()};
    for (const std::int32_t a : side.arcs) words.push_back(candidates_.modifiers[at(a)]);
    words.push_back(scorer_.stop_word());
    return words;
  }

  /// Scores of pairs [i][j] and of triples i < j < k among the words of a side, grandparents left out.
  void score_siblings(const Side& side, const std::vector<std::int32_t>& word) {
    const PartChoice& choice = scorer_.choice();
    const std::int32_t h = side.head;
    const std::size_t last = word.size() - 1;
    for (std::size_t i = 0; i < last && choice.sibling; ++i) {
      for (std::size_t j = i + 1; j <= last; ++j) {
        scorer_.ask(PartKind::kSibling, {h, word[i], word[j], side.right ? 1 : 0});
      }
    }
    for (std::size_t i = 0; i < last && choice.tri_sibling; ++i) {
      for (std::size_t j = i + 1; j < last; ++j) {
        for (std::size_t k = j + 1; k <= last; ++k) {
          scorer_.ask(PartKind::kTriSibling, {h, word[i], word[j], word[k]});
        }
      }
    }
    const std::span<const double> answers = scorer_.answers();
    pair_scores_.assign(word.size() * word.size(), 0.0);
    std::size_t next = 0;
    for (std::size_t i = 0; i < last && choice.sibling; ++i) {
      for (std::size_t j = i + 1; j <= last; ++j) pair_scores_[i * word.size() + j] = answers[next++];
    }
    triple_scores_.assign(answers.begin() + static_cast<std::ptrdiff_t>(next), answers.end());
  }

  static void append_pairs(const std::vector<double>& table, std::size_t width, std::vector<double>& out) {
    for (std::size_t i = 0; i + 1 < width; ++i) {
      for (std::size_t j = i + 1; j < width; ++j) out.push_back(table[i * width + j]);
    }
  }

  /// Each kind of part in a factor of its own.
  void add_apart(const Side& side) {
    const PartChoice& choice = scorer_.choice();
    const std::int32_t h = side.head;
    const std::vector<std::int32_t> word = words(side);
    const std::size_t last = word.size() - 1;
    score_siblings(side, word);
    const auto add_side = [&](Family& family) {
      family.variables.insert(family.variables.end(), side.arcs.begin(), side.arcs.end());
      family.close();
    };
    const std::int32_t right = side.right ? 1 : 0;
    const auto each_pair = [&](auto visit) {
      for (std::size_t i = 0; i < last; ++i) {
        for (std::size_t j = i + 1; j <= last; ++j) visit(i, j);
      }
    };
    if (choice.sibling) {
      append_pairs(pair_scores_, word.size(), siblings_.scores);
      each_pair([&](std::size_t i, std::size_t j) {
        siblings_.name({{PartKind::kSibling, 0, {h, word[i], word[j], right}}});
      });
      add_side(siblings_);
    }
    if (choice.tri_sibling) {
      tri_siblings_.scores.insert(tri_siblings_.scores.end(), triple_scores_.begin(), triple_scores_.end());
      each_pair([&](std::size_t i, std::size_t j) {
        for (std::size_t k = j + 1; k <= last; ++k) {
          tri_siblings_.name({{PartKind::kTriSibling, 0, {h, word[i], word[j], word[k]}}});
        }
      });
      add_side(tri_siblings_);
    }
    if (!grand_ || h == 0) return;
    const std::span<const std::int32_t> grandparents = candidates_.heads_of(h);
    for (std::size_t g = 0; g < grandparents.size(); ++g) {
      const std::int32_t incoming = candidates_.begin[at(h) - 1] + static_cast<std::int32_t>(g);
      for (std::size_t j = 1; j < last && choice.grand && !choice.grand_sibling; ++j) {
        pairs_.variables.push_back(incoming);
        pairs_.variables.push_back(side.arcs[j - 1]);
        pairs_.scores.push_back(scorer_.score(PartKind::kGrand, {grandparents[g], h, word[j], 0}));
        pairs_.name({{PartKind::kGrand, 0, {grandparents[g], h, word[j], 0}}});
        pairs_.close();
      }
      if (!choice.grand_sibling) continue;
      pair_scores_.assign(word.size() * word.size(), 0.0);
      add_grand_scores(grandparents[g], h, word, pair_scores_);
      gated_.variables.push_back(incoming);
      append_pairs(pair_scores_, word.size(), gated_.scores);
      each_pair([&](std::size_t i, std::size_t j) {
        if (j == last) return gated_.name({});
        const Part grand{PartKind::kGrand, 0, {grandparents[g], h, word[j], 0}};
        const Part sibling{PartKind::kGrandSibling, 0, {grandparents[g], h, word[i], word[j]}};
        choice.grand ? gated_.name({grand, sibling}) : gated_.name({sibling});
      });
      add_side(gated_);
    }
  }

  /// Every kind of sibling and grandparent part of a head and side goes into the scores of one automaton.
  void add_automaton(const Side& side) {
    const std::int32_t h = side.head;
    const std::vector<std::int32_t> word = words(side);
    score_siblings(side, word);
    std::span<const std::int32_t> grandparents;
    if (grand_ && h > 0) grandparents = candidates_.heads_of(h);
    for (std::size_t g = 0; g < grandparents.size(); ++g) {
      automata_.variables.push_back(candidates_.begin[at(h) - 1] + static_cast<std::int32_t>(g));
      add_scores(grandparents[g], h, word);
    }
    if (grandparents.empty()) add_scores(-1, h, word);
    automata_.counts.push_back(static_cast<std::int32_t>(grandparents.size()));
    automata_.variables.insert(automata_.variables.end(), side.arcs.begin(), side.arcs.end());
    automata_.close();
  }

  /// The automaton's table for one grandparent (-1: none).
  void add_scores(std::int32_t g, std::int32_t h, const std::vector<std::int32_t>& word) {
    const PartChoice& choice = scorer_.choice();
    const std::size_t width = word.size();
    const std::size_t last = width - 1;
    table_ = pair_scores_;
    if (g >= 0) add_grand_scores(g, h, word, table_);
    if (!choice.tri_sibling) {
      append_pairs(table_, width, automata_.scores);
      return;
    }
    // A triple carries its second pair; one that begins at the start carries its first as well.
    automata_.scores.push_back(table_[last]);
    std::size_t next = 0;
    for (std::size_t i = 0; i < last; ++i) {
      for (std::size_t j = i + 1; j < last; ++j) {
        const double first = i == 0 ? table_[j] : 0.0;
        for (std::size_t k = j + 1; k <= last; ++k) {
          automata_.scores.push_back(triple_scores_[next++] + first + table_[j * width + k]);
        }
      }
    }
  }

  /// A grandparent's score counts once for each modifier.
  void add_grand_scores(std::int32_t g, std::int32_t h, const std::vector<std::int32_t>& word,
                        std::vector<double>& table) {
    const PartChoice& choice = scorer_.choice();
    for (std::size_t j = 1; j + 1 < word.size(); ++j) {
      if (choice.grand) scorer_.ask(PartKind::kGrand, {g, h, word[j], 0});
      for (std::size_t i = 0; i < j && choice.grand_sibling; ++i) {
        scorer_.ask(PartKind::kGrandSibling, {g, h, word[i], word[j]});
      }
    }
    const double* next = scorer_.answers().data();
    for (std::size_t j = 1; j + 1 < word.size(); ++j) {
      const double grand = choice.grand ? *next++ : 0.0;
      for (std::size_t i = 0; i < j; ++i) table[i * word.size() + j] += choice.grand_sibling ? grand + *next++ : grand;
    }
  }

  std::unique_ptr<factors::FactorGroup> make_automata(bool tri_siblings) {
    const Index n = automata_.size();
    Offsets slots(automata_.slots);
    if (tri_siblings) return factors::make_grand_tri_siblings(n, std::move(slots), automata_.counts);
    if (grand_) return factors::make_grand_siblings(n, std::move(slots), automata_.counts);
    return factors::make_consecutive_siblings(n, std::move(slots));
  }

  void add_any_siblings(const std::vector<Side>& sides) {
    std::vector<std::vector<std::int32_t>> arcs(at(candidates_.num_words) + 1);  // by head, left to right
    for (const Side& side : sides) {
      std::vector<std::int32_t>& mine = arcs[at(side.head)];
      if (side.right) {
        mine.insert(mine.end(), side.arcs.begin(), side.arcs.end());
      } else {
        mine.insert(mine.begin(), side.arcs.rbegin(), side.arcs.rend());
      }
    }
    for (const std::vector<std::int32_t>& mine : arcs) {
      for (std::size_t i = 0; i < mine.size(); ++i) {
        for (std::size_t j = i + 1; j < mine.size(); ++j) add_pair(mine[i], mine[j]);
      }
    }
  }

  void add_pair(std::int32_t a, std::int32_t b) {
    pairs_.variables.push_back(a);
    pairs_.variables.push_back(b);
    pairs_.scores.push_back(
        scorer_.score(PartKind::kAnySibling,
                      {candidates_.heads[at(a)], candidates_.modifiers[at(a)], candidates_.modifiers[at(b)], 0}));
    pairs_.name({{PartKind::kAnySibling,
                  0,
                  {candidates_.heads[at(a)], candidates_.modifiers[at(a)], candidates_.modifiers[at(b)], 0}}});
    pairs_.close();
  }

  void add_head_bigrams() {
    Family family;
    const std::int32_t n = candidates_.num_words;
    for (std::int32_t a = 0; a < candidates_.size(); ++a) family.variables.push_back(a);
    for (std::int32_t m = 1; m <= n; ++m)
      family.counts.push_back(static_cast<std::int32_t>(candidates_.heads_of(m).size()));
    for (std::int32_t m = 2; m <= n; ++m) {
      for (const std::int32_t q : candidates_.heads_of(m - 1)) {
        for (const std::int32_t h : candidates_.heads_of(m)) {
          family.scores.push_back(scorer_.score(PartKind::kHeadBigram, {m, h, q, 0}));
          family.name({{PartKind::kHeadBigram, 0, {m, h, q, 0}}});
        }
      }
    }
    add(factors::make_head_bigram(1, Offsets(static_cast<Index>(n)), family.counts), family);
  }

  /// One factor per head over all arcs that leave it.
  void add_valencies() {
    Family family;
    std::vector<std::vector<std::int64_t>> arcs(at(candidates_.num_words) + 1);  // by head
    for (std::int32_t a = 0; a < candidates_.size(); ++a) arcs[at(candidates_.heads[at(a)])].push_back(a);
    for (std::int32_t h = 0; h <= candidates_.num_words; ++h) {
      const std::vector<std::int64_t>& mine = arcs[at(h)];
      if (mine.empty()) {
        problem_.constant += scorer_.score(PartKind::kValency, {h, 0, 0, 0});
        continue;
      }
      const std::int32_t most = std::min(static_cast<std::int32_t>(mine.size()), kMostModifiers);
      for (std::int32_t count = 0; count <= most; ++count) {
        family.scores.push_back(scorer_.score(PartKind::kValency, {h, 0, 0, count}));
        family.name({{PartKind::kValency, 0, {h, 0, 0, count}}});
      }
      family.counts.push_back(most + 1);
      family.variables.insert(family.variables.end(), mine.begin(), mine.end());
      family.close();
    }
    if (family.size() > 0) {
      add(factors::make_count(family.size(), Offsets(family.slots), family.counts), family);
    }
  }

  /// For parts that ask for them, and for trees that are made of them.
  void add_paths(bool is_tree) {
    PathFactors paths =
        make_path_factors(candidates_, scorer_.choice(),
                          factorization_ == Factorization::kLoose ? PathRules::kDefinitions : PathRules::kFlows);
    for (const Consequence& c : paths.consequences) {
      if (c.kind == Consequence::Kind::kPath && scorer_.choice().path) {
        scorer_.ask(PartKind::kPath, {c.first, c.second, 0, 0});
      } else if (c.kind == Consequence::Kind::kProjective) {
        scorer_.ask(PartKind::kNonProj, {candidates_.heads[at(c.first)], candidates_.modifiers[at(c.first)], 0, 0});
      }
    }
    const double* next = scorer_.answers().data();
    const auto nonproj = [&](std::int32_t a) -> Part {
      return {PartKind::kNonProj, 0, {candidates_.heads[at(a)], candidates_.modifiers[at(a)], 0, 0}};
    };
    for (const Consequence& c : paths.consequences) {
      const std::int32_t variable = candidates_.size() + static_cast<std::int32_t>(problem_.extra_scores.size());
      double score = 0.0;
      if (c.kind == Consequence::Kind::kPath && scorer_.choice().path) {
        score = *next++;
        problem_.variable_parts.push_back({variable, 1.0, {PartKind::kPath, 0, {c.first, c.second, 0, 0}}});
      } else if (c.kind == Consequence::Kind::kProjective) {
        // Every arc that may be non-projective counts as such, and takes it back where it is not.
        score = -*next++;
        problem_.arc_scores[at(c.first)] -= score;
        problem_.variable_parts.push_back({variable, -1.0, nonproj(c.first)});
        problem_.variable_parts.push_back({c.first, 1.0, nonproj(c.first)});
      }
      problem_.extra_scores.push_back(score);
    }
    for (const std::int32_t a : paths.never_projective) {
      problem_.arc_scores[at(a)] += scorer_.score(nonproj(a));
      problem_.variable_parts.push_back({a, 1.0, nonproj(a)});
    }
    if (is_tree) {
      for (const std::int32_t a : paths.never_on) problem_.arc_scores[at(a)] = factors::kForbidden;
    }
    problem_.consequences = std::move(paths.consequences);
    for (PathFactors::Rules& rules : paths.rules) {
      if (rules.slots.size() == 1) continue;
      Family family;
      family.variables = std::move(rules.variables);
      family.slots = std::move(rules.slots);
      Offsets slots(family.slots);
      add(factors::make_logic(rules.family, rules.rule, family.size(), std::move(slots), std::move(rules.negated)),
          family);
    }
  }

  /// Visits every two words, the left one first, that have candidates which cross.
  template <class Visit>
  void each_crossing(Visit visit) const {
    const auto reach = [&](std::int32_t m) {
      std::pair<std::int32_t, std::int32_t> ends{m, m};
      for (const std::int32_t h : candidates_.heads_of(m)) ends = {std::min(ends.first, h), std::max(ends.second, h)};
      return ends;
    };
    std::vector<std::pair<std::int32_t, std::int32_t>> reaches(1);
    for (std::int32_t m = 1; m <= candidates_.num_words; ++m) reaches.push_back(reach(m));
    const auto cross = [&](std::int32_t m, std::int32_t s) {
      for (const std::int32_t h : candidates_.heads_of(m)) {
        for (const std::int32_t g : candidates_.heads_of(s)) {
          if (factors::arcs_cross(h, m, g, s)) return true;
        }
      }
      return false;
    };
    for (std::int32_t m = 1; m <= candidates_.num_words; ++m) {
      for (std::int32_t s = m + 1; s <= candidates_.num_words; ++s) {
        if (reaches[at(m)].second > reaches[at(s)].first && cross(m, s)) visit(m, s);
      }
    }
  }

  /// One factor for every two words that have crossing candidates.
  void add_crossings() {
    Family family;
    factors::CrossingWords words{0, Offsets(family.slots), {}, {}, {}, {}};
    each_crossing([&](std::int32_t m, std::int32_t s) {
      for (const std::int32_t w : {m, s}) {
        for (std::int32_t a = candidates_.begin[at(w) - 1]; a < candidates_.begin[at(w)]; ++a) {
          family.variables.push_back(a);
          words.heads.push_back(candidates_.heads[at(a)]);
        }
      }
      words.first_word.push_back(m);
      words.second_word.push_back(s);
      words.num_first.push_back(static_cast<std::int32_t>(candidates_.heads_of(m).size()));
      family.scores.push_back(scorer_.score(PartKind::kNoCross, {m, s, 0, 0}));
      family.close();
    });
    if (family.size() == 0) return;
    words.num_factors = family.size();
    words.slots = Offsets(family.slots);
    family.num_names.assign(family.scores.size(), 0);
    add(factors::make_no_cross(std::move(words)), family);
  }

  /// The same as pairs of arcs: the factor above demands one head of either word, which the tree does already, and
  /// belief propagation would count it once for every other word.
  void add_crossing_pairs() {
    each_crossing([&](std::int32_t m, std::int32_t s) {
      const Part part{PartKind::kNoCross, 0, {m, s, 0, 0}};
      const double score = scorer_.score(part);
      for (std::int32_t a = candidates_.begin[at(m) - 1]; a < candidates_.begin[at(m)]; ++a) {
        for (std::int32_t b = candidates_.begin[at(s) - 1]; b < candidates_.begin[at(s)]; ++b) {
          if (!factors::arcs_cross(candidates_.heads[at(a)], m, candidates_.heads[at(b)], s)) continue;
          pairs_.variables.insert(pairs_.variables.end(), {a, b});
          pairs_.scores.push_back(score);
          pairs_.name({part});
          pairs_.close();
        }
      }
    });
  }

  void connect() {
    std::vector<const factors::FactorGroup*> groups;
    for (const auto& group : problem_.groups) groups.push_back(group.get());
    std::vector<std::span<const std::int64_t>> variables(problem_.variables.begin(), problem_.variables.end());
    const std::size_t num_variables = at(candidates_.size()) + problem_.consequences.size();
    problem_.graph.emplace(std::vector<std::int32_t>(num_variables, 2), std::move(groups), variables);
  }

  const Candidates& candidates_;
  Scorer& scorer_;
  ParseProblem problem_;
  Factorization factorization_;
  bool grand_;
  Family automata_, siblings_, tri_siblings_, gated_, pairs_;
  std::vector<double> pair_scores_, triple_scores_, table_;
};

}  // namespace

ParseProblem build_problem(const Candidates& candidates, std::span<const double> arc_scores, Scorer& scorer,
                           TreeKind tree, bool single_root, Factorization factorization) {
  return Builder(candidates, scorer, factorization).build(arc_scores, tree, single_root);
}

}  // namespace ramify::parsing
