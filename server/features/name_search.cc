#include "server/features/name_search.h"

#include <cstddef>

namespace gprof::lsp {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

bool holds_letters(std::string_view name, std::string_view letters) {
  std::size_t found = 0;
  for (const char c : name) {
    if (found < letters.size() && lower(c) == lower(letters[found])) ++found;
  }
  return found == letters.size();
}

}  // namespace gprof::lsp
