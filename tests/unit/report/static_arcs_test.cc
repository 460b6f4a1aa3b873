#include <tuple>

#include "engine/report/tally.h"
#include "tests/support/source_function.h"
#include "tests/unit/report/synthetic_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

using Arcs = std::vector<std::tuple<std::string, std::string>>;

enum class Instruction : std::uint8_t { call = 0xe8, jump = 0xe9 };

// x86-64 code of the functions a to d: no-operations except for what is inserted.
class Code {
 public:
  Code() : bytes_(4 * function_size, std::byte{0x90}) {}

  Code& put(Instruction instruction, Address at, Address target) {
    const std::size_t offset = at - Address{code_start};
    const std::uint64_t distance = target - (at + 5);
    bytes_[offset] = static_cast<std::byte>(instruction);
    for (std::size_t i = 0; i < 4; ++i) {
      bytes_[offset + 1 + i] = static_cast<std::byte>(distance >> (8 * i));
    }
    return *this;
  }

  void put_byte(Address at, std::byte value) { bytes_[at - Address{code_start}] = value; }

  [[nodiscard]] Arcs arcs(const RawProfile& raw = {}, bool d_is_label = false) const {
    ElfBuilder elf(PointerWidth::eight, ByteOrder::little, EM_X86_64);
    elf.add_text(code_start, bytes_);
    auto image = Image::from_bytes(elf.build(), "program");
    REQUIRE(image);
    SourceSymbolTable::Parts parts;
    for (const std::string_view name : {"a", "b", "c", "d"}) {
      const auto index = static_cast<SymbolIndex>(parts.symbols.size());
      parts.symbols.push_back(source_function(entry_of(index), function_size, name));
      parts.symbols.back().is_function = name != "d" || !d_is_label;
    }
    const SourceSymbolTable symbols(std::move(parts));
    Arcs found;
    for (const SiteArc& arc : find_static_arcs(MachineCode(*image), raw, symbols)) {
      CHECK(arc.count == 0);
      found.emplace_back(symbols[arc.caller].name, symbols[arc.callee].name);
    }
    return found;
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

TEST_CASE("static arcs: calls forward and backward, in the order of their addresses") {
  Code code;
  code.put(Instruction::call, entry_of(1), entry_of(3));
  code.put(Instruction::call, entry_of(1) + 8, entry_of(0));
  code.put(Instruction::call, entry_of(0) + 3, entry_of(2));
  CHECK(code.arcs() == Arcs{{"a", "c"}, {"b", "d"}, {"b", "a"}});
}

TEST_CASE("static arcs: a jump to another function is a call of it") {
  Code code;
  code.put(Instruction::jump, entry_of(2) + 8, entry_of(1));
  CHECK(code.arcs() == Arcs{{"c", "b"}});
}

TEST_CASE("static arcs: jumps within a function are none, nor are those to a label") {
  Code code;
  code.put(Instruction::jump, entry_of(2) + 8, entry_of(2));
  code.put(Instruction::jump, entry_of(2) + 16, entry_of(3));
  CHECK(code.arcs({}, true).empty());
  CHECK(code.arcs() == Arcs{{"c", "d"}});
}

TEST_CASE("static arcs: a label that is called is shown") {
  Code code;
  code.put(Instruction::call, entry_of(0), entry_of(3));
  CHECK(code.arcs({}, true) == Arcs{{"a", "d"}});
}

TEST_CASE("static arcs: a call leads to an entry, not into a function") {
  Code code;
  code.put(Instruction::call, entry_of(0), entry_of(2) + 1);
  CHECK(code.arcs().empty());
}

TEST_CASE("static arcs: an operand that looks like a call is none") {
  // mov $0x000000e8, %eax; what follows is its operand.
  Code code;
  code.put(static_cast<Instruction>(0xb8), entry_of(0), entry_of(0) + 5 + 0xe8);
  CHECK(code.arcs().empty());
}

TEST_CASE("static arcs: only where samples were taken, if any were") {
  Code code;
  code.put(Instruction::call, entry_of(0), entry_of(1));
  code.put(Instruction::call, entry_of(1), entry_of(2));
  code.put(Instruction::call, entry_of(2), entry_of(0));
  RawProfile raw;
  raw.histograms = {{entry_of(0), entry_of(2), {1}}};
  CHECK(code.arcs(raw) == Arcs{{"a", "b"}});
}

TEST_CASE("static arcs: nothing is read behind the code") {
  Code code;
  for (std::uint64_t i = 1; i < 6; ++i) {
    code.put_byte(entry_of(4) - i, std::byte{0xe8});
    CHECK(code.arcs().empty());
  }
}
