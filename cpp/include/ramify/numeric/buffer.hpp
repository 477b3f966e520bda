// An array of zeros that costs nothing where it is not touched.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace ramify::numeric {

/// Doubles, zero at first. Large ones come from the system page by page, on first use: an algorithm that visits few
/// factors of a large graph pays for few.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size)
      : size_(size), values_(static_cast<double*>(std::calloc(size == 0 ? 1 : size, sizeof(double)))) {
    if (values_ == nullptr) throw std::bad_alloc();
  }
  Buffer(const Buffer& other) : Buffer(other.size_) {
    if (size_ > 0) std::memcpy(data(), other.data(), size_ * sizeof(double));
  }
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(Buffer other) noexcept {
    size_ = other.size_;
    values_ = std::move(other.values_);
    return *this;
  }
  ~Buffer() = default;

  std::size_t size() const { return size_; }
  double* data() { return values_.get(); }
  const double* data() const { return values_.get(); }
  double& operator[](std::size_t i) { return values_.get()[i]; }
  double operator[](std::size_t i) const { return values_.get()[i]; }
  double* begin() { return data(); }
  double* end() { return data() + size_; }
  const double* begin() const { return data(); }
  const double* end() const { return data() + size_; }

 private:
  struct Free {
    void operator()(double* p) const { std::free(p); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<double, Free> values_;
};

}  // namespace ramify::numeric
