// Memory for tables that are read in random order. It uses large pages if the system has them, so that looking up a
// page costs little.
#pragma once

#include <cstddef>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ramify::numeric {

template <class T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT: allocators convert

  static constexpr std::size_t kPage = std::size_t{2} << 20U;

  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes));
    void* memory = ::operator new(bytes, std::align_val_t{kPage});
#if defined(__linux__)
    madvise(memory, bytes, MADV_HUGEPAGE);  // a wish; nothing depends on it
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) {
    if (n * sizeof(T) < kPage) {
      ::operator delete(memory);
    } else {
      ::operator delete(memory, std::align_val_t{kPage});
    }
  }
  bool operator==(const LargeAllocator&) const { return true; }
};

}  // namespace ramify::numeric
