// The modules of live counters: which of them held an address at a time, and which of their
// records are of one module (a library that was loaded several times has several records).
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

  // Records with one path, soname, build-id and code are one module. The executable is the first;
  // the others come in the order in which they were recorded.
  struct Module {
    const LiveModule* last = nullptr;  // of its records: bias, path and build-id are of this one
    AddressRange text;
    Address init_address;     // 0 where there is none
    std::uint32_t flags = 0;  // module_flags
  };
  [[nodiscard]] const std::vector<Module>& modules() const { return modules_; }
  [[nodiscard]] bool has_executable() const {
    return !modules_.empty() && (modules_.front().flags & module_flags::main) != 0;
  }

  // The link-time address in the module that held the address in the epoch; no_module and the
  // address itself where none did.
  [[nodiscard]] SidecarPlace resolve(std::uint64_t address, std::uint64_t epoch);

 private:
  struct Record {
    const LiveModule* record = nullptr;
    std::uint32_t module = 0;
    std::uint64_t highest = 0;  // `high` of this record and of all before it
  };
  [[nodiscard]] const Record* find(std::uint64_t address, std::uint64_t epoch) const;

  std::vector<Module> modules_;
  std::vector<Record> records_;  // ascending by where they begin, then by when
  std::size_t last_found_ = 0;
};

}  // namespace gprof
