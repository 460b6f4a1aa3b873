#include "engine/import/callgrind.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/import/callgrind_events.h"
#include "engine/import/callgrind_parser.h"
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

// Samples are kept per pair of bytes, and the last byte of a line's code may share a pair with the
// next line's: then the start of the line.
Address sampled_address(Address instruction, const std::vector<LineCode>& lines) {
  const auto line = std::find_if(lines.begin(), lines.end(), [&](const LineCode& code) {
    return code.range.low <= instruction && instruction < code.range.high;
  });
  const bool shared = line != lines.end() && instruction.value / 2 >= line->range.high.value / 2;
  return shared ? line->range.low : instruction;
}

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
  CallgrindImport(const std::string& path, const ImportTarget& target)
      : path_(path), target_(target), names_(target.symbols) {}

  Expected<ImportedProfile> read(std::string_view text, Warnings& warnings);

 private:
  // A function under one name; callgrind gives recursive calls names of their own.
  struct Function {
    std::optional<SymbolIndex> symbol;
    bool is_inner_level = false;
  };
  struct Lines {
    std::vector<LineCode> code;
    std::vector<CallInstruction> calls;
    unsigned times_asked = 0;  // looked up, in any file
  };

  // One event's, of one thread.
  struct Costs {
    std::map<Address, std::uint64_t> ticks;
    std::map<std::tuple<SymbolIndex, std::optional<SymbolIndex>, Address>, std::uint64_t> calls;
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
  [[nodiscard]] bool is_of_program(std::string_view object) const;
  [[nodiscard]] const Function& function_of(const CallgrindPosition& place);
  [[nodiscard]] const Lines& lines_of(SymbolIndex symbol, std::string_view file);
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
  [[nodiscard]] static InclusiveCosts inclusive_of(Costs& costs);
  [[nodiscard]] ImportedProfile finish(const CallgrindParser& parser);
  void warn(const CallgrindParser& parser, const Costs& first, Warnings& warnings) const;

  const std::string& path_;
  const ImportTarget& target_;
  NamedFunctions names_;
  std::map<std::string, Function, std::less<>> functions_;  // by name
  std::map<SymbolIndex, Lines> lines_;
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
  } else if (threads_.size() < most_counted_threads) {
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

const CallgrindImport::Function& CallgrindImport::function_of(const CallgrindPosition& place) {
  const auto known = functions_.find(place.function);
  if (known != functions_.end()) return known->second;
  const std::string_view name = without_recursion(place.function);
  Function function;
  function.is_inner_level = name.size() != place.function.size();
  const auto& symbols = names_.find(name);
  if (!symbols.empty()) function.symbol = symbols.front();
  // Of several functions with the name, the one with lines in the file.
  for (const SymbolIndex symbol : symbols) {
    if (symbols.size() == 1) break;
    const auto lines = target_.lines(symbol, place.file);
    const bool fits = std::any_of(lines.begin(), lines.end(), [&](const LineCode& line) {
      return line.file_name == last_part(place.file);
    });
    if (!fits) continue;
    function.symbol = symbol;
    break;
  }
  return functions_.emplace(std::string(place.function), function).first->second;
}

const CallgrindImport::Lines& CallgrindImport::lines_of(SymbolIndex symbol, std::string_view file) {
  const auto [place, is_new] = lines_.try_emplace(symbol);
  if (is_new) {
    const Symbol& function = target_.symbols[symbol];
    place->second.calls = target_.code.calls_in({function.address, function.end});
  }
  if (place->second.code.empty() && place->second.times_asked++ < most_files_of_a_function) {
    place->second.code = target_.lines(symbol, file);
  }
  return place->second;
}

bool CallgrindImport::is_at(SymbolIndex symbol, std::uint64_t instruction) const {
  const Symbol& function = target_.symbols[symbol];
  return instruction >= function.address.value && instruction < function.end.value;
}

std::optional<Address> CallgrindImport::find_address(const CallgrindCost& cost,
                                                     SymbolIndex symbol) {
  if (is_at(symbol, cost.instruction)) {
    return sampled_address({cost.instruction}, lines_of(symbol, cost.place.file).code);
  }
  for (const LineCode& code : lines_of(symbol, cost.place.file).code) {
    if (code.line != cost.line || code.file_name != last_part(cost.place.file)) continue;
    // Samples are kept per pair of bytes: use one that belongs to this line alone.
    const Address even = {(code.range.low.value + 1) / 2 * 2};
    return even + 2 <= code.range.high ? even : code.range.low;
  }
  return std::nullopt;
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
  const Lines& lines = lines_of(caller, cost.place.file);
  const auto is_there = [&](const CallInstruction& call) {
    if (is_at(caller, cost.instruction)) return call.address.value == cost.instruction;
    return std::any_of(lines.code.begin(), lines.code.end(), [&](const LineCode& code) {
      return code.line == cost.line && code.file_name == last_part(cost.place.file) &&
             code.range.low <= call.address && call.address < code.range.high;
    });
  };
  const CallInstruction* found = nullptr;
  for (const CallInstruction& call : lines.calls) {
    if (!is_there(call)) continue;
    const bool certain = callee && call.target == target_.symbols[*callee].address;
    if (certain) return call.return_address;
    const bool possible = !call.target && found == nullptr;
    if (possible) found = &call;
  }
  return found != nullptr ? found->return_address : address_of(cost, caller) + 1;
}

void CallgrindImport::take_call(const CallgrindCost& cost, const Function& caller) {
  std::optional<SymbolIndex> callee;
  const bool own_callee = is_of_program(cost.callee->object);
  bool inner_callee = false;
  if (own_callee) {
    const Function& called = function_of(*cost.callee);
    callee = called.symbol;
    inner_callee = called.is_inner_level;
  }
  const Address from =
      caller.symbol
          ? return_of({cost.place, cost.instruction, cost.line, {}, {}, 0}, *caller.symbol, callee)
          : Address{};
  if (callee) {
    std::uint64_t& count = threads_[here_].arcs[{from, target_.symbols[*callee].address}];
    count = saturating_add(count, cost.calls);
  }
  if (caller.symbol) take_inclusive_call(cost, caller, callee, inner_callee, from);
}

void CallgrindImport::take_inclusive_call(const CallgrindCost& cost, const Function& caller,
                                          std::optional<SymbolIndex> callee, bool inner_callee,
                                          Address from) {
  const bool within_itself =
      callee == caller.symbol && cost.callee->function == cost.place.function;
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
    std::uint64_t& ticks = event.calls[{*caller.symbol, callee, {from.value - 1}}];
    ticks = saturating_add(ticks, cost.costs[i]);
  }
}

