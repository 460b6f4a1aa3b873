#include "runtime/unwind/frame_rules.h"

#include <algorithm>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/unwind/eh_frame.h"
#include "runtime/unwind/expression.h"
#include "runtime/unwind/rule_cache.h"
#include "tests/support/test_seed.h"

using namespace gprof_runtime;

namespace {

using Program = std::vector<std::uint8_t>;

bool run(const Program& common, const Program& program, std::uint64_t address, FrameRules* rules) {
  Program all = common;
  all.insert(all.end(), program.begin(), program.end());
  FramePrograms programs;
  programs.section = all;
  programs.common_end = static_cast<std::uint32_t>(common.size());
  programs.begin = programs.common_end;
  programs.end = static_cast<std::uint32_t>(all.size());
  programs.data_alignment = -8;
  programs.first_address = 0x1000;
  return rules_at(programs, address, rules);
}

// CFA is the stack pointer + 8, the return address at CFA - 8.
const Program at_entry = {0x0c, stack_register, 8, 0x80 | return_column, 1};

bool calculate(const Program& expression, std::uint64_t* value,
               const std::uint64_t* cfa = nullptr) {
  Registers registers;
  for (unsigned i = 0; i < register_count; ++i) registers.general[i] = 100 * i;
  registers.pc = 0x1234;
  ReadableMemory memory(reinterpret_cast<std::uint64_t>(&registers));
  return evaluate(expression, registers, memory, cfa, value);
}

}  // namespace

TEST_CASE("rules are those of the instruction that is asked for") {
  // push frame pointer (1 byte), copy of the stack pointer (3), 0x20 more, return.
  const Program body = {
      0x41,           0x0e, 16,   0x80 | frame_register, 2,    0x43,           0x0d,
      frame_register, 0x02, 0x20, 0xc0 | frame_register, 0x0c, stack_register, 8};
  FrameRules rules;
  REQUIRE(run(at_entry, body, 0x1000, &rules));
  CHECK(rules.cfa_register == stack_register);
  CHECK(rules.cfa_offset == 8);
  CHECK(rules.columns[frame_register].kind == RuleKind::unchanged);
  REQUIRE(run(at_entry, body, 0x1001, &rules));
  CHECK(rules.cfa_offset == 16);
  CHECK(rules.columns[frame_register].kind == RuleKind::saved_at_offset);
  CHECK(rules.columns[frame_register].value == -16);
  REQUIRE(run(at_entry, body, 0x1023, &rules));
  CHECK(rules.cfa_register == frame_register);
  REQUIRE(run(at_entry, body, 0x1024, &rules));
  CHECK(rules.cfa_register == stack_register);
  CHECK(rules.columns[frame_register].kind == RuleKind::unchanged);
  CHECK(rules.columns[return_column].value == -8);
}

TEST_CASE("a remembered state comes back whole") {
  const Program body = {0x0a, 0x41, 0x0e, 32, 0x83, 3, 0x41, 0x0b};
  FrameRules rules;
  REQUIRE(run(at_entry, body, 0x1001, &rules));
  CHECK(rules.cfa_offset == 32);
  CHECK(rules.columns[3].value == -24);
  REQUIRE(run(at_entry, body, 0x1002, &rules));
  CHECK(rules.cfa_offset == 8);
  CHECK(rules.columns[3].kind == RuleKind::unchanged);
}

TEST_CASE("programs that make no sense are refused") {
  FrameRules rules;
  CHECK_FALSE(run(at_entry, {0x0b}, 0x1000, &rules));           // nothing remembered
  CHECK_FALSE(run(at_entry, {0x0c, 7}, 0x1000, &rules));        // ends within an operand
  CHECK_FALSE(run(at_entry, {0x3f}, 0x1000, &rules));           // unknown
  CHECK_FALSE(run(at_entry, {0x0f, 9, 0x77}, 0x1000, &rules));  // an expression past the end
  CHECK_FALSE(run(at_entry, {0x0c, 99, 8}, 0x1000, &rules));    // a register that does not exist
  CHECK_FALSE(run({0xc3}, {}, 0x1000, &rules));                 // restored before it was set
  CHECK_FALSE(run(at_entry, {0x0a, 0x0a, 0x0a, 0x0a, 0x0a}, 0x1000, &rules));
}

