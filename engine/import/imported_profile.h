// Profiles that other tools wrote, as the rest of the engine knows profiles: what readers of them
// are given, and what they make.
//
// Units: link-time addresses of the program; ticks of the profile's own unit. Thread contract:
// value types and pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/code/machine_code.h"
#include "engine/gmon/raw_profile.h"
#include "engine/gmon/sidecar.h"
#include "engine/object/symbol_table.h"
#include "engine/support/expected.h"

namespace gprof {

// Code of a source line.
struct LineCode {
  AddressRange range;
  std::string file_name;  // without its directories
  LineNumber line = 0;
};

// The program whose profile is wanted. Borrows.
struct ImportTarget {
  const SymbolTable& symbols;
  const MachineCode& code;
  std::string path;
  // The lines of a function, ascending; `file`, with its directories, is one that it has lines of.
  std::function<std::vector<LineCode>(SymbolIndex function, std::string_view file)> lines;
};

// What calls cost with all that they called, where a tool has counted it: exact figures.
struct InclusiveCall {
  SymbolIndex caller = 0;
  std::optional<SymbolIndex> callee;  // none: code of another module
  Address place;                      // of the call instruction
  double ticks = 0;

  friend bool operator==(const InclusiveCall&, const InclusiveCall&) = default;
};
struct InclusiveCosts {
  std::map<SymbolIndex, double> totals;  // of functions
  std::vector<InclusiveCall> calls;      // in no order; of several runs, one after the other
  std::map<Address, double> self;        // by place
  double foreign = 0;                    // of code of other modules and of no function, itself

  [[nodiscard]] bool empty() const { return totals.empty(); }
  // Of another run.
  void add(const InclusiveCosts& other);
};

struct ImportedProfile {
  RawProfile raw;
  std::optional<Sidecar> sidecar;  // with stacks, where there are any
  std::vector<bool> own_modules;
  InclusiveCosts inclusive;
};

// Ticks by address, in histograms of one page each, which add up with those of other files.
[[nodiscard]] std::vector<Histogram> histograms_of(const std::map<Address, std::uint64_t>& ticks);

[[nodiscard]] std::string_view last_part(std::string_view path);

// Finds functions by the names that tools give them: linkage names, or demangled ones.
class NamedFunctions {
 public:
  explicit NamedFunctions(const SymbolTable& symbols) : symbols_(symbols) {}

  // All that are called so; empty where none is.
  [[nodiscard]] const std::vector<SymbolIndex>& find(std::string_view name);

 private:
  void index();

  const SymbolTable& symbols_;
  bool indexed_ = false;
  std::map<std::string, std::vector<SymbolIndex>, std::less<>> by_name_;
  std::vector<SymbolIndex> none_;
};

// The next line of a text, without its end; none at the end of the text.
[[nodiscard]] std::optional<std::string_view> take_line(std::string_view& text);

}  // namespace gprof
