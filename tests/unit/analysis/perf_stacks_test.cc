// Callers in perf.data: copied stacks of several machines and of both byte orders, walked by either
// kind of call frame information, and branch stacks.
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <elf.h>

#include "engine/program.h"
#include "tests/support/converted_recording.h"
#include "tests/support/elf_builder.h"
#include "tests/support/files.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t base = 0x7f0000000000;  // where the file is mapped from its beginning
constexpr std::uint64_t leaf = 0x1000;
constexpr std::uint64_t middle = 0x1100;
constexpr std::uint64_t main_function = 0x1200;
constexpr std::uint64_t function_size = 0x100;
constexpr std::uint64_t stack_pointer = 0x7ffc00001000;
constexpr std::uint64_t system_call = middle + 0x40;  // an instruction of two bytes
constexpr std::uint64_t in_kernel = 0xffffffff81000000;
constexpr std::uint64_t kernel_mark = static_cast<std::uint64_t>(-128);
constexpr std::uint64_t user_mark = static_cast<std::uint64_t>(-512);

// A machine's rules, as instructions of call frame information.
struct Machine {
  std::uint16_t number;
  ByteOrder order;
  std::uint8_t return_column;
  std::string common;       // at the beginning of a function
  std::string with_frame;   // in one that has made room for four words
  std::uint64_t registers;  // that perf stores
};

const Machine x86_64 = {EM_X86_64,
                        ByteOrder::little,
                        16,
                        std::string("\x0c\x07\x08\x90\x01", 5),
                        std::string("\x0e\x20", 2),
                        1 << 6 | 1 << 7 | 1 << 8};
// The frame's address is the stack pointer; x29 and x30 lie at its lower end.
Machine aarch64(ByteOrder order) {
  return {EM_AARCH64,
          order,
          30,
          std::string("\x0c\x1f\x00", 3),
          std::string("\x0e\x20\x9d\x04\x9e\x03", 6),
          (std::uint64_t{1} << 33) - 1};
}

class FrameSection {
 public:
  FrameSection(const Machine& machine, bool is_exceptions)
      : machine_(machine), is_exceptions_(is_exceptions), bytes_(machine.order) {
    PerfDataBytes body(machine.order);
    body.put(is_exceptions ? std::uint32_t{0} : ~std::uint32_t{0});
    body.put(std::uint8_t{static_cast<std::uint8_t>(is_exceptions ? 1 : 4)});
    if (is_exceptions) {
      body.text("zR", 3);
    } else {
      body.text("", 1).put(std::uint8_t{8}).put(std::uint8_t{0});
    }
    body.put(std::uint8_t{1}).put(std::uint8_t{0x78}).put(machine.return_column);
    if (is_exceptions) body.put(std::uint8_t{1}).put(std::uint8_t{0});  // absolute pointers
    body.text(machine.common, machine.common.size());
    add(body);
  }
  void function(std::uint64_t address, const std::string& rules) {
    PerfDataBytes body(machine_.order);
    body.put(is_exceptions_ ? static_cast<std::uint32_t>(bytes_.size() + 4) : std::uint32_t{0});
    body.put(address).put(function_size);
    if (is_exceptions_) body.put(std::uint8_t{0});
    body.text(rules, rules.size());
    add(body);
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_.bytes(); }

 private:
  void add(PerfDataBytes body) {
    body.text("", (8 - (body.size() + 4) % 8) % 8);
    bytes_.put(static_cast<std::uint32_t>(body.size())).add(body.bytes());
  }

  const Machine& machine_;
  bool is_exceptions_;
  PerfDataBytes bytes_;
};

struct BuiltProgram {
  std::filesystem::path path;
  std::shared_ptr<const Program> program;
  std::uint64_t bias = 0;  // of addresses in the process

