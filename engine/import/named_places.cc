#include "engine/import/named_places.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/import/defined_functions.h"

namespace gprof {
namespace {

// Each metric lists all modules.
constexpr std::size_t max_modules = 4096;
// Files searched for a function's lines if none has them.
constexpr unsigned most_files_searched = 16;
// Comparisons of functions of one name with where a profile says that they are defined.
constexpr std::size_t max_compared_of_a_name = 16'384;
// Where no module has code.
constexpr std::uint64_t first_external = std::uint64_t{0xffff} << 48U;
constexpr std::uint64_t external_size = 16;
// An element of a map, without its strings' letters.
constexpr std::uint64_t bytes_of_node = 112;

// Samples are kept per pair of bytes: one that belongs to this line alone, if there is one.
Address address_in(AddressRange range) {
  const Address even = {(range.low.value + 1) / 2 * 2};
  return even + 2 <= range.high ? even : range.low;
}

}  // namespace

NamedPlaces::NamedPlaces(const ImportTarget& target, std::string_view build_id, MemoryRoom& room,
                         std::size_t metrics)
    : target_(target), names_(target.symbols), room_(room), metrics_(metrics) {
  SidecarModule& own = modules_.emplace_back();
  own.path = target.path;
  own.build_id = build_id;
  own.flags = module_flags::main;
}

std::optional<SymbolIndex> NamedPlaces::find(const NamedPlace& place) {
  const std::vector<SymbolIndex>* symbols = &names_.find(place.linkage_name);
  if (place.linkage_name.empty() || symbols->empty()) symbols = &names_.find(place.name);
  if (place.name.empty() || symbols->empty()) return std::nullopt;
  if (symbols->size() == 1 || place.file.empty()) return symbols->front();
  symbols = &defined(*symbols, place);
  if (symbols->size() == 1) return symbols->front();
  // Definitions do not distinguish instances of a template, nor functions without debug
  // information: choose one with code of the line.
  const std::size_t most = std::min<std::size_t>(symbols->size(), most_files_searched);
  for (std::size_t i = 0; i < most; ++i) {
    const SymbolIndex symbol = (*symbols)[i];
    if (line_in(symbol, place.file, place.line)) return symbol;
  }
  return symbols->front();
}

const std::vector<SymbolIndex>& NamedPlaces::defined(const std::vector<SymbolIndex>& functions,
                                                     const NamedPlace& place) {
  const auto key = std::tuple(functions.front(), std::string(place.file), place.start_line);
  const auto known = defined_.find(key);
  if (known != defined_.end()) return known->second;
  // Each file that a profile names may be compared with each function of a name.
  std::size_t& compared = compared_[functions.front()];
  const std::uint64_t bytes =
      bytes_of_node + place.file.size() + functions.size() * sizeof(SymbolIndex);
  if (compared + functions.size() > max_compared_of_a_name || !room_.take(bytes)) return functions;
  compared += functions.size();
  auto found = functions_defined_at(functions, place.file, place.start_line, target_);
  return defined_.emplace(key, std::move(found)).first->second;
}

bool NamedPlaces::is_at(const NamedPlace& place, Address address) {
  const auto symbol = target_.symbols.find(address);
  if (!symbol) return false;
  const auto is_one = [&](std::string_view name) {
    const auto& symbols = names_.find(name);
    return !name.empty() && std::ranges::binary_search(symbols, *symbol);
  };
  return is_one(place.linkage_name) || is_one(place.name);
}

std::optional<Address> NamedPlaces::line_in(SymbolIndex function, std::string_view file,
                                            LineNumber line) {
  if (file.empty() || line == 0) return std::nullopt;
  Function& known = functions_[function];
  if (known.lines.empty() && known.times_asked++ < most_files_searched) {
    for (const LineCode& code : target_.lines(function, file)) {
      known.lines.try_emplace({code.file_name, code.line}, address_in(code.range));
    }
  }
  const auto found = known.lines.find({std::string(last_part(file)), line});
  return found == known.lines.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Address> NamedPlaces::call_in(SymbolIndex caller, SymbolIndex callee) {
  Function& known = functions_[caller];
  if (!known.calls) {
    known.calls.emplace();
    const Symbol& symbol = target_.symbols[caller];
    for (const CallInstruction& call : target_.code.calls_in({symbol.address, symbol.end})) {
      if (!call.target) continue;
      const auto [place, is_new] = known.calls->try_emplace(*call.target, call.return_address - 1);
      if (!is_new) place->second.reset();
    }
  }
  const auto found = known.calls->find(target_.symbols[callee].address);
  return found == known.calls->end() ? std::nullopt : found->second;
}

std::uint32_t NamedPlaces::module_of(std::string_view path, std::string_view build_id) {
  ModuleKey key(path, build_id);
  const auto known = module_numbers_.find(key);
  if (known != module_numbers_.end()) return known->second;
  const std::size_t bytes = sizeof(SidecarModule) + path.size() + build_id.size();
  if (modules_.size() >= max_modules) {
    room_.refuse();
    return no_module;
  }
  if (!room_.take(bytes_of_node + path.size() + metrics_ * bytes)) return no_module;
  const auto number = static_cast<std::uint32_t>(modules_.size());
  module_numbers_.emplace(std::move(key), number);
  SidecarModule& module = modules_.emplace_back();
  module.path = path;
  module.build_id = build_id;
  return number;
}

ModuleAddress NamedPlaces::external(std::string_view module, std::string_view build_id,
                                    std::string_view function) {
  const std::uint32_t number = module_of(module, build_id);
  if (number == no_module) return {};
  if (function.empty()) return {number, {}};
  const std::pair key(number, std::string(function));
  const auto known = externals_.find(key);
  if (known != externals_.end()) return {number, known->second};
  // It is a key, and a name.
  if (!room_.take(2 * (bytes_of_node + function.size()))) return {number, {}};
  const Address address = {first_external + external_size * externals_.size()};
  externals_.emplace(key, address);
  external_names_.emplace(ModuleAddress{number, address}, function);
  return {number, address};
}

std::shared_ptr<const ExternalNames> NamedPlaces::take_names() {
  if (external_names_.empty()) return nullptr;
  return std::make_shared<const ExternalNames>(std::move(external_names_));
}

}  // namespace gprof
