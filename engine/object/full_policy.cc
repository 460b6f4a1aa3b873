// SymbolPolicy::full: every function of an image, one symbol per address.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include <elf.h>
#include <fmt/format.h>

#include "engine/object/clone_suffix.h"
#include "engine/object/code_addresses.h"
#include "engine/object/embedded_image.h"
#include "engine/object/raw_symbols.h"
#include "engine/object/symbol_policies.h"
#include "engine/support/hexadecimal.h"
#include "engine/support/radix_sort.h"

namespace gprof {
namespace {

// Gaps below this are alignment padding and belong to the function before them.
constexpr std::uint64_t padding_bound = 64;

struct Candidate {
  Symbol symbol;
  const Section* section = nullptr;  // of code, in the program's image
  std::uint8_t binding = STB_LOCAL;
  std::uint32_t file = 0;  // see tie_clones()
};

bool is_candidate(const RawSymbol& symbol) {
  if (!symbol.is_defined() || symbol.name.empty()) return false;
  if (symbol.is_function()) return true;
  return symbol.type == STT_NOTYPE && !is_marker_name(symbol.name);
}

// Adds the table's functions and code labels; returns the number of functions.
Expected<std::size_t> collect(const Image& image, const Image& from, const Section& table,
                              std::vector<Candidate>& candidates) {
  TRY_ASSIGN(auto read, read_raw_symbols(from, table));
  const CodeAddresses addresses(image);
  std::size_t functions = 0;
  std::uint32_t file = 0;
  candidates.reserve(candidates.size() + read.size());
  for (const RawSymbol& raw : read) {
    if (raw.type == STT_FILE) ++file;
    if (!is_candidate(raw)) continue;
    const Address address = addresses.of(raw);
    const Section* section = image.code_section_at(address);
    if (section == nullptr) continue;
    Candidate candidate;
    candidate.symbol.address = address;
    candidate.symbol.size = raw.size;
    candidate.symbol.name = without_version(linkage_name(image, raw.name));
    candidate.symbol.clone = split_clone_name(candidate.symbol.name).kind;
    candidate.symbol.is_function = raw.is_function();
    candidate.symbol.is_local = raw.binding == STB_LOCAL;
    candidate.section = section;
    candidate.binding = raw.binding;
    candidate.file = raw.binding == STB_LOCAL ? file : 0;
    candidates.push_back(candidate);
    if (raw.is_function()) ++functions;
  }
  return functions;
}

class Collector {
 public:
  Collector(std::shared_ptr<const Image> image, std::shared_ptr<const Image> debug_image)
      : image_(std::move(image)), debug_image_(std::move(debug_image)) {}

  // Stops at the first complete table: the program's, then the debug file's.
  Expected<std::vector<Candidate>> run() {
    images.push_back(image_);
    if (take(image_, SHT_SYMTAB)) return std::move(candidates_);
    if (debug_image_ != nullptr && take(debug_image_, SHT_SYMTAB)) return std::move(candidates_);
    const auto embedded = embedded_image(*image_);
    const bool from_embedded = embedded != nullptr && take(embedded, SHT_SYMTAB);
    const bool from_dynamic = take(image_, SHT_DYNSYM);
    if (from_embedded || from_dynamic || !candidates_.empty()) return std::move(candidates_);
    if (damage_) return *std::move(damage_);
    return no_symbols_error(*image_);
  }

  std::vector<std::shared_ptr<const Image>> images;  // the images that own the candidates' names

 private:
  bool take(const std::shared_ptr<const Image>& from, std::uint32_t section_type) {
    const Section* table = find_symbol_section(*from, section_type);
    if (table == nullptr) return false;
    const auto functions = collect(*image_, *from, *table, candidates_);
    if (!functions) {
      if (!damage_) damage_ = functions.error();
      return false;
    }
    if (images.back() != from) images.push_back(from);
    return *functions > 0;
  }

