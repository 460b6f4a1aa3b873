// The threads that samples name by process, number and name, each of which may be unknown. A
// thread with a number keeps the first name that a sample gives it.
//
// Ownership: borrows the builder. Thread contract: one thread. Errors: none; samples of threads
// beyond the bound belong to the unknown thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "engine/profile/profile_builder.h"
#include "engine/support/expected.h"

namespace gprof {

class SampleThreads {
 public:
  SampleThreads(ProfileBuilder& builder, Row run);

  // Unknown: 0, or an empty name.
  [[nodiscard]] Row find_or_add(std::uint32_t process, std::uint32_t number, std::string_view name);
  [[nodiscard]] Row unknown() const { return unknown_; }
  // If there were more threads than the bound, or than the builder has room for.
  [[nodiscard]] std::optional<Error> warning(const std::string& path) const;

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::string>;

  ProfileBuilder& builder_;
  Row run_;
  Row unknown_;
  std::map<Key, Row> threads_;
  bool exceeded_ = false;
};

}  // namespace gprof
