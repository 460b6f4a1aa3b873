#include "engine/analysis/stack_samples.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "engine/analysis/collected_samples.h"
#include "engine/code/machine_code.h"
#include "engine/support/stored_checks.h"

namespace gprof {
namespace {

// With fewer stacks, figures based on them would silently be too small.
constexpr double least_share_of_stacks = 0.99;

// At most this many frames per repetition, except that one group always appears whole.
constexpr std::uint64_t most_unfolded = 16;

// A split-off part counts as its function.
SymbolIndex function_at(Address place, const SymbolTable& symbols) {
  const auto found = symbols.find(place);
  if (!found) return no_symbol;
  return symbols[*found].clone == CloneKind::part ? symbols[*found].clone_of : *found;
}

bool is_in_collector(const StackFrame& frame, std::string_view module_name,
                     const SymbolTable& symbols) {
  if (frame.module != StackSamples::own_module) return is_collector(module_name);
  return frame.symbol != no_symbol && is_counting_function(symbols[frame.symbol].name);
}

// Repeats the last frames; `repetitions` comes from a file.
void unfold(std::vector<StackFrame>& frames, std::uint32_t length, std::uint64_t repetitions) {
  if (length > frames.size()) return;
  const std::uint64_t shown =
      std::min(repetitions, std::max<std::uint64_t>(1, most_unfolded / length));
  frames.reserve(frames.size() + shown * length);
  for (std::uint64_t i = 0; i < shown * length; ++i) {
    frames.push_back(frames[frames.size() - length]);
  }
}

}  // namespace

std::uint32_t StackSamples::number_of(const ExternalCode& code) {
  const auto next = static_cast<std::uint32_t>(external_codes_.size());
  const auto [known, is_new] = numbers_.try_emplace(code, next);
  if (is_new) external_codes_.push_back(code);
  return known->second;
}

std::optional<std::uint32_t> StackSamples::find(const ExternalCode& code) const {
  const auto known = numbers_.find(code);
  if (code.module.empty() || known == numbers_.end()) return std::nullopt;
  return known->second;
}

std::vector<std::uint32_t> StackSamples::modules_of(const Sidecar& sidecar,
                                                    const std::vector<bool>& own_modules) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(sidecar.modules.size());
  for (std::size_t i = 0; i < sidecar.modules.size(); ++i) {
    const bool own = i < own_modules.size() && own_modules[i];
    const std::string_view name = file_name_of(sidecar.modules[i].path);
    numbers.push_back(own ? own_module : number_of({std::string(name), ""}));
  }
  return numbers;
}

// The names of a run's functions do not move: their letters stand for them.
std::uint32_t StackSamples::number_at(std::uint32_t module, Address code, Run& run) {
  if (module >= run.modules.size()) return number_of({});
  const std::uint32_t whole = run.modules[module];
  const std::string_view function = run.functions.name_at(module, code);
  if (whole == own_module || function.empty()) return whole;
  const auto [known, is_new] = run.by_name.try_emplace(function.data(), whole);
  if (is_new) known->second = number_of({external_codes_[whole].module, std::string(function)});
  return known->second;
}

StackFrame StackSamples::frame_at(const ModuleAddress& place, bool innermost, Run& run) {
  StackFrame frame;
  if (place.module == stack_marks::left_out) {
    frame.module = StackFrame::left_out;
    return frame;
  }
  frame.place = code_address(place.address, innermost);
  frame.module = number_at(place.module, frame.place, run);
  if (frame.module == own_module) frame.symbol = function_at(frame.place, run.symbols);
  return frame;
}

