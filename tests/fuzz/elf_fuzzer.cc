// The readers of ELF and PE, both symbol policies, and the disassembly of calls.
#include <cstdint>
#include <vector>

#include "engine/code/machine_code.h"
#include "engine/object/image.h"
#include "engine/object/symbol_table.h"
#include "tests/fuzz/require.h"

using namespace gprof;
using gprof::test::require;

namespace {

constexpr std::uint64_t disassembled_bytes = 4096;

void read_symbols(const std::shared_ptr<const Image>& image, SymbolPolicy policy) {
  const auto table = SymbolTable::build(image, nullptr, policy);
  if (!table) return;
  for (SymbolIndex i = 0; i < table->size(); ++i) {
    const Symbol& symbol = (*table)[i];
    require(symbol.clone_of < table->size(), "a clone's function is a symbol of the table");
    require(i == 0 || (*table)[i - 1].address <= symbol.address, "symbols are ascending");
    if (const auto found = table->find(symbol.address)) {
      require(*found < table->size(), "a found symbol is one of the table");
    }
    (void)table->find_by_name(symbol.name);
    (void)table->aliases(i);
  }
}

void read_sections(const Image& image) {
  std::vector<std::byte> own;
  for (const Section& section : image.sections()) {
    (void)image.section_bytes(section);
    (void)image.bytes_in(section.range(), own);
    (void)image.code_section_at(section.address);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto image = Image::from_bytes({bytes.begin(), bytes.end()}, "input");
  if (!image) {
    require(!image.error().message.empty(), "an error says what went wrong");
    return 0;
  }
  (void)(*image)->debug_link();
  (void)(*image)->build_id();
  (void)(*image)->is_program();
  read_sections(**image);
  read_symbols(*image, SymbolPolicy::full);
  read_symbols(*image, SymbolPolicy::gnu);
  AddressRange code = (*image)->code_range();
  if (code.size() > disassembled_bytes) code.high = code.low + disassembled_bytes;
  const MachineCode machine_code(*image);
  for (const CallInstruction& call : machine_code.calls_in(code)) {
    require(code.contains(call.address), "a call lies in the range that was asked for");
  }
  (void)machine_code.counts_its_calls(code);
  return 0;
}
