#include "engine/import/callgrind.h"

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "engine/import/callgrind_events.h"
#include "engine/import/callgrind_parser.h"
#include "engine/import/defined_functions.h"
#include "engine/import/function_names.h"
#include "engine/profile/memory_room.h"
#include "engine/support/hash_seed.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

// Files searched for a function's lines if none has them.
constexpr unsigned most_files_of_a_function = 16;

// Each metric has a list of them. Those of more are not told apart.
constexpr std::size_t most_counted_threads = 4096;

// f'2 is the second f on the stack.
std::string_view without_recursion(std::string_view name) {
  const std::size_t mark = name.rfind('\'');
  const bool is_level = mark != std::string_view::npos && mark + 1 < name.size() &&
                        name.find_first_not_of("0123456789", mark + 1) == std::string_view::npos;
  return is_level ? name.substr(0, mark) : name;
}

// `callers`: separated by quotes.
bool is_caller(std::string_view function, std::string_view callers) {
  while (!callers.empty()) {
    const std::size_t end = std::min(callers.find('\''), callers.size());
    if (callers.substr(0, end) == function) return true;
    callers.remove_prefix(std::min(end + 1, callers.size()));
  }
  return false;
}

// Whether the views are of the same bytes of a text: quicker than comparing these.
bool are_same_bytes(std::string_view a, std::string_view b) {
  return a.data() == b.data() && a.size() == b.size();
}

// The length of the name without callers (--separate-callers). A quote may also begin the name of a
// lifetime of Rust.
std::size_t name_before_callers(std::string_view name) {
  for (std::size_t i = 1; i < name.size(); ++i) {
    constexpr std::string_view before_lifetime = "<& ,(";
    if (name[i] == '\'' && before_lifetime.find(name[i - 1]) == std::string_view::npos) return i;
  }
  return name.size();
}

// Memory per element, from reading it to the finished profile.
constexpr std::uint64_t bytes_of_counted_thread = 512;
constexpr std::uint64_t bytes_of_cost = 160;
constexpr std::uint64_t bytes_of_call_cost = 128;
constexpr std::uint64_t bytes_of_arc = 96;
constexpr std::uint64_t bytes_of_external = 320;

// Functions with one name of which it is asked whether they have lines in a file.
constexpr unsigned most_compared_of_a_name = 1024;
// The same of their definitions.
constexpr std::size_t most_compared_definitions = 16'384;

// Quotes in a function's name at which its callers may begin.
constexpr unsigned max_quotes_in_name = 32;

// Functions with the same name and file whose lines are searched to distinguish them.
constexpr std::size_t max_distinguished_by_line = 16;

// The code of a function, found by line and by address: a profile asks for both as often as it has
// costs, and functions may have thousands of lines and of calls.
class FunctionLines {
 public:
  FunctionLines() = default;
  explicit FunctionLines(std::vector<CallInstruction> calls) : calls_(std::move(calls)) {
    std::ranges::sort(calls_, {}, &CallInstruction::address);
  }

  // `code` ascends.
  void set_code(std::vector<LineCode> code) {
    code_ = std::move(code);
    for (const LineCode& line : code_) {
      // Samples are kept per pair of bytes: use one that belongs to this line alone.
      const Address even = {(line.range.low.value + 1) / 2 * 2};
      places_.try_emplace({line.file_name, line.line},
                          even + 2 <= line.range.high ? even : line.range.low);
    }
    for (const CallInstruction& call : calls_) {
      const LineCode* line = line_at(call.address);
      if (line != nullptr) calls_of_lines_[{line->file_name, line->line}].add(call);
    }
  }
  [[nodiscard]] bool has_code() const { return !code_.empty(); }

  [[nodiscard]] std::optional<Address> place_of(std::string_view file, LineNumber line) const {
    const auto found = places_.find(Key(file, line));
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }
  // Samples are kept per pair of bytes, and the last byte of a line's code may share a pair with
  // the next line's: then the start of the line.
  [[nodiscard]] Address sampled_address(Address instruction) const {
    const LineCode* line = line_at(instruction);
    const bool shared = line != nullptr && instruction.value / 2 >= line->range.high.value / 2;
    return shared ? line->range.low : instruction;
  }
  // The return address of a call of `callee` or through a pointer; none if there is no such call.
  [[nodiscard]] std::optional<Address> return_at(Address instruction,
                                                 std::optional<Address> callee) const {
    const auto found = std::ranges::lower_bound(calls_, instruction, {}, &CallInstruction::address);
    if (found == calls_.end() || found->address != instruction) return std::nullopt;
    const bool fits = !found->target || found->target == callee;
    return fits ? std::optional(found->return_address) : std::nullopt;
  }
  [[nodiscard]] std::optional<Address> return_on(std::string_view file, LineNumber line,
                                                 std::optional<Address> callee) const {
    const auto found = calls_of_lines_.find(Key(file, line));
    return found == calls_of_lines_.end() ? std::nullopt : found->second.return_of(callee);
  }

