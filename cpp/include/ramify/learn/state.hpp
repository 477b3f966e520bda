// What a checkpoint holds of something that learns: arrays with names.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace ramify::learn {

class State {
 public:
  using Array =
      std::variant<std::vector<std::uint64_t>, std::vector<std::uint32_t>, std::vector<float>, std::vector<double>>;
  using Arrays = std::map<std::string, Array>;

  State() = default;
  explicit State(Arrays arrays) : arrays_(std::move(arrays)) {}
  const Arrays& arrays() const { return arrays_; }

  bool has(const std::string& name) const { return arrays_.contains(name); }
  void put(const std::string& name, Array array) { arrays_[name] = std::move(array); }
  /// Throws std::invalid_argument where there is none of that name and type.
  template <class T>
  const std::vector<T>& get(const std::string& name) const {
    const auto found = arrays_.find(name);
    const auto* array = found == arrays_.end() ? nullptr : std::get_if<std::vector<T>>(&found->second);
    if (array == nullptr) throw std::invalid_argument("The state to go on from expects an array '" + name + "'.");
    return *array;
  }
  /// The same, of a size that is known.
  template <class T>
  const std::vector<T>& get(const std::string& name, std::size_t size) const {
    const std::vector<T>& array = get<T>(name);
    if (array.size() != size) {
      throw std::invalid_argument("The state to go on from expects " + std::to_string(size) + " numbers in '" + name +
                                  "'; got " + std::to_string(array.size()) + ".");
    }
    return array;
  }
  void put_number(const std::string& name, double number) { put(name, std::vector<double>{number}); }
  double number(const std::string& name) const { return get<double>(name, 1)[0]; }

 private:
  Arrays arrays_;
};

}  // namespace ramify::learn
