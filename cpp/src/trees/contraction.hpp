// Edmonds' contraction by growing a path of best entering arcs, over any store of the arcs.
#pragma once

#include <cstdint>

#include "ramify/trees/arborescence.hpp"

namespace ramify::trees {

/// Words are nodes 1..n, the root is node 0, contracted cycles are nodes n+1 and up. A store offers
///   bool best(node, head, modifier): the best arc that enters a node, in words; false if there is none;
///   node top(word): the outermost node that holds a word;
///   void merge(node, members): contract a cycle, each member's arcs reduced by its best one.
/// Every node enters the path once and is contracted once, so the store is asked O(n) times for each.
template <class Store>
bool contract(Store& store, int num_words, ArborescenceWorkspace& ws, std::int32_t& num_nodes) {
  enum : std::int32_t { kNew, kOnPath, kReached };
  const auto max_nodes = static_cast<std::size_t>(2 * num_words + 1);
  ws.entering_head.resize(max_nodes);
  ws.entering_modifier.resize(max_nodes);
  ws.outer.assign(max_nodes, 0);
  ws.state.assign(max_nodes, kNew);
  ws.state[0] = kReached;
  num_nodes = num_words + 1;
  const auto at = [](std::int32_t i) { return static_cast<std::size_t>(i); };
  for (std::int32_t word = 1; word <= num_words; ++word) {
    if (ws.state[at(store.top(word))] == kReached) continue;
    ws.path.assign(1, word);
    ws.state[at(word)] = kOnPath;
    while (!ws.path.empty()) {
      const std::int32_t node = ws.path.back();
      if (!store.best(node, ws.entering_head[at(node)], ws.entering_modifier[at(node)])) return false;
      const std::int32_t from = store.top(ws.entering_head[at(node)]);
      if (ws.state[at(from)] == kReached) {
        for (const std::int32_t reached : ws.path) ws.state[at(reached)] = kReached;
        ws.path.clear();
      } else if (ws.state[at(from)] == kNew) {
        ws.state[at(from)] = kOnPath;
        ws.path.push_back(from);
      } else {
        ws.members.clear();
        do {
          ws.members.push_back(ws.path.back());
          ws.outer[at(ws.path.back())] = num_nodes;
          ws.path.pop_back();
        } while (ws.members.back() != from);
        store.merge(num_nodes, ws.members);
        ws.state[at(num_nodes)] = kOnPath;
        ws.path.push_back(num_nodes++);
      }
    }
  }
  return true;
}

/// Undo the contractions from the outside in: the arc that enters a cycle replaces the one of the member it
/// enters.
inline void expand(std::int32_t num_nodes, ArborescenceWorkspace& ws, std::int32_t* heads) {
  auto& entered = ws.state;
  entered.assign(static_cast<std::size_t>(num_nodes), 0);
  heads[0] = -1;
  for (std::int32_t node = num_nodes - 1; node > 0; --node) {
    const auto i = static_cast<std::size_t>(node);
    if (entered[i] != 0) continue;
    heads[ws.entering_modifier[i]] = ws.entering_head[i];
    for (std::int32_t inner = ws.entering_modifier[i]; inner != node;
         inner = ws.outer[static_cast<std::size_t>(inner)]) {
      entered[static_cast<std::size_t>(inner)] = 1;
    }
  }
}

inline int count_root_arcs(int num_words, const std::int32_t* heads) {
  int count = 0;
  for (int word = 1; word <= num_words; ++word) count += heads[word] == 0 ? 1 : 0;
  return count;
}

}  // namespace ramify::trees
