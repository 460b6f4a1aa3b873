// Handwritten machine code, for architectures that the installed tools do not link.
#include <random>

#include <catch2/catch.hpp>

#include "engine/code/architecture.h"
#include "engine/code/machine_code.h"
#include "tests/support/elf_builder.h"
#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t start = 0x10000;

std::vector<std::byte> code_of(std::initializer_list<unsigned> values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::vector<CallInstruction> calls_in(const ElfBuilder& builder) {
  const auto image = Image::from_bytes(builder.build(), "built");
  if (!image) FAIL(describe(image.error()));
  const MachineCode code(*image);
  REQUIRE(code.knows_architecture());
  return code.calls_in((*image)->code_range());
}

}  // namespace

TEST_CASE("SPARC calls return behind their delay slot") {
  ElfBuilder builder(PointerWidth::eight, ByteOrder::big, EM_SPARCV9);
  builder.add_text(start, code_of({
                              0x9d, 0xe3, 0xbf, 0x50,  // save
                              0x40, 0x00, 0x00, 0x40,  // call +0x100
                              0x01, 0x00, 0x00, 0x00,  // nop
                              0x7f, 0xff, 0xff, 0xf0,  // call -0x40
                              0x01, 0x00, 0x00, 0x00,  // nop
                              0x9f, 0xc0, 0x40, 0x00,  // call %g1
                              0x01, 0x00, 0x00, 0x00,  // nop
                              0x81, 0xc7, 0xe0, 0x08,  // ret
                              0x81, 0xe8, 0x00, 0x00,  // restore
                          }));
  const auto calls = calls_in(builder);
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].target == Address{start + 4 + 0x100});
  CHECK(calls[0].return_address == Address{start + 12});
  CHECK(calls[1].target == Address{start + 12 - 0x40});
  CHECK_FALSE(calls[2].target);
  CHECK_FALSE(calls[2].is_jump);
}

TEST_CASE("s390x calls are found among instructions of differing length") {
  ElfBuilder builder(PointerWidth::eight, ByteOrder::big, EM_S390);
  builder.add_text(start, code_of({
                              0xeb, 0xbf, 0xf0, 0x58, 0x00, 0x24,  // stmg
                              0xa7, 0xfb, 0xff, 0x60,              // aghi
                              0xc0, 0xe5, 0x00, 0x00, 0x00, 0x80,  // brasl %r14, +0x100
                              0x0d, 0xe1,                          // basr %r14, %r1
                              0xc0, 0xe5, 0xff, 0xff, 0xff, 0x00,  // brasl %r14, -0x200
                              0xc0, 0xf4, 0x00, 0x00, 0x10, 0x00,  // jg +0x2000
                              0x07, 0xfe,                          // br %r14
                          }));
  const auto calls = calls_in(builder);
  REQUIRE(calls.size() == 4);
  CHECK(calls[0].target == Address{start + 10 + 0x100});
  CHECK(calls[0].return_address == Address{start + 16});
  CHECK_FALSE(calls[1].target);
  CHECK(calls[1].return_address == Address{start + 18});
  CHECK(calls[2].target == Address{start + 18 - 0x200});
  CHECK(calls[3].is_jump);
  CHECK(calls[3].target == Address{start + 24 + 0x2000});
}

TEST_CASE("code that is not decoded has no calls, and its machine a name") {
  const auto image_of = [](std::uint16_t machine, std::uint32_t flags) {
    ElfBuilder builder(PointerWidth::four, ByteOrder::little, machine);
    builder.add_text(start, code_of({0x01, 0x02, 0x03, 0x04}));
    builder.set_flags(flags);
    auto image = Image::from_bytes(builder.build(), "built");
    REQUIRE(image);
    const MachineCode code(*image);
    CHECK_FALSE(code.knows_architecture());
    CHECK(code.calls_in((*image)->code_range()).empty());
    return *image;
  };
  CHECK(machine_name(*image_of(EM_XTENSA, 0)) == "Xtensa");
  CHECK(machine_name(*image_of(EM_MIPS, 0x02000000)) == "microMIPS or MIPS16");
  CHECK(machine_name(*image_of(0x7777, 0)) == "machine 30583");
}