  std::shared_ptr<const Image> image_;
  std::shared_ptr<const Image> debug_image_;
  std::vector<Candidate> candidates_;
  std::optional<Error> damage_;
};

int binding_rank(const Candidate& candidate) {
  if (candidate.binding == STB_LOCAL) return 2;
  return candidate.binding == STB_WEAK ? 1 : 0;
}

// By address; within one address, first the name that its author would use.
bool goes_before(const Candidate& a, const Candidate& b) {
  if (a.symbol.address != b.symbol.address) return a.symbol.address < b.symbol.address;
  const auto key = [&](const Candidate& c) {
    return std::tuple(!c.symbol.is_function, c.symbol.size == 0, binding_rank(c), c.symbol.clone,
                      leading_marks(c.symbol.name), c.symbol.name);
  };
  return key(a) < key(b);
}

// Positions of candidates in goes_before() order: candidates are large and are not moved.
using Order = std::vector<std::uint32_t>;

Order order_of(const std::vector<Candidate>& candidates) {
  struct Place {
    Address address;
    std::uint32_t index = 0;
  };
  std::vector<Place> places;
  places.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    places.push_back({candidate.symbol.address, static_cast<std::uint32_t>(places.size())});
  }
  radix_sort(places, [](const Place& place) { return place.address.value; });
  const auto before = [&](const Place& a, const Place& b) {
    return goes_before(candidates[a.index], candidates[b.index]);
  };
  for (auto begin = places.begin(); begin != places.end();) {
    auto end = begin + 1;
    while (end != places.end() && end->address == begin->address) ++end;
    if (end - begin > 1) std::sort(begin, end, before);
    begin = end;
  }
  Order order;
  order.reserve(places.size());
  for (const Place& place : places) order.push_back(place.index);
  return order;
}

// Prefetches upcoming candidates: in address order, they are scattered in memory.
void prefetch(const std::vector<Candidate>& candidates, const Order& order, std::size_t i) {
  constexpr std::size_t ahead = 12;
  if (i + ahead < order.size()) __builtin_prefetch(&candidates[order[i + ahead]]);
}

// Labels inside functions are not functions. A function without a size reaches to the next one,
// past local labels; a global label is an entry of its own.
void drop_covered_labels(const std::vector<Candidate>& candidates, Order& order) {
  std::size_t kept = 0;
  Address covered_to;
  const Section* open_function = nullptr;  // the section of a function with unknown end
  for (std::size_t i = 0; i < order.size(); ++i) {
    prefetch(candidates, order, i);
    const std::uint32_t index = order[i];
    const Candidate& candidate = candidates[index];
    const Symbol& symbol = candidate.symbol;
    if (symbol.is_function) {
      covered_to =
          std::max(covered_to, symbol.address +
                                   std::min(symbol.size, ~std::uint64_t{0} - symbol.address.value));
      open_function = symbol.size == 0 ? candidate.section : nullptr;
    } else if (symbol.address < covered_to ||
               (symbol.is_local && open_function == candidate.section)) {
      continue;
    } else {
      open_function = nullptr;
    }
    order[kept++] = index;
  }
  order.resize(kept);
}

// The first address after `candidate`; `next` is the candidate after it.
Address end_of(const Candidate& candidate, std::uint64_t largest_size, const Candidate* next) {
  const Symbol& symbol = candidate.symbol;
  Address limit = candidate.section->range().high;
  if (next != nullptr && next->section == candidate.section) {
    limit = std::min(limit, next->symbol.address);
  }
  if (largest_size == 0 || largest_size >= limit - symbol.address) return limit;
  const Address end = symbol.address + largest_size;
  return limit - end < padding_bound ? limit : end;
}

// One symbol per address; the rest become its aliases.
void merge_aliases(const std::vector<Candidate>& candidates, const Order& order,
                   SymbolSelection& selection, std::vector<std::uint32_t>& files) {
  selection.symbols.reserve(order.size());
  files.reserve(order.size());
  const auto at = [&](std::size_t i) -> const Candidate& { return candidates[order[i]]; };
  for (std::size_t i = 0; i < order.size();) {
    prefetch(candidates, order, i);
    const Candidate& chosen = at(i);
    const auto index = static_cast<SymbolIndex>(selection.symbols.size());
    std::uint64_t largest_size = chosen.symbol.size;
    std::size_t next = i + 1;
    for (; next < order.size() && at(next).symbol.address == chosen.symbol.address; ++next) {
      largest_size = std::max(largest_size, at(next).symbol.size);
      const std::string_view name = at(next).symbol.name;
      const bool repeated = name == at(next - 1).symbol.name || name == chosen.symbol.name;
      if (!repeated) selection.aliases.emplace_back(index, name);
    }
    Symbol symbol = chosen.symbol;
    symbol.end = end_of(chosen, largest_size, next < order.size() ? &at(next) : nullptr);
    selection.symbols.push_back(symbol);
    files.push_back(chosen.file);
    i = next;
  }
}

}  // namespace

Error no_symbols_error(const Image& image) {
  const std::string build_id = hexadecimal(image.build_id());
  const std::string remedy =
      build_id.empty() ? std::string("or install its separate debug file")
                       : fmt::format("or install the debug file with build-id {}", build_id);
  return Error{ErrorCode::no_symbols,
               "the program has no function symbols, it was stripped; rebuild it without -s and "
               "strip, " +
                   remedy,
               image.path(), std::nullopt};
}

Expected<SymbolSelection> select_all_functions(std::shared_ptr<const Image> image,
                                               std::shared_ptr<const Image> debug_image) {
  Collector collector(std::move(image), std::move(debug_image));
  TRY_ASSIGN(auto candidates, collector.run());
  Order order = order_of(candidates);
  drop_covered_labels(candidates, order);
  SymbolSelection selection;
  std::vector<std::uint32_t> files;
  merge_aliases(candidates, order, selection, files);
  selection.images = std::move(collector.images);
  tie_clones(selection, files);
  return selection;
}

}  // namespace gprof
