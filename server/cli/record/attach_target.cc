#include "server/cli/record/attach_target.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// PF_KTHREAD among the flags in /proc/PID/stat.
constexpr std::uint64_t kernel_thread_flag = 0x00200000;
// What the kernel appends to the path of a file that has been removed.
constexpr std::string_view removed_ending = " (deleted)";
// The highest value that lets users sample their own processes.
constexpr int allowing_paranoid = 2;

Error not_a_target(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), "", std::nullopt};
}

std::string proc_text(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A line "NAME:\tVALUE..." of /proc/PID/status; empty if it is missing.
std::string_view status_field(std::string_view status, std::string_view name) {
  for (std::size_t at = 0; at < status.size();) {
    const std::size_t end = std::min(status.find('\n', at), status.size());
    const std::string_view line = status.substr(at, end - at);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(":\t")) {
      return line.substr(name.size() + 2);
    }
    at = end + 1;
  }
  return {};
}

// The number at the start of a text, or behind `skipped` words of it.
std::uint64_t number_in(std::string_view text, int skipped = 0) {
  for (; skipped > 0; --skipped) {
    const std::size_t blank = text.find_first_of(" \t");
    if (blank == std::string_view::npos) return 0;
    text.remove_prefix(blank + 1);
  }
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The name of a process may hold blanks and parentheses: fields are counted behind the last one.
bool is_kernel_thread(const fs::path& directory) {
  const std::string stat = proc_text(directory / "stat");
  const std::size_t end = stat.rfind(") ");
  constexpr int fields_between = 6;
  return end != std::string::npos &&
         (number_in(std::string_view(stat).substr(end + 2), fields_between) & kernel_thread_flag) !=
             0;
}

std::string path_before_removal(std::string path) {
  std::error_code error;
  if (path.ends_with(removed_ending) && !fs::exists(path, error)) {
    path.resize(path.size() - removed_ending.size());
  }
  return path;
}

std::string name_of_user(std::uint32_t user) {
  std::array<char, 4096> room{};
  passwd entry = {};
  passwd* found = nullptr;
  if (getpwuid_r(user, &entry, room.data(), room.size(), &found) == 0 && found != nullptr) {
    return found->pw_name;
  }
  return fmt::format("number {}", user);
}

}  // namespace

Expected<AttachTarget> find_attach_target(std::uint32_t process) {
  const fs::path directory = fmt::format("/proc/{}", process);
  const std::string status = proc_text(directory / "status");
  if (status.empty()) {
    Error error = not_a_target(
        fmt::format("no process has the number {}; `ps -u $USER` lists yours", process));
    error.code = ErrorCode::not_found;
    return error;
  }
  AttachTarget target;
  target.process = process;
  target.owner = static_cast<std::uint32_t>(number_in(status_field(status, "Uid"), 1));
  target.name = status_field(status, "Name");
  if (process == static_cast<std::uint32_t>(getpid())) {
    return not_a_target(fmt::format("{} is gprof-lsp itself; name the process to sample", process));
  }
  const std::uint64_t group = number_in(status_field(status, "Tgid"));
  if (group != process) {
    return not_a_target(fmt::format(
        "{0} is a thread of process {1}: all of them are sampled by --pid={1}", process, group));
  }
  const std::string_view state = status_field(status, "State");
  if (state.starts_with('Z') || state.starts_with('X')) {
    return not_a_target(fmt::format(
        "process {} ({}) has ended, and waits for its parent to notice; record the program from "
        "its start: gprof-lsp record -- {}",
        process, target.name, target.name));
  }
  if (is_kernel_thread(directory)) {
    return not_a_target(fmt::format(
        "process {} ({}) is a thread of the kernel, which runs no program; `perf record -a -g` "
        "samples the kernel",
        process, target.name));
  }
  std::error_code error;
  target.executable = path_before_removal(fs::read_symlink(directory / "exe", error).string());
  if (!target.executable.empty()) target.name = fs::path(target.executable).filename().string();
  return target;
}

std::optional<int> perf_event_paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

SamplingPermission sampling_permission(const AttachTarget& target, int error) {
  SamplingPermission permission;
  permission.error = error;
  permission.paranoid = perf_event_paranoid();
  if (target.owner != geteuid()) permission.owner = name_of_user(target.owner);
  constexpr std::uint64_t by_filter = 2;
  permission.is_filtered =
      number_in(status_field(proc_text("/proc/self/status"), "Seccomp")) == by_filter;
  return permission;
}

std::string why_not_sampled(const AttachTarget& target, const SamplingPermission& permission) {
  const std::string process = fmt::format("process {} ({})", target.process, target.name);
  const int error = permission.error;
  if (error == ESRCH) return process + " has ended";
  const bool is_refused = error == EACCES || error == EPERM;
  if (error == ENOSYS || (is_refused && !permission.paranoid)) {
    return fmt::format(
        "{} cannot be sampled: this kernel has no perf_event_open, or hides it; start the program "
        "with gprof-lsp record -- {} instead",
        process, target.name);
  }
  if (!is_refused) {
    return fmt::format("{} cannot be sampled: {}", process, std::system_category().message(error));
  }
  // A filter is asked before the kernel looks at its settings, and containers' answer EPERM.
  if (error == EPERM && permission.is_filtered) {
    return fmt::format(
        "{} cannot be sampled: a seccomp filter, as containers have it, forbids perf_event_open; "
        "allow it by `--cap-add=PERFMON` or another `--security-opt seccomp=` for the container",
        process);
  }
  if (*permission.paranoid > allowing_paranoid) {
    return fmt::format(
        "{} cannot be sampled: kernel.perf_event_paranoid is {}; an administrator allows it by "
        "`sysctl kernel.perf_event_paranoid={}`, or by the capability CAP_PERFMON for gprof-lsp",
        process, *permission.paranoid, allowing_paranoid);
  }
  if (!permission.owner.empty()) {
    return fmt::format(
        "{} cannot be sampled: it is a process of the user {}; run gprof-lsp as that user, or with "
        "the capabilities CAP_PERFMON and CAP_SYS_PTRACE",
        process, permission.owner);
  }
  return fmt::format(
      "{} cannot be sampled: it has privileges of its own, or hides its memory from its user (it "
      "is not dumpable); run gprof-lsp as root",
      process);
}

}  // namespace gprof::lsp
