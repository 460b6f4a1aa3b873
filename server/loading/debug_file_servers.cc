#include "server/loading/debug_file_servers.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "server/system/cache_directory.h"
#include "server/system/debuginfod_library.h"
#include "server/system/debuginfod_program.h"

namespace gprof::lsp {
namespace {

// A server that says nothing for so long is taken to be away.
constexpr std::chrono::seconds longest_silence{15};
constexpr std::chrono::minutes longest_fetch{5};

// Where the size is not known, what is done counts the library's own steps until bytes come: these
// come in larger numbers.
constexpr long least_bytes = 4096;

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::chrono::seconds silence_of(const std::string& timeout) {
  long seconds = 0;
  const auto [end, error] =
      std::from_chars(timeout.data(), timeout.data() + timeout.size(), seconds);
  const bool usable = error == std::errc() && end == timeout.data() + timeout.size();
  if (!usable || seconds <= 0) return longest_silence;
  return std::min(longest_silence, std::chrono::seconds(std::min(seconds, 3600L)));
}

// As libdebuginfod chooses it.
std::vector<std::filesystem::path> download_caches(const DebugFileServers::Environment& from) {
  if (!from.cache.empty()) return {from.cache};
  std::vector<std::filesystem::path> caches;
  if (const std::filesystem::path home = from.home; home.is_absolute()) {
    caches.push_back(home / ".debuginfod_client_cache");
  }
  if (auto cache = user_directory(from.user_caches, from.home, ".cache")) {
    caches.push_back(*cache / "debuginfod_client");
  }
  return caches;
}

// libdebuginfod takes a fetch that was ended for the answer that there is nothing, and keeps an
// empty file for some minutes instead of asking again.
void forget_empty_file(const DebugFileSearch& search, const std::string& build_id_hex) {
  for (const auto& directory : search.download_caches) {
    const auto file = directory / build_id_hex / "debuginfo";
    std::error_code failed;
    const bool is_empty = std::filesystem::is_regular_file(file, failed) &&
                          std::filesystem::file_size(file, failed) == 0 && !failed;
    if (is_empty) std::filesystem::remove(file, failed);
  }
}

// By the library, or else by the program that stands for it.
Expected<DebuginfodLibrary::Fetched> find(const std::string& build_id_hex,
                                          const DebuginfodLibrary::Progress& progress) {
  const auto library = DebuginfodLibrary::load();
  if (library) return (*library)->find_debug_information(build_id_hex, progress);
  auto found = find_by_debuginfod_program(build_id_hex, progress);
  if (found) return found;
  return Error{ErrorCode::not_found,
               fmt::format("{}; or a program that does the same (Debian's package debuginfod): {}",
                           library.error().message, found.error().message),
               "libdebuginfod.so.1", std::nullopt};
}

}  // namespace

bool FetchPatience::goes_on(long done, long total, Clock::time_point now) {
  const bool is_news = total > 0 ? done != done_ : done >= done_ + least_bytes;
  if (is_news) {
    done_ = done;
    heard_ = now;
  }
  return now - heard_ < silence_ && now - start_ < longest_fetch;
}

DebugFileServers::Environment DebugFileServers::environment() {
  return {value_of("DEBUGINFOD_URLS"), value_of("DEBUGINFOD_CACHE_PATH"),
          value_of("DEBUGINFOD_TIMEOUT"), value_of("XDG_CACHE_HOME"), value_of("HOME")};
}

DebugFileServers::DebugFileServers(const Environment& environment)
    : are_named_(environment.urls.find_first_not_of(" \t\n") != std::string::npos),
      silence_(silence_of(environment.timeout)) {
  if (const std::filesystem::path home = environment.home; home.is_absolute()) {
    search_.perf_caches = {home / ".debug"};
  }
  search_.download_caches = download_caches(environment);
}

DebugFileSearch DebugFileServers::search() const {
  DebugFileSearch search = search_;
  const std::lock_guard lock(mutex_);
  search.attempt = attempt_;
  return search;
}

std::optional<DebugFileServers::Outcome> DebugFileServers::known(
    const std::string& build_id_hex) const {
  const std::lock_guard lock(mutex_);
  if (absent_.contains(build_id_hex)) return Outcome{};
  if (silent_ || given_up_.contains(build_id_hex)) return Outcome{std::nullopt, true, {}};
  return std::nullopt;
}

void DebugFileServers::remember(const std::string& build_id_hex, bool gave_up, bool silent) {
  const std::lock_guard lock(mutex_);
  (gave_up ? given_up_ : absent_).insert(build_id_hex);
  silent_ = silent_ || silent;
}

void DebugFileServers::try_again() {
  const std::lock_guard lock(mutex_);
  if (silent_ || !given_up_.empty()) ++attempt_;
  absent_.clear();
  given_up_.clear();
  silent_ = false;
}

DebugFileServers::Outcome DebugFileServers::fetch(const std::string& build_id_hex,
                                                  const std::string& name,
                                                  const Progress& progress) {
  if (!are_named_) return {};
  if (auto outcome = known(build_id_hex)) return *std::move(outcome);
  FetchPatience patience(FetchPatience::Clock::now(), silence_);
  bool stopped = false;
  bool out_of_patience = false;
  const auto answer = find(build_id_hex, [&](long done, long total) {
    stopped = stopped || !progress(done, total);
    out_of_patience =
        out_of_patience || !patience.goes_on(done, total, FetchPatience::Clock::now());
    return !stopped && !out_of_patience;
  });
  if (!answer) {
    remember(build_id_hex, true, true);
    return {std::nullopt, true,
            fmt::format("DEBUGINFOD_URLS is set, but nothing can be fetched: {}",
                        describe(answer.error()))};
  }
  const auto& fetched = *answer;
  if (fetched.error == 0) return {fetched.path, false, {}};
  if (fetched.error == ENOENT && !stopped && !out_of_patience) {
    remember(build_id_hex, false, false);
    return {};
  }
  if (stopped || out_of_patience) forget_empty_file(search_, build_id_hex);
  remember(build_id_hex, true, !stopped);
  if (stopped) {
    return {std::nullopt, true,
            fmt::format("Debug information of {} was not fetched: it was cancelled. Reload to try "
                        "again.",
                        name)};
  }
  return {std::nullopt, true,
          fmt::format("Debug information of {} could not be fetched from DEBUGINFOD_URLS: {}. "
                      "Nothing more is fetched until a reload.",
                      name,
                      out_of_patience ? std::string("it takes too long")
                                      : std::system_category().message(fetched.error))};
}

}  // namespace gprof::lsp
