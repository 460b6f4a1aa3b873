// Finds the program's functions by the names that other tools write: the linkage name, or the
// output of some demangler. Demanglers differ in return types of templates, parameters, `> >` and
// `>>`,
// `[clone .cold]` and `(.cold)`, the names of lambdas, and the hashes of Rust's names.
//
// Ownership: borrows the symbols. Thread contract: one thread. Errors: none.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/object/symbol_table.h"
#include "engine/support/hash_seed.h"

namespace gprof {

// A spelling that all the usual demanglers' spellings of a name have in common, for comparison.
[[nodiscard]] std::string common_spelling(std::string_view name);
// A demangled name without parameters, return type and clone suffixes: "box<int>::grow" for
// "void box<int>::grow(long) const [clone .cold]".
[[nodiscard]] std::string_view without_types(std::string_view name);

class NamedFunctions {
 public:
  explicit NamedFunctions(const SymbolTable& symbols) : symbols_(symbols) {}

  // All functions with that name, ascending; empty if there are none.
  [[nodiscard]] const std::vector<SymbolIndex>& find(std::string_view name);

 private:
  using Names =
      std::unordered_map<std::string, std::vector<SymbolIndex>, TextHash, std::equal_to<>>;

  [[nodiscard]] const std::vector<SymbolIndex>& find_spelled(std::string_view name);
  void index();
  void index_spellings();

  const SymbolTable& symbols_;
  bool indexed_ = false;
  bool spellings_indexed_ = false;
  Names by_name_;
  Names by_spelling_;
  // Results for names that are not in by_name_.
  std::unordered_map<std::string, const std::vector<SymbolIndex>*, TextHash, std::equal_to<>>
      asked_;
  std::vector<SymbolIndex> none_;
};

}  // namespace gprof
