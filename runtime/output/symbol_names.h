// Finds the name of the function at a run-time address among its module's dynamic symbols in
// memory.
//
// Takes no locks and does not trust what it reads: memory is read through the kernel if that is
// allowed, so that a library unloaded meanwhile costs a name and not the process.
//
// Ownership: keeps one module's symbols at a time, in memory that it owns. Thread contract: one
// thread at a time, any signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/output/anonymous_array.h"

namespace gprof_runtime {

class SymbolNames {
 public:
  static constexpr std::size_t longest_name = 4096;

  // The name of the function that holds the address (st_value <= address < st_value + st_size); of
  // several, the one with the fewest leading underscores. Empty if none is known. Valid until the
  // next call.
  const char* name_of(std::uint64_t address);

 private:
  struct Function {
    std::uint64_t low;  // run-time addresses
    std::uint64_t high;
    std::uint64_t name;  // address of the text
  };

  void read_module(std::uint64_t address);

  AnonymousArray<Function> functions_;
  std::uint64_t module_low_ = 0;  // of the functions' module
  std::uint64_t module_high_ = 0;
  char candidate_[longest_name];
  char name_[longest_name];
};

}  // namespace gprof_runtime