 private:
  using Key = std::pair<std::string, LineNumber>;
  // The first ones of a line.
  struct LineCalls {
    std::map<Address, Address> by_target;
    std::optional<Address> without_target;

    void add(const CallInstruction& call) {
      if (call.target) {
        by_target.try_emplace(*call.target, call.return_address);
      } else if (!without_target) {
        without_target = call.return_address;
      }
    }
    [[nodiscard]] std::optional<Address> return_of(std::optional<Address> callee) const {
      if (!callee) return without_target;
      const auto found = by_target.find(*callee);
      return found == by_target.end() ? without_target : std::optional(found->second);
    }
  };

  [[nodiscard]] const LineCode* line_at(Address address) const {
    const auto after = std::ranges::upper_bound(
        code_, address, {}, [](const LineCode& line) { return line.range.low; });
    if (after == code_.begin() || address >= (after - 1)->range.high) return nullptr;
    return &*(after - 1);
  }

  std::vector<LineCode> code_;
  std::vector<CallInstruction> calls_;  // ascending
  std::map<Key, Address> places_;
  std::map<Key, LineCalls> calls_of_lines_;
};

Expected<void> parse(CallgrindParser& parser, const std::string& path,
                     const std::function<void(const CallgrindCost&)>& visit) {
  TRY(parser.parse(visit));
  if (!parser.events().empty()) return {};
  return Error{ErrorCode::wrong_format,
               "a line \"events:\" expected, none found; it tells what was counted: write the "
               "file again",
               path, std::nullopt};
}

class CallgrindImport {
 public:
  CallgrindImport(const std::string& path, std::uint64_t size, const ImportTarget& target)
      : path_(path), target_(target), room_(size), names_(target.symbols) {}

  Expected<ImportedProfile> read(std::string_view text, Warnings& warnings);

 private:
  // The functions that a name may refer to. callgrind gives the levels of a recursion separate
  // names.
  struct NamedCode {
    std::vector<SymbolIndex> symbols;
    bool is_inner_level = false;
  };
  // An instruction or a line that distinguishes functions with the same name.
  struct Position {
    std::string_view file;
    LineNumber line = 0;
    std::uint64_t instruction = 0;
  };
  struct Function {
    std::optional<SymbolIndex> symbol;
    bool is_inner_level = false;
  };
  struct Lines {
    FunctionLines code;
    unsigned times_asked = 0;  // looked up, in any file
  };

  // One event's, of one thread.
  struct Costs {
    std::map<Address, std::uint64_t> ticks;
    // By caller, callee, callee in another module, and place.
    std::map<std::tuple<SymbolIndex, std::optional<SymbolIndex>, std::uint32_t, Address>,
             std::uint64_t>
        calls;
    InclusiveCosts inclusive;
    std::uint64_t placed = 0;
    std::uint64_t without_line = 0;
    std::uint64_t without_function = 0;

    void add(const Costs& other);
    // Only how much there is, and what could not be placed.
    void add_uncertain(const Costs& other);
  };
  // One thread's.
  struct Counted {
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
    std::map<std::pair<Address, Address>, std::uint64_t> arcs;  // by from_pc and self_pc
    std::vector<Costs> events;
  };

