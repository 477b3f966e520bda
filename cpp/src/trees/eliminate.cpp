// The elimination kernel for doubles: four pivots at a time, vectors over the rows.
#include "leave_one_out.hpp"
#include "ramify/numeric/dispatch.hpp"

namespace ramify::trees {
namespace {

constexpr int kBlock = 4;
constexpr int kVectorLanes = 8;
#if defined(__GNUC__)
using Vector = double __attribute__((vector_size(kVectorLanes * sizeof(double)), aligned(8), may_alias));
#endif

/// Rows of the pivots, one after the other, reduced against each other (Gauss-Jordan); rows[j][c] for all
/// columns c.
RAMIFY_INLINE double reduce_pivots(double* rows, int width, int num_columns, int num_pivots, int first) {
  double product = 1.0;
  for (int j = num_pivots - 1; j >= 0; --j) {
    double* row = rows + j * width;
    row[num_columns - num_pivots + j] = 0.0;
    double total = 0.0;
    for (int c = first; c < num_columns; ++c) total += row[c];
    product *= total;
    const double scale = 1.0 / total;
    for (int c = 0; c < num_columns; ++c) row[c] *= scale;
    for (int i = 0; i < num_pivots; ++i) {
      if (i == j) continue;
      double* other = rows + i * width;
      const double share = other[num_columns - num_pivots + j];
      for (int c = 0; c < num_columns; ++c) other[c] += share * row[c];
      other[num_columns - num_pivots + j] = 0.0;
    }
  }
  return product;
}

/// data[c] += sum over the four pivot columns of pivot * factors[c][j].
/// A short block has factors of zero for its last pivot repeated.
RAMIFY_INLINE void update(double* data, std::ptrdiff_t stride, int num_kept, int block, const double* factors) {
  const double* pivots[kBlock];
  for (int j = 0; j < kBlock; ++j) pivots[j] = data + (num_kept + (j < block ? j : block - 1)) * stride;
  std::ptrdiff_t row = 0;
#if defined(__GNUC__)
  for (; row + 2 * kVectorLanes <= stride; row += 2 * kVectorLanes) {
    Vector p[kBlock][2];
    for (int j = 0; j < kBlock; ++j) {
      p[j][0] = *reinterpret_cast<const Vector*>(pivots[j] + row);
      p[j][1] = *reinterpret_cast<const Vector*>(pivots[j] + row + kVectorLanes);
    }
    for (int c = 0; c < num_kept; ++c) {
      Vector* target = reinterpret_cast<Vector*>(data + c * stride + row);
      const double* f = factors + c * kBlock;
      target[0] += (p[0][0] * f[0] + p[1][0] * f[1]) + (p[2][0] * f[2] + p[3][0] * f[3]);
      target[1] += (p[0][1] * f[0] + p[1][1] * f[1]) + (p[2][1] * f[2] + p[3][1] * f[3]);
    }
  }
  for (; row + kVectorLanes <= stride; row += kVectorLanes) {
    Vector p[kBlock];
    for (int j = 0; j < kBlock; ++j) p[j] = *reinterpret_cast<const Vector*>(pivots[j] + row);
    for (int c = 0; c < num_kept; ++c) {
      Vector* target = reinterpret_cast<Vector*>(data + c * stride + row);
      const double* f = factors + c * kBlock;
      *target += (p[0] * f[0] + p[1] * f[1]) + (p[2] * f[2] + p[3] * f[3]);
    }
  }
#endif
  for (; row < stride; ++row) {
    for (int c = 0; c < num_kept; ++c) {
      const double* f = factors + c * kBlock;
      double total = 0.0;
      for (int j = 0; j < kBlock; ++j) total += pivots[j][row] * f[j];
      data[c * stride + row] += total;
    }
  }
}

RAMIFY_DISPATCH double eliminate_all(double* data, std::ptrdiff_t stride, const std::int32_t* ids, int num_columns,
                                     int num_pivots, int first, double* scratch) {
  const int width = num_columns + kBlock;
  double* rows = scratch;
  double* factors = scratch + kBlock * width;
  double product = 1.0;
  while (num_pivots > 0) {
    const int block = num_pivots < kBlock ? num_pivots : kBlock;
    const int num_kept = num_columns - block;
    for (int j = 0; j < block; ++j) {
      const double* row = data + ids[num_kept + j];
      for (int c = 0; c < num_columns; ++c) rows[j * width + c] = row[c * stride];
    }
    product *= reduce_pivots(rows, width, num_columns, block, first);
    for (int c = 0; c < num_kept; ++c) {
      for (int j = 0; j < kBlock; ++j) factors[c * kBlock + j] = j < block ? rows[j * width + c] : 0.0;
    }
    update(data, stride, num_kept, block, factors);
    for (int j = 0; j < block; ++j) {
      for (int c = 0; c < num_kept; ++c) data[c * stride + ids[num_kept + j]] = factors[c * kBlock + j];
    }
    num_columns = num_kept;
    num_pivots -= block;
  }
  return product;
}

}  // namespace

double eliminate(const Panel<double>& panel, int num_pivots, bool root_is_small, std::vector<double>& scratch) {
  const auto needed = static_cast<std::size_t>(2 * kBlock * (panel.num_columns + kBlock));
  if (scratch.size() < needed) scratch.resize(needed);
  return eliminate_all(panel.data, panel.stride, panel.ids, panel.num_columns, num_pivots, root_is_small ? 1 : 0,
                       scratch.data());
}

}  // namespace ramify::trees
