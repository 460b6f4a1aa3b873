#include "engine/import/sample_threads.h"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace gprof {
namespace {

constexpr std::size_t max_threads = 4096;
constexpr std::size_t max_name_length = 64;

}  // namespace

SampleThreads::SampleThreads(ProfileBuilder& builder, Row run)
    : builder_(builder),
      run_(run),
      unknown_(builder.thread({.process = builder.process({.run = run})})) {}

Row SampleThreads::find_or_add(std::uint32_t process, std::uint32_t number, std::string_view name) {
  if (process == 0 && number == 0 && name.empty()) return unknown_;
  name = name.substr(0, max_name_length);
  // The number identifies a thread, whatever name later samples give it.
  Key key(process, number, number == 0 ? name : std::string_view());
  const auto known = threads_.find(key);
  if (known != threads_.end()) return known->second;
  Row added = no_row;
  if (threads_.size() < max_threads) {
    added = builder_.thread({.process = builder_.process({.run = run_, .number = process}),
                             .number = number,
                             .name = std::string(name)});
  }
  if (added == no_row) {
    exceeded_ = true;
    return unknown_;
  }
  threads_.emplace(std::move(key), added);
  return added;
}

std::optional<Error> SampleThreads::warning(const std::string& path) const {
  if (!exceeded_) return std::nullopt;
  return Error{ErrorCode::mismatch,
               fmt::format("has samples of more than {} threads; the others are shown as one",
                           threads_.size()),
               path, std::nullopt};
}

}  // namespace gprof