  BuiltProgram(const Machine& machine, bool is_exceptions) {
    ElfBuilder builder(PointerWidth::eight, machine.order, machine.number);
    std::vector<std::byte> instructions(3 * function_size);
    if (machine.number == EM_X86_64) {
      // syscall
      instructions[system_call - leaf] = std::byte{0x0f};
      instructions[system_call - leaf + 1] = std::byte{0x05};
    }
    const auto text = builder.add_text(leaf, instructions);
    for (const auto& [name, address] :
         {std::pair{"leaf", leaf}, {"middle", middle}, {"main", main_function}}) {
      builder.add_symbol(name, address, function_size, STB_GLOBAL, STT_FUNC, text);
    }
    FrameSection frames(machine, is_exceptions);
    frames.function(leaf, "");
    frames.function(middle, machine.with_frame);
    frames.function(main_function, machine.with_frame);
    ElfBuilder::SectionSpec section;
    section.name = is_exceptions ? ".eh_frame" : ".debug_frame";
    section.flags = is_exceptions ? SHF_ALLOC : 0;
    section.address = is_exceptions ? 0x3000 : 0;
    section.bytes = frames.bytes();
    builder.add_section(std::move(section));
    const std::vector<std::byte> file = builder.build();
    path = fresh_directory("perf-stacks") / "prog";
    write_file(path, std::span(file));
    auto opened = Program::open(path);
    if (!opened) FAIL(describe(opened.error()));
    program = *opened;
    const Section* code = program->image().code_section_at({leaf});
    REQUIRE(code != nullptr);
    bias = base + code->offset - leaf;
  }
  [[nodiscard]] std::vector<ModuleAddress> stack_in(const PerfDataBuilder& builder) const {
    return profile_in(builder).sidecar->stacks.front().frames;
  }
  [[nodiscard]] ImportedProfile profile_in(const PerfDataBuilder& builder) const {
    const std::vector<std::byte> bytes = builder.file();
    ImportTarget target{program->symbols(), program->code(), path.string(),
                        [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }};
    target.perf_caches = {path.parent_path() / "cache"};
    Warnings warnings;
    auto read = converted_recording(perf_data::PerfBytes(bytes, "perf.data"), target,
                                    program->image(), warnings);
    if (!read) FAIL(describe(read.error()));
    for (const Error& warning : warnings) FAIL_CHECK(describe(warning));
    REQUIRE(read->sidecar->stacks.size() == 1);
    return *std::move(read);
  }
};

// leaf has no frame, the two others have one each of four words.
PerfSampleParts copied(const Machine& machine, std::uint64_t bias) {
  const std::uint64_t in_middle = bias + middle + 0x20;
  const std::uint64_t in_main = bias + main_function + 0x30;
  if (machine.number == EM_X86_64) {
    return {0, {}, {0, stack_pointer, bias + leaf + 4}, {in_middle, 0, 0, 0, in_main, 0, 0, 0, 0}};
  }
  std::vector<std::uint64_t> registers(33, 7);
  // As it is where return addresses are signed.
  registers[30] = in_middle | std::uint64_t{0x5a} << 56;
  registers[31] = stack_pointer;
  registers[32] = bias + leaf + 4;
  return {0, {}, registers, {1, in_main, 0, 0, 0, 0, 0, 0}};
}

const std::vector<ModuleAddress> expected = {
    {0, {leaf + 4}}, {0, {middle + 0x20}}, {0, {main_function + 0x30}}};

}  // namespace

TEST_CASE("perf.data: copied stacks of two machines, and of both byte orders") {
  for (const Machine& machine : {x86_64, aarch64(ByteOrder::little), aarch64(ByteOrder::big)}) {
    for (const bool is_exceptions : {true, false}) {
      CAPTURE(machine.number, machine.order, is_exceptions);
      const BuiltProgram built(machine, is_exceptions);
      PerfDataBuilder::Event event;
      event.registers = machine.registers;
      PerfDataBuilder builder(machine.order, {event});
      builder.map(7, base, 0x100000, 0, built.path.string(), 50);
      // The addresses that the kernel finds by frame pointers are not believed.
      const std::uint64_t place = built.bias + leaf + 4;
      builder.sample(0, 7, 7, 100, place, 1'000'000, {static_cast<std::uint64_t>(-512), place, 5},
                     copied(machine, built.bias));
      CHECK(built.stack_in(builder) == expected);
    }
  }
}

TEST_CASE("perf.data: callers from branch stacks") {
  constexpr std::uint64_t of_calls = 1 << 11;
  constexpr std::uint64_t with_index = 1 << 17;
  const BuiltProgram built(x86_64, true);
  const std::uint64_t bias = built.bias;
  for (const std::uint64_t type : {of_calls, of_calls | with_index}) {
    PerfDataBuilder::Event event;
    event.branch_type = type;
    PerfDataBuilder builder(ByteOrder::little, {event});
    builder.map(7, base, 0x100000, 0, built.path.string(), 50);
    const std::uint64_t place = bias + leaf + 4;
    // What called main is not there.
    builder.sample(0, 7, 7, 100, place, 1'000'000, {static_cast<std::uint64_t>(-512), place},
                   {0,
                    {bias + middle + 0x1f, bias + leaf, bias + main_function + 0x2f, bias + middle,
                     base - 64, bias + main_function}});
    CHECK(built.stack_in(builder) == expected);
  }
}

