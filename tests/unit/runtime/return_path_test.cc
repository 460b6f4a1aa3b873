// What the code says about its callers is compared with what call frame information says, in the
// instructions of libc.
#include "runtime/unwind/return_path.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <link.h>
#include <sys/mman.h>

#include "runtime/unwind/eh_frame.h"
#include "runtime/unwind/return_address.h"
#include "runtime/unwind/rule_cache.h"
#if defined(__x86_64__)
#include "runtime/unwind/x86_instruction.h"
#endif

using namespace gprof_runtime;

namespace {

#if defined(__x86_64__)
constexpr unsigned saved_registers[] = {3, 6, 12, 13, 14, 15};
// The instruction after this one; 0 if this is not one.
std::uint64_t next_instruction(std::uint64_t pc) {
  x86::Instruction instruction;
  const bool valid = x86::decode(reinterpret_cast<const std::uint8_t*>(pc), &instruction);
  return valid ? pc + instruction.length : 0;
}
#else
constexpr unsigned saved_registers[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30};
std::uint64_t next_instruction(std::uint64_t pc) { return pc + 4; }
#endif

struct Segment {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// By its name: its functions may be replaced, as those of sanitizers are.
Segment code_of_libc() {
  Segment found;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        if (!std::string_view(object->dlpi_name).ends_with("/libc.so.6")) return 0;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& header = object->dlpi_phdr[i];
          if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
          const std::uint64_t begin = object->dlpi_addr + header.p_vaddr;
          *static_cast<Segment*>(data) = {begin, begin + header.p_memsz};
        }
        return 1;
      },
      &found);
  return found;
}

struct Tally {
  int places = 0;
  int found = 0;
  int comparable = 0;
  int agree = 0;
};

void compare_at(std::uint64_t pc, const FrameRules& wanted, Tally& tally) {
  ++tally.places;
  ReturnPath path;
  FrameRules rules;
  if (!find_return_path(pc, &path)) return;
  ++tally.found;
  if (!rules_of_path(path, &rules) || rules.cfa_register != wanted.cfa_register) return;
  ++tally.comparable;
  bool same = rules.cfa_offset == wanted.cfa_offset;
  for (const unsigned column : saved_registers) {
    const RegisterRule& here = rules.columns[column];
    const RegisterRule& there = wanted.columns[column];
    // Compilers leave rules standing after the register has been restored.
    const bool both = here.kind == RuleKind::saved_at_offset && there.kind == here.kind;
    same = same && (!both || here.value == there.value);
  }
  tally.agree += same ? 1 : 0;
}

