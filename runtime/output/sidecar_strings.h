// The texts of a sidecar: the names of modules, of their files, of threads, and of the functions
// that calls went via or waited in.
//
// Ownership: owns its anonymous memory. Thread contract: one thread at a time, any signal handler.
#pragma once

#include <cstdint>
#include <tuple>

#include "runtime/output/anonymous_array.h"
#include "runtime/output/gather.h"
#include "runtime/output/symbol_names.h"

namespace gprof_runtime {

class SidecarStrings {
 public:
  // Offsets of a module's texts.
  struct ModuleTexts {
    std::uint32_t path;
    std::uint32_t soname;
    std::uint32_t build_id;
    std::uint32_t file;
  };

  // Collects all texts but the names of gmon files. False if memory ran out.
  bool collect(const Gathered& gathered, SymbolNames& symbols);
  // Adds the names of gmon files; call again if another name is chosen after all. `name`: the
  // executable's file. False if memory ran out. Precondition: collect().
  bool name_files(const Gathered& gathered, const char* name);

  [[nodiscard]] const AnonymousArray<char>& bytes() const { return bytes_; }
  [[nodiscard]] const ModuleTexts& of_module(std::uint32_t module) const {
    return modules_[module];
  }
  // The offset of a thread's name.
  [[nodiscard]] std::uint32_t of_thread(std::uint32_t thread) const {
    return thread_names_[thread];
  }
  // The offset of the name of a function that waits, by its number.
  [[nodiscard]] std::uint32_t of_wait_function(std::uint32_t number) const {
    return number < wait_functions_.size() ? wait_functions_[number] : 0;
  }
  // The offset of the name of the function that an arc went via; 0 if it has none.
  [[nodiscard]] std::uint32_t via_name(const ArcEntry& arc) const;

 private:
  struct ViaName {
    std::uint32_t module;
    std::uint32_t text;
    std::uint64_t address;
  };

  static auto key_of(const ViaName& name) { return std::tie(name.module, name.address); }

  std::uint32_t add(const char* text);
  std::uint32_t add_once(const char* text);
  void collect_modules(const Gathered& gathered);
  void collect_thread_names(const Gathered& gathered);
  void collect_wait_functions(const Gathered& gathered);
  void collect_via_names(const Gathered& gathered, SymbolNames& symbols);

  AnonymousArray<char> bytes_;
  AnonymousArray<ModuleTexts> modules_;
  AnonymousArray<std::uint32_t> thread_names_;
  AnonymousArray<std::uint32_t> wait_functions_;  // 0 for those that nothing waits in
  AnonymousArray<ViaName> via_names_;             // ascending by module and address
};

}  // namespace gprof_runtime
