// SymbolPolicy::gnu: the symbols that GNU gprof 2.40 keeps; docs/gnu-symbols.md states the rules.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <elf.h>
#include <fmt/format.h>

#include "engine/object/code_addresses.h"
#include "engine/object/code_ranges.h"
#include "engine/object/raw_symbols.h"
#include "engine/object/symbol_policies.h"
#include "engine/support/radix_sort.h"

namespace gprof {
namespace {

// The short names of COFF symbols, which their entries contain, as GNU gprof has them in memory:
// one after the other in table order, each with a zero and filled up to a multiple of eight bytes.
class ShortNames {
 public:
  ShortNames() = default;
  explicit ShortNames(const RawSymbols& symbols) {
    for (const RawSymbol& symbol : symbols) {
      if (symbol.name_offset) continue;
      places_.push_back(text_.size());
      text_ += symbol.name;
      text_.resize((text_.size() / alignment + 1) * alignment, '\0');
    }
  }

  // By their number among the short names.
  [[nodiscard]] std::string_view from(std::size_t number) const {
    return std::string_view(text_).substr(places_[number]);
  }

 private:
  static constexpr std::size_t alignment = 8;
  std::string text_;
  std::vector<std::size_t> places_;
};

// Walks a name in memory and, after a numbered suffix at its end, on into the string after it: GNU
// gprof does not stop at the end of the name.
class LocalNameFilter {
 public:
  // `memory`: the name and what follows it.
  explicit LocalNameFilter(std::string_view memory) : memory_(memory) {}

  [[nodiscard]] bool accepts() const {
    if (letter(0) == '\0') return false;
    if (memory_.starts_with("__gnu_compiled") || memory_.starts_with("___gnu_compiled")) {
      return false;
    }
    std::size_t at = 0;
    while (letter(at) != '\0') {
      if (letter(at) == '$') return false;
      if (letter(at) != '.') {
        ++at;
        continue;
      }
      const auto suffix_end = skip_suffixes(at);
      if (!suffix_end) return false;
      // The character that ends the suffixes is skipped unseen: at best the end of the name.
      at = *suffix_end + 1;
    }
    return true;
  }

 private:
  [[nodiscard]] char letter(std::size_t at) const {
    return at < memory_.size() ? memory_[at] : '\0';
  }

  // From a dot over ".NNN", ".clone.NNN" and ".constprop.NNN" to the end of the name.
  [[nodiscard]] std::optional<std::size_t> skip_suffixes(std::size_t at) const {
    while (letter(at) == '.') {
      at += prefix_size(at);
      for (++at; letter(at) != '\0' && letter(at) != '.'; ++at) {
        if (letter(at) < '0' || letter(at) > '9') return std::nullopt;
      }
    }
    return at;
  }

  // What a clone's word adds before the dot of its number.
  [[nodiscard]] std::size_t prefix_size(std::size_t at) const {
    for (const std::string_view word :
         {std::string_view(".clone."), std::string_view(".constprop.")}) {
      if (memory_.substr(std::min(at, memory_.size())).starts_with(word) &&
          letter(at + word.size()) != '\0') {
        return word.size() - 1;
      }
    }
    return 0;
  }

