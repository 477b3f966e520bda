// Scratch memory that belongs to the caller, so that groups stay stateless and one group serves many threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <typeindex>
#include <unordered_map>
#include <vector>

namespace ramify::factors {

/// A stack of blocks: take() hands out uninitialised spans, a Frame gives back all that was taken since it began.
/// Blocks never move, so a span stays valid until its frame ends; nothing is freed before the workspace dies.
class Workspace {
 public:
  class Frame {
   public:
    explicit Frame(Workspace& workspace) : workspace_(workspace), block_(workspace.block_), used_(workspace.used_) {}
    ~Frame() {
      workspace_.block_ = block_;
      workspace_.used_ = used_;
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Workspace& workspace_;
    std::size_t block_;
    std::size_t used_;
  };

  template <class T, class Count>
  std::span<T> take(Count count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));
    const auto n = static_cast<std::size_t>(count);
    return {reinterpret_cast<T*>(raw(n * sizeof(T))), n};
  }

  template <class T, class Count>
  std::span<T> take(Count count, T value) {
    const std::span<T> out = take<T>(count);
    std::fill(out.begin(), out.end(), value);
    return out;
  }

  /// The workspace's one scratch object of a type, such as those of the tree algorithms; kept from call to call.
  template <class T>
  T& object() {
    std::shared_ptr<void>& held = objects_[typeid(T)];
    if (!held) held = std::make_shared<T>();
    return *static_cast<T*>(held.get());
  }

 private:
  std::byte* raw(std::size_t bytes) {
    constexpr std::size_t kAlign = alignof(std::max_align_t);
    bytes = (bytes + kAlign - 1) / kAlign * kAlign;
    while (block_ < blocks_.size() && used_ + bytes > sizes_[block_]) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      sizes_.push_back(std::max(bytes, std::size_t{1} << (14 + std::min<std::size_t>(block_, 10))));
      blocks_.push_back(std::make_unique<std::byte[]>(sizes_.back()));
      used_ = 0;
    }
    std::byte* out = blocks_[block_].get() + used_;
    used_ += bytes;
    return out;
  }

  std::unordered_map<std::type_index, std::shared_ptr<void>> objects_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<std::size_t> sizes_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;
};

}  // namespace ramify::factors
