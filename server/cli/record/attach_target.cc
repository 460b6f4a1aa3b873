#include "server/cli/record/attach_target.h"

#include <algorithm>
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
// The highest value that lets users sample their own processes.
constexpr int allowing_paranoid = 2;

Error not_a_target(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), "", std::nullopt};
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

std::string proc_text(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::uint32_t> threads_of(std::uint32_t process) {
  std::vector<std::uint32_t> threads;
  std::error_code error;
  fs::directory_iterator entries(fmt::format("/proc/{}/task", process), error);
  // The process may end while its threads are listed.
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    std::uint32_t thread = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), thread);
    if (failure == std::errc() && end == name.data() + name.size()) threads.push_back(thread);
  }
  return threads;
}

Expected<AttachTarget> find_attach_target(std::uint32_t process) {
  const fs::path directory = fmt::format("/proc/{}", process);
  const std::string status = proc_text(directory / "status");
  if (status.empty()) {
    Error error =
        not_a_target(fmt::format("there is no process {}; `ps -u $USER` lists yours", process));
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
        "{0} is a thread of process {1}: --pid={1} samples all of its threads", process, group));
  }
  const std::string_view state = status_field(status, "State");
  if (state.starts_with('Z') || state.starts_with('X')) {
    return not_a_target(fmt::format(
        "process {} ({}) has ended, but its parent has not waited for it yet; record the program "
        "from its start: gprof-lsp record -- {}",
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
  // A filter answers before the kernel looks at its settings; those of containers answer EPERM.
  if (error == EPERM && permission.is_filtered) {
    return fmt::format(
        "{} cannot be sampled: a seccomp filter, as in containers, forbids perf_event_open; start "
        "the container with `--cap-add=PERFMON`, or with another `--security-opt seccomp=`",
        process);
  }
  if (*permission.paranoid > allowing_paranoid) {
    return fmt::format(
        "{} cannot be sampled: kernel.perf_event_paranoid is {}; an administrator can allow it by "
        "`sysctl kernel.perf_event_paranoid={}`, or by giving gprof-lsp the capability CAP_PERFMON",
        process, *permission.paranoid, allowing_paranoid);
  }
  if (!permission.owner.empty()) {
    return fmt::format(
        "{} cannot be sampled: it belongs to the user {}; run gprof-lsp as that user, or with the "
        "capabilities CAP_PERFMON and CAP_SYS_PTRACE",
        process, permission.owner);
  }
  return fmt::format(
      "{} cannot be sampled: it is set-user-ID, has capabilities, or has made itself undumpable "
      "(PR_SET_DUMPABLE); run gprof-lsp as root",
      process);
}

}  // namespace gprof::lsp