  std::string_view memory_;
};

// Sections of these names (also followed by a dot, a dollar sign or a digit) hold tables in Windows
// programs; GNU gprof takes them for that in ELF programs too.
bool has_windows_name(std::string_view section_name) {
  for (const std::string_view name : {".drectve", ".edata", ".idata", ".pdata"}) {
    if (!section_name.starts_with(name)) continue;
    const std::string_view rest = section_name.substr(name.size());
    if (rest.empty() ||
        std::string_view(".$0123456789").find(rest.front()) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

class Rules {
 public:
  Rules(const Image& image, const GnuSymbolOptions& options) : image_(image), options_(options) {}

  [[nodiscard]] bool keeps(const RawSymbol& symbol, std::string_view name_in_memory) const {
    const bool weak = symbol.binding == STB_WEAK;
    const bool absolute = symbol.reserved_section && symbol.section == SHN_ABS;
    if (!symbol.is_defined() && !(weak && absolute)) return false;
    if (symbol.type == STT_SECTION || symbol.type == STT_FILE || symbol.type == STT_GNU_IFUNC) {
      return false;
    }
    if (weak) return symbol.type != STT_OBJECT;
    if (!in_code(symbol)) return false;
    if (symbol.binding == STB_GLOBAL) return true;
    if (symbol.binding != STB_LOCAL || options_.ignore_static) return false;
    if (options_.ignore_non_functions && !is_function(symbol)) return false;
    return LocalNameFilter(name_in_memory).accepts();
  }

  // GNU gprof takes no local symbol of a PE program for a function, whatever its type.
  [[nodiscard]] bool is_function(const RawSymbol& symbol) const {
    if (image_.format() == ObjectFormat::pe && symbol.binding == STB_LOCAL) return false;
    return symbol.type == STT_FUNC;
  }

 private:
  [[nodiscard]] bool in_code(const RawSymbol& symbol) const {
    const auto sections = image_.sections();
    if (symbol.section >= sections.size()) return false;
    const Section& section = sections[symbol.section];
    return section.executable() && !has_windows_name(section.name);
  }

  const Image& image_;
  const GnuSymbolOptions& options_;
};

std::vector<Symbol> kept_symbols(const Image& image, const RawSymbols& read,
                                 const GnuSymbolOptions& options) {
  const Rules rules(image, options);
  // Only COFF has any; the symbols of a large ELF file are not visited twice.
  const ShortNames short_names =
      image.format() == ObjectFormat::pe ? ShortNames(read) : ShortNames();
  const std::string_view strings(reinterpret_cast<const char*>(read.strings().data()),
                                 read.strings().size());
  std::vector<Symbol> kept;
  kept.reserve(read.size());
  std::size_t short_name = 0;
  for (const RawSymbol& raw : read) {
    const std::string_view name_in_memory =
        raw.name_offset ? strings.substr(std::min<std::size_t>(*raw.name_offset, strings.size()))
                        : short_names.from(short_name++);
    if (!rules.keeps(raw, name_in_memory)) continue;
    Symbol symbol;
    symbol.address = without_thumb_bit(image, raw);
    symbol.size = raw.size;
    symbol.name = raw.name;
    symbol.is_function = rules.is_function(raw);
    symbol.is_local = raw.binding == STB_LOCAL;
    kept.push_back(symbol);
  }
  return kept;
}

// Whether `later` replaces `first` at the same address.
bool replaces(const Symbol& later, const Symbol& first) {
  if (later.is_local != first.is_local) return first.is_local;
  if (later.is_function != first.is_function) return later.is_function;
  const auto underscores = [](std::string_view name) {
    if (!name.starts_with('_')) return 0;
    return name.starts_with("__") ? 2 : 1;
  };
  return underscores(later.name) < underscores(first.name);
}

// Sorted by address, with one symbol each.
void settle_equal_addresses(std::vector<Symbol>& symbols) {
  struct Place {
    std::uint64_t address = 0;
    std::uint32_t symbol = 0;
  };
  std::vector<Place> places;
  places.reserve(symbols.size());
  for (const Symbol& symbol : symbols) {
    places.push_back({symbol.address.value, static_cast<std::uint32_t>(places.size())});
  }
  radix_sort(places, [](const Place& place) { return place.address; });
  const auto by_kind = [&](const Place& a, const Place& b) {
    const Symbol& left = symbols[a.symbol];
    const Symbol& right = symbols[b.symbol];
    return std::pair(!left.is_function, left.is_local) <
           std::pair(!right.is_function, right.is_local);
  };
  std::vector<Symbol> settled;
  settled.reserve(symbols.size());
  for (auto begin = places.begin(); begin != places.end();) {
    auto end = begin + 1;
    while (end != places.end() && end->address == begin->address) ++end;
    if (end - begin > 1) std::stable_sort(begin, end, by_kind);
    settled.push_back(symbols[begin->symbol]);
    for (auto next = begin + 1; next != end; ++next) {
      if (replaces(symbols[next->symbol], settled.back())) settled.back() = symbols[next->symbol];
    }
    begin = end;
  }
  symbols = std::move(settled);
}

// The ends that GNU gprof uses: the next kept symbol, and the end of the code for the last one.
void set_ends(std::vector<Symbol>& symbols, const ReportedCode& code) {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    symbols[i].end =
        i + 1 < symbols.size() ? symbols[i + 1].address : code.end_after(symbols[i].address);
    symbols[i].clone_of = static_cast<SymbolIndex>(i);
  }
}

}  // namespace

Expected<SymbolSelection> select_like_gnu(std::shared_ptr<const Image> image,
                                          const GnuSymbolOptions& options) {
  const ReportedCode code(*image);
  if (code.empty()) {
    return Error{ErrorCode::no_symbols,
                 "the program has no code: a section .text or another executable section with "
                 "bytes expected; name the executable itself, not its debug information alone",
                 image->path(), std::nullopt};
  }
  const Section* table = find_symbol_section(*image, SHT_SYMTAB);
  if (table == nullptr) return no_symbols_error(*image);
  TRY_ASSIGN(const auto read, read_raw_symbols(*image, *table));
  SymbolSelection selection;
  selection.symbols = kept_symbols(*image, read, options);
  if (selection.symbols.empty()) return no_symbols_error(*image);
  selection.table_order.reserve(selection.symbols.size());
  for (const Symbol& symbol : selection.symbols) selection.table_order.push_back(symbol.address);
  settle_equal_addresses(selection.symbols);
  set_ends(selection.symbols, code);
  selection.images.push_back(std::move(image));
  return selection;
}

}  // namespace gprof
