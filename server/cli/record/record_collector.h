// Which samples of a run are in the collector itself: in its library, or in the executable it is
// linked into, according to its symbols.
//
// Ownership: caches results by executable, as many processes may run the same one. Thread contract:
// one thread; reads executables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/support/units.h"

namespace gprof::lsp {

[[nodiscard]] bool is_collector_library(const SidecarModule& module);

class CollectorCode {
 public:
  // By weight. Samples in an executable count only if its file is the one that ran, and has
  // symbols.
  [[nodiscard]] std::uint64_t samples_in(const Sidecar& sidecar);

 private:
  using Ranges = std::vector<AddressRange>;  // ascending
  const Ranges& linked_into(const SidecarModule& executable);

  std::map<std::pair<std::string, std::string>, Ranges> linked_;  // by path and build-id
};

}  // namespace gprof::lsp