  // Finds whose costs these are.
  void find_thread(const CallgrindCost& cost);
  void take(const CallgrindCost& cost);
  void take_call(const CallgrindCost& cost, const Function& caller);
  void take_inclusive_call(const CallgrindCost& cost, const Function& caller,
                           std::optional<SymbolIndex> callee, bool inner_callee, Address from);
  void take_self(const CallgrindCost& cost);
  void take_external_self(const CallgrindCost& cost);
  // A call by code of another module, with all that it called.
  void take_external_call(const CallgrindCost& cost);
  // A function of another module.
  struct External {
    std::uint32_t number = no_external_function;
    bool is_inner_level = false;
  };
  [[nodiscard]] External external_of(const CallgrindPosition& place);
  // The same for the code that has the costs.
  [[nodiscard]] External external_caller(const CallgrindPosition& place);
  [[nodiscard]] External new_external(const CallgrindPosition& place);
  // Null without room.
  [[nodiscard]] ExternalCost* external_cost(Costs& event, std::uint32_t function);
  [[nodiscard]] bool is_of_program(std::string_view object) const;
  // A function's name without its recursion level and its callers (--separate-callers).
  struct CodeName {
    std::string_view function;
    bool is_inner_level = false;
  };
  [[nodiscard]] CodeName split_name(std::string_view name);
  [[nodiscard]] const NamedCode& code_named(const CallgrindPosition& place);
  // Whether the function has lines of the file.
  [[nodiscard]] bool is_in_file(SymbolIndex symbol, std::string_view file);
  // Whether the definitions of functions with one name may be compared once more.
  [[nodiscard]] bool may_compare(const std::vector<SymbolIndex>& symbols);
  // Whether a name without an object is that of a library's function: the program defines all its
  // functions of the name in other files.
  [[nodiscard]] bool is_defined_elsewhere(const CallgrindPosition& place,
                                          const std::vector<SymbolIndex>& symbols);
  [[nodiscard]] Function function_of(const CallgrindPosition& place, const Position& position);
  [[nodiscard]] const FunctionLines& lines_of(SymbolIndex symbol, std::string_view file);
  [[nodiscard]] bool is_at(SymbolIndex symbol, std::uint64_t instruction) const;
  // None if the program has no code of the line.
  [[nodiscard]] std::optional<Address> find_address(const CallgrindCost& cost, SymbolIndex symbol);
  [[nodiscard]] Address address_of(const CallgrindCost& cost, SymbolIndex symbol);
  // The return address of the call.
  [[nodiscard]] Address return_of(const CallgrindCost& cost, SymbolIndex caller,
                                  std::optional<SymbolIndex> callee);
  // `all`: of all threads. The costs are given up.
  [[nodiscard]] ImportedProfile profile_of(const CallgrindEvent& event, Costs all) const;
  [[nodiscard]] ImportedProfile take_event(const CallgrindEvent& event, std::size_t index);
  [[nodiscard]] static std::vector<RawArc> arcs_of(const Counted& counted);
  [[nodiscard]] InclusiveCosts inclusive_of(Costs& costs) const;
  [[nodiscard]] ImportedProfile finish(const CallgrindParser& parser);
  void warn(const CallgrindParser& parser, const Costs& first, Warnings& warnings) const;

  const std::string& path_;
  const ImportTarget& target_;
  MemoryRoom room_;
  NamedFunctions names_;
  // By name and file, which the text holds.
  std::map<std::pair<std::string_view, std::string_view>, NamedCode> functions_;
  CallgrindPosition last_place_;
  const NamedCode* last_code_ = nullptr;      // of last_place_
  std::map<SymbolIndex, unsigned> compared_;  // by the first one of a name
  std::map<SymbolIndex, std::size_t> compared_definitions_;
  std::map<SymbolIndex, Lines> lines_;
  using ObjectAndFunction = std::pair<std::string_view, std::string_view>;
  struct NamesHash {
    std::size_t operator()(const ObjectAndFunction& names) const {
      return static_cast<std::size_t>(hash_of(hash_of(names.first), hash_of(names.second)));
    }
  };
  std::unordered_map<ObjectAndFunction, External, NamesHash> externals_;  // names as in the text
  CallgrindPosition last_caller_;
  External last_external_;  // that of last_caller_
  // Shared by all costs; never null.
  std::shared_ptr<ExternalCodeList> external_functions_ = std::make_shared<ExternalCodeList>();
  std::vector<Counted> threads_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> thread_places_;
  std::size_t here_ = 0;  // the place of the thread whose costs are taken
  std::vector<std::shared_ptr<const std::vector<RawArc>>> arcs_;  // by thread, once all is taken
};

void CallgrindImport::Costs::add(const Costs& other) {
  for (const auto& [address, count] : other.ticks) {
    std::uint64_t& sum = ticks[address];
    sum = saturating_add(sum, count);
  }
  for (const auto& [call, count] : other.calls) {
    std::uint64_t& sum = calls[call];
    sum = saturating_add(sum, count);
  }
  inclusive.add(other.inclusive);
  add_uncertain(other);
}

void CallgrindImport::Costs::add_uncertain(const Costs& other) {
  placed = saturating_add(placed, other.placed);
  without_line = saturating_add(without_line, other.without_line);
  without_function = saturating_add(without_function, other.without_function);
}