std::vector<std::uint32_t> StackSamples::add(const Sidecar& sidecar,
                                             const std::vector<bool>& own_modules,
                                             const SymbolTable& symbols,
                                             const ExternalFunctions& functions) {
  Run run{symbols, functions, modules_of(sidecar, own_modules), {}};
  // Samples without stacks are in functions, too.
  for (const SidecarSample& sample : sidecar.samples) {
    (void)number_at(sample.place.module, sample.place.address, run);
  }
  std::vector<std::uint32_t> numbers;
  numbers.reserve(sidecar.stacks.size());
  std::vector<StackFrame> frames;
  for (const SidecarStack& stack : sidecar.stacks) {
    frames.clear();
    for (const ModuleAddress& place : stack.frames) {
      if (const std::uint32_t length = place.group_length(); length != 0) {
        unfold(frames, length, place.address.value);
      } else {
        frames.push_back(frame_at(place, frames.empty(), run));
      }
    }
    const bool counted =
        !frames.empty() && frames.front().module != StackFrame::left_out &&
        !is_in_collector(frames.front(), external_codes_[frames.front().module].module, symbols);
    numbers.push_back(counted ? static_cast<std::uint32_t>(stacks_.size()) : left_out);
    if (!counted) continue;
    add_stack(static_cast<Ticks>(stack.count), stack.truncated, frames, stack.inferred_from != 0);
  }
  missing_ += static_cast<Ticks>(sidecar.process.lost_stacks);
  return numbers;
}

void StackSamples::add_stack(Ticks count, bool truncated, std::span<const StackFrame> frames,
                             bool inferred) {
  const bool cut = std::ranges::any_of(
      frames, [](const StackFrame& frame) { return frame.module == StackFrame::left_out; });
  stacks_.push_back({count, truncated, truncated || cut, inferred,
                     static_cast<std::uint32_t>(frames.size()), frames_->size()});
  frames_->append(frames.begin(), frames.end());
  add_count(stacks_.back());
}

void StackSamples::add_count(const Entry& stack) {
  total_ += stack.count;
  if (stack.truncated) truncated_ += stack.count;
  if (stack.inferred) inferred_ += stack.count;
  if ((*frames_)[stack.first].module != own_module) external_ += stack.count;
}

StackSamples StackSamples::recounted(std::span<const Ticks> counts, Ticks missing) const {
  StackSamples stacks = *this;
  stacks.total_ = stacks.truncated_ = stacks.inferred_ = stacks.external_ = 0;
  stacks.missing_ = missing;
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    stacks.stacks_[i].count = i < counts.size() ? counts[i] : 0;
    stacks.add_count(stacks.stacks_[i]);
  }
  return stacks;
}

void StackSamples::number_codes() {
  for (std::size_t i = 1; i < external_codes_.size(); ++i) {
    numbers_.emplace(external_codes_[i], static_cast<std::uint32_t>(i));
  }
}

bool StackSamples::is_sound(std::size_t symbols) const {
  const FlatArray<StackFrame>& frames = *frames_;
  const auto is_stack = [&](std::size_t i) {
    const Entry& stack = stacks_[i];
    const bool fits = stack.first < frames.size() && stack.frame_count > 0 &&
                      stack.frame_count <= frames.size() - stack.first;
    return fits && std::isfinite(stack.count) && is_truth_value(stack.truncated) &&
           is_truth_value(stack.incomplete) && is_truth_value(stack.inferred) &&
           frames[stack.first].module != StackFrame::left_out;
  };
  const auto is_frame = [&](std::size_t i) {
    const StackFrame& frame = frames[i];
    return (frame.symbol == no_symbol || frame.symbol < symbols) &&
           (frame.module == StackFrame::left_out || frame.module < external_codes_.size());
  };
  const bool finite = std::isfinite(total_) && std::isfinite(missing_) &&
                      std::isfinite(truncated_) && std::isfinite(inferred_) &&
                      std::isfinite(external_);
  return finite && !external_codes_.empty() && holds_for_all(stacks_.size(), is_stack) &&
         holds_for_all(frames.size(), is_frame);
}

bool StackSamples::complete() const {
  return total_ > 0 && total_ >= least_share_of_stacks * (total_ + missing_);
}

}  // namespace gprof
