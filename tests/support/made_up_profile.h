// Concise snapshots of programs that do not exist: functions that are mere addresses, their calls,
// and sampled stacks.
//
// The functions follow one another from 0x1000, 0x40 bytes each, in the order of their names. Every
// tick of a function falls on its first bytes, every call comes from its ninth. Thread contract:
// one thread. Errors end the test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis.h"

namespace gprof::test {

class MadeUpProfile {
 public:
  // The directory is named after the test.
  MadeUpProfile(std::string directory, std::vector<std::string> functions)
      : directory_(std::move(directory)), functions_(std::move(functions)) {}

  MadeUpProfile& self(std::string_view function, std::uint16_t ticks);
  // "?" is an unknown caller.
  MadeUpProfile& calls(std::string_view caller, std::string_view callee, std::uint64_t count);
  // Outermost function first; "/lib/NAME" is code of a library, "/lib/NAME:function" a function of
  // one. Adds to the innermost function's self ticks.
  MadeUpProfile& stack(std::uint64_t count, const std::vector<std::string>& frames,
                       bool truncated = false);
  // Threads and slices of a tenth of a second, in which stacks are sampled and calls are made; of a
  // program with these, other stacks and calls have no known thread.
  MadeUpProfile& thread(std::uint32_t number, std::string_view name);
  MadeUpProfile& stack_of(std::size_t thread, std::uint32_t slice, std::uint64_t count,
                          const std::vector<std::string>& frames);
  MadeUpProfile& calls_of(std::size_t thread, std::string_view caller, std::string_view callee,
                          std::uint64_t count);
  // So many of the samples of the last stack are time in the kernel. Needs threads.
  MadeUpProfile& in_kernel(std::uint64_t count);
  // A thread's wait in a slice, in a call of that function; `frames` as of stacks. Needs threads.
  MadeUpProfile& wait_of(std::size_t thread, std::uint32_t slice, WaitKind kind,
                         std::string_view function, std::uint64_t milliseconds,
                         const std::vector<std::string>& frames);
  // Who had the lock that the last wait was for, for so much of it.
  MadeUpProfile& held_by(std::uint64_t milliseconds, const std::vector<std::string>& frames);
  // Samples of a function without their stack.
  MadeUpProfile& lost(std::string_view function, std::uint16_t ticks);

  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;
  [[nodiscard]] SymbolIndex symbol(std::string_view function) const;

 private:
  struct Call {
    std::string caller;
    std::string callee;
    std::uint64_t count;
    std::uint32_t thread = no_thread;
  };
  struct Stack {
    std::uint64_t count;
    std::vector<std::string> frames;
    bool truncated;
    std::uint32_t thread = no_thread;
    std::uint32_t slice = no_slice;
    std::uint64_t kernel_count = 0;
  };
  struct Thread {
    std::uint32_t number;
    std::string name;
  };

  struct Holder {
    std::uint64_t milliseconds;
    std::vector<std::string> frames;
  };
  struct Wait {
    std::uint32_t thread;
    std::uint32_t slice;
    WaitKind kind;
    std::string function;
    std::uint64_t milliseconds;
    std::vector<std::string> frames;
    std::vector<Holder> holders = {};
  };
  using PlaceOf = std::function<ModuleAddress(const std::string& frame, bool innermost)>;

  [[nodiscard]] Address entry(std::string_view function) const;
  // Those of all stacks, "/lib/NAME:function", in their order.
  [[nodiscard]] std::vector<std::string> library_frames() const;
  // The functions of a library, in that order.
  [[nodiscard]] std::vector<std::string> functions_of(std::string_view library) const;
  void write_libraries(const std::filesystem::path& directory) const;
  [[nodiscard]] std::vector<std::byte> executable() const;
  [[nodiscard]] std::vector<std::byte> gmon() const;
  void add_parts(Sidecar& sidecar) const;
  void add_waits(Sidecar& sidecar, const PlaceOf& place_of) const;
  [[nodiscard]] std::vector<std::byte> sidecar(const std::filesystem::path& directory) const;

  std::string directory_;
  std::vector<std::string> functions_;
  std::vector<std::uint16_t> self_;
  std::vector<Call> calls_;
  std::vector<Stack> stacks_;
  std::vector<Thread> threads_;
  std::vector<Wait> waits_;
  std::uint64_t lost_ = 0;
};

}  // namespace gprof::test
