// The modules of a profile: recorded executables and libraries, with link-time addresses, each
// library once however often it was loaded.
//
// Records with the same path, build-id and code are one module. Module numbers are those of the
// sidecar; the executable is module 0.
//
// Ownership: texts and build-ids belong to the records, which are never freed. Thread contract: one
// thread at a time; others may record modules meanwhile.
#pragma once

#include <cstdint>

#include "formats/live_file.h"
#include "formats/sidecar.h"
#include "runtime/output/anonymous_array.h"

namespace gprof_runtime {

using namespace gprof_formats;

struct Module {
  const ModuleRecord* record;  // the latest; gives bias, path and build-id
  std::uint64_t text_low;      // link-time addresses
  std::uint64_t text_high;
  std::uint64_t init_address;  // 0 if there is none
  std::uint32_t flags;         // ModuleFlags
  std::uint32_t loaded;        // whether the latest record's module still is
  // What this module's gmon file appends to the executable's file name: see output_names.h.
  std::uint32_t has_file;
  std::uint32_t file_number;  // 0: only the soname; otherwise appended to it
};

// A link-time address in a module; a run-time address if the module is no_module.
struct ModuleAddress {
  std::uint32_t module;
  std::uint64_t address;
};

class ModuleTable {
 public:
  // Takes all recorded modules. False if the executable is not known or memory ran out.
  bool collect();

  // Which address of which module a run-time address was in the epoch. May record and add a module.
  ModuleAddress resolve(std::uint64_t address, std::uint64_t epoch);

  // The module of a record in the live tables; no_module if memory ran out.
  std::uint32_t number_of(const ModuleRecord* record);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(modules_.size()); }
  Module& operator[](std::uint32_t module) { return modules_[module]; }
  const Module& operator[](std::uint32_t module) const { return modules_[module]; }

  // The current epoch; addresses in tables without an epoch of their own belong to it.
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
  const ModuleRecord* last_ = nullptr;  // the last one looked up, and its module
  std::uint32_t last_module_ = no_module;
  std::uint64_t epoch_ = 0;
};

}  // namespace gprof_runtime