void CallgrindImport::find_thread(const CallgrindCost& cost) {
  const auto is_it = [&](const Counted& counted) {
    return counted.process == cost.process && counted.thread == cost.thread;
  };
  if (!threads_.empty() && is_it(threads_[here_])) return;
  const auto known = thread_places_.find({cost.process, cost.thread});
  if (known != thread_places_.end()) {
    here_ = known->second;
  } else if (threads_.empty() ||
             (threads_.size() < most_counted_threads && room_.take(bytes_of_counted_thread))) {
    here_ = threads_.size();
    thread_places_.emplace(std::pair(cost.process, cost.thread), here_);
    threads_.emplace_back();
    threads_.back().process = cost.process;
    threads_.back().thread = cost.thread;
  } else {
    // The last stands for all others.
    here_ = threads_.size() - 1;
    threads_[here_].thread = threads_[here_].process = 0;
  }
}

bool CallgrindImport::is_of_program(std::string_view object) const {
  return object.empty() || object == target_.path || last_part(object) == last_part(target_.path);
}

bool CallgrindImport::is_in_file(SymbolIndex symbol, std::string_view file) {
  const auto lines = target_.lines(symbol, file);
  return std::ranges::any_of(
      lines, [&](const LineCode& line) { return line.file_name == last_part(file); });
}

// f'main is the f that main called. Names may contain quotes themselves, so callers are only cut
// off if what is left is a function's name.
CallgrindImport::CodeName CallgrindImport::split_name(std::string_view name) {
  CodeName split = {without_recursion(name)};
  split.is_inner_level = split.function.size() != name.size();
  name = split.function;
  std::size_t end = name.size();
  for (unsigned i = 0; i < max_quotes_in_name; ++i) {
    if (!names_.find(name.substr(0, end)).empty()) break;
    end = name.find('\'', end < name.size() ? end + 1 : 0);
    if (end == std::string_view::npos) return split;
  }
  split.function = name.substr(0, end);
  // The cost of a call by itself is part of its caller's cost.
  if (end < name.size() && is_caller(split.function, name.substr(end + 1))) {
    split.is_inner_level = true;
  }
  return split;
}

bool CallgrindImport::may_compare(const std::vector<SymbolIndex>& symbols) {
  if (symbols.empty()) return false;
  std::size_t& compared = compared_definitions_[symbols.front()];
  if (compared + symbols.size() > most_compared_definitions) return false;
  compared += symbols.size();
  return true;
}

bool CallgrindImport::is_defined_elsewhere(const CallgrindPosition& place,
                                           const std::vector<SymbolIndex>& symbols) {
  const bool says_where = place.object.empty() && !place.function_file.empty() &&
                          place.function_file != "???" && target_.definition;
  if (!says_where || !may_compare(symbols)) return false;
  return std::ranges::all_of(symbols, [&](SymbolIndex symbol) {
    const auto defined = target_.definition(symbol);
    return defined && common_path_end(defined->path, place.function_file) == 0 &&
           !is_in_file(symbol, place.function_file);
  });
}

// Static functions in several files may share a name, as may instances of a generic function.
const CallgrindImport::NamedCode& CallgrindImport::code_named(const CallgrindPosition& place) {
  // Costs of one function follow each other, and their names are the same bytes of the text.
  const auto is_last = [&] {
    return last_code_ != nullptr && are_same_bytes(place.function, last_place_.function) &&
           are_same_bytes(place.function_file, last_place_.function_file);
  };
  if (is_last()) return *last_code_;
  const auto [known, is_new] = functions_.try_emplace({place.function, place.function_file});
  NamedCode& code = known->second;
  last_place_ = place;
  last_code_ = &code;
  if (!is_new) return code;
  const CodeName name = split_name(place.function);
  code.is_inner_level = name.is_inner_level;
  const auto& symbols = names_.find(name.function);
  if (symbols.size() > 1 && !place.function_file.empty()) {
    for (const SymbolIndex symbol : symbols) {
      if (compared_[symbols.front()]++ >= most_compared_of_a_name) break;
      if (is_in_file(symbol, place.function_file)) code.symbols.push_back(symbol);
    }
  }
  if (code.symbols.empty() && !is_defined_elsewhere(place, symbols)) code.symbols = symbols;
  // Files of one name in several folders.
  if (code.symbols.size() > 1 && !place.function_file.empty() && may_compare(code.symbols)) {
    code.symbols = functions_defined_at(code.symbols, place.function_file, 0, target_);
  }
  return code;
}

