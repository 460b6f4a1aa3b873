#include "server/cli/record/record_program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "engine/object/image.h"
#include "server/cli/record/record_loader.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr int not_executable_status = 126;
constexpr int not_found_status = 127;

constexpr std::string_view default_search_path = "/bin:/usr/bin";

bool can_run(const fs::path& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

// Their names continue with a version or an architecture.
constexpr std::array<std::string_view, 2> sanitizer_libraries = {"libasan.so", "libclang_rt.asan"};
// Found only in our own collector.
constexpr std::string_view collector_mark = "gprof_dump";

// Whether a table of zero-terminated names contains the name, whole or as a suffix of another one
// (linkers share tails), up to a version.
bool has_name(std::string_view names, std::string_view name) {
  for (std::size_t at = names.find(name); at != std::string_view::npos;
       at = names.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool starts = at == 0 || names[at - 1] == '\0';
    const bool ends = end == names.size() || names[end] == '\0' || names[end] == '@';
    if (starts && ends) return true;
  }
  return false;
}

struct ProgramNames {
  bool has_collector = false;
  bool loads_address_sanitizer = false;
};

ProgramNames names_in(const Image& image) {
  ProgramNames found;
  for (const char* section_name : {".dynstr", ".strtab"}) {
    const Section* section = image.find_section(section_name);
    if (section == nullptr) continue;
    const auto bytes = image.section_bytes(*section);
    if (!bytes) continue;
    const std::string_view names(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    found.has_collector = found.has_collector || has_name(names, collector_mark);
    found.loads_address_sanitizer =
        found.loads_address_sanitizer ||
        std::ranges::any_of(sanitizer_libraries, [&](std::string_view library) {
          return names.find(library) != std::string_view::npos;
        });
  }
  return found;
}

std::string first_line(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string line(256, '\0');
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(in.gcount()));
  return line.substr(0, line.find('\n'));
}

// From the kernel's "#!" line; empty if there is none.
std::string interpreter_of(const fs::path& path) {
  const std::string line = first_line(path);
  if (!line.starts_with("#!")) return "";
  const std::size_t start = line.find_first_not_of(" \t", 2);
  if (start == std::string::npos) return "";
  return line.substr(start, line.find_first_of(" \t", start) - start);
}

// What takes profiles of programs that the collector cannot be loaded into.
constexpr std::string_view by_perf =
    "record it with perf record -g, whose perf.data gprof-lsp reads";

bool is_made_by_go(const Image& image) {
  return image.find_section(".go.buildinfo") != nullptr ||
         image.find_section(".note.go.buildid") != nullptr;
}

// The dynamic linker; empty if the program is static.
std::string dynamic_linker(const Image& image) {
  const Section* section = image.find_section(".interp");
  if (section == nullptr) return "";
  const auto bytes = image.section_bytes(*section);
  if (!bytes) return "";
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return std::string(text.substr(0, text.find('\0')));
}

std::string why_static(const Image& image) {
  const ProgramNames names = names_in(image);
  if (names.has_collector) return "though it holds the collector; did it end before it began?";
  return fmt::format(
      "it is statically linked, so that nothing can be loaded into it; {}, or link it with "
      "-lgprof_runtime, and with -pg if calls are to be counted",
      by_perf);
}

bool runs_as_somebody_else(const fs::path& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return false;
  return ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
         ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid());
}

