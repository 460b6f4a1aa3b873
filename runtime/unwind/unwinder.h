// Walks a call stack with the call frame information of .eh_frame, from within the process: from a
// signal handler at any instruction, or from the entry of an instrumented function.
//
// May be interrupted anywhere and never crashes: it reads only the page of the starting stack
// pointer and pages that the kernel reports readable; invalid information ends the walk. Rules are
// kept in a cache by address. No allocation, no locks. Needs about 4 KiB of stack.
//
// Code without rules is left as its instructions say (return_path.h), else by its frame pointer.
// Such a step is inferred, and is taken only to an address behind a call. A walk that does not get
// to the outermost frame can be made once more in doubt of the rules.
//
// Source of the rules: DWARF 5, section 6.4; LSB 5.0, chapter 10.6 (.eh_frame, .eh_frame_hdr).
//
// Thread contract: an Unwinder belongs to one thread. Any number of threads and signal handlers may
// use one RuleCache at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/system/readable.h"

namespace gprof_runtime {

// Registers by their DWARF numbers: x86-64 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp,
// 8 to 15 r8 to r15; aarch64 0 to 30 x0 to x30, 31 sp.
#if defined(__x86_64__)
inline constexpr unsigned register_count = 16;
inline constexpr unsigned stack_register = 7;
inline constexpr unsigned frame_register = 6;
#else
inline constexpr unsigned register_count = 32;
inline constexpr unsigned stack_register = 31;
inline constexpr unsigned frame_register = 29;
#endif

// Larger frames are taken for errors.
inline constexpr std::uint64_t largest_frame = std::uint64_t{1} << 30U;

struct Registers {
  std::uint64_t pc = 0;
  std::uint64_t general[register_count] = {};
  std::uint64_t sp() const { return general[stack_register]; }
};

// A direct-mapped cache, by pc, of how to leave a frame. Zero-filled is empty. A rule is valid only
// in the epoch it was found in, because code may be unloaded.
struct UnwindRule {
  std::uint64_t pc;
  std::uint64_t packed[3];  // see rule_cache.h
};
struct RuleCache {
  static constexpr std::size_t size = 4096;
  UnwindRule rules[size];
};
// The cache that all threads of the process share.
RuleCache& process_rules();

// If the unwind information of a static program must be searched for, does so now rather than in
// the first walk. Call at the start of the program; any thread.
void prepare_unwinding();

struct FrameRules;
struct PackedRule;
struct FrameDescription;

class Unwinder {
 public:
  // `registers`: their values at pc. `exact_pc`: pc is an interrupted instruction, not a return
  // address. `cache` may be null. `epoch`: modules::epoch(). `memory`: what is known to be readable
  // of the stack.
  Unwinder(const Registers& registers, bool exact_pc, RuleCache* cache, std::uint64_t epoch,
           const ReadableMemory& memory);
  Unwinder(const Registers& registers, bool exact_pc, RuleCache* cache, std::uint64_t epoch)
      : Unwinder(registers, exact_pc, cache, epoch, ReadableMemory(registers.sp())) {}

  // From now on step() uses only cached rules, which takes little stack and changes nothing.
  void use_known_rules_only() { known_rules_only_ = true; }
  // From now on, step() looks whether rules lead behind a call. Where they do not, and where there
  // are none, it searches for the caller: by the instructions, then on the stack. Costs some tens
  // of microseconds a frame.
  void doubt_rules() { doubts_rules_ = true; }
  // What is inferred about code or stacks that another thread may unmap takes copies, which the
  // kernel makes: some microseconds each. Nothing is inferred any more after so many.
  void limit_copies(std::uint32_t most) { most_copies_ = most; }
  std::uint32_t copies() const { return copies_; }
  // After step() returned false: whether only for lack of a cached rule.
  bool lacks_rule() const { return lacks_rule_; }

  // Moves to the caller. False at the outermost frame, and if the caller cannot be found.
  bool step();

