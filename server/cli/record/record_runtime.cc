#include "server/cli/record/record_runtime.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "formats/run_notes.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// The collector's name for the highest rate with little overhead on its clock.
constexpr std::string_view best_rate = "auto";
// The first comes with what programs are linked with; without it there is only the second.
constexpr std::string_view library_name = "libgprof_runtime.so";
constexpr std::string_view versioned_name = "libgprof_runtime.so.0";

// Debian's name of the architecture.
#if defined(__x86_64__)
constexpr std::string_view multiarch = "x86_64-linux-gnu";
#elif defined(__aarch64__)
constexpr std::string_view multiarch = "aarch64-linux-gnu";
#else
constexpr std::string_view multiarch = "";
#endif

// Empty if it cannot be determined.
fs::path own_directory() {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel hands the pointer over as a number
    const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    if (name == nullptr) return {};
    program = fs::canonical(name, error);
  }
  return error ? fs::path() : program.parent_path();
}

std::vector<fs::path> places() {
  const fs::path here = own_directory();
  if (here.empty()) return {};
  const fs::path above = here.parent_path();
  std::vector<fs::path> found = {above / "lib", above / "lib" / "gprof-lsp", here};
  if (!multiarch.empty()) {
    found.push_back(above / "lib" / multiarch);
    found.push_back(above / "lib" / multiarch / "gprof-lsp");
  }
  found.push_back(above / "lib64");
  return found;
}

void remove_variable(std::vector<std::string>& environment, std::string_view name) {
  const std::string start = fmt::format("{}=", name);
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(start); });
}

void set_variable(std::vector<std::string>& environment, std::string_view name,
                  const std::string& value) {
  remove_variable(environment, name);
  environment.push_back(fmt::format("{}={}", name, value));
}

// An empty variable counts as unset.
bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// AddressSanitizer aborts a program if another library is loaded before its runtime, unless the
// check is disabled. Any program may start one that uses it.
std::string sanitizer_options() {
  constexpr std::string_view option = "verify_asan_link_order=";
  const char* given = std::getenv("ASAN_OPTIONS");
  std::string options = given == nullptr ? "" : given;
  if (options.find(option) != std::string::npos) return options;
  return fmt::format("{}{}{}0", options, options.empty() ? "" : ":", option);
}

// The library in this folder, or nothing.
fs::path library_in(const fs::path& place) {
  for (const std::string_view name : {library_name, versioned_name}) {
    fs::path candidate = place / name;
    if (access(candidate.c_str(), R_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace

Expected<fs::path> find_runtime() {
  std::string searched;
  for (const fs::path& place : places()) {
    fs::path candidate = library_in(place);
    if (!candidate.empty()) {
      // The dynamic linker takes these for separators and for variables.
      if (candidate.native().find_first_of(" \t\n:$") == std::string::npos) return candidate;
      return Error{ErrorCode::invalid_argument,
                   "LD_PRELOAD cannot hold a path with a blank, a colon or a dollar sign; install "
                   "gprof-lsp elsewhere",
                   candidate.string(), std::nullopt};
    }
    searched += fmt::format("{}{}", searched.empty() ? "" : ", ", place.string());
  }
  return Error{
      ErrorCode::not_found,
      fmt::format("{} is in none of the expected places: {}", library_name,
                  searched.empty() ? "the path of gprof-lsp itself is not known" : searched),
      "", std::nullopt};
}

std::vector<std::string> recording_environment(const fs::path& runtime,
                                               const CollectorSettings& settings) {
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    environment.emplace_back(*entry);
  }
  const char* preloaded = std::getenv("LD_PRELOAD");
  const bool others = preloaded != nullptr && *preloaded != '\0';
  if (settings.preload) {
    set_variable(environment, "LD_PRELOAD",
                 others ? fmt::format("{}:{}", runtime.string(), preloaded) : runtime.string());
  }
  set_variable(environment, "ASAN_OPTIONS", sanitizer_options());
  set_variable(environment, "GPROF_OUTPUT", settings.output.string());
  set_variable(environment, "GPROF_PRICE", "1");
  set_variable(environment, "GPROF_ANY", "1");
  if (settings.rate) {
    set_variable(environment, "GPROF_RATE", fmt::format("{}", *settings.rate));
  } else if (!is_set("GPROF_RATE")) {
    set_variable(environment, "GPROF_RATE", std::string(best_rate));
  }
  remove_variable(environment, "GPROF_SAMPLE_PRICE");
  if (settings.sample_price) {
    set_variable(environment, "GPROF_SAMPLE_PRICE", fmt::format("{}", *settings.sample_price));
  }
  // Programs that count calls keep stacks as well: gprof's estimates know nothing of libraries.
  if (settings.stacks || !is_set("GPROF_STACKS")) {
    set_variable(environment, "GPROF_STACKS", settings.stacks.value_or(true) ? "1" : "0");
  }
  if (settings.waits) set_variable(environment, "GPROF_WAIT", "1");
  if (settings.live) set_variable(environment, "GPROF_LIVE", "1");
  remove_variable(environment, gprof_formats::notes_variable);
  if (!settings.notes.empty()) {
    set_variable(environment, gprof_formats::notes_variable, settings.notes);
  }
  remove_variable(environment, "GPROF_RECORD");
  return environment;
}

}  // namespace gprof::lsp
