// The name of the function at a run-time address, by the dynamic symbols of its module in memory.
//
// Nothing here takes a lock or trusts what it reads: memory is read through the kernel where that
// is allowed, so that a library that is unloaded meanwhile costs a name and not the process.
//
// Ownership: one module's symbols are kept at a time, in memory of its own. Thread contract: one
// thread at a time, any signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/output/anonymous_array.h"

namespace gprof_runtime {

class SymbolNames {
 public:
  static constexpr std::size_t longest_name = 4096;

  // Of the function that holds the address (st_value <= address < st_value + st_size); where
  // several names are as good, the one with the fewest underscores at its beginning. The empty text
  // where none is known. Valid until the next call.
  const char* name_of(std::uint64_t address);

 private:
  struct Function {
    std::uint64_t low;  // run-time addresses
    std::uint64_t high;
    std::uint64_t name;  // address of the text
  };

  void read_module(std::uint64_t address);

  AnonymousArray<Function> functions_;
  std::uint64_t module_low_ = 0;  // of the module that the functions are of
  std::uint64_t module_high_ = 0;
  char candidate_[longest_name];
  char name_[longest_name];
};

}  // namespace gprof_runtime
