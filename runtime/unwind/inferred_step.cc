// The steps of Unwinder that no rules give.
#include <algorithm>

#include "runtime/unwind/frame_rules.h"
#include "runtime/unwind/known_code.h"
#include "runtime/unwind/loaded_object.h"
#include "runtime/unwind/return_address.h"
#include "runtime/unwind/return_path.h"
#include "runtime/unwind/rule_cache.h"
#include "runtime/unwind/signature.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {
namespace {

constexpr std::uint64_t word = sizeof(std::uint64_t);

// How far above the stack pointer a return address is searched for.
constexpr std::uint64_t scanned = std::uint64_t{16} * 1024;
// Steps of one search in all, and of one candidate: so many frames behind calls are no coincidence.
constexpr unsigned steps_of_search = 1500;
constexpr unsigned steps_that_convince = 48;
// Saved frame pointers, or stack pointers, that are tried with a candidate.
constexpr unsigned most_guesses = 6;

constexpr unsigned best_score = 4;

}  // namespace

void Unwinder::become(const Unwinder& other) {
  const std::uint32_t copies = copies_;
  *this = other;
  copies_ = copies;
}

bool Unwinder::is_caller(std::uint64_t pc) {
  ReadableMemory code;
  const bool is_one = is_behind_call(pc, code) || is_signal_trampoline(pc, code);
  copies_ += code.copies();
  return is_one;
}

bool Unwinder::leads_to_code() {
  return left_signal_handler_ || is_inferred_ || is_caller(registers_.pc);
}

// `has_object`: an executable or library holds the code, which then stays the same.
[[gnu::noinline]] bool Unwinder::infer_caller(std::uint64_t address, bool has_object) {
  // From a place that no call returns to, the rules before must have been wrong.
  if (known_rules_only_ || !may_infer()) return false;
  if (pc_is_return_address_ && !is_caller(registers_.pc)) return false;
  // Generated code has frame pointers as a rule, and its instructions are not worth remembering.
  const bool by_code_first = has_object || is_live_;
  if (by_code_first && step_by_code(address)) return true;
  if (has_object) {
    PackedRule rule;
    rule.kind = PackedKind::frame_pointer;
    remember(address, rule);
  }
  return step_by_frame_pointer(false) || (!by_code_first && step_by_code(address));
}

[[gnu::noinline]] bool Unwinder::step_by_code(std::uint64_t address) {
  ReturnPath path;
  Caller caller;
  LoadedObject holder;
  if (!find_object(address, &holder)) ++copies_;
  if (!find_return_path(registers_.pc, &path) ||
      !evaluate_path(path, registers_, memory_, &caller.registers, &caller.slot)) {
    return false;
  }
  const bool is_lost = caller.slot == 0 && !is_live_;
  caller.registers.pc = without_signature(caller.registers.pc);
  if (is_lost || !is_sane(caller.registers.sp()) || !is_caller(caller.registers.pc)) return false;
  FrameRules rules;
  PackedRule packed;
  LoadedObject object;
  // Generated code may be replaced unseen.
  if (find_object(address, &object) && rules_of_path(path, &rules) && pack(rules, &packed)) {
    packed.kind = PackedKind::inferred;
    remember(address, packed);
  }
  registers_ = caller.registers;
  const bool arrived = arrive(caller.registers.pc, caller.slot);
  is_inferred_ = true;
  return arrived;
}

// `even_of_other_call`: although the function that is called there is not the one at pc.
[[gnu::noinline]] bool Unwinder::step_by_frame_pointer(bool even_of_other_call) {
  const std::uint64_t frame = registers_.general[frame_register];
  const std::uint64_t above = frame - registers_.sp();
  if (frame % word != 0 || above > largest_frame) return false;
  // The register may hold anything, such as the address of data that another thread may unmap.
  MemoryCopy copy;
  ReadableMemory memory = memory_;
  if (!memory.knows(frame, 2 * word)) memory.read_from(&copy);
  ReadableMemory code;
  const bool stepped = step_by_frame(memory, code, even_of_other_call);
  copies_ += copy.copies() + code.copies();
  return stepped;
}

// `memory`: for the frame; `code`: for what is behind calls.
bool Unwinder::step_by_frame(ReadableMemory& memory, ReadableMemory& code,
                             bool even_of_other_call) {
  const std::uint64_t frame = registers_.general[frame_register];
  std::uint64_t caller_frame = 0;
  std::uint64_t pc = 0;
  if (!memory.read(frame, &caller_frame) || !memory.read(frame + word, &pc)) return false;
  pc = without_signature(pc);
  const CallTarget target = call_before(pc, address_in_frame(), code);
  const bool is_call =
      target != CallTarget::no_call && (target != CallTarget::other || even_of_other_call);
  if (!is_call && !is_signal_trampoline(pc, code)) return false;
  // The next frames may be on the same page.
  memory_.covers(frame, 2 * word);
  registers_.general[frame_register] = caller_frame;
#if defined(__aarch64__)
  // The saved pair of registers is at the low end of a frame, so nothing says where this frame
  // ends. The caller's begins with its own pair, unless it has arguments on the stack.
  registers_.general[return_column] = pc;
  registers_.general[stack_register] = caller_frame > frame ? caller_frame : frame + 2 * word;
#else
  registers_.general[stack_register] = frame + 2 * word;
#endif
  const bool arrived = arrive(pc, frame + word);
  is_inferred_ = true;
  return arrived;
}

[[gnu::noinline]] bool Unwinder::step_in_doubt() {
  const Unwinder before = *this;
  const bool stepped = step_once();
  if (stepped ? leads_to_code() : surely_complete()) return stepped;
  const Unwinder after = *this;
  become(before);
  if (search_caller(stepped || after.complete_)) return true;
  become(after);
  return stepped;
}

