// A std::string_view of at most four gigabytes in twelve bytes: with [[no_unique_address]], the
// next member of a struct starts in what would be padding. For lists of hundreds of thousands of
// names. Ownership and thread contract: as std::string_view.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>

namespace gprof {

class NameView {
 public:
  constexpr NameView() = default;
  // Longer names are cut.
  template <std::convertible_to<std::string_view> Name>
  constexpr NameView(const Name& name)  // NOLINT(google-explicit-constructor): it is one
      : NameView(std::string_view(name), Cut()) {}

  [[nodiscard]] constexpr std::string_view view() const { return {letters_, size_}; }
  constexpr operator std::string_view() const {  // NOLINT(google-explicit-constructor): the same
    return view();
  }

  [[nodiscard]] constexpr std::size_t size() const { return size_; }

  // For fmt, which from version 10 on does not convert by itself.
  friend constexpr std::string_view format_as(NameView name) { return name.view(); }

  template <std::convertible_to<std::string_view> Other>
  friend constexpr bool operator==(NameView name, const Other& other) {
    return name.view() == std::string_view(other);
  }
  template <std::convertible_to<std::string_view> Other>
  friend constexpr auto operator<=>(NameView name, const Other& other) {
    return name.view() <=> std::string_view(other);
  }

 private:
  struct Cut {};
  constexpr NameView(std::string_view name, Cut /*unused*/)
      : letters_(name.data()),
        size_(static_cast<std::uint32_t>(
            std::min<std::size_t>(name.size(), std::numeric_limits<std::uint32_t>::max()))) {}

  const char* letters_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace gprof
