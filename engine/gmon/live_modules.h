// The modules of live counters: which one held an address at a time, and which records belong to
// one module (a library loaded several times has several records).
//
// Ownership: borrows the counters. Thread contract: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/gmon/live_counters.h"
#include "engine/gmon/sidecar.h"

namespace gprof {

class LiveModules {
 public:
  explicit LiveModules(const LiveCounters& live);

  // Records with the same path, soname, build-id and code are one module. The executable comes
  // first, the others in the order they were recorded.
  struct Module {
    const LiveModule* last = nullptr;  // its last record; gives the bias, path and build-id
    AddressRange text;
    Address init_address;     // 0 if there is none
    std::uint32_t flags = 0;  // module_flags
  };
  [[nodiscard]] const std::vector<Module>& modules() const { return modules_; }
  [[nodiscard]] bool has_executable() const {
    return !modules_.empty() && (modules_.front().flags & module_flags::main) != 0;
  }

  // The link-time address in the module that held the address in that epoch; no_module and the
  // address itself if none did.
  [[nodiscard]] ModuleAddress resolve(std::uint64_t address, std::uint64_t epoch);

 private:
  struct Record {
    const LiveModule* record = nullptr;
    std::uint32_t module = 0;
    std::uint64_t highest = 0;  // the largest `high` of this record and all before it
  };
  [[nodiscard]] const Record* find(std::uint64_t address, std::uint64_t epoch) const;

  std::vector<Module> modules_;
  std::vector<Record> records_;  // ascending by start address, then by time
  std::size_t last_found_ = 0;
};

}  // namespace gprof
