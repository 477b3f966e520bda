// The integer optimum of graphs that are small tables over k-ary variables.
#pragma once

#include "table_model.hpp"

namespace ramify::inference {

struct ClusterSearchOptions {
  double time_limit;  // seconds
  Index max_nodes;
};

struct ClusterSearchResult {
  double value = factors::kForbidden;
  double bound = factors::kForced;
  std::vector<std::int32_t> y;  // of the graph's variables; empty: nothing better than what was known
  Index nodes = 0;
  bool is_proved = false;
  bool out_of_time = false;
};

/// Tightens the bound by clusters of three or four variables, excludes states that cannot win, and branches on what is
/// left, depth first. known: an assignment of the graph's variables, or empty.
ClusterSearchResult search_clusters(const TableModel& model, const ClusterSearchOptions& options,
                                    const std::vector<std::int32_t>& known);

}  // namespace ramify::inference