CallgrindImport::Function CallgrindImport::function_of(const CallgrindPosition& place,
                                                       const Position& position) {
  const NamedCode& code = code_named(place);
  Function function = {std::nullopt, code.is_inner_level};
  if (code.symbols.empty()) return function;
  function.symbol = code.symbols.front();
  if (code.symbols.size() == 1) return function;
  if (position.instruction != 0) {
    const auto symbol = target_.symbols.find(Address{position.instruction});
    if (symbol && std::ranges::binary_search(code.symbols, *symbol)) {
      function.symbol = symbol;
      return function;
    }
  }
  const std::size_t most = std::min(code.symbols.size(), max_distinguished_by_line);
  for (const SymbolIndex symbol : std::span(code.symbols).first(most)) {
    if (!lines_of(symbol, position.file).place_of(last_part(position.file), position.line))
      continue;
    function.symbol = symbol;
    break;
  }
  return function;
}

const FunctionLines& CallgrindImport::lines_of(SymbolIndex symbol, std::string_view file) {
  const auto [place, is_new] = lines_.try_emplace(symbol);
  Lines& known = place->second;
  if (is_new) {
    const Symbol& function = target_.symbols[symbol];
    known.code = FunctionLines(target_.code.calls_in({function.address, function.end}));
  }
  if (!known.code.has_code() && known.times_asked++ < most_files_of_a_function) {
    known.code.set_code(target_.lines(symbol, file));
  }
  return known.code;
}

bool CallgrindImport::is_at(SymbolIndex symbol, std::uint64_t instruction) const {
  const Symbol& function = target_.symbols[symbol];
  return instruction >= function.address.value && instruction < function.end.value;
}

std::optional<Address> CallgrindImport::find_address(const CallgrindCost& cost,
                                                     SymbolIndex symbol) {
  if (is_at(symbol, cost.instruction)) {
    return lines_of(symbol, cost.place.file).sampled_address({cost.instruction});
  }
  return lines_of(symbol, cost.place.file).place_of(last_part(cost.place.file), cost.line);
}

Address CallgrindImport::address_of(const CallgrindCost& cost, SymbolIndex symbol) {
  const auto address = find_address(cost, symbol);
  if (address) return *address;
  std::vector<Costs>& events = threads_[here_].events;
  for (std::size_t i = 0; i < cost.costs.size(); ++i) {
    events[i].without_line = saturating_add(events[i].without_line, cost.costs[i]);
  }
  return target_.symbols[symbol].address;
}

Address CallgrindImport::return_of(const CallgrindCost& cost, SymbolIndex caller,
                                   std::optional<SymbolIndex> callee) {
  const FunctionLines& lines = lines_of(caller, cost.place.file);
  const auto target = callee ? std::optional(target_.symbols[*callee].address) : std::nullopt;
  const auto found = is_at(caller, cost.instruction)
                         ? lines.return_at({cost.instruction}, target)
                         : lines.return_on(last_part(cost.place.file), cost.line, target);
  if (found) return *found;
  return find_address(cost, caller).value_or(target_.symbols[caller].address) + 1;
}

void CallgrindImport::take_call(const CallgrindCost& cost, const Function& caller) {
  std::optional<SymbolIndex> callee;
  const bool own_callee = is_of_program(cost.callee->object);
  bool inner_callee = false;
  if (own_callee) {
    const Function called =
        function_of(*cost.callee, {cost.callee->file, cost.entry_line, cost.entry_instruction});
    callee = called.symbol;
    inner_callee = called.is_inner_level;
  }
  const Address from = caller.symbol ? return_of(cost, *caller.symbol, callee) : Address{};
  if (callee) {
    const auto [arc, is_new] =
        threads_[here_].arcs.try_emplace({from, target_.symbols[*callee].address});
    // Each event has a list of them.
    if (is_new && !room_.take(bytes_of_arc + cost.costs.size() * sizeof(RawArc))) return;
    arc->second = saturating_add(arc->second, cost.calls);
  }
  if (caller.symbol) take_inclusive_call(cost, caller, callee, inner_callee, from);
}

