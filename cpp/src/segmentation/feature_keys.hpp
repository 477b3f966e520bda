// Emits keys of features: the n-th call is the n-th template.
#pragma once

#include "ramify/segmentation/features.hpp"

namespace ramify::segmentation {

class Emit {
 public:
  Emit(Keys& keys, learn::Key first_template) : keys_(keys), template_(first_template << 16U) {}

  template <class... Values>
  void operator()(Values... values) {
    learn::Key key = ++template_;
    ((key = learn::combine(key, static_cast<learn::Key>(values))), ...);
    keys_.push_back(key);
  }

 private:
  Keys& keys_;
  learn::Key template_;
};

}  // namespace ramify::segmentation