TEST_CASE("expressions are calculated") {
  std::uint64_t value = 0;
  // The expression of procedure linkage tables: r7 + 8 + ((pc & 15) >= 11) << 3.
  REQUIRE(calculate({0x77, 8, static_cast<std::uint8_t>(0x70 + return_column), 0, 0x3f, 0x1a, 0x3b,
                     0x2a, 0x33, 0x24, 0x22},
                    &value));
#if defined(__x86_64__)
  CHECK(value == 708);  // 0x1234 & 15 is 4
#endif
  CHECK_FALSE(calculate({0x22}, &value));                          // nothing to add
  CHECK_FALSE(calculate({0x31, 0x30, 0x1b}, &value));              // division by zero
  CHECK_FALSE(calculate({0x31, 0x2f, 0xfd, 0xff, 0x30}, &value));  // a loop
  CHECK_FALSE(calculate({0x30, 0x06}, &value));                    // memory at null
  CHECK_FALSE(calculate({0x0a, 0x01}, &value));                    // cut short
  CHECK_FALSE(calculate({}, &value));
  CHECK_FALSE(calculate({0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b}, &value));
  const std::uint64_t cfa = 0x7000;
  REQUIRE(calculate({0x38, 0x1c}, &value, &cfa));
  CHECK(value == 0x6ff8);
}

TEST_CASE("rules have a packed form, or none") {
  FrameRules rules;
  REQUIRE(run(at_entry, {0x80 | frame_register, 2}, 0x1000, &rules));
  PackedRule packed;
  REQUIRE(pack(rules, &packed));
  CHECK(packed.cfa_offset == 8);
  CHECK(packed.base == 0);
  CHECK(packed.deepest == 2);
  CHECK(packed.places == 0x0201);
  REQUIRE(run(at_entry, {0x10, frame_register, 2, 0x77, 0}, 0x1000, &rules));
  CHECK_FALSE(pack(rules, &packed));
  REQUIRE(run(at_entry, {0x0f, 2, 0x77, 0}, 0x1000, &rules));
  CHECK_FALSE(pack(rules, &packed));
  REQUIRE(run(at_entry, {0x80, 2}, 0x1000, &rules));  // a register that no function preserves
  CHECK_FALSE(pack(rules, &packed));
}

TEST_CASE("any bytes as programs and expressions do no harm") {
  std::mt19937 random(gprof::test_seed(7));
  int accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    Program bytes(random() % 64);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() >> 3U);
    FrameRules rules;
    if (run(at_entry, bytes, 0x1000 + random() % 64, &rules)) ++accepted;
    std::uint64_t value = 0;
    if (calculate(bytes, &value)) ++accepted;
  }
  CHECK(accepted > 0);
}

TEST_CASE("programs with single bytes changed do no harm") {
  std::mt19937 random(gprof::test_seed(11));
  const Program body = {0x41, 0x0e, 16,   0x86, 2, 0x43, 0x0d, 6,    0x0a, 0x02, 0x20, 0xc6, 0x0c,
                        7,    8,    0x0b, 0x10, 3, 2,    0x77, 0,    0x0f, 3,    0x77, 8,    0x06,
                        0x2e, 16,   0x05, 40,   9, 0x12, 7,    0x7f, 0x16, 12,   2,    0x77, 0x10};
  FrameRules rules;
  REQUIRE(run(at_entry, body, 0x1100, &rules));
  for (int i = 0; i < 200000; ++i) {
    Program changed = body;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
    }
    run(at_entry, changed, 0x1000 + random() % 512, &rules);
  }
}

TEST_CASE("entries of .eh_frame are parsed, and damaged ones refused") {
  // A CIE with augmentation "zRS" and absolute addresses, and an FDE of [0x1000, 0x1040).
  const Program entries = {0x14, 0,
                           0,    0,
                           0,    0,
                           0,    0,
                           1,    'z',
                           'R',  'S',
                           0,    1,
                           0x78, return_column,
                           1,    0x00,
                           0x0c, 7,
                           8,    0x80 | return_column,
                           1,    0,
                           0x18, 0,
                           0,    0,
                           0x1c, 0,
                           0,    0,
                           0,    0x10,
                           0,    0,
                           0,    0,
                           0,    0,
                           0x40, 0,
                           0,    0,
                           0,    0,
                           0,    0,
                           0,    0x41,
                           0x0e, 16,
                           0,    0,
                           0,    0};
  const std::size_t function = 24;
  FrameDescription description;
  REQUIRE(parse_description(entries, entries.data() + function, &description));
  CHECK(description.programs.first_address == 0x1000);
  CHECK(description.code_end == 0x1040);
  CHECK(description.signal_frame);
  FrameRules rules;
  REQUIRE(rules_at(description.programs, 0x1001, &rules));
  CHECK(rules.cfa_offset == 16);
  CHECK_FALSE(parse_description(entries, entries.data(), &description));
  CHECK(frame_entry_at(entries, entries.data() + entries.size() - 4).kind == EntryKind::end);

  for (std::size_t size = 0; size < entries.size() - 4; ++size) {
    const Program cut(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_FALSE(parse_description(cut, cut.data() + std::min(function, size), &description));
  }
  std::mt19937 random(gprof::test_seed(13));
  for (int i = 0; i < 200000; ++i) {
    Program changed = entries;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
    }
    if (parse_description(changed, changed.data() + function, &description)) {
      rules_at(description.programs, 0x1000 + random() % 64, &rules);
    }
  }
}