// `has_rules`: which lead somewhere, if not behind a call. Only certain callers replace theirs,
// since the first frame of a coroutine is behind no call either.
bool Unwinder::search_caller(bool has_rules) {
  if (registers_.pc == 0 || !may_infer()) return false;
  if (pc_is_return_address_ && !is_caller(registers_.pc)) return false;
  const std::uint64_t address = address_in_frame();
  PackedRule rule;
  const bool code_is_useless = cache_ != nullptr &&
                               rule_cache::find(*cache_, address, epoch_, &rule) &&
                               rule.kind == PackedKind::frame_pointer;
  if (!code_is_useless && step_by_code(address)) return true;
  if (step_by_scan(true)) return true;
  return !has_rules && (step_by_scan(false) || step_by_frame_pointer(true));
}

// Takes the most likely of the return addresses on the stack, the innermost of equally likely ones.
// `certain_only`: the function that is called there is the one at pc.
[[gnu::noinline]] bool Unwinder::step_by_scan(bool certain_only) {
  const std::uint64_t own_pc = address_in_frame();
  const std::uint64_t begin = (registers_.sp() + word - 1) / word * word;
  ReadableMemory code;
  // The window may extend past the stack, and candidates may be wrong: another thread may unmap
  // what is read at any time.
  MemoryCopy copy;
  const ReadableMemory of_walk = memory_;
  Unwinder search = *this;
  search.memory_.read_from(&copy);
  Unwinder best = search;
  unsigned best_so_far = 0;
  unsigned steps_left = steps_of_search;
  const std::uint32_t copies_before = copies_;
  for (std::uint64_t slot = begin; slot < begin + scanned && best_so_far < best_score;
       slot += word) {
    search.copies_ = std::max(search.copies_, copies_before + code.copies() + copy.copies());
    if (!search.may_infer()) break;
    std::uint64_t pc = 0;
    if (!search.memory_.read(slot, &pc)) break;
    pc = without_signature(pc);
    // Neither small numbers nor the stack's own addresses.
    if (pc >> 16U == 0 || pc >> 47U != 0 || pc - begin < largest_frame / 64) continue;
    const CallTarget target = call_before(pc, own_pc, code);
    if (target == CallTarget::no_call || target == CallTarget::other) continue;
    if (certain_only && target != CallTarget::same) continue;
    Unwinder candidate = search;
    unsigned score = 0;
    const bool leads_out = candidate.try_caller(slot, pc, &steps_left, &score);
    search.copies_ = candidate.copies_;
    if (!leads_out) continue;
    if (target == CallTarget::same) score += 2;
    if (score <= best_so_far) continue;
    best_so_far = score;
    best = candidate;
  }
  copies_ = search.copies_;
  if (best_so_far == 0) return false;
  become(best);
  memory_ = of_walk;
  return true;
}

// Becomes the caller with its return address at `slot`, if a walk from there leads out. The score
// is 2 if the function of the caller is the one that is called further out, else 1.
bool Unwinder::try_caller(std::uint64_t slot, std::uint64_t pc, unsigned* steps_left,
                          unsigned* score) {
  const std::uint64_t lowest = registers_.sp();
  bool fits = false;
  unsigned guesses = 0;
  registers_.pc = pc;
#if defined(__aarch64__)
  // The return address is saved next to the frame pointer, anywhere in the frame.
  registers_.general[return_column] = pc;
  std::uint64_t frame = 0;
  if (slot > lowest && memory_.read(slot - word, &frame)) {
    registers_.general[frame_register] = frame;
  }
  std::uint64_t guess = slot + word;
#else
  registers_.general[stack_register] = slot + word;
  std::uint64_t guess = slot;
#endif
  arrive(pc, slot);
  is_inferred_ = true;
  for (;; ++guesses) {
#if defined(__aarch64__)
    registers_.general[stack_register] = (guess + 15) & ~std::uint64_t{15};
    guess = registers_.sp() + 1;
#endif
    if (leads_out(pc - 1, steps_left, &fits)) break;
    if (guesses == most_guesses) return false;
#if defined(__x86_64__)
    // The code may have saved the caller's frame pointer and use the register for something else.
    std::uint64_t saved = 0;
    do {
      guess -= word;
      if (guess < lowest || slot - guess > scanned || !memory_.read(guess, &saved)) return false;
    } while (saved % word != 0 || saved <= slot || saved - slot > largest_frame / 64);
    registers_.general[frame_register] = saved;
#endif
  }
  *score = fits ? 2 : 1;
  return true;
}

// Whether rules lead from here to the outermost frame, always behind calls. `fits`: the first of
// them may be a call of the function at `own_pc`.
[[gnu::noinline]] bool Unwinder::leads_out(std::uint64_t own_pc, unsigned* steps_left, bool* fits) {
  Unwinder walk = *this;
  walk.doubts_rules_ = false;
  const bool does = walk.walks_out(own_pc, steps_left, fits);
  copies_ = walk.copies_;
  return does;
}

bool Unwinder::walks_out(std::uint64_t own_pc, unsigned* steps_left, bool* fits) {
  *fits = true;
  for (unsigned i = 0; i < steps_that_convince; ++i) {
    if (*steps_left == 0) return false;
    --*steps_left;
    if (!step_once()) return surely_complete();
    if (!leads_to_code()) return false;
    if (i != 0 || left_signal_handler_) continue;
    ReadableMemory code;
    *fits = call_before(pc(), own_pc, code) != CallTarget::other;
    copies_ += code.copies();
  }
  return true;
}

}  // namespace gprof_runtime