TEST_CASE("RISC-V calls are found by one instruction or by two, compressed or not") {
  ElfBuilder builder(PointerWidth::four, ByteOrder::little, EM_RISCV);
  builder.add_text(start, code_of({
                              0xef, 0x00, 0x00, 0x10,  // jal ra, +0x100
                              0x97, 0x10, 0x00, 0x00,  // auipc ra, 1
                              0xe7, 0x80, 0x00, 0x81,  // jalr ra, -2032(ra)
                              0x05, 0x20,              // c.jal +0x20
                              0x82, 0x97,              // c.jalr a5
                              0x82, 0x80,              // ret
                              0x82, 0x87,              // c.jr a5
                              0x93, 0x97, 0x27, 0x00,  // slli a5, a5, 2
                              0x9c, 0x43,              // c.lw a5, 0(a5)
                              0x82, 0x87,              // c.jr a5, of a switch
                              0x6f, 0x00, 0x10, 0x00,  // j +0x800
                          }));
  const auto calls = calls_in(builder);
  REQUIRE(calls.size() == 6);
  CHECK(calls[0].target == Address{start + 0x100});
  CHECK(calls[0].return_address == Address{start + 4});
  CHECK(calls[1].address == Address{start + 8});
  CHECK(calls[1].return_address == Address{start + 12});
  CHECK(calls[1].target == Address{start + 4 + 0x1000 - 2032});
  CHECK(calls[2].target == Address{start + 12 + 0x20});
  CHECK(calls[2].return_address == Address{start + 14});
  CHECK_FALSE(calls[3].target);
  CHECK_FALSE(calls[3].is_jump);
  CHECK(calls[4].is_jump);
  CHECK_FALSE(calls[4].target);
  CHECK(calls[5].is_jump);
  CHECK(calls[5].target == Address{start + 28 + 0x800});
}

TEST_CASE("big-endian ARM programs keep little-endian code where they say so") {
  static constexpr std::uint32_t be8 = 0x00800000;
  const bool little_code = GENERATE(false, true);
  ElfBuilder builder(PointerWidth::four, ByteOrder::big, EM_ARM);
  if (little_code) builder.set_flags(be8);
  const auto text = little_code ? code_of({0x3e, 0x00, 0x00, 0xeb})  // bl +0x100
                                : code_of({0xeb, 0x00, 0x00, 0x3e});
  builder.add_text(start, text);
  const auto calls = calls_in(builder);
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].target == Address{start + 0x100});
}

TEST_CASE("data among code is passed over, and Thumb is known by mapping symbols") {
  ElfBuilder builder(PointerWidth::four, ByteOrder::little, EM_ARM);
  const auto text = builder.add_text(start, code_of({
                                                0x3e, 0x00, 0x00, 0xeb,  // ARM: bl +0x100
                                                0x3e, 0x00, 0x00, 0xeb,  // data
                                                0x00, 0xf0, 0x7e, 0xf8,  // Thumb: bl +0x100
                                            }));
  builder.add_symbol("$a", start, 0, STB_LOCAL, STT_NOTYPE, text);
  builder.add_symbol("$d.1", start + 4, 0, STB_LOCAL, STT_NOTYPE, text);
  builder.add_symbol("$t", start + 8, 0, STB_LOCAL, STT_NOTYPE, text);
  const auto calls = calls_in(builder);
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].target == Address{start + 0x100});
  CHECK(calls[1].address == Address{start + 8});
  CHECK(calls[1].target == Address{start + 8 + 0x100});
}

TEST_CASE("an architecture that is not known gives nothing") {
  ElfBuilder builder(PointerWidth::four, ByteOrder::little, EM_XTENSA);
  builder.add_text(start, std::vector<std::byte>(64));
  const auto image = Image::from_bytes(builder.build(), "built");
  REQUIRE(image);
  const MachineCode code(*image);
  CHECK_FALSE(code.knows_architecture());
  CHECK(code.calls_in((*image)->code_range()).empty());
  CHECK_FALSE(code.counts_its_calls((*image)->code_range()));
}

TEST_CASE("arbitrary bytes are survived by every reader") {
  struct Case {
    std::uint16_t machine;
    PointerWidth width;
    ByteOrder order;
  };
  using enum PointerWidth;
  using enum ByteOrder;
  const Case cases[] = {
      {EM_X86_64, eight, little}, {EM_386, four, little},   {EM_AARCH64, eight, little},
      {EM_ARM, four, little},     {EM_PPC64, eight, big},   {EM_PPC, four, big},
      {EM_MIPS, four, big},       {EM_SPARCV9, eight, big}, {EM_S390, eight, big},
      {EM_RISCV, eight, little},  {EM_RISCV, four, little},
  };
  for (const Case& one : cases) {
    INFO(one.machine);
    std::mt19937 generator(test_seed(one.machine));
    std::vector<std::byte> text(20'001);
    for (std::byte& byte : text) byte = static_cast<std::byte>(generator() & 0xff);
    ElfBuilder builder(one.width, one.order, one.machine);
    const auto index = builder.add_text(start, text);
    builder.add_section({".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x40000, text, 0, 0});
    builder.add_section({".rela.dyn", SHT_RELA, SHF_ALLOC, 0x50000, text, 0, 0});
    builder.add_section({".got", SHT_PROGBITS, SHF_ALLOC, 0x60000, text, 0, 0});
    if (one.machine == EM_ARM) {
      builder.add_symbol("$t", start + 10'000, 0, STB_LOCAL, STT_NOTYPE, index);
    }
    Address before;
    for (const CallInstruction& call : calls_in(builder)) {
      CHECK(before <= call.address);
      before = call.address;
    }
  }
}