#if defined(__x86_64__)
// A page of code that belongs to no object; what follows it cannot be read.
class CodePage {
 public:
  CodePage(std::initializer_list<std::uint8_t> bytes)
      : page_(static_cast<std::uint8_t*>(
            mmap(nullptr, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(page_, size, PROT_READ | PROT_WRITE);
    std::copy(bytes.begin(), bytes.end(), page_);
  }
  ~CodePage() { munmap(page_, 2 * size); }
  CodePage(const CodePage&) = delete;
  CodePage& operator=(const CodePage&) = delete;

  [[nodiscard]] std::uint64_t at(std::size_t offset = 0) const {
    return reinterpret_cast<std::uint64_t>(page_) + offset;
  }

 private:
  static constexpr std::size_t size = 4096;
  std::uint8_t* page_;
};

constexpr unsigned rbp = 6;
constexpr unsigned rsp = 7;
#endif

}  // namespace

TEST_CASE("code says the same about callers as call frame information") {
  const Segment code = code_of_libc();
  REQUIRE(code.begin != 0);
  Tally tally;
  int instructions = 0;
  for (std::uint64_t pc = code.begin; pc < code.end;) {
    FrameDescription description;
    if (find_description(pc, &description) != FrameSearch::found) {
      pc += 4 - pc % 4;
      continue;
    }
    const std::uint64_t end = description.code_end;
    for (pc = description.programs.first_address; pc != 0 && pc < end; pc = next_instruction(pc)) {
      FrameRules wanted;
      if (++instructions % 23 != 0 || !rules_at(description.programs, pc, &wanted)) continue;
      if (!wanted.cfa_is_expression) compare_at(pc, wanted, tally);
    }
    pc = end;
  }
  INFO("places " << tally.places << ", found " << tally.found << ", comparable " << tally.comparable
                 << ", agree " << tally.agree);
  REQUIRE(tally.places > 1000);
  // From the others, only calls that never return lead on.
  CHECK(tally.found >= 0.9 * tally.places);
  // Padding behind returns is reached by nobody, and some assembler code has wrong rules.
  CHECK(tally.comparable >= 0.9 * tally.found);
  CHECK(tally.agree >= 0.98 * tally.comparable);
}

#if defined(__x86_64__)

TEST_CASE("saved registers are where the code restores them from") {
  // sub $24, %rsp; mov %rbp, 8(%rsp); nop; mov 8(%rsp), %rbp; add $24, %rsp; ret
  const CodePage code = {0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x6c, 0x24, 0x08, 0x90,
                         0x48, 0x8b, 0x6c, 0x24, 0x08, 0x48, 0x83, 0xc4, 0x18, 0xc3};
  ReturnPath path;
  FrameRules rules;
  REQUIRE(find_return_path(code.at(9), &path));
  REQUIRE(rules_of_path(path, &rules));
  CHECK(rules.cfa_register == rsp);
  CHECK(rules.cfa_offset == 32);
  CHECK(rules.columns[rbp].kind == RuleKind::saved_at_offset);
  CHECK(rules.columns[rbp].value == -24);
  // Before it is saved, the register itself is the caller's.
  REQUIRE(find_return_path(code.at(), &path));
  REQUIRE(rules_of_path(path, &rules));
  CHECK(rules.cfa_offset == 8);
  CHECK(rules.columns[rbp].kind == RuleKind::unchanged);
}

TEST_CASE("a path leaves loops by their exits") {
  // 0: dec %rdi; 3: je 7; 5: jmp 0; 7: pop %rbx; 8: ret
  const CodePage code = {0x48, 0xff, 0xcf, 0x74, 0x02, 0xeb, 0xf9, 0x5b, 0xc3};
  ReturnPath path;
  FrameRules rules;
  REQUIRE(find_return_path(code.at(), &path));
  REQUIRE(rules_of_path(path, &rules));
  CHECK(rules.cfa_offset == 16);
  // Without an exit there is no path.
  const CodePage endless = {0x90, 0xeb, 0xfd};
  CHECK_FALSE(find_return_path(endless.at(), &path));
}

TEST_CASE("a stack pointer that is restored from memory is followed") {
  // mov -8(%rbp), %r10; leave; lea -8(%r10), %rsp; ret
  const CodePage code = {0x4c, 0x8b, 0x55, 0xf8, 0xc9, 0x49, 0x8d, 0x62, 0xf8, 0xc3};
  ReturnPath path;
  REQUIRE(find_return_path(code.at(), &path));
  std::uint64_t stack[8] = {0, 0, 0, 0xabc, 0, 0xdef, 0, 0};
  stack[2] = reinterpret_cast<std::uint64_t>(&stack[6]);  // %r10 is saved here
  Registers registers;
  registers.pc = code.at();
  registers.general[rbp] = reinterpret_cast<std::uint64_t>(&stack[3]);
  registers.general[rsp] = reinterpret_cast<std::uint64_t>(&stack[0]);
  ReadableMemory memory;
  Registers caller;
  std::uint64_t slot = 0;
  REQUIRE(evaluate_path(path, registers, memory, &caller, &slot));
  CHECK(caller.pc == 0xdef);
  CHECK(caller.general[rbp] == 0xabc);
  CHECK(slot == reinterpret_cast<std::uint64_t>(&stack[5]));
  CHECK(caller.sp() == reinterpret_cast<std::uint64_t>(&stack[6]));
}

TEST_CASE("paths end in bytes that are no code") {
  ReturnPath path;
  CHECK_FALSE(find_return_path(0x10, &path));
  CHECK_FALSE(find_return_path(~std::uint64_t{0}, &path));
  const CodePage zeros = {};
  CHECK_FALSE(find_return_path(zeros.at(4095), &path));
  unsigned state = 1;
  for (int i = 0; i < 2000; ++i) {
    const CodePage random = {};
    auto* const bytes = reinterpret_cast<std::uint8_t*>(random.at());
    for (int place = 0; place < 4096; ++place) {
      bytes[place] = static_cast<std::uint8_t>((state = state * 1103515245 + 12345) >> 16U);
    }
    (void)find_return_path(random.at(state % 4096), &path);
  }
}

TEST_CASE("return addresses are behind calls of all forms") {
  struct Case {
    std::vector<std::uint8_t> bytes;
    bool call;
  };
  for (const Case& each :
       std::vector<Case>{{{0xe8, 0, 0, 0, 0}, true},              // call rel32
                         {{0xff, 0xd0}, true},                    // call *%rax
                         {{0x41, 0xff, 0xd4}, true},              // call *%r12
                         {{0xff, 0x10}, true},                    // call *(%rax)
                         {{0xff, 0x50, 0x18}, true},              // call *24(%rax)
                         {{0xff, 0x14, 0xd0}, true},              // call *(%rax,%rdx,8)
                         {{0xff, 0x54, 0x24, 0x08}, true},        // call *8(%rsp)
                         {{0xff, 0x90, 0, 1, 0, 0}, true},        // call *256(%rax)
                         {{0xff, 0x14, 0xc5, 0, 1, 0, 0}, true},  // call *256(,%rax,8)
                         {{0xff, 0xe0}, false},                   // jmp *%rax
                         {{0xff, 0x20}, false},                   // jmp *(%rax)
                         {{0xe9, 0, 0, 0, 0}, false},             // jmp rel32
                         {{0xe8, 0, 0, 0, 0x70}, false},          // leads nowhere
                         {{0x90, 0x90, 0x90, 0x90, 0x90, 0x90}, false}}) {
    const CodePage code = {};
    constexpr std::size_t end = 64;
    std::copy(each.bytes.begin(), each.bytes.end(),
              reinterpret_cast<std::uint8_t*>(code.at(end - each.bytes.size())));
    ReadableMemory memory;
    INFO(int{each.bytes[0]} << ' ' << int{each.bytes[1]} << ", " << each.bytes.size());
    CHECK(is_behind_call(code.at(end), memory) == each.call);
  }
  ReadableMemory memory;
  CHECK_FALSE(is_behind_call(0, memory));
  CHECK_FALSE(is_behind_call(0x100003, memory));
}

#endif
