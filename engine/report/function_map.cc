#include "engine/report/function_map.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "engine/support/input_file.h"

namespace gprof {
namespace {

// Names end at a NUL byte, as C strings do.
std::string_view as_c_string(std::string_view text) { return text.substr(0, text.find('\0')); }

class MapParser {
 public:
  MapParser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  Expected<std::vector<FunctionMap::Entry>> parse() {
    while (position_ < text_.size()) {
      TRY(parse_line());
      // White space before the next line is not part of it, empty lines among it.
      position_ = std::min(text_.find_first_not_of(" \t\n\v\f\r", position_), text_.size());
    }
    if (entries_.empty()) {
      return Error{ErrorCode::no_profile_data,
                   "the function map is empty; expected lines as nm --print-file-name prints them",
                   path_, std::nullopt};
    }
    return std::move(entries_);
  }

 private:
  Expected<void> parse_line() {
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    const std::string_view line = text_.substr(position_, end - position_);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return malformed("no file name and colon");
    const std::string_view rest = line.substr(colon + 1);
    const std::size_t space = rest.rfind(' ');
    if (space == std::string_view::npos) return malformed("no function after a space");
    const std::string_view file = as_c_string(line.substr(0, colon));
    const bool first_of_file = entries_.empty() || file != last_file_;
    entries_.push_back(
        {std::string(as_c_string(rest.substr(space + 1))), std::string(file), first_of_file});
    last_file_ = file;
    position_ = end;
    return {};
  }

  [[nodiscard]] Error malformed(std::string_view what) const {
    return {ErrorCode::corrupt,
            std::string(what) + " in a line of the function map; expected FILE:ADDRESS TYPE NAME",
            path_, position_};
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t position_ = 0;
  std::string_view last_file_;
  std::vector<FunctionMap::Entry> entries_;
};

}  // namespace

Expected<FunctionMap> FunctionMap::read(std::span<const std::byte> bytes, const std::string& path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  TRY_ASSIGN(auto entries, MapParser(text, path).parse());
  FunctionMap map;
  map.entries_ = std::move(entries);
  std::ranges::stable_sort(map.entries_, {}, &Entry::function);
  return map;
}

Expected<FunctionMap> FunctionMap::read_file(const std::filesystem::path& path) {
  TRY_ASSIGN(auto file, InputFile::open(path));
  TRY_ASSIGN(auto bytes, file.read_all());
  return read(bytes, path.string());
}

// The C library's bsearch: which of several equal entries it finds depends on its steps.
const FunctionMap::Entry* FunctionMap::find(std::string_view function) const {
  std::size_t low = 0;
  std::size_t high = entries_.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const int order = function.compare(entries_[middle].function);
    if (order == 0) return &entries_[middle];
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return nullptr;
}

MappedSymbols apply_function_map(SourceSymbolTable::Parts& parts, const FunctionMap& map) {
  MappedSymbols mapped;
  for (const FunctionMap::Entry& entry : map.entries()) mapped.files.push_back(entry.file);
  std::ranges::sort(mapped.files);
  mapped.files.erase(std::unique(mapped.files.begin(), mapped.files.end()), mapped.files.end());

  std::unordered_map<std::string_view, std::string_view> owned;
  const auto own = [&](const std::string& file) {
    const auto [place, inserted] = owned.try_emplace(file);
    if (inserted) place->second = parts.owned_names.emplace_back(file);
    return place->second;
  };
  const Address end = parts.symbols.empty() ? Address{} : parts.symbols.back().end;
  std::vector<SourceSymbol> kept;
  for (const SourceSymbol& symbol : parts.symbols) {
    const FunctionMap::Entry* const entry = map.find(symbol.name);
    if (entry != nullptr && !entry->first_of_file) continue;
    kept.push_back(symbol);
    if (entry == nullptr) continue;
    kept.back().name = own(entry->file);
    mapped.addresses.push_back(symbol.address);
  }
  // Removed symbols' code belongs to the symbol before.
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i].end = i + 1 < kept.size() ? kept[i + 1].address : end;
  }
  parts.symbols = std::move(kept);
  return mapped;
}

}  // namespace gprof
