#include "engine/profile/stack_samples.h"

#include <algorithm>

#include "engine/code/machine_code.h"

namespace gprof {
namespace {

// Fewer stacks than this, and figures made of them would be too small without a word.
constexpr double least_share_of_stacks = 0.99;

constexpr std::string_view collector_name = "libgprof_runtime";

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// A part that the compiler split off is the function going on.
SymbolIndex function_at(Address place, const SymbolTable& symbols) {
  const auto found = symbols.find(place);
  if (!found) return no_symbol;
  return symbols[*found].clone == CloneKind::part ? symbols[*found].clone_of : *found;
}

bool is_collector(const StackFrame& frame, std::string_view module_name,
                  const SymbolTable& symbols) {
  if (frame.module != StackSamples::own_module) return module_name.starts_with(collector_name);
  return frame.symbol != no_symbol && is_counting_function(symbols[frame.symbol].name);
}

}  // namespace

std::uint32_t StackSamples::number_of(std::string_view module_name) {
  const auto known = std::find(module_names_.begin() + 1, module_names_.end(), module_name);
  const auto number = static_cast<std::uint32_t>(known - module_names_.begin());
  if (known == module_names_.end()) module_names_.emplace_back(module_name);
  return number;
}

std::vector<std::uint32_t> StackSamples::modules_of(const Sidecar& sidecar,
                                                    const std::vector<bool>& own_modules) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(sidecar.modules.size());
  for (std::size_t i = 0; i < sidecar.modules.size(); ++i) {
    const bool own = i < own_modules.size() && own_modules[i];
    numbers.push_back(own ? own_module : number_of(file_name(sidecar.modules[i].path)));
  }
  return numbers;
}

void StackSamples::add(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                       const SymbolTable& symbols) {
  const std::vector<std::uint32_t> modules = modules_of(sidecar, own_modules);
  const std::uint32_t nowhere = number_of("");
  std::vector<StackFrame> frames;
  for (const SidecarStack& stack : sidecar.stacks) {
    frames.clear();
    for (const SidecarPlace& place : stack.frames) {
      StackFrame frame;
      frame.module = place.module < modules.size() ? modules[place.module] : nowhere;
      // A return address may be the first of the next function.
      const bool returns = !frames.empty() && place.address.value != 0;
      frame.place = {place.address.value - (returns ? 1 : 0)};
      if (frame.module == own_module) frame.symbol = function_at(frame.place, symbols);
      frames.push_back(frame);
    }
    const bool counted =
        !frames.empty() &&
        !is_collector(frames.front(), module_names_[frames.front().module], symbols);
    if (counted) add_stack(static_cast<Ticks>(stack.count), stack.truncated, frames);
  }
  missing_ += static_cast<Ticks>(sidecar.process.lost_stacks);
}

void StackSamples::add_stack(Ticks count, bool truncated, std::span<const StackFrame> frames) {
  stacks_.push_back({count, truncated, static_cast<std::uint32_t>(frames.size()), frames_.size()});
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  total_ += count;
  if (truncated) truncated_ += count;
  if (frames.front().module != own_module) foreign_ += count;
}

bool StackSamples::complete() const {
  return total_ > 0 && total_ >= least_share_of_stacks * (total_ + missing_);
}

}  // namespace gprof
