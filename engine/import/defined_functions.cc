#include "engine/import/defined_functions.h"

#include <algorithm>
#include <optional>

namespace gprof {
namespace {

// Takes the last name of a path; empty at its beginning. Names that lead nowhere are skipped.
std::string_view take_last_name(std::string_view& path) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
    if (!name.empty() && name != ".") return name;
  }
  return {};
}

}  // namespace

std::size_t common_path_end(std::string_view a, std::string_view b) {
  std::size_t common = 0;
  while (true) {
    const std::string_view name = take_last_name(a);
    if (name.empty() || name != take_last_name(b)) return common;
    ++common;
  }
}

std::vector<SymbolIndex> functions_defined_at(std::span<const SymbolIndex> functions,
                                              std::string_view path, LineNumber line,
                                              const ImportTarget& target) {
  std::vector<SymbolIndex> best(functions.begin(), functions.end());
  if (!target.definition || best.size() < 2) return best;
  std::size_t most_common = 0;
  bool has_line = false;
  for (const SymbolIndex function : functions) {
    const std::optional<FunctionDefinition> defined = target.definition(function);
    const std::size_t common = defined ? common_path_end(defined->path, path) : 0;
    if (common == 0 || common < most_common) continue;
    const bool is_on_line = line != 0 && defined->line == line;
    // The line counts among those whose paths agree as well.
    if (common > most_common || (is_on_line && !has_line)) {
      best.clear();
      most_common = common;
      has_line = is_on_line;
    } else if (has_line && !is_on_line) {
      continue;
    }
    best.push_back(function);
  }
  return best;
}

}  // namespace gprof
