#include "server/cli/record/record_executable.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "server/cli/record/record_program.h"
#include "server/discovery/file_age.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

}  // namespace

void ExecutableKeeper::hold(const std::string& program) {
  held_.reset();
  held_at_ = time_now();
  const auto path = find_program(program);
  std::error_code error;
  held_path_ = path ? fs::canonical(*path, error) : fs::path();
  if (held_path_.empty()) return;
  if (auto file = InputFile::open(held_path_)) held_.emplace(*std::move(file));
}

Expected<void> ExecutableKeeper::keep(const FoundProfile& profile) {
  const auto executable = executable_of(profile);
  return executable ? kept_.keep(*executable, profile.path) : Expected<void>();
}

// None if it has been replaced. What has a build-id is told apart by that.
std::optional<fs::path> ExecutableKeeper::executable_of(const FoundProfile& profile) const {
  if (held_ && profile.program == held_path_ && !held_->written_since()) {
    return fmt::format("/proc/self/fd/{}", held_->descriptor());
  }
  const auto stamp = file_stamp(profile.program);
  if (!stamp || (profile.build_id.empty() && stamp->modified > held_at_)) return std::nullopt;
  return profile.program;
}

}  // namespace gprof::lsp
