// The modules of a profile: what was recorded of executables and libraries, with link-time
// addresses, each library once, however often it was loaded.
//
// Records with one path, build-id and code are one module. Numbers of modules are those of the
// sidecar; the executable is module 0.
//
// Ownership: texts and build-ids are those of the records, which are never freed. Thread contract:
// one thread at a time; others may record modules meanwhile.
#pragma once

#include <cstdint>

#include "formats/live_file.h"
#include "formats/sidecar.h"
#include "runtime/output/anonymous_array.h"

namespace gprof_runtime {

using namespace gprof_formats;

struct Module {
  const ModuleRecord* record;  // the last; of it are the bias, the path and the build-id
  std::uint64_t text_low;      // link-time addresses
  std::uint64_t text_high;
  std::uint64_t init_address;  // 0 where there is none
  std::uint32_t flags;         // ModuleFlags
  std::uint32_t loaded;        // whether the last record's module still is
  // What this module's gmon file adds to the name of the executable's: see output_names.h.
  std::uint32_t has_file;
  std::uint32_t file_number;  // 0: the soname alone; else it is appended
};

// A link-time address of a module; a run-time address where the module is no_module.
struct Place {
  std::uint32_t module;
  std::uint64_t address;
};

class ModuleTable {
 public:
  // Takes what has been recorded. False where the executable is not known or memory ended.
  bool collect();

  // Where a run-time address lay in the epoch. May record and add a module.
  Place resolve(std::uint64_t address, std::uint64_t epoch);

  // The module of a record that is in the live tables; no_module where memory ended.
  std::uint32_t number_of(const ModuleRecord* record);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(modules_.size()); }
  Module& operator[](std::uint32_t module) { return modules_[module]; }
  const Module& operator[](std::uint32_t module) const { return modules_[module]; }

  // The epoch that lasts; addresses in tables without an epoch of their own are of it.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  [[nodiscard]] bool complete() const { return modules_.complete() && records_.complete(); }

 private:
  struct Record {
    const ModuleRecord* record;
    std::uint32_t module;
  };

  std::uint32_t add(const ModuleRecord* record);

  AnonymousArray<Module> modules_;
  AnonymousArray<Record> records_;
  const ModuleRecord* last_ = nullptr;  // what was asked for last, and its module
  std::uint32_t last_module_ = no_module;
  std::uint64_t epoch_ = 0;
};

}  // namespace gprof_runtime
