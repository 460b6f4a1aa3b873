#include "engine/source/file_costs_builder.h"

#include <algorithm>
#include <utility>

namespace gprof {
namespace {

// A from_pc slot starts at most this far before the end of the call that returns into it, and a
// call instruction is at most this long.
constexpr std::uint64_t slot_reach = 32;
// A total that lacks less is as good as whole.
constexpr double noticeable_share_of_libraries = 0.01;

// Code inlined by a call is contained in that of the call around it.
std::vector<AddressRange> without_overlaps(std::vector<AddressRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const AddressRange& a, const AddressRange& b) { return a.low < b.low; });
  std::vector<AddressRange> joined;
  for (const AddressRange& range : ranges) {
    if (!joined.empty() && range.low <= joined.back().high) {
      joined.back().high = std::max(joined.back().high, range.high);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

std::shared_ptr<const WaitSummary> shared(std::optional<WaitSummary> waits) {
  return waits ? std::make_shared<const WaitSummary>(std::move(*waits)) : nullptr;
}

const MeasuredTimes* if_known(const MeasuredTimes& measured) {
  return measured.known() ? &measured : nullptr;
}

}  // namespace

FileCostsBuilder::FileCostsBuilder(const SourceIndex& index, const SourceIndexParts& parts,
                                   FileId file, bool with_totals)
    : index_(index),
      parts_(parts),
      file_(file),
      graph_(with_totals ? &parts.graph.graph() : nullptr),
      measured_(with_totals ? if_known(parts.graph.measured()) : nullptr),
      inlined_times_(parts.profile.samples(), file) {
  const bool estimated = graph_ != nullptr && measured_ == nullptr;
  const Ticks noticeable = noticeable_share_of_libraries * parts.profile.program_ticks();
  if (estimated && library_time(parts.profile) > noticeable) {
    library_calls_.emplace(parts.symbols, parts.code, *graph_);
  }
}

FileCosts FileCostsBuilder::build() {
  for (const UnitIndex unit_index : parts_.sources.units_of_file(file_)) {
    add_unit(unit_index, *parts_.sources.unit(unit_index));
  }
  FileCosts costs;
  costs.file = file_;
  costs.without_totals = graph_ == nullptr;
  finish_lines(costs);
  finish_functions(costs);
  return costs;
}

void FileCostsBuilder::add_unit(UnitIndex unit_index, const UnitLines& unit) {
  for (const LineExtent& extent : unit.extents()) {
    if (extent.file == file_) add_extent(unit_index, unit, extent);
  }
  add_calls(unit);
  inlined_times_.add_calls(unit);
  add_functions(unit);
  add_functions_without_description(unit);
}

void FileCostsBuilder::add_extent(UnitIndex unit_index, const UnitLines& unit,
                                  const LineExtent& extent) {
  lines_with_code_.insert(extent.line);
  if (needs_code()) code_of_line_[extent.line].push_back(extent.range);
  const Ticks ticks = parts_.profile.samples().in(extent.range);
  if (ticks > 0) {
    const auto symbol = parts_.symbols.find(extent.range.low);
    // Time in the collector's own code is not the program's.
    if (!symbol || !is_counting_function(parts_.symbols[*symbol].name)) {
      LineCost& line = lines_[extent.line];
      line.self += ticks;
      line.kernel += parts_.profile.kernel().in(extent.range);
      inlined_times_.add_extent(unit, extent, ticks);
    }
  }
  const auto blocks = parts_.profile.blocks();
  auto block = std::partition_point(blocks.begin(), blocks.end(), [&](const BlockCount& b) {
    return b.address < extent.range.low;
  });
  for (; block != blocks.end() && block->address < extent.range.high; ++block) {
    const auto inlined_call = unit.inlined_call_at(block->address);
    const Instance instance = {unit_index, parts_.symbols.find(block->address).value_or(no_symbol),
                               inlined_call ? *inlined_call + 1 : 0};
    std::uint64_t& largest = largest_block_[{extent.line, instance}];
    largest = std::max(largest, block->count);
  }
}

void FileCostsBuilder::add_calls(const UnitLines& unit) {
  const auto sites = parts_.profile.site_arcs();
  const auto& by_address = index_.sites_by_address_;
  if (by_address.empty()) return;
  Address done_to = {0};
  for (const LineExtent& extent : unit.extents()) {
    if (extent.file != file_) continue;
    const Address low = {extent.range.low.value > slot_reach ? extent.range.low.value - slot_reach
                                                             : 0};
    const Address high = extent.range.high + slot_reach;
    auto site = std::partition_point(
        by_address.begin(), by_address.end(),
        [&](std::uint32_t index) { return sites[index].from_pc < std::max(low, done_to); });
    for (; site != by_address.end() && sites[*site].from_pc < high; ++site) add_site(unit, *site);
    done_to = std::max(done_to, high);
  }
}

void FileCostsBuilder::add_site(const UnitLines& unit, std::uint32_t site_index) {
  const SiteArc& site = parts_.profile.site_arcs()[site_index];
  if (sites_done_.contains(site_index)) return;
  std::set<LineNumber> here;
  bool elsewhere = false;
  for (const Address call : parts_.call_sites.calls_of(site.from_pc, site.callee)) {
    const LineExtent* extent = unit.extent_at(call);
    if (extent != nullptr && extent->file == file_) {
      here.insert(extent->line);
    } else {
      elsewhere = true;
    }
  }
  if (here.empty()) return;
  sites_done_.insert(site_index);
  const bool approximate = here.size() > 1 || elsewhere;
  for (const LineNumber line : here) {
    auto& calls = lines_[line].calls;
    auto call = std::find_if(calls.begin(), calls.end(), [&](const LineCall& c) {
      return c.callee == site.callee && c.approximate() == approximate;
    });
    if (call == calls.end()) call = calls.insert(calls.end(), {site.callee, 0, {}, {}});
    call->count += site.count;
    if (!approximate) continue;
    std::set<LineNumber> candidates(call->candidate_lines.begin(), call->candidate_lines.end());
    candidates.insert(here.begin(), here.end());
    call->candidate_lines.assign(candidates.begin(), candidates.end());
  }
}

Declaration FileCostsBuilder::declaration_of(const UnitLines& unit,
                                             const Subprogram& subprogram) const {
  if (subprogram.declaration.line != 0 && subprogram.declaration.file != no_file) {
    return subprogram.declaration;
  }
  if (subprogram.ranges.empty()) return {};
  const LineExtent* extent = unit.extent_at(subprogram.entry);
  return extent == nullptr ? Declaration{} : Declaration{extent->file, extent->line, 0};
}

FileCostsBuilder::Definition& FileCostsBuilder::definition(const Declaration& declaration,
                                                           const std::string& name) {
  std::string plain = without_template_arguments(name);
  Definition& found = definitions_[{declaration.line, declaration.column, plain}];
  if (found.cost.name.empty()) {
    found.cost.name = std::move(plain);
    found.cost.declaration = declaration;
    found.cost.last_line = declaration.line;
  }
  return found;
}

void FileCostsBuilder::add_functions(const UnitLines& unit) {
  std::vector<Definition*> definition_of(unit.functions().subprograms.size(), nullptr);
  for (std::size_t i = 0; i < definition_of.size(); ++i) {
    const Subprogram& subprogram = unit.functions().subprograms[i];
    for (const AddressRange& range : subprogram.ranges) {
      if (const auto symbol = parts_.symbols.find(range.low)) described_symbols_.insert(*symbol);
    }
    const Declaration declaration = declaration_of(unit, subprogram);
    if (declaration.file != file_ || declaration.line == 0) continue;
    Definition& found = definition(declaration, subprogram.name);
    definition_of[i] = &found;
    for (const AddressRange& range : subprogram.ranges) {
      if (const auto symbol = parts_.symbols.find(range.low)) found.symbols.insert(*symbol);
    }
  }
  add_inlined_calls(unit, definition_of);
  extend_bodies(unit, definition_of);
}

void FileCostsBuilder::add_inlined_calls(const UnitLines& unit,
                                         const std::vector<Definition*>& definition_of) {
  const auto& calls = unit.functions().inlined_calls;
  for (const InlinedCall& call : calls) {
    add_inlined_code(call);
    Ticks ticks = 0;
    Ticks kernel = 0;
    for (const AddressRange& range : call.ranges) {
      ticks += parts_.profile.samples().in(range);
      kernel += parts_.profile.kernel().in(range);
    }
    if (Definition* callee = definition_of[call.callee]) {
      ++callee->cost.inlined_calls;
      callee->cost.inlined_self += ticks;
      callee->cost.inlined_kernel += kernel;
      if (needs_code()) {
        auto& code = callee->inlined_code;
        code.insert(code.end(), call.ranges.begin(), call.ranges.end());
      }
    }
    // What was inlined into an inlined function is that function's time, not this one's.
    if (!call.parent) continue;
    if (Definition* around = definition_of[calls[*call.parent].callee]) {
      around->cost.inlined_self -= ticks;
      around->cost.inlined_kernel -= kernel;
    }
  }
}

void FileCostsBuilder::add_inlined_code(const InlinedCall& call) {
  if (!needs_code() || call.call_site.file != file_ || call.call_site.line == 0) return;
  auto& code = inlined_into_line_[call.call_site.line];
  code.insert(code.end(), call.ranges.begin(), call.ranges.end());
}

void FileCostsBuilder::extend_bodies(const UnitLines& unit,
                                     const std::vector<Definition*>& definition_of) {
  const auto& functions = unit.functions();
  for (const LineExtent& extent : unit.extents()) {
    if (extent.file != file_) continue;
    const auto inlined = unit.inlined_call_at(extent.range.low);
    const Subprogram* subprogram = unit.subprogram_at(extent.range.low);
    if (!inlined && subprogram == nullptr) continue;
    const std::size_t owner =
        inlined ? functions.inlined_calls[*inlined].callee
                : static_cast<std::size_t>(subprogram - functions.subprograms.data());
    if (Definition* found = definition_of[owner]) {
      found->cost.last_line = std::max(found->cost.last_line, extent.line);
    }
  }
}

void FileCostsBuilder::add_functions_without_description(const UnitLines& unit) {
  const auto symbols = parts_.symbols.symbols();
  for (const LineExtent& extent : unit.extents()) {
    if (extent.file != file_) continue;
    auto symbol = std::partition_point(symbols.begin(), symbols.end(), [&](const Symbol& s) {
      return s.address < extent.range.low;
    });
    for (; symbol != symbols.end() && symbol->address < extent.range.high; ++symbol) {
      const auto index = static_cast<SymbolIndex>(symbol - symbols.begin());
      if (symbol->clone == CloneKind::part || described_symbols_.contains(index)) continue;
      Definition& found =
          definition({file_, extent.line, 0}, parts_.sources.name(symbol->clone_of).name);
      found.symbols.insert(index);
      for (const LineExtent* body = &extent;
           body != unit.extents().data() + unit.extents().size() && body->range.low < symbol->end;
           ++body) {
        if (body->file == file_) {
          found.cost.last_line = std::max(found.cost.last_line, body->line);
        }
      }
    }
  }
}

void FileCostsBuilder::take_inlined_times() {
  for (auto& [line, inlining] : inlined_times_.take()) {
    lines_[line].inlining = std::make_shared<const LineInlining>(std::move(inlining));
  }
}

// Includes lines otherwise unknown, such as one that calls a function of another library, or one
// whose call was inlined and left no code of its own.
void FileCostsBuilder::measure_lines() {
  for (auto& [number, inlined] : inlined_into_line_) code_of_line_[number];
  for (const auto& [number, own_code] : code_of_line_) {
    std::vector<AddressRange> code = own_code;
    if (const auto inlined = inlined_into_line_.find(number); inlined != inlined_into_line_.end()) {
      code.insert(code.end(), inlined->second.begin(), inlined->second.end());
    }
    code = without_overlaps(std::move(code));
    if (measured_ != nullptr) measure_line(number, own_code, code);
    if (parts_.waits != nullptr) add_waits(number, code);
  }
}

void FileCostsBuilder::measure_line(LineNumber number, const std::vector<AddressRange>& own_code,
                                    const std::vector<AddressRange>& code) {
  const Ticks total = measured_->at(code);
  const auto known = lines_.find(number);
  if (known == lines_.end() && !(total > 0)) return;
  LineCost& cost = known == lines_.end() ? lines_[number] : known->second;
  cost.measured_total = std::max(total, cost.self);
  if (total > 0) cost.external_calls = measured_->external_calls_at(code);
  if (total > 0) add_uncounted_calls(own_code, cost);
  for (LineCall& call : cost.calls) {
    call.measured = measured_->calls_at(own_code, call.callee);
  }
}

void FileCostsBuilder::add_waits(LineNumber number, std::span<const AddressRange> code) {
  auto waits = shared(parts_.waits->below(code));
  if (!waits) return;
  LineCost& line = lines_[number];
  line.waits = std::move(waits);
  line.own_waits = shared(parts_.waits->at(code));
}

// Calls of code that counts none are known by the stacks.
void FileCostsBuilder::add_uncounted_calls(const std::vector<AddressRange>& code, LineCost& cost) {
  for (const SymbolIndex callee : measured_->callees_at(code)) {
    if (!is_counted(callee)) cost.calls.push_back({callee, 0, {}, {}});
  }
}

bool FileCostsBuilder::is_counted(SymbolIndex callee) {
  const auto [known, is_new] = counted_.try_emplace(callee, false);
  if (is_new) {
    known->second = std::ranges::any_of(
        graph_->callers(callee), [&](ArcIndex index) { return graph_->arc(index).count > 0; });
  }
  return known->second;
}

void FileCostsBuilder::finish_lines(FileCosts& costs) {
  take_inlined_times();
  measure_lines();
  for (const auto& [key, count] : largest_block_) {
    auto& executions = lines_[key.first].executions;
    executions = executions.value_or(0) + count;
  }
  for (auto& [number, cost] : lines_) {
    cost.line = number;
    merge_copies(cost.calls);
    std::stable_sort(cost.calls.begin(), cost.calls.end(),
                     [](const LineCall& a, const LineCall& b) {
                       return std::pair(a.count, a.measured.value_or(0)) >
                              std::pair(b.count, b.measured.value_or(0));
                     });
    costs.lines.push_back(std::move(cost));
  }
  costs.lines_with_code.assign(lines_with_code_.begin(), lines_with_code_.end());
}

// A static function in a header has a copy per unit, a template an instance per type: one
// definition, one callee.
void FileCostsBuilder::merge_copies(std::vector<LineCall>& calls) const {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (std::size_t k = calls.size() - 1; k > i; --k) {
      if (calls[i].approximate() != calls[k].approximate()) continue;
      if (!same_definition(calls[i].callee, calls[k].callee)) continue;
      calls[i].count += calls[k].count;
      if (calls[k].measured) {
        calls[i].measured = calls[i].measured.value_or(0) + *calls[k].measured;
      }
      calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
}

bool FileCostsBuilder::same_definition(SymbolIndex a, SymbolIndex b) const {
  // Names first: a declaration may require decoding another unit.
  if (parts_.symbols[a].name != parts_.symbols[b].name &&
      without_template_arguments(parts_.sources.name(a).name) !=
          without_template_arguments(parts_.sources.name(b).name)) {
    return false;
  }
  const auto declaration = parts_.sources.declaration(a);
  return declaration && declaration == parts_.sources.declaration(b);
}

// The arcs of a graph that is not made.
void FileCostsBuilder::find_arcs_of_functions() {
  std::vector<bool> is_here(parts_.symbols.size());
  for (const auto& [key, definition] : definitions_) {
    for (const SymbolIndex symbol : definition.symbols) is_here[symbol] = true;
  }
  for (const SiteArc& site : parts_.profile.site_arcs()) {
    if (is_here[site.callee]) sites_to_.emplace(site.callee, &site);
    if (site.caller != no_symbol && is_here[site.caller]) calling_.insert(site.caller);
  }
}

void FileCostsBuilder::finish_functions(FileCosts& costs) {
  if (graph_ == nullptr) find_arcs_of_functions();
  for (auto& [key, definition] : definitions_) {
    // Declared but never compiled: there is nothing to report.
    if (definition.symbols.empty() && definition.cost.inlined_calls == 0) continue;
    finish_function(definition);
    costs.functions.push_back(std::move(definition.cost));
  }
}

void FileCostsBuilder::finish_function(Definition& definition) {
  FunctionCost& function = definition.cost;
  function.symbols.assign(definition.symbols.begin(), definition.symbols.end());
  function.inlined_self = std::max(0.0, function.inlined_self);
  function.inlined_kernel = std::clamp(function.inlined_kernel, 0.0, function.inlined_self);
  if (measured_ != nullptr && !definition.inlined_code.empty()) {
    function.measured_inlined_total =
        std::max(measured_->at(definition.inlined_code), function.inlined_self);
  }
  for (const SymbolIndex symbol : function.symbols) {
    if (parts_.symbols[symbol].clone != CloneKind::part) ++function.instances;
  }
  function.signature = function.symbols.empty()
                           ? function.name
                           : parts_.sources.name(function.symbols.front()).signature;
  if (graph_ != nullptr) {
    take_totals(function);
  } else {
    take_self_time(function);
  }
  take_kernel_time(function);
  count_calls(function);
  function.counting = call_counting(function);
  if (parts_.waits != nullptr) add_waits(definition);
}

void FileCostsBuilder::add_waits(Definition& definition) const {
  std::vector<AddressRange> code = std::move(definition.inlined_code);
  for (const SymbolIndex symbol : definition.symbols) {
    code.push_back({parts_.symbols[symbol].address, parts_.symbols[symbol].end});
  }
  definition.cost.waits = shared(parts_.waits->below(code));
  if (definition.cost.waits) definition.cost.own_waits = shared(parts_.waits->at(code));
}

void FileCostsBuilder::take_totals(FunctionCost& function) {
  for (const SymbolIndex symbol : function.symbols) {
    if (function.cycle == 0) function.cycle = graph_->node(symbol).cycle;
    const std::uint32_t rank = index_.rank(symbol);
    if (rank != 0 && (function.rank == 0 || rank < function.rank)) function.rank = rank;
  }
  const FunctionTime time = parts_.graph.times().of(function.symbols);
  function.self = time.self;
  function.children = time.children;
  function.total_error = time.error;
  function.measured = time.measured;
  function.lacks_libraries =
      library_calls_.has_value() && library_calls_->are_reached_by(function.symbols);
}

void FileCostsBuilder::take_self_time(FunctionCost& function) const {
  function.without_total = true;
  for (const SymbolIndex symbol : function.symbols) function.self += parts_.profile.self(symbol);
}

// The self time of functions that count calls is not the program's.
void FileCostsBuilder::take_kernel_time(FunctionCost& function) const {
  for (const SymbolIndex symbol : function.symbols) {
    const Symbol& code = parts_.symbols[symbol];
    function.kernel += parts_.profile.kernel().in({code.address, code.end});
  }
  function.kernel = std::min(function.kernel, function.self);
}

void FileCostsBuilder::count_calls(FunctionCost& function) const {
  for (const SymbolIndex symbol : function.symbols) {
    const Symbol& callee = parts_.symbols[symbol];
    const auto count = [&](SymbolIndex caller, std::uint64_t calls) {
      const bool own = caller != no_symbol && parts_.symbols[caller].clone_of == callee.clone_of;
      // A call of its own split-off part is not a call but the function continuing.
      if (own && callee.clone == CloneKind::part && caller != symbol) return;
      (own ? function.recursive_calls : function.calls) += calls;
    };
    if (graph_ == nullptr) {
      const auto [first, last] = sites_to_.equal_range(symbol);
      for (auto site = first; site != last; ++site) {
        count(site->second->caller, site->second->count);
      }
      continue;
    }
    for (const ArcIndex index : graph_->callers(symbol)) {
      count(graph_->arc(index).caller, graph_->arc(index).count);
    }
  }
}

CallCounting FileCostsBuilder::call_counting(const FunctionCost& function) const {
  if (function.calls > 0 || function.recursive_calls > 0) return CallCounting::counted;
  if (function.symbols.empty()) return CallCounting::only_inlined;
  std::optional<bool> counts;
  bool ran = function.self > 0;
  for (const SymbolIndex symbol : function.symbols) {
    const Symbol& code = parts_.symbols[symbol];
    ran = ran || (graph_ != nullptr ? !graph_->callees(symbol).empty() : calling_.contains(symbol));
    if (code.clone == CloneKind::part || counts.value_or(false)) continue;
    counts = parts_.code.counts_its_calls({code.address, code.end});
    const auto blocks = parts_.profile.blocks();
    auto block = std::partition_point(blocks.begin(), blocks.end(), [&](const BlockCount& b) {
      return b.address < code.address;
    });
    for (; block != blocks.end() && block->address < code.end && !ran; ++block) {
      ran = block->count > 0;
    }
  }
  if (counts == false) return CallCounting::not_instrumented;
  if (ran && (counts || parts_.profile.has_arcs())) return CallCounting::uncounted_caller;
  if (counts) return CallCounting::never_called;
  return parts_.profile.has_arcs() ? CallCounting::unknown : CallCounting::no_call_counts;
}

}  // namespace gprof
