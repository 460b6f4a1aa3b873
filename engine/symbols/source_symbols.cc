#include "engine/symbols/source_symbols.h"

#include <algorithm>
#include <iterator>

namespace gprof {

std::string_view SourceSymbolTable::path(FileIndex file) const {
  return file < parts_.files.size() ? std::string_view(parts_.files[file]) : std::string_view();
}

std::string_view SourceSymbolTable::base_name(FileIndex file) const {
  return base_name_of(path(file));
}

std::optional<SymbolIndex> SourceSymbolTable::find(Address address) const {
  const auto after = std::ranges::upper_bound(parts_.symbols, address, {}, &SourceSymbol::address);
  if (after == parts_.symbols.begin()) return std::nullopt;
  const auto found = std::prev(after);
  if (address >= found->end) return std::nullopt;
  return static_cast<SymbolIndex>(found - parts_.symbols.begin());
}

std::string_view base_name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace gprof
