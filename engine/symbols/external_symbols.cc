#include "engine/symbols/external_symbols.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/object/code_ranges.h"
#include "engine/support/input_file.h"

namespace gprof {
namespace {

constexpr std::string_view white_space = " \t\n\v\f\r";

std::string_view without_leading_space(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(white_space), text.size()));
  return text;
}

std::string_view take_word(std::string_view& text) {
  text = without_leading_space(text);
  const std::string_view word = text.substr(0, text.find_first_of(white_space));
  text.remove_prefix(word.size());
  return word;
}

struct Entry {
  std::string_view address;
  char type = '\0';
  std::string_view name;
};

// The type is one character: anything right after it is already the name.
std::optional<Entry> parse_entry(std::string_view line) {
  Entry entry;
  line = line.substr(0, line.find('\0'));
  entry.address = take_word(line);
  line = without_leading_space(line);
  if (line.empty()) return std::nullopt;
  entry.type = line.front();
  line.remove_prefix(1);
  entry.name = take_word(line);
  if (entry.name.empty()) return std::nullopt;
  return entry;
}

int digit_value(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

// The number at the start of the text, as C reads it: optional sign and 0x; one too large becomes
// the largest.
std::optional<std::uint64_t> parse_hexadecimal(std::string_view text) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || digit_value(text.front()) < 0) return std::nullopt;
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint64_t value = 0;
  for (; !text.empty() && digit_value(text.front()) >= 0; text.remove_prefix(1)) {
    if (value > largest >> 4) return largest;
    value = value << 4 | static_cast<std::uint64_t>(digit_value(text.front()));
  }
  return negative ? 0 - value : value;
}

// Whether `later` replaces `first` at the same address.
bool replaces(const SourceSymbol& later, const SourceSymbol& first) {
  if (later.is_static != first.is_static) return first.is_static;
  const auto underscores = [](std::string_view name) {
    return std::min(std::min(name.find_first_not_of('_'), name.size()), std::size_t{2});
  };
  return underscores(later.name) < underscores(first.name);
}

// Sorts, keeps one symbol per address, and sets the ends.
void settle(std::vector<SourceSymbol>& symbols, const ReportedCode& code) {
  std::ranges::stable_sort(symbols, [](const SourceSymbol& a, const SourceSymbol& b) {
    return std::tie(a.address, a.is_static) < std::tie(b.address, b.is_static);
  });
  std::vector<SourceSymbol> settled;
  for (const SourceSymbol& symbol : symbols) {
    if (settled.empty() || settled.back().address != symbol.address) {
      settled.push_back(symbol);
    } else if (replaces(symbol, settled.back())) {
      settled.back() = symbol;
    }
  }
  for (std::size_t i = 0; i < settled.size(); ++i) {
    settled[i].end =
        i + 1 < settled.size() ? settled[i + 1].address : code.end_after(settled[i].address);
  }
  symbols = std::move(settled);
}

Error bad_address(const std::string& path, std::size_t line, std::string_view address) {
  return Error{
      ErrorCode::corrupt,
      fmt::format("line {}: expected a hexadecimal address, found \"{}\"; write a symbol as "
                  "`nm` does: ADDRESS TYPE NAME",
                  line, address),
      path, std::nullopt};
}

// Removes the next line, of at most the maximum length, from `text`.
std::string_view take_line(std::string_view& text, std::size_t& line_number) {
  std::string_view line = text.substr(0, longest_symbol_line);
  const std::size_t end = line.find('\n');
  if (end != std::string_view::npos) {
    line = line.substr(0, end + 1);
    ++line_number;
  }
  text.remove_prefix(line.size());
  return line;
}

}  // namespace

Expected<SourceSymbolTable::Parts> external_symbols(const std::string& path, const Image& image) {
  TRY_ASSIGN(const auto file, InputFile::open(path));
  TRY_ASSIGN(const auto bytes, file.read_all());
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  SourceSymbolTable::Parts parts;
  std::size_t next_line = 1;
  while (!text.empty()) {
    const std::size_t line_number = next_line;
    const auto entry = parse_entry(take_line(text, next_line));
    if (!entry || (entry->type != 't' && entry->type != 'T')) continue;
    const auto address = parse_hexadecimal(entry->address);
    if (!address) return bad_address(path, line_number, entry->address);
    SourceSymbol symbol{Address{*address}, Address{}, parts.owned_names.emplace_back(entry->name)};
    symbol.is_function = true;
    symbol.is_static = entry->type == 't';
    parts.symbols.push_back(symbol);
  }
  if (parts.symbols.empty()) {
    return Error{ErrorCode::no_symbols,
                 "no function in this list of symbols: lines \"ADDRESS T NAME\" expected, as `nm` "
                 "prints them",
                 path, std::nullopt};
  }
  settle(parts.symbols, ReportedCode(image));
  return parts;
}

}  // namespace gprof