void CallgrindImport::take_inclusive_call(const CallgrindCost& cost, const Function& caller,
                                          std::optional<SymbolIndex> callee, bool inner_callee,
                                          Address from) {
  const bool within_itself =
      callee == caller.symbol && cost.callee->function == cost.place.function;
  const std::uint32_t external =
      is_of_program(cost.callee->object) ? no_external_function : external_of(*cost.callee).number;
  // If both are on the stack already, so mostly is such a call, and its cost is part of that one's.
  const bool is_part = callee == caller.symbol || (caller.is_inner_level && inner_callee);
  for (std::size_t i = 0; i < cost.costs.size(); ++i) {
    // The first event's tell of all calls.
    if (cost.costs[i] == 0 && i > 0) continue;
    Costs& event = threads_[here_].events[i];
    if (!caller.is_inner_level && !within_itself) {
      event.inclusive.totals[*caller.symbol] += static_cast<double>(cost.costs[i]);
    }
    if (is_part) continue;
    const auto [call, is_new] =
        event.calls.try_emplace({*caller.symbol, callee, external, {from.value - 1}});
    if (is_new && !room_.take(bytes_of_call_cost)) return;
    call->second = saturating_add(call->second, cost.costs[i]);
  }
}

void CallgrindImport::take_self(const CallgrindCost& cost) {
  const bool own = is_of_program(cost.place.object);
  const bool costs_nothing = std::all_of(cost.costs.begin(), cost.costs.end(),
                                         [](std::uint64_t count) { return count == 0; });
  if (costs_nothing) return;
  const Function function =
      own ? function_of(cost.place, {cost.place.file, cost.line, cost.instruction}) : Function();
  std::vector<Costs>& events = threads_[here_].events;
  if (!function.symbol) {
    if (!own) take_external_self(cost);
    for (std::size_t i = 0; i < cost.costs.size(); ++i) {
      Costs& event = events[i];
      event.inclusive.external += static_cast<double>(cost.costs[i]);
      if (own) event.without_function = saturating_add(event.without_function, cost.costs[i]);
    }
    return;
  }
  const Address address = address_of(cost, *function.symbol);
  for (std::size_t i = 0; i < cost.costs.size(); ++i) {
    const std::uint64_t count = cost.costs[i];
    if (count == 0) continue;
    Costs& event = events[i];
    const auto [ticks, is_new] = event.ticks.try_emplace(address);
    if (is_new && !room_.take(bytes_of_cost)) return;
    ticks->second = saturating_add(ticks->second, count);
    event.placed = saturating_add(event.placed, count);
    const auto exact = static_cast<double>(count);
    event.inclusive.self[address] += exact;
    if (!function.is_inner_level) event.inclusive.totals[*function.symbol] += exact;
  }
}

CallgrindImport::External CallgrindImport::external_of(const CallgrindPosition& place) {
  const auto [known, is_new] = externals_.try_emplace({place.object, place.function});
  if (is_new) known->second = new_external(place);
  return known->second;
}

// Costs of one function follow each other.
CallgrindImport::External CallgrindImport::external_caller(const CallgrindPosition& place) {
  const bool is_last = are_same_bytes(place.object, last_caller_.object) &&
                       are_same_bytes(place.function, last_caller_.function);
  if (!is_last) {
    last_caller_ = place;
    last_external_ = external_of(place);
  }
  return last_external_;
}

// Code without a symbol is named by its address, or not at all; by our own export as its module.
CallgrindImport::External CallgrindImport::new_external(const CallgrindPosition& place) {
  External external;
  std::string_view name = without_recursion(place.function);
  external.is_inner_level = name.size() != place.function.size();
  if (const std::size_t end = name_before_callers(name); end < name.size()) {
    const std::string_view callers = name.substr(end + 1);
    name = name.substr(0, end);
    external.is_inner_level = external.is_inner_level || is_caller(name, callers);
  }
  ExternalCode function;
  if (place.object != "???") function.module = last_part(place.object);
  const bool is_unnamed =
      name == "???" || name.starts_with("0x") || name == fmt::format("[{}]", function.module);
  if (!is_unnamed) function.function = name;
  const std::uint64_t bytes =
      bytes_of_external + 2 * (function.module.size() + function.function.size());
  if (function == ExternalCode() || !room_.take(bytes)) return external;
  external.number = external_functions_->number_of(function);
  return external;
}

ExternalCost* CallgrindImport::external_cost(Costs& event, std::uint32_t function) {
  const auto [cost, is_new] = event.inclusive.external_costs.try_emplace(function);
  return is_new && !room_.take(bytes_of_cost) ? nullptr : &cost->second;
}

void CallgrindImport::take_external_self(const CallgrindCost& cost) {
  const External function = external_caller(cost.place);
  if (function.number == no_external_function) return;
  for (std::size_t i = 0; i < cost.costs.size(); ++i) {
    if (cost.costs[i] == 0) continue;
    ExternalCost* sum = external_cost(threads_[here_].events[i], function.number);
    if (sum == nullptr) return;
    sum->self += static_cast<double>(cost.costs[i]);
    if (!function.is_inner_level) sum->total += static_cast<double>(cost.costs[i]);
  }
}

