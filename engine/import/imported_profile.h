// Profiles written by other tools, converted to the engine's own form: the input and output of
// their readers.
//
// Units: link-time addresses of the program; ticks of the profile's own unit. Thread contract:
// value types and pure functions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/code/machine_code.h"
#include "engine/gmon/external_names.h"
#include "engine/gmon/raw_profile.h"
#include "engine/gmon/sidecar.h"
#include "engine/metrics/metric.h"
#include "engine/object/symbol_table.h"
#include "engine/support/expected.h"
#include "engine/support/snapshot_file.h"

namespace gprof {

// The code of a source line.
struct LineCode {
  AddressRange range;
  std::string file_name;  // without its directories
  LineNumber line = 0;
};

// Where a function is defined.
struct FunctionDefinition {
  std::string path;
  LineNumber line = 0;
};

// The program whose profile is wanted. Borrows everything.
struct ImportTarget {
  const SymbolTable& symbols;
  const MachineCode& code;
  std::string path;
  // The lines of a function, ascending; `file`, with its directories, is one that has some of them.
  std::function<std::vector<LineCode>(SymbolIndex function, std::string_view file)> lines;
  std::string build_id = {};  // hexadecimal digits; empty if it has none
  // What is added to a place in the file to get the address of the code there.
  std::uint64_t code_bias = 0;
  // perf's caches, as ~/.debug.
  std::vector<std::filesystem::path> perf_caches = {};
  // By the program's debug information; none if that does not say.
  std::function<std::optional<FunctionDefinition>(SymbolIndex function)> definition = {};
};

// In place of an index into InclusiveCosts::functions: unknown code, or none.
inline constexpr std::uint32_t no_external_function = 0xffffffff;

// Total cost of calls, if the tool counted it: exact figures.
struct InclusiveCall {
  SymbolIndex caller = 0;
  std::optional<SymbolIndex> callee;  // none: code of another module
  // The called code of another module: an index into InclusiveCosts::functions.
  std::uint32_t external = no_external_function;
  Address place;  // of the call instruction
  double ticks = 0;

  friend bool operator==(const InclusiveCall&, const InclusiveCall&) = default;
};
struct ExternalCost {
  double self = 0;
  double total = 0;  // with what it called

  friend bool operator==(const ExternalCost&, const ExternalCost&) = default;
};
struct InclusiveCosts {
  std::map<SymbolIndex, double> totals;  // of functions
  std::vector<InclusiveCall> calls;      // unsorted; of several runs, one after the other
  std::map<Address, double> self;        // by place
  double external = 0;                   // self cost of code in other modules or in no function
  // The part of it in named code, by index in `functions`.
  std::map<std::uint32_t, ExternalCost> external_costs;
  // Functions of other modules; null if there are none. All costs of a file share one list, which
  // stays as it is: add() copies a shared list before it extends it.
  std::shared_ptr<ExternalCodeList> functions;

  [[nodiscard]] bool empty() const { return totals.empty(); }
  // The part of `external` that is in code without a name.
  [[nodiscard]] double unnamed_external() const;
  // Adds another run.
  void add(const InclusiveCosts& other);

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    exchange_map(self.totals, stream);
    stream.list(self.calls, [&](auto& call) {
      stream.number(call.caller);
      stream.optional(call.callee);
      stream.number(call.external);
      stream.number(call.place);
      stream.number(call.ticks);
    });
    exchange_map(self.self, stream);
    stream.number(self.external);
    std::vector<ExternalCode> codes;
    if (self.functions != nullptr) codes = self.functions->codes();
    stream.list(codes, [&](auto& code) {
      stream.text(code.module);
      stream.text(code.function);
    });
    exchange_map(self.external_costs, stream);
    if constexpr (is_reader<Stream>) {
      if (codes.empty()) return;
      self.functions = std::make_shared<ExternalCodeList>();
      for (const ExternalCode& code : codes) self.functions->number_of(code);
    }
  }
  // Whether what exchange() read is valid for a program with that many symbols.
  [[nodiscard]] bool is_sound(std::size_t symbols) const;
};

// What one thread has of costs that were counted for each thread by itself.
struct ImportedThread {
  std::uint32_t process = 0;  // 0 where it is not known
  std::uint32_t thread = 0;
  std::map<Address, std::uint64_t> ticks;
  std::shared_ptr<const std::vector<RawArc>> arcs;  // of all metrics; never null
  InclusiveCosts inclusive;
};

struct ImportedProfile {
  Metric metric;  // of the costs
  // Whose all of it is; 0 if it is not known, or threads are told apart.
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  RawProfile raw;
  std::optional<Sidecar> sidecar;  // with stacks, if there are any
  std::vector<bool> own_modules;
  std::shared_ptr<const ExternalNames> external_names;  // of the sidecar's modules; may be null
  InclusiveCosts inclusive;
  // Of costs that were counted, if they are of several threads: these add up to all of it.
  std::vector<ImportedThread> threads;
  // The other metrics of the file, in its order; none of them has others. Threads, the time line
  // and arcs are the same in all.
  std::vector<ImportedProfile> others;
};

// Ticks by address, in histograms of one page each, which add up with those of other files.
[[nodiscard]] std::vector<Histogram> histograms_of(const std::map<Address, std::uint64_t>& ticks);

// A warning that a share of the samples is in the program but outside its functions.
[[nodiscard]] std::string unplaced_samples_text(double share, const std::string& program);

// The name of the metric of an event: its own, unless that has another meaning.
[[nodiscard]] std::string event_metric_name(std::string_view event);

[[nodiscard]] std::string_view last_part(std::string_view path);

// Whether a file of that name is the C library, or a part of it.
[[nodiscard]] bool is_c_library_file(std::string_view path);
// Whether it is the dynamic linker.
[[nodiscard]] bool is_loader_file(std::string_view path);

// The next line of a text, without its line end; none at the end of the text.
[[nodiscard]] std::optional<std::string_view> take_line(std::string_view& text);

}  // namespace gprof