TEST_CASE("perf.data: code below the kernel was interrupted, unless it had called the system") {
  const BuiltProgram built(x86_64, true);
  const std::uint64_t bias = built.bias;
  const std::uint64_t main_call = bias + main_function + 0x30;
  // Callers are looked up one byte before their address: the interrupted instruction is `at`.
  const auto check = [&](const PerfDataBuilder& builder, std::uint64_t at) {
    const std::vector<ModuleAddress> frames = built.stack_in(builder);
    REQUIRE(frames.size() == 3);
    CHECK(frames[1] == ModuleAddress{0, {at + 1}});
    CHECK(frames[2] == ModuleAddress{0, {main_function + 0x30}});
  };
  for (const auto& [address, at] : {std::pair{middle, middle},
                                    {system_call, system_call},
                                    {system_call + 2, system_call + 1}}) {
    CAPTURE(address);
    PerfDataBuilder chains(ByteOrder::little, {{}});
    chains.map(7, base, 0x100000, 0, built.path.string(), 50);
    chains.sample(0, 7, 7, 100, in_kernel, 1'000'000,
                  {kernel_mark, in_kernel, user_mark, bias + address, main_call});
    check(chains, at);

    PerfDataBuilder::Event copies;
    copies.registers = x86_64.registers;
    PerfDataBuilder copied(ByteOrder::little, {copies});
    copied.map(7, base, 0x100000, 0, built.path.string(), 50);
    copied.sample(0, 7, 7, 100, in_kernel, 1'000'000, {kernel_mark, in_kernel, user_mark, 5},
                  {0, {}, {0, stack_pointer, bias + address}, {0, 0, 0, main_call, 0, 0, 0, 0}});
    check(copied, at);
  }
  // What the last branch led to was entered there.
  PerfDataBuilder::Event of_calls;
  of_calls.branch_type = 1 << 11;
  PerfDataBuilder branches(ByteOrder::little, {of_calls});
  branches.map(7, base, 0x100000, 0, built.path.string(), 50);
  branches.sample(0, 7, 7, 100, in_kernel, 1'000'000, {kernel_mark, in_kernel},
                  {0, {main_call - 1, bias + middle}});
  check(branches, middle);
}

TEST_CASE("perf.data: functions of the kernel, where its symbols are in perf's cache") {
  constexpr std::uint64_t moved = 0x2000000;  // to another place than the copy has it
  constexpr std::uint64_t kernel = 0xffffffff81000000;
  const BuiltProgram built(x86_64, true);
  const std::filesystem::path folder = built.path.parent_path() / "cache" / "[kernel.kallsyms]" /
                                       "0102030405060708090a0b0c0d0e0f1011121314";
  std::filesystem::create_directories(folder);
  write_file(folder / "kallsyms",
             "ffffffff81000000 T _text\nffffffff81000100 t vfs_read\nffffffff81000100 T alias\n"
             "ffffffff81000200 T do_syscall_64\nffffffff81000300 D data\n"
             "ffffffff81000400 T _etext\nffffffffc0000000 t of_module\t[module]\nnothing\n");
  PerfDataBuilder builder(ByteOrder::little, {{}});
  PerfDataBytes id(ByteOrder::little);
  id.put(~std::uint32_t{0});
  for (std::uint8_t i = 1; i <= 20; ++i) id.put(i);
  builder.record(67, 1, id.text("", 4).text("[kernel.kallsyms]", 24));
  PerfDataBytes mapping(ByteOrder::little);
  mapping.put(~std::uint32_t{0})
      .put(std::uint32_t{0})
      .put(kernel + moved)
      .put(std::uint64_t{0x1000});
  mapping.put(kernel + moved).text("[kernel.kallsyms]_text", 24);
  mapping.put(std::uint32_t{0}).put(std::uint32_t{0}).put(std::uint64_t{1}).put(std::uint64_t{100});
  builder.record(1, 1, mapping);
  builder.map(7, base, 0x100000, 0, built.path.string(), 50);
  constexpr auto mark = [](int value) { return static_cast<std::uint64_t>(value); };
  // The call in vfs_read is its last instruction.
  builder.sample(0, 7, 7, 100, kernel + moved + 0x180, 1'000'000,
                 {mark(-128), kernel + moved + 0x180, kernel + moved + 0x200,
                  kernel + moved + 0x234, kernel + 0x40001000, mark(-512),
                  built.bias + middle + 0x30, built.bias + main_function + 0x30});
  const ImportedProfile profile = built.profile_in(builder);
  const std::vector<ModuleAddress>& frames = profile.sidecar->stacks.front().frames;
  REQUIRE(frames.size() == 6);
  CHECK(profile.sidecar->modules[frames[0].module].path == "kernel");
  REQUIRE(profile.external_names);
  const ExternalNames& names = *profile.external_names;
  CHECK(names.at(frames[0]) == "vfs_read");
  CHECK(frames[1] == ModuleAddress{frames[0].module, frames[0].address + 1});
  CHECK(names.at({frames[2].module, frames[2].address - 1}) == "do_syscall_64");
  CHECK(frames[3] == ModuleAddress{frames[0].module, {}});
  CHECK(names.size() == 2);
  // Behind a system call.
  CHECK(frames[4] == ModuleAddress{0, {middle + 0x30}});
  CHECK(frames[5] == ModuleAddress{0, {main_function + 0x30}});
}
