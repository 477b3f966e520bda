// Sum- and max-product belief propagation over groups of factors.
#pragma once

#include <optional>
#include <vector>

#include "ramify/inference/beliefs.hpp"
#include "ramify/inference/schedule.hpp"
#include "ramify/numeric/buffer.hpp"

namespace ramify::inference {

using numeric::Buffer;

enum class Order { kParallel, kSequential, kResidual };

struct BpOptions {
  factors::Product product;
  Order order;
  double damping;
  double tolerance;
  Index max_iterations;
  bool fixed;        // exactly max_iterations, whatever the residual
  Index checkpoint;  // messages are kept every so many iterations (0: never)
  bool record;       // keep what every factor was told, for the backward pass
};

/// What the backward pass needs of the forward one.
struct BpTape {
  std::vector<double> inputs;                  // q of the edges of every update, one update after the other
  std::vector<Buffer> checkpoints;             // messages before iterations 0, c, 2c, …
  std::vector<std::int32_t> order;             // residual schedule: factor of every update
  std::vector<std::size_t> order_begin = {0};  // where each iteration's updates start in it
};

struct BpProgress {
  Index iterations = 0;
  double residual = 0.0;  // largest change of a message: how far a factor's belief is from its variable's
  bool converged = false;
  bool feasible = true;
  bool diverged = false;  // messages grow without end; stopped before they pass for infinite ones
};

struct BpAnswer {
  std::vector<double> marginals;       // coordinates
  std::vector<double> part_marginals;  // parts
  Buffer factor_marginals;             // edges; 0 for factors that take no part
  Buffer factor_log_z;                 // factors, at their own temperature; likewise
  double log_partition = factors::kForbidden;
  bool feasible = true;
};

/// Factor C has counting number k_C > 0, variable i has 1 - sum of k_C over its factors (1 and 1 - degree: Bethe). With
/// out the log-odds that a factor adds to what it was told, the belief of a variable is s_i + sum k_C out_C, and
/// factor C is told q_C = belief - out_C and sees its own scores divided by k_C; that is stationary exactly where
/// sum <s, b> + sum k_C H_C + (1 - sum k_C) H_i is under local consistency.
class BeliefPropagation {
 public:
  /// The arrays are read as long as this lives, except counting. counting: per factor, empty = Bethe.
  BeliefPropagation(const FactorGraph& graph, factors::Scores unary, factors::Scores parts,
                    std::span<const double> counting, Mask active, const BpOptions& options);

  /// Change who takes part; the mask is read as long as this lives.
  void set_active(Mask active);
  /// Log-odds (k-ary: log-masses up to a constant) of all variables.
  void read_beliefs(const Buffer& messages, std::vector<double>& out);

  /// messages: edges, in and out.
  BpProgress run(Buffer& messages, BpTape* tape);
  /// Marginals and the Bethe (or convexified) log-partition function from messages.
  BpAnswer answer(const Buffer& messages);
  /// Max-product: states decided factor by factor out from the largest, each given what is decided. False where a
  /// factor was left without any.
  bool decode(const Buffer& messages, std::vector<std::int32_t>& y);

  /// Gradients of a scalar given its gradients with respect to the answer; tape and messages are those of run().
  /// Where only the marginals of variables matter, grad_part_marginals may be empty.
  struct Gradients {
    std::vector<double> unary;
    std::vector<double> parts;
  };
  Gradients backward(const BpTape& tape, const Buffer& messages, const BpProgress& progress,
                     factors::Scores grad_marginals, factors::Scores grad_part_marginals, double grad_log_partition);

 private:
  struct Adjoint;
  struct Stretch {  // edges of a run, in the graph and in its group
    std::size_t begin, end;
  };
  Stretch edges(const Run& run) const;
  Run run_of(Index factor) const;
  double scale(std::size_t edge) const { return edge_counting_.empty() ? 1.0 : edge_counting_[edge]; }

  void gather(const Buffer& messages);
  void tell(const Run& run, const Buffer& messages);
  void ask(const Run& run, factors::Product product);
  double commit(const Run& run, Buffer& messages, bool update_beliefs);
  double sweep(Buffer& messages, BpTape* tape);
  double update_one(Index factor, Buffer& messages, BpTape* tape);
  BpProgress run_residual(Buffer& messages, BpTape* tape);
  void record(const Run& run, BpTape* tape) const;
  void replay(const BpTape& tape, Index iteration, Buffer& messages, BpTape* segment);
  double variable_terms(std::vector<double>& marginals, bool& feasible);
  void idle_parts(BpAnswer& answer);

  void back_answer(Adjoint& adjoint, const Buffer& messages, factors::Scores grad_marginals,
                   factors::Scores grad_part_marginals, double grad_log_partition);
  void back_phase(Adjoint& adjoint, std::span<const Run> runs, const double* inputs);
  void back_run(Adjoint& adjoint, const Run& run);
  void back_saturated(Adjoint& adjoint, const Run& run);
  std::size_t num_inputs(std::span<const Run> runs) const;

  const FactorGraph& graph_;
  factors::Scores unary_;
  factors::Scores parts_;
  std::vector<double> scaled_parts_;  // own storage where counting is not 1
  std::vector<double> counting_;      // per factor, empty = all 1
  std::vector<double> edge_counting_;
  Mask active_;
  BpOptions options_;
  Schedule schedule_;
  Schedule all_;  // every active factor once
  Beliefs beliefs_;
  bool feasible_ = true;
  bool diverged_ = false;
  double largest_ = 0.0;  // finite messages beyond this say that they diverge
  Buffer q_, next_, value_;
  factors::Workspace workspace_;
  std::vector<std::int32_t> owner_;  // factor of an edge, for the residual schedule
};

}  // namespace ramify::inference
