// Which call chains of a recording are complete: those that reach the function that began their
// thread.
//
// A recording seldom says where a chain ended. The functions that threads begin in are not listed
// here: each C library, language and library of fibers has its own. Instead, the chains of a thread
// are compared. Most of them end in one function, which nothing calls; chains that were cut end
// wherever the copy of the stack or the chain of frame pointers did.
//
// Ownership: borrows builder and symbols. Thread contract: one thread. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/object/symbol_table.h"
#include "engine/profile/profile_builder.h"

namespace gprof {

// What the recording says of where a chain ended.
enum class ChainEnd : std::uint8_t {
  open,   // nothing
  whole,  // in the outermost frame of its thread
  cut,    // there are more frames
};

class ChainEnds {
 public:
  ChainEnds(const ProfileBuilder& builder, const SymbolTable& symbols)
      : builder_(builder), symbols_(symbols) {}

  // How the recording says that the stack's chain ended. Where it says both, it is whole.
  void say(Row stack, ChainEnd end);
  // A sample with that stack. Threads are numbered from 0 on, without gaps.
  void add(Row stack, std::uint32_t thread) { samples_.push_back({stack, thread}); }

  // Call it once, after all samples and before others add stacks to the builder.
  void decide();
  // After decide(), of the stacks that there were.
  [[nodiscard]] bool is_complete(Row stack) const { return stacks_[stack].is_complete; }
  [[nodiscard]] bool has_program(Row stack) const { return stacks_[stack].has_program; }

 private:
  struct Sample {
    Row stack = no_row;
    std::uint32_t thread = 0;
  };
  struct Stack {
    std::uint32_t outermost = 0;  // the function that it ends in: a number of outermost_
    bool has_user_code = false;
    bool has_callers = false;   // of its innermost user code
    bool is_in_loader = false;  // that code is the dynamic linker's
    bool has_program = false;
    bool is_open = false;  // only other chains can tell where this one ended
    bool is_complete = false;
  };
  // A function in which chains end.
  struct Outermost {
    bool is_known = false;
    std::uint64_t ended = 0;   // samples whose chains end in it
    std::uint64_t called = 0;  // calls of it on the stacks of all samples
    // Open samples of the threads in which chains end here, without chains known to be cut.
    std::uint64_t samples = 0;
    std::uint64_t chains = 0;  // those with callers
    // Whether other chains show callers of it: chains that end in it were cut.
    [[nodiscard]] bool is_called() const;
    [[nodiscard]] bool begins_threads() const;
  };
  // A module, and a function of it by symbol, name or address.
  struct Function {
    Row module = no_row;
    std::uint64_t number = 0;
    friend bool operator==(const Function&, const Function&) = default;
  };
  struct FunctionHash {
    std::size_t operator()(const Function& function) const;
  };

  [[nodiscard]] bool is_of_kernel(Row place) const;
  [[nodiscard]] bool is_of_loader(Row place) const;
  [[nodiscard]] bool is_of_program(Row place) const;
  [[nodiscard]] Function function_of(Row place) const;
  [[nodiscard]] std::uint32_t outermost_at(Row place);
  void describe_stacks();
  void count_ends();
  void count_calls();
  void count_chains_of_threads();
  [[nodiscard]] bool is_whole(Row stack) const;

  const ProfileBuilder& builder_;
  const SymbolTable& symbols_;
  std::vector<ChainEnd> said_;  // by stack
  std::vector<Sample> samples_;
  std::vector<Stack> stacks_;
  std::unordered_map<Function, std::uint32_t, FunctionHash> numbers_;  // of outermost_
  std::vector<Outermost> outermost_;
};

}  // namespace gprof