void CallgrindImport::take_external_call(const CallgrindCost& cost) {
  const External caller = external_caller(cost.place);
  if (caller.number == no_external_function || caller.is_inner_level) return;
  if (!is_of_program(cost.callee->object)) {
    const bool is_itself = external_of(*cost.callee).number == caller.number;
    // A call of another recursion level adds to the total. A call between code that is counted as
    // one, such as unnamed code of a module, does not: the total has the callee's own cost already.
    const bool is_level = !(*external_functions_)[caller.number].function.empty() &&
                          cost.callee->function != cost.place.function;
    if (is_itself && !is_level) return;
  }
  for (std::size_t i = 0; i < cost.costs.size(); ++i) {
    if (cost.costs[i] == 0) continue;
    ExternalCost* sum = external_cost(threads_[here_].events[i], caller.number);
    if (sum == nullptr) return;
    sum->total += static_cast<double>(cost.costs[i]);
  }
}

void CallgrindImport::take(const CallgrindCost& cost) {
  // It will be refused.
  if (room_.was_short()) return;
  find_thread(cost);
  std::vector<Costs>& events = threads_[here_].events;
  if (events.size() < cost.costs.size()) {
    if (!room_.take((cost.costs.size() - events.size()) * sizeof(Costs))) return;
    events.resize(cost.costs.size());
  }
  if (!cost.callee) return take_self(cost);
  const bool own = is_of_program(cost.place.object);
  if (!own) take_external_call(cost);
  // Calls from other modules have no visible caller.
  if (own || is_of_program(cost.callee->object)) {
    take_call(cost, own ? function_of(cost.place, {cost.place.file, cost.line, cost.instruction})
                        : Function());
  }
}

std::vector<RawArc> CallgrindImport::arcs_of(const Counted& counted) {
  std::vector<RawArc> arcs;
  for (const auto& [ends, count] : counted.arcs) {
    if (count > 0) arcs.push_back({ends.first, ends.second, count});
  }
  return arcs;
}

ImportedProfile CallgrindImport::profile_of(const CallgrindEvent& event, Costs all) const {
  ImportedProfile profile;
  describe_callgrind_event(event, profile);
  RawProfile& raw = profile.raw;
  raw.exact_call_sites = true;
  raw.exact_costs = true;
  raw.histograms = histograms_of(all.ticks);
  raw.histogram_records = raw.histograms.size();
  for (const auto& arcs : arcs_) raw.arcs.insert(raw.arcs.end(), arcs->begin(), arcs->end());
  raw.arc_records = raw.arcs.size();
  profile.inclusive = inclusive_of(all);
  raw.external_ticks = profile.inclusive.unnamed_external();
  return profile;
}

InclusiveCosts CallgrindImport::inclusive_of(Costs& costs) const {
  for (const auto& [call, ticks] : costs.calls) {
    const auto& [caller, callee, external, place] = call;
    costs.inclusive.calls.push_back({caller, callee, external, place, static_cast<double>(ticks)});
  }
  if (external_functions_->size() > 0) costs.inclusive.functions = external_functions_;
  return std::move(costs.inclusive);
}

ImportedProfile CallgrindImport::take_event(const CallgrindEvent& event, std::size_t index) {
  if (threads_.size() == 1) return profile_of(event, std::move(threads_.front().events[index]));
  Costs all;
  for (const Counted& counted : threads_) all.add(counted.events[index]);
  ImportedProfile profile = profile_of(event, std::move(all));
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Costs costs = std::move(threads_[i].events[index]);
    InclusiveCosts inclusive = inclusive_of(costs);
    profile.threads.push_back({threads_[i].process, threads_[i].thread, std::move(costs.ticks),
                               arcs_[i], std::move(inclusive)});
  }
  return profile;
}

ImportedProfile CallgrindImport::finish(const CallgrindParser& parser) {
  const std::vector<CallgrindEvent>& events = parser.events();
  for (const Counted& counted : threads_) {
    arcs_.push_back(std::make_shared<const std::vector<RawArc>>(arcs_of(counted)));
  }
  ImportedProfile first = take_event(events.front(), 0);
  for (std::size_t i = 1; i < events.size(); ++i) first.others.push_back(take_event(events[i], i));
  first.process = parser.process();
  first.thread = parser.thread();
  for (ImportedProfile& other : first.others) {
    other.process = first.process;
    other.thread = first.thread;
  }
  return first;
}