// The kernel lets the superuser's programs have theirs without such a change of rights.
bool gains_capabilities(const fs::path& path) {
  return geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

bool is_for_another_processor(const Image& image) {
  const auto own = Image::open("/proc/self/exe");
  return own &&
         (image.machine() != (*own)->machine() || image.pointer_width() != (*own)->pointer_width());
}

Preloading preloading_of(const fs::path& path, const Image& image) {
  const std::string linker = dynamic_linker(image);
  if (is_for_another_processor(image) || runs_as_somebody_else(path) || gains_capabilities(path) ||
      linker.empty()) {
    return Preloading::impossible;
  }
  return is_made_by_go(image) ? Preloading::useless : Preloading::possible;
}

using gprof_formats::LibraryFit;

// Whether the program would not start with the library, or its dynamic linker would complain of it.
bool is_harmed(LibraryFit fit) {
  return fit == LibraryFit::other_libc || fit == LibraryFit::old_libc ||
         fit == LibraryFit::other_machine;
}

// Half a sentence for what is harmed; `linker`: where it is known.
std::string why_library_is_left_out(LibraryFit fit, std::string_view linker) {
  switch (fit) {
    case LibraryFit::old_libc:
      return fmt::format("its C library is a glibc older than 2.17, which the collector needs; {}",
                         by_perf);
    case LibraryFit::other_machine:
      return fmt::format("it is made for another kind of processor than the collector; {}",
                         by_perf);
    default:
      return fmt::format(
          "its C library is {}, and the collector needs glibc; {}",
          linker.find("/ld-musl-") != std::string_view::npos ? "musl" : "another one", by_perf);
  }
}

std::string why_elf(const fs::path& path, const Image& image) {
  if (is_for_another_processor(image)) {
    return fmt::format("it is made for another kind of processor than the collector; {}", by_perf);
  }
  if (runs_as_somebody_else(path)) {
    return fmt::format(
        "it changes its user or group when it starts, and such a program is not profiled; run a "
        "copy of it that does not, or {}",
        by_perf);
  }
  if (gains_capabilities(path)) {
    return fmt::format(
        "it gains capabilities when it starts, and such a program is not profiled; run a copy of "
        "it that does not, or {}",
        by_perf);
  }
  if (is_made_by_go(image)) {
    return fmt::format("it is a Go program, which takes all signals for itself; {}", by_perf);
  }
  const std::string linker = dynamic_linker(image);
  if (linker.empty()) return why_static(image);
  const LibraryFit fit = library_fit_of_program(path);
  if (is_harmed(fit)) return why_library_is_left_out(fit, linker);
  if (names_in(image).loads_address_sanitizer) {
    return "AddressSanitizer may have refused to run beside the collector, which takes "
           "verify_asan_link_order=0 in ASAN_OPTIONS";
  }
  return fmt::format("it may have ended before it began, or was started without LD_PRELOAD; {}",
                     by_perf);
}

bool names_a_path(const std::string& name) { return name.find('/') != std::string::npos; }

// A search that passes an unreadable directory fails with EACCES, found or not.
bool is_nowhere(const std::string& name, int error) {
  return (error == ENOENT || (error == EACCES && !names_a_path(name))) && !find_program(name);
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  std::error_code ignored;
  if (name.empty()) return std::nullopt;
  if (names_a_path(name)) {
    return fs::exists(name, ignored) ? std::optional<fs::path>(name) : std::nullopt;
  }
  const char* variable = std::getenv("PATH");
  std::string_view search = variable == nullptr ? default_search_path : variable;
  std::optional<fs::path> found;
  for (;;) {
    const std::string_view directory = search.substr(0, search.find(':'));
    // An empty name is the current directory.
    const fs::path candidate = fs::path(directory.empty() ? "." : directory) / name;
    if (can_run(candidate)) return candidate;
    if (!found && fs::exists(candidate, ignored)) found = candidate;
    if (directory.size() == search.size()) return found;
    search.remove_prefix(directory.size() + 1);
  }
}

Preloading preloading_of(const std::string& name) {
  const auto path = find_program(name);
  if (!path) return Preloading::possible;
  if (is_harmed(library_fit_of_program(*path))) return Preloading::harmful;
  const auto image = Image::open(*path);
  return image ? preloading_of(*path, **image) : Preloading::possible;
}

std::string why_no_profile(const std::string& name, const std::string& problem) {
  if (!problem.empty()) return fmt::format("the collector reported: {}", problem);
  const auto path = find_program(name);
  if (!path) return "and the program's file is no longer there";
  const auto image = Image::open(*path);
  if (image) return why_elf(*path, **image);
  const std::string interpreter = interpreter_of(*path);
  const std::string script =
      fmt::format("it is a script{}{}", interpreter.empty() ? "" : " for ", interpreter);
  const LibraryFit fit = library_fit_of_program(*path);
  if (is_harmed(fit)) {
    return fmt::format("{}, and {}", script, why_library_is_left_out(fit, ""));
  }
  return script + ", which left none, nor did a program that it ran";
}

std::string why_not_started(const std::string& name, int error) {
  if (is_nowhere(name, error)) {
    return fmt::format("{}: not found{}", name, names_a_path(name) ? "" : " in PATH");
  }
  const auto path = find_program(name);
  if (error == ENOENT && path) {
    const std::string interpreter = interpreter_of(*path);
    return fmt::format("{}: its interpreter{}{} was not found", name,
                       interpreter.empty() ? "" : " ", interpreter);
  }
  std::error_code ignored;
  if (path && fs::is_directory(*path, ignored)) {
    return fmt::format("{}: is a directory, not a program", name);
  }
  return fmt::format("{}: {}", name, std::system_category().message(error));
}

int status_of_start_error(const std::string& name, int error) {
  return is_nowhere(name, error) ? not_found_status : not_executable_status;
}

}  // namespace gprof::lsp
