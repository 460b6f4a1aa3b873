#include "engine/symbols/nearest_symbols.h"

#include <algorithm>

#include <elf.h>

#include "engine/object/code_addresses.h"
#include "engine/object/raw_symbols.h"

namespace gprof {
namespace {

bool names_code(const RawSymbol& symbol, const ReportedCode& code) {
  if (!symbol.is_defined() || !code.has_section(symbol.section)) return false;
  return symbol.type == STT_NOTYPE || symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC;
}

// Of two symbols at one address, whether the later one in the table is the better name.
bool is_better(const RawSymbol& later, const RawSymbol& earlier) {
  if (later.is_function() != earlier.is_function()) return later.is_function();
  return later.size > earlier.size;
}

}  // namespace

NearestSymbols::NearestSymbols(const Image& image, const ReportedCode& code) {
  // GNU gprof asks only the debug information of PE for names.
  if (image.format() == ObjectFormat::pe) return;
  const Section* table = find_symbol_section(image, SHT_SYMTAB);
  if (table == nullptr) return;
  const auto read = read_raw_symbols(image, *table);
  if (!read) return;
  std::vector<RawSymbol> raw;
  for (const RawSymbol& symbol : *read) {
    if (!names_code(symbol, code)) continue;
    raw.push_back(symbol);
    raw.back().value = without_thumb_bit(image, symbol).value;
  }
  std::ranges::stable_sort(raw, {}, &RawSymbol::value);
  for (std::size_t i = 0; i < raw.size();) {
    std::size_t best = i;
    std::size_t next = i + 1;
    for (; next < raw.size() && raw[next].value == raw[i].value; ++next) {
      if (is_better(raw[next], raw[best])) best = next;
    }
    const std::uint64_t start = raw[best].value;
    const std::uint64_t size = std::min(std::max(raw[best].size, std::uint64_t{1}), ~start);
    symbols_.push_back({Address{start}, Address{start + size}, raw[best].name});
    i = next;
  }
}

const NearestSymbol* NearestSymbols::at(Address address) const {
  const auto found = std::ranges::lower_bound(symbols_, address, {}, &NearestSymbol::address);
  return found != symbols_.end() && found->address == address ? &*found : nullptr;
}

}  // namespace gprof
