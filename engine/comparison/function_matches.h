// Matches the functions of two builds: by linkage name, without clone suffixes.
//
// Several local functions may share a name: they are matched by the longest common ends of the
// paths of their declaring files, since builds may be in different directories. If that does not
// distinguish them, they are not matched.
//
// Thread contract: pure functions; they read debug information of functions with equal names.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/analysis/function_costs.h"
#include "engine/program.h"

namespace gprof {

struct FunctionMatch {
  SymbolIndex before = no_symbol;  // no_symbol: only in the newer build
  SymbolIndex after = no_symbol;   // no_symbol: only in the older build
};

// The functions of a build by name.
class FunctionNames {
 public:
  explicit FunctionNames(const Program& program);

  [[nodiscard]] std::span<const SymbolIndex> named(std::string_view name) const;
  [[nodiscard]] const std::unordered_map<std::string_view, std::vector<SymbolIndex>>& all() const {
    return functions_;
  }

 private:
  std::unordered_map<std::string_view, std::vector<SymbolIndex>> functions_;
};

// Without clone suffixes: "f" for "f.constprop.0".
[[nodiscard]] std::string_view name_for_matching(const Symbol& symbol);

// How many trailing components two paths share.
[[nodiscard]] std::size_t common_end(std::string_view a, std::string_view b);

// Every function of both builds, once.
[[nodiscard]] std::vector<FunctionMatch> match_functions(const Program& before,
                                                         const Program& after);

}  // namespace gprof
