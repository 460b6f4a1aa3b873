// A list of plain values, either built here like a vector or a part of a stored index, which it
// keeps alive; readers cannot tell the difference. Only a list built here can be changed.
//
// Ownership: owns its values, or shares the index. Thread contract: as a vector.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace gprof {

template <typename T>
class FlatArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  FlatArray() = default;
  // `stored` stays valid as long as `owner` lives.
  FlatArray(std::span<const T> stored, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), data_(const_cast<T*>(stored.data())), size_(stored.size()) {}
  FlatArray(const FlatArray& other)
      : own_(other.own_), owner_(other.owner_), data_(other.data_), size_(other.size_) {
    if (!owner_) look_at_own();
  }
  FlatArray(FlatArray&& other) noexcept { swap(other); }
  ~FlatArray() = default;
  FlatArray& operator=(const FlatArray& other) {
    if (this != &other) *this = FlatArray(other);
    return *this;
  }
  FlatArray& operator=(FlatArray&& other) noexcept {
    swap(other);
    return *this;
  }
  FlatArray& operator=(std::vector<T> values) {
    own_ = std::move(values);
    owner_ = nullptr;
    look_at_own();
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] const T& back() const { return data_[size_ - 1]; }
  [[nodiscard]] const T* data() const { return data_; }

  // Copies a part of an index, so that it can be changed.
  void make_own() {
    if (owner_) *this = std::vector<T>(begin(), end());
  }

  // Writable only if built here.
  [[nodiscard]] T& operator[](std::size_t index) { return data_[index]; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  void reserve(std::size_t size) {
    own_.reserve(size);
    look_at_own();
  }
  void resize(std::size_t size) {
    own_.resize(size);
    look_at_own();
  }
  void assign(std::size_t size, const T& value) {
    own_.assign(size, value);
    look_at_own();
  }
  void push_back(const T& value) {
    own_.push_back(value);
    look_at_own();
  }
  template <typename Iterator>
  void append(Iterator first, Iterator last) {
    own_.insert(own_.end(), first, last);
    look_at_own();
  }

 private:
  void look_at_own() {
    data_ = own_.data();
    size_ = own_.size();
  }
  void swap(FlatArray& other) noexcept {
    own_.swap(other.own_);
    owner_.swap(other.owner_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::vector<T> own_;
  std::shared_ptr<const void> owner_;  // null: own_ holds the values
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gprof
