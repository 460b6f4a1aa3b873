#include "engine/object/names_at_addresses.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include <elf.h>

#include "engine/object/clone_suffix.h"
#include "engine/object/code_addresses.h"
#include "engine/object/embedded_image.h"
#include "engine/object/raw_symbols.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

struct CoveringSymbol {
  AddressRange code;
  std::string_view name;
  bool is_local = false;
};

// By start; of one start, the best name last.
bool comes_before(const CoveringSymbol& a, const CoveringSymbol& b) {
  const auto key = [](const CoveringSymbol& symbol) {
    return std::tuple(symbol.is_local, leading_marks(symbol.name), symbol.name.size(), symbol.name);
  };
  return a.code.low != b.code.low ? a.code.low < b.code.low : key(b) < key(a);
}

// The functions that cover at least one of the addresses.
class CoveringSymbols {
 public:
  CoveringSymbols(const Image& image, std::span<const Address> addresses)
      : addresses_of_code_(image), addresses_(addresses) {}

  // Returns whether the table has functions. `from` must outlive the names.
  bool add(const Image& from, std::uint32_t section_type);
  // Sorted as comes_before() says.
  std::vector<CoveringSymbol> take();
  // Bytes that names may take, where symbols may share them.
  [[nodiscard]] std::uint64_t most_name_bytes() const { return most_name_bytes_; }

 private:
  [[nodiscard]] bool covers_any(AddressRange code) const {
    const auto first = std::ranges::lower_bound(addresses_, code.low);
    return first != addresses_.end() && *first < code.high;
  }

  CodeAddresses addresses_of_code_;
  std::span<const Address> addresses_;
  std::vector<CoveringSymbol> symbols_;
  std::uint64_t most_name_bytes_ = 0;
};

bool CoveringSymbols::add(const Image& from, std::uint32_t section_type) {
  const Section* table = find_symbol_section(from, section_type);
  if (table == nullptr) return false;
  const auto symbols = read_raw_symbols(from, *table);
  if (!symbols) return false;
  most_name_bytes_ += most_shared_bytes(symbols->strings().size());
  bool any = false;
  for (const RawSymbol& symbol : *symbols) {
    if (!symbol.is_function() || !symbol.is_defined() || symbol.size == 0) continue;
    any = true;
    const Address start = addresses_of_code_.of(symbol);
    const AddressRange code = {start, start + symbol.size};
    if (symbol.name.empty() || !covers_any(code)) continue;
    const std::string_view name = without_version(linkage_name(from, symbol.name));
    const CloneName clone = split_clone_name(name);
    const bool is_part = clone.kind == CloneKind::part;
    symbols_.push_back({code, is_part ? clone.base : name, symbol.binding == STB_LOCAL});
  }
  return any;
}

std::vector<CoveringSymbol> CoveringSymbols::take() {
  std::sort(symbols_.begin(), symbols_.end(), comes_before);
  return std::move(symbols_);
}

}  // namespace

NamesAtAddresses::NamesAtAddresses(const Image& image, const Image* debug_image,
                                   std::span<const Address> addresses) {
  CoveringSymbols covering(image, addresses);
  std::shared_ptr<const Image> embedded;
  bool has_all = covering.add(image, SHT_SYMTAB);
  if (!has_all && debug_image != nullptr) has_all = covering.add(*debug_image, SHT_SYMTAB);
  if (!has_all) embedded = embedded_image(image);
  if (embedded != nullptr) (void)covering.add(*embedded, SHT_SYMTAB);
  (void)covering.add(image, SHT_DYNSYM);

  const std::vector<CoveringSymbol> symbols = covering.take();
  std::unordered_map<std::string_view, std::uint32_t> known;
  std::uint64_t bytes = 0;
  const auto number_of = [&](std::string_view name) {
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    bytes += name.size();
    if (bytes > covering.most_name_bytes()) return std::uint32_t{0};
    const auto number = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    known.emplace(name, number);
    return number;
  };
  numbers_.reserve(addresses.size());
  // Those that started at or before the address; the one that started last comes last.
  std::vector<const CoveringSymbol*> started;
  auto next = symbols.begin();
  for (const Address address : addresses) {
    for (; next != symbols.end() && next->code.low <= address; ++next) started.push_back(&*next);
    // Addresses ascend: what has ended is never needed again.
    while (!started.empty() && started.back()->code.high <= address) started.pop_back();
    numbers_.push_back(started.empty() ? 0 : number_of(started.back()->name));
  }
}

}  // namespace gprof