  // Of the current frame.
  std::uint64_t pc() const { return registers_.pc; }
  const Registers& registers() const { return registers_; }
  // Whether pc is a return address (false in a first frame with an exact pc, and in a frame that a
  // signal interrupted).
  bool pc_is_return_address() const { return pc_is_return_address_; }
  // Where on the stack this frame's pc was read from; 0 in the first frame or for a register.
  std::uint64_t return_slot() const { return return_slot_; }
  // Whether the step that led here left a signal handler: this frame did not call it.
  bool left_signal_handler() const { return left_signal_handler_; }
  // Whether the caller that the last step led to was inferred rather than given by rules.
  bool inferred() const { return is_inferred_; }
  // After step() returned false: whether the walk reached the outermost frame (the information says
  // that there is no caller) rather than being given up.
  bool complete() const { return complete_; }
  // The same, but not if all that says so is a return address of 0, which wrong rules find too.
  bool surely_complete() const { return complete_ && !ended_at_null_; }

 private:
  // What a step found, before it is checked.
  struct Caller {
    Registers registers;
    std::uint64_t slot = 0;
  };

  bool step_once();
  bool step_by_packed(const PackedRule& rule);
  bool step_by_other_rule(const PackedRule& rule);
  bool step_by_information(std::uint64_t address);
  bool step_by_description(const FrameDescription& description, std::uint64_t address);
  bool step_by_rules(const FrameRules& rules, const FrameDescription& description);
  bool step_over_signal_frame();
  bool find_caller(const FrameRules& rules, const FrameDescription& description, Caller* caller);
  bool find_cfa(const FrameRules& rules, const FrameDescription& description, std::uint64_t* cfa);

  // Inferred steps; in inferred_step.cc.
  bool infer_caller(std::uint64_t address, bool has_object);
  bool step_by_code(std::uint64_t address);
  bool step_by_frame_pointer(bool even_of_other_call);
  bool step_by_frame(ReadableMemory& memory, ReadableMemory& code, bool even_of_other_call);
  bool step_in_doubt();
  bool search_caller(bool has_rules);
  bool step_by_scan(bool certain_only);
  bool try_caller(std::uint64_t slot, std::uint64_t pc, unsigned* steps_left, unsigned* score);
  bool leads_out(std::uint64_t own_pc, unsigned* steps_left, bool* fits);
  bool walks_out(std::uint64_t own_pc, unsigned* steps_left, bool* fits);
  bool leads_to_code();
  bool is_caller(std::uint64_t pc);
  std::uint64_t address_in_frame() const {
    // The call that returns to pc may be the last instruction of its function.
    return pc_is_return_address_ ? registers_.pc - 1 : registers_.pc;
  }

  bool may_infer() const { return copies_ < most_copies_; }
  // Becomes another state of the walk; what was copied in this one still counts.
  void become(const Unwinder& other);

  bool is_sane(std::uint64_t cfa) const;
  bool end();
  bool arrive(std::uint64_t pc, std::uint64_t slot);
  bool arrive_interrupted(const Caller& caller);
  void remember(std::uint64_t address, const PackedRule& rule);

  Registers registers_;
  ReadableMemory memory_;
  std::uint64_t return_slot_ = 0;
  std::uint64_t epoch_ = 0;
  RuleCache* cache_ = nullptr;
  std::uint32_t signal_frames_ = 0;  // left so far
  std::uint32_t copies_ = 0;
  std::uint32_t most_copies_ = 0xffffffff;
  bool pc_is_return_address_ = false;
  bool known_rules_only_ = false;
  bool lacks_rule_ = false;
  bool left_signal_handler_ = false;
  bool complete_ = false;
  bool ended_at_null_ = false;
  bool doubts_rules_ = false;
  bool is_inferred_ = false;
  // The registers are the processor's: the frame may not have saved its return address yet.
  bool is_live_ = true;
};

}  // namespace gprof_runtime
