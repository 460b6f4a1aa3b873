// libdebuginfod, which fetches the debug information of builds from the servers that
// DEBUGINFOD_URLS names and keeps it in the user's cache. Loaded when it is first needed: it brings
// an HTTP client with it that most processes never use.
//
// It reads DEBUGINFOD_URLS, _CACHE_PATH, _TIMEOUT, _MAXSIZE and _MAXTIME by itself.
// Thread contract: any thread, several fetches at once. Errors: load() fails with not_found if it
// is not installed, or if this program is linked statically.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "engine/support/expected.h"

namespace gprof::lsp {

class DebuginfodLibrary {
 public:
  // Called about once a second or more often. `total` bytes are to come, 0 if that is not known;
  // then `done` may count something else than bytes. False: the fetch ends.
  using Progress = std::function<bool(long done, long total)>;
  struct Fetched {
    int error = 0;  // errno; ENOENT if no server knows the build
    std::filesystem::path path;
  };

  // The same one for all; never unloaded.
  static Expected<const DebuginfodLibrary*> load();

  // Waits until the debug information of the build is there, or is found not to come.
  [[nodiscard]] Fetched find_debug_information(const std::string& build_id_hex,
                                               const Progress& progress) const;

 private:
  struct Functions;
  explicit DebuginfodLibrary(const Functions& functions) : functions_(functions) {}
  static Expected<DebuginfodLibrary> open();

  const Functions& functions_;
};

}  // namespace gprof::lsp
