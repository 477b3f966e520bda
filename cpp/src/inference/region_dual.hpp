// Bounds from tables over clusters of variables: sequential message passing on a region graph.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "table_model.hpp"

namespace ramify::inference {

/// Every region (a variable, a pair, a cluster) has a table of losses, none above zero; what was taken out of them is
/// the bound. A sweep goes over the regions in order, forward and back: each collects what its parents lose in its
/// entries and hands shares on to the parents that come later, so that the bound only falls. States and entries that
/// lose more than the gap to the incumbent are excluded on the way. Copies are independent: a child of the search is a
/// copy with a state excluded.
class RegionDual {
 public:
  explicit RegionDual(const TableModel& model);

  double bound() const { return bound_; }
  /// Only what scores more than this is of interest.
  void set_cutoff(double cutoff) { cutoff_ = cutoff; }
  bool is_done() const { return !(bound_ > cutoff_); }

  /// Forward and backward over all regions that have parents. Stops early once is_done().
  void sweep();
  /// Drops excluded states from all tables, if they are at least so large a part of the states left.
  void compress(double at_least);
  /// Frees what sweeps lay out anew when they need it.
  void forget_layout();

  std::size_t num_values() const { return values_.size(); }
  const std::vector<std::int32_t>& states_of(Index variable) const {
    return domains_[static_cast<std::size_t>(variable)];
  }
  /// What each state in states_of() loses, as the last sweep saw it; -inf: excluded.
  const std::vector<double>& losses_of(Index variable) const { return losses_[static_cast<std::size_t>(variable)]; }
  void keep_only(Index variable, std::int32_t state);
  void exclude(Index variable, std::int32_t state);
  /// The bound that a sweep would reach after keep_only (or exclude); leaves everything as it was.
  double probe(Index variable, std::int32_t state, bool keep);

  /// How much the bound falls at once if the variables become a cluster; -inf where its table would be too large or is
  /// there already.
  struct Candidate {
    double gain;
    std::vector<std::int32_t> variables;
  };
  /// Most gain first: triangles and squares of pairs, or, where these are in, cliques of four. Stops looking when
  /// is_over.
  std::vector<Candidate> find_clusters(bool of_four, std::size_t limit, const std::function<bool()>& is_over) const;
  void add_cluster(const std::vector<std::int32_t>& variables);

  /// States of a likely good assignment: one variable after the other, given those before.
  std::vector<std::int32_t> round() const;

 private:
  struct Region {
    std::vector<std::int32_t> variables;
    std::vector<std::vector<std::int32_t>> classes;  // per variable and place in its domain
    std::vector<std::int32_t> sizes;
    std::size_t begin = 0;
    std::size_t size = 0;
    std::vector<std::int32_t> parents;   // links
    std::vector<std::int32_t> children;  // links
    bool is_absorbed = false;            // its table went into a child's
  };
  struct Link {
    std::int32_t parent;
    std::int32_t child;
    bool forward = false;  // the parent has a child after this one
    bool backward = false;
  };
  /// What a sweep needs of a link, in the order of the sweep. The parent's table is read in runs along its last axes,
  /// which the child has (inside) or not.
  struct View {
    std::size_t table = 0;     // the parent's, in values_
    std::size_t rows = 0;      // in maps_, per run: its class (inside: the first of them)
    std::size_t class_of = 0;  // in maps_, per entry of the child's table
    std::int32_t num_rows = 0;
    std::int32_t run = 1;
    std::int32_t num_classes = 1;  // entries of the child's table as the parent tells them apart
    bool inside = false;
    bool same = false;  // each entry is a class of its own, in the same order
    bool forward = false;
    bool backward = false;
  };
  struct Step {
    std::int32_t region;
    std::size_t first_view;
  };

  void add_pair(const ModelTable& table);
  std::int32_t add_region(Region region, const std::vector<double>& values);
  void connect(std::int32_t region);
  bool refines(const Region& child, const Region& parent) const;
  static std::int32_t strides_in(const Region& child, const Region& parent, std::int32_t* stride);
  void map_entries(const Region& child, const Region& parent, const std::int32_t* stride);
  View view(const Link& link);
  void prepare();
  void order();
  using Alive = std::vector<std::vector<std::uint8_t>>;  // per variable and place in its domain
  double count_excluded(Alive& alive) const;
  std::size_t shrink(Region& region, const Alive& alive, std::size_t begin);
  void absorb_flat_regions();
  std::int32_t heir_of(const Region& region) const;
  void add_to(const Region& heir, const Region& region);
  void normalise(const Region& region);
  using Scopes = std::vector<std::vector<std::int32_t>>;
  /// Per variable and neighbour: which places in the domain matter to the neighbour.
  using Activity = std::vector<std::map<std::int32_t, std::vector<std::uint8_t>>>;
  Scopes triangles_and_squares(std::size_t limit) const;
  Scopes cliques_of_four(std::size_t limit) const;
  std::vector<std::uint8_t> active_places(Index v, Index other) const;
  Region cluster(const std::vector<std::int32_t>& variables, const Activity* activity) const;
  double gain_of(const std::vector<std::int32_t>& variables, const Activity& activity) const;
  void add_losses(const Region& part, const Region& region, std::vector<double>& total) const;
  bool is_active(Index v, std::size_t place, Index other) const;
  void process(const Step& step, bool forward);
  void collect(const Region& region, const View* views);
  double threshold() const;
  void settle(std::span<double> losses) const;
  void give(const Region& region, const View* views, bool forward);

  const TableModel* model_;
  double bound_ = 0.0;
  double cutoff_ = factors::kForbidden;
  std::vector<std::vector<std::int32_t>> domains_;
  std::vector<std::vector<double>> losses_;
  std::vector<Region> regions_;
  std::vector<Link> links_;
  std::map<std::vector<std::int32_t>, std::int32_t> index_;  // scopes
  std::vector<std::map<std::int32_t, const ModelTable*>> pairs_of_;
  std::vector<Step> steps_;
  std::vector<View> views_;
  bool ordered_ = false;
  bool prepared_ = false;
  std::vector<double> values_;
  std::vector<std::uint16_t> maps_;
  std::vector<double> maxima_, share_, projected_;  // scratch
  std::vector<std::int32_t> places_;                // scratch
};

}  // namespace ramify::inference