void CallgrindImport::warn(const CallgrindParser& parser, const Costs& first,
                           Warnings& warnings) const {
  if (!parser.left_out().empty()) {
    std::string names;
    for (const std::string_view name : parser.left_out()) {
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    warnings.push_back(
        Error{ErrorCode::unsupported,
              fmt::format("events that are not shown, because there are more than {} "
                          "or they are no sums of others: {}",
                          most_callgrind_events, names),
              path_, std::nullopt});
  }
  if (parser.unnamed() > 0) {
    warnings.push_back(
        Error{ErrorCode::corrupt,
              fmt::format("does not define {} of its names; their numbers are shown instead",
                          parser.unnamed()),
              path_, std::nullopt});
  }
  // Stubs and other code that the linker adds have no symbols; they cost next to nothing.
  constexpr std::uint64_t tolerated_part = 1000;
  const bool functions_missing = first.without_function > first.placed / tolerated_part;
  const bool lines_missing = first.without_line > first.placed / tolerated_part;
  if (!lines_missing && !functions_missing) return;
  std::string text;
  if (functions_missing) {
    text = fmt::format("costs of {} are in no function of {} and are not shown",
                       first.without_function, target_.path);
  }
  if (lines_missing) {
    text += fmt::format(
        "{}costs of {} are on lines that the program has no code of, and are shown "
        "where their functions begin",
        text.empty() ? "" : "; ", first.without_line);
  }
  warnings.push_back(Error{ErrorCode::mismatch, std::move(text), path_, std::nullopt});
}

Expected<ImportedProfile> CallgrindImport::read(std::string_view text, Warnings& warnings) {
  CallgrindParser parser(text, path_);
  TRY(parse(parser, path_, [this](const CallgrindCost& cost) { take(cost); }));
  // Costs that are exact have no part that could be left out.
  if (room_.was_short()) {
    return Error{ErrorCode::unsupported,
                 "has more costs than is accepted of a file of its size; write it again with fewer "
                 "events",
                 path_, std::nullopt};
  }
  const bool is_of_program = std::ranges::any_of(threads_, [](const Counted& counted) {
    return !counted.arcs.empty() ||
           std::ranges::any_of(counted.events, [](const Costs& event) { return event.placed > 0; });
  });
  if (!is_of_program) {
    return Error{
        ErrorCode::mismatch,
        fmt::format("holds no costs of functions of {}; name the program that ran", target_.path),
        path_, std::nullopt};
  }
  Costs all_of_first;
  for (Counted& counted : threads_) {
    counted.events.resize(parser.events().size());
    all_of_first.add_uncertain(counted.events.front());
  }
  warn(parser, all_of_first, warnings);
  return finish(parser);
}

// A command's words are not marked, and a program's name may have blanks: it is the longest
// beginning of the command that has the name of an object that costs are in.
std::string program_of(std::string_view command, const std::set<std::string_view>& objects) {
  for (std::size_t end = command.size(); end != std::string_view::npos && end > 0;
       end = command.rfind(' ', end - 1)) {
    const std::string_view name = last_part(command.substr(0, end));
    const auto object = std::ranges::find(objects, name, last_part);
    if (object != objects.end() && !name.empty()) return std::string(*object);
  }
  return std::string(command.substr(0, command.find(' ')));
}

}  // namespace

bool is_callgrind(std::string_view start) {
  if (start.find('\0') != std::string_view::npos) return false;
  if (start.starts_with("# callgrind format")) return true;
  while (const auto line = take_line(start)) {
    if (line->empty() || line->front() == '#') continue;
    // cachegrind's files begin with these.
    if (line->starts_with("desc:") || line->starts_with("cmd:")) continue;
    // The header may come in any order; these start it in files of callgrind and other tools.
    return line->starts_with("version:") || line->starts_with("creator:") ||
           line->starts_with("events:") || line->starts_with("positions:");
  }
  return false;
}

Expected<std::string> check_callgrind(std::string_view text, const std::string& path) {
  CallgrindParser parser(text, path);
  std::set<std::string_view> objects;
  TRY(parse(parser, path, [&](const CallgrindCost& cost) { objects.insert(cost.place.object); }));
  return program_of(parser.command(), objects);
}

Expected<ImportedProfile> read_callgrind(std::string_view text, const std::string& path,
                                         const ImportTarget& target, Warnings& warnings,
                                         std::optional<std::uint64_t> stored_size) {
  const std::uint64_t size = stored_size.value_or(text.size());
  return CallgrindImport(path, size, target).read(text, warnings);
}

}  // namespace gprof