void CallgrindImport::take_self(const CallgrindCost& cost) {
  const bool own = is_of_program(cost.place.object);
  const bool costs_nothing = std::all_of(cost.costs.begin(), cost.costs.end(),
                                         [](std::uint64_t count) { return count == 0; });
  if (costs_nothing) return;
  const Function* function = own ? &function_of(cost.place) : nullptr;
  std::vector<Costs>& events = threads_[here_].events;
  if (function == nullptr || !function->symbol) {
    for (std::size_t i = 0; i < cost.costs.size(); ++i) {
      Costs& event = events[i];
      event.inclusive.external += static_cast<double>(cost.costs[i]);
      if (own) event.without_function = saturating_add(event.without_function, cost.costs[i]);
    }
    return;
  }
  const Address address = address_of(cost, *function->symbol);
  for (std::size_t i = 0; i < cost.costs.size(); ++i) {
    const std::uint64_t count = cost.costs[i];
    if (count == 0) continue;
    Costs& event = events[i];
    std::uint64_t& ticks = event.ticks[address];
    ticks = saturating_add(ticks, count);
    event.placed = saturating_add(event.placed, count);
    const auto exact = static_cast<double>(count);
    event.inclusive.self[address] += exact;
    if (!function->is_inner_level) event.inclusive.totals[*function->symbol] += exact;
  }
}

void CallgrindImport::take(const CallgrindCost& cost) {
  find_thread(cost);
  std::vector<Costs>& events = threads_[here_].events;
  if (events.size() < cost.costs.size()) events.resize(cost.costs.size());
  if (!cost.callee) return take_self(cost);
  // A call from another module has no visible caller.
  const bool own = is_of_program(cost.place.object);
  if (own || is_of_program(cost.callee->object)) {
    take_call(cost, own ? function_of(cost.place) : Function());
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
  raw.external_ticks = profile.inclusive.external;
  return profile;
}

InclusiveCosts CallgrindImport::inclusive_of(Costs& costs) {
  for (const auto& [call, ticks] : costs.calls) {
    const auto& [caller, callee, place] = call;
    costs.inclusive.calls.push_back({caller, callee, place, static_cast<double>(ticks)});
  }
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

}  // namespace

bool is_callgrind(std::string_view start) {
  if (start.find('\0') != std::string_view::npos) return false;
  if (start.starts_with("# callgrind format")) return true;
  while (const auto line = take_line(start)) {
    if (line->empty() || line->front() == '#') continue;
    // The header may come in any order; these start it in files of callgrind and other tools.
    return line->starts_with("version:") || line->starts_with("creator:") ||
           line->starts_with("events:") || line->starts_with("positions:");
  }
  return false;
}

std::string callgrind_program(std::string_view start) {
  constexpr std::string_view key = "cmd:";
  while (const auto line = take_line(start)) {
    if (!line->starts_with(key)) continue;
    std::string_view command = line->substr(key.size());
    command.remove_prefix(std::min(command.find_first_not_of(' '), command.size()));
    return std::string(command.substr(0, command.find(' ')));
  }
  return {};
}

Expected<void> check_callgrind(std::string_view text, const std::string& path) {
  CallgrindParser parser(text, path);
  return parse(parser, path, [](const CallgrindCost&) {});
}

Expected<ImportedProfile> read_callgrind(std::string_view text, const std::string& path,
                                         const ImportTarget& target, Warnings& warnings) {
  return CallgrindImport(path, target).read(text, warnings);
}

}  // namespace gprof
