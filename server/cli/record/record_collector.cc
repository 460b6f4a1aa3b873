#include "server/cli/record/record_collector.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "engine/code/machine_code.h"
#include "engine/object/image.h"
#include "engine/object/symbol_table.h"
#include "engine/support/hexadecimal.h"
#include "engine/support/saturating.h"

namespace gprof::lsp {
namespace {

constexpr std::string_view collector_library = "libgprof_runtime.";
// If the archive is linked in: its C++ functions, and those that compilers call.
constexpr std::string_view collector_namespace = "_ZN13gprof_runtime";
constexpr std::string_view formats_namespace = "_ZN13gprof_formats";
constexpr std::string_view block_counters = "__sanitizer_cov_";

bool is_collector_function(std::string_view name) {
  return is_counting_function(name) || name.starts_with(collector_namespace) ||
         name.starts_with(formats_namespace) || name.starts_with(block_counters);
}

std::vector<AddressRange> collector_functions(const SidecarModule& executable) {
  std::vector<AddressRange> ranges;
  if (executable.build_id.empty()) return ranges;
  auto image = Image::open(executable.path);
  if (!image || hexadecimal((*image)->build_id()) != executable.build_id) return ranges;
  const auto symbols = SymbolTable::build(*std::move(image), nullptr, SymbolPolicy::full);
  if (!symbols) return ranges;
  for (const Symbol& symbol : symbols->symbols()) {
    if (is_collector_function(symbol.name)) ranges.push_back({symbol.address, symbol.end});
  }
  return ranges;
}

bool holds(const std::vector<AddressRange>& ranges, Address address) {
  const auto after = std::ranges::upper_bound(ranges, address, {}, &AddressRange::low);
  return after != ranges.begin() && address < std::prev(after)->high;
}

}  // namespace

bool is_collector_library(const SidecarModule& module) {
  const std::size_t slash = module.path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  return std::string_view(module.path).substr(name).starts_with(collector_library);
}

std::uint64_t CollectorCode::samples_in(const Sidecar& sidecar) {
  const bool is_library = std::ranges::any_of(sidecar.modules, is_collector_library);
  std::uint64_t found = 0;
  for (const SidecarSample& sample : sidecar.samples) {
    if (sample.place.module >= sidecar.modules.size()) continue;
    const SidecarModule& module = sidecar.modules[sample.place.module];
    const bool may_be_linked = !is_library && (module.flags & module_flags::main) != 0;
    if (is_collector_library(module) ||
        (may_be_linked && holds(linked_into(module), sample.place.address))) {
      found = saturating_add(found, sample.count);
    }
  }
  return found;
}

const CollectorCode::Ranges& CollectorCode::linked_into(const SidecarModule& executable) {
  const auto [known, is_new] = linked_.try_emplace({executable.path, executable.build_id});
  if (is_new) known->second = collector_functions(executable);
  return known->second;
}

}  // namespace gprof::lsp
