#include "ramify/parsing/decoder.hpp"

#include <limits>

namespace ramify::parsing {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

void read_tree(const Candidates& candidates, const ArcScores& arcs, std::span<const std::int32_t> on, Parse& parse) {
  parse.heads.assign(at(candidates.num_words) + 1, -1);
  parse.labels.assign(at(candidates.num_words) + 1, -1);
  for (std::size_t a = 0; a < on.size(); ++a) {
    if (on[a] == 0) continue;
    parse.heads[at(candidates.modifiers[a])] = candidates.heads[a];
    parse.labels[at(candidates.modifiers[a])] = arcs.labels[a];
  }
}

Parse decode_arcs(const Candidates& candidates, const ArcScores& arcs, bool single_root, DecoderScratch& scratch) {
  Parse parse;
  parse.heads.resize(at(candidates.num_words) + 1);
  const trees::ArcListView view{candidates.heads.data(), candidates.modifiers.data(), arcs.scores.data(),
                                candidates.size(), candidates.num_words};
  if (!trees::max_arborescence(view, single_root, parse.heads.data(), scratch.arborescence)) return {};
  parse.labels.assign(parse.heads.size(), -1);
  for (std::int32_t m = 1; m <= candidates.num_words; ++m) {
    const std::int32_t a = candidates.find(parse.heads[at(m)], m);
    parse.labels[at(m)] = arcs.labels[at(a)];
    parse.value += arcs.scores[at(a)];
  }
  parse.bound = parse.value;
  parse.certified = true;
  return parse;
}

}  // namespace

Parse decode(const Candidates& candidates, const ArcScores& arcs, Scorer& scorer, const DecoderOptions& options,
             DecoderScratch& scratch) {
  if (!scorer.choice().any() && options.tree == TreeKind::kNonProjective) {
    return decode_arcs(candidates, arcs, options.single_root, scratch);
  }
  const ParseProblem problem = build_problem(candidates, arcs.scores, scorer, options.tree, options.single_root);
  inference::Ad3State state;
  const inference::Ad3Result result =
      inference::solve_ad3({*problem.graph, problem.arc_scores, problem.part_scores}, options.ad3, state);
  Parse parse;
  if (result.y.empty()) return parse;
  read_tree(candidates, arcs, result.y, parse);
  parse.value = result.value + problem.constant;
  parse.bound = result.bound + problem.constant;
  parse.certified = result.status == inference::Ad3Status::kCertified;
  parse.iterations = static_cast<std::int32_t>(result.iterations);
  return parse;
}

}  // namespace ramify::parsing
