// Templates that shrink as a whole: one number for each, however many weights it has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ramify/learn/feature_hash.hpp"
#include "ramify/learn/optimizer.hpp"
#include "ramify/learn/state.hpp"

namespace ramify::learn {

/// What a table knows of a template's weights.
struct TemplateNorm {
  std::uint64_t count = 0;  // weights other than 0
  double squares = 0.0;
};

/// Martins et al. (2011), section 4: a weight is theta times the scale c of its template, and the sum of the squares is
/// kept, so that a proximal step of a group costs nothing for each weight. Averages stay exact: with C(t) the sum of
/// the scales up to time t, a change of theta at time s is worth C(T) - C(s) of the sum over time, as it is worth T - s
/// where nothing is scaled. So `total` sums up change * C(s), and the average is (theta C(T) - total) / T.
class TemplateScales {
 public:
  TemplateScales() : scales_(kMostTemplates, 1.0), offsets_(kMostTemplates), squares_(kMostTemplates) {
    counts_.resize(kMostTemplates);
    most_.resize(kMostTemplates);
  }

  double scale(std::size_t m) const { return scales_[m]; }
  /// C of the comment above.
  double sum(std::size_t m, double time) const { return offsets_[m] + scales_[m] * time; }
  /// What theta is multiplied by: for the present weight if time is 0, else for the average, less total / time.
  double factor(std::size_t m, double time) const { return time > 0.0 ? sum(m, time) / time : scales_[m]; }
  double value(std::size_t m, float theta, float total, double time) const {
    const double past = time > 0.0 ? static_cast<double>(total) / time : 0.0;
    return static_cast<double>(theta) * factor(m, time) - past;
  }
  /// |w|^2 of a template's weights.
  double squares(std::size_t m) const { return scales_[m] * scales_[m] * std::max(squares_[m], 0.0); }
  /// The most features of a template that the table ever held.
  std::uint64_t most(std::size_t m) const { return most_[m]; }

  /// Moves a weight.
  void move(std::size_t m, const WeightCell& cell, double change, double time) {
    set(m, cell, static_cast<double>(*cell.weight) + change / scales_[m], time);
  }
  /// Gives theta another value.
  void set(std::size_t m, const WeightCell& cell, double theta, double time) {
    const auto before = static_cast<double>(*cell.weight);
    *cell.weight = static_cast<float>(theta);
    const auto after = static_cast<double>(*cell.weight);
    squares_[m] += (after - before) * (after + before);
    if (cell.total != nullptr) *cell.total += static_cast<float>((after - before) * sum(m, time));
  }
  /// A weight was added to the table.
  void opened(std::size_t m) {
    if (++counts_[m] > most_[m]) most_[m] = counts_[m];
  }
  /// Multiplies all weights of a template from now on; 0 makes it one that the table is to forget.
  void shrink(std::size_t m, double factor, double time);

  /// Whether the table is to forget some templates or, since a scale is tiny, to multiply it into the weights.
  bool has_dead() const { return has_dead_; }
  bool dead(std::size_t m) const { return scales_[m] == 0.0; }
  bool tiny(std::size_t m) const { return scales_[m] > 0.0 && scales_[m] < kTiny; }
  /// Multiplies the scale into a weight, without changing what it is worth; rescaled() comes after the last one.
  void multiply_in(std::size_t m, const WeightCell& cell, double time) const;
  void rescaled(double time);
  /// Multiplies the scales that are tiny into the weights of a table.
  template <class Table>
  void absorb(Table& table, double time) {
    if (!has_tiny_) return;
    table.for_each([&](std::size_t m, const WeightCell& cell) {
      if (tiny(m)) multiply_in(m, cell, time);
    });
    rescaled(time);
  }
  /// A weight was forgotten; all_forgotten() comes after the last one, and dead templates may begin again.
  void forgotten(std::size_t m, float theta);
  void all_forgotten();

  void save(State& state) const;
  void restore(const State& state);

 private:
  /// theta and total have single precision, and the average is their difference: with this it keeps five digits.
  static constexpr double kTiny = 0.01;

  std::vector<double> scales_;
  std::vector<double> offsets_;  // C(t) less scale times t
  std::vector<double> squares_;  // sum of theta^2
  std::vector<std::uint64_t> counts_, most_;
  bool has_dead_ = false;
  bool has_tiny_ = false;
};

}  // namespace ramify::learn
