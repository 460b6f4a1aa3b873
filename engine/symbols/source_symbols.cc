#include "engine/symbols/source_symbols.h"

namespace gprof {

std::string_view SourceSymbolTable::path(FileIndex file) const {
  return file < parts_.files.size() ? std::string_view(parts_.files[file]) : std::string_view();
}

std::string_view SourceSymbolTable::base_name(FileIndex file) const {
  return base_name_of(path(file));
}

std::optional<SymbolIndex> SourceSymbolTable::find(Address address) const {
  const std::size_t after = index_.starting_by(address, symbols());
  if (after == 0 || address >= parts_.symbols[after - 1].end) return std::nullopt;
  return static_cast<SymbolIndex>(after - 1);
}

std::string_view base_name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace gprof
