#include "engine/import/chain_ends.h"

#include <algorithm>
#include <utility>

#include "engine/import/imported_profile.h"
#include "engine/support/hash_seed.h"

namespace gprof {
namespace {

// A function begins threads if at least half of the chains in its threads end in it, not counting
// those that are known to be cut. A smaller part is not enough: a library without frame pointers
// that calls back, such as qsort, cuts all chains through it at one function, which may take a
// large part of the time.
constexpr std::uint64_t least_part_of_chains = 2;
// These chains must also be a third of all samples: without frame pointers most samples have no
// callers, and the callers of the others are random.
constexpr std::uint64_t least_part_of_samples = 3;
// If chains are cut at a function, other chains usually show who calls it. Calls up to one in
// twenty of the chains that end in it are tolerated.
constexpr std::uint64_t tolerated_part_of_calls = 20;

}  // namespace

bool ChainEnds::Outermost::is_called() const { return called * tolerated_part_of_calls > ended; }

bool ChainEnds::Outermost::begins_threads() const {
  return ended > 0 && !is_called() && ended * least_part_of_chains >= chains &&
         ended * least_part_of_samples >= samples;
}

std::size_t ChainEnds::FunctionHash::operator()(const Function& function) const {
  return static_cast<std::size_t>(hash_of(function.number, function.module));
}

void ChainEnds::say(Row stack, ChainEnd end) {
  if (stack == no_row || end == ChainEnd::open) return;
  if (stack >= said_.size()) said_.resize(std::size_t{stack} + 1);
  if (said_[stack] != ChainEnd::whole) said_[stack] = end;
}

bool ChainEnds::is_of_kernel(Row place) const {
  const Row module = builder_.place_at(place).module;
  return module != no_row && builder_.module_at(module).kind == ModuleKind::kernel;
}

bool ChainEnds::is_of_loader(Row place) const {
  const Row module = builder_.place_at(place).module;
  return module != no_row && is_loader_file(builder_.module_at(module).path);
}

bool ChainEnds::is_of_program(Row place) const {
  const Row module = builder_.place_at(place).module;
  return module != no_row && builder_.module_at(module).kind == ModuleKind::program;
}

// Calls in one function return to different places of it. Where its bounds are not known, each of
// these counts as a function: where threads begin there is one call.
ChainEnds::Function ChainEnds::function_of(Row row) const {
  enum class By : std::uint64_t { address, name, symbol };
  const auto function_by = [](Row module, By by, std::uint64_t number) {
    return Function{module, number << 2U | static_cast<std::uint64_t>(by)};
  };
  const Place& place = builder_.place_at(row);
  if (place.function != no_row) return function_by(place.module, By::name, place.function);
  const Address address = lookup_address(place);
  const auto symbol = is_of_program(row) ? symbols_.find(address) : std::nullopt;
  return symbol ? function_by(place.module, By::symbol, *symbol)
                : function_by(place.module, By::address, address.value);
}

std::uint32_t ChainEnds::outermost_at(Row place) {
  const auto next = static_cast<std::uint32_t>(outermost_.size());
  const auto [number, is_new] = numbers_.try_emplace(function_of(place), next);
  if (is_new) {
    const Place& outermost = builder_.place_at(place);
    outermost_.push_back({outermost.module != no_row || outermost.function != no_row});
  }
  return number->second;
}

// Callers have lower numbers than their callees.
void ChainEnds::describe_stacks() {
  const std::span<const StackNode> nodes = builder_.stacks();
  said_.resize(nodes.size());
  stacks_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const StackNode& node = nodes[i];
    Stack& stack = stacks_[i];
    if (node.caller != no_row) {
      stack = stacks_[node.caller];
    } else {
      stack.outermost = outermost_at(node.place);
    }
    stack.has_program = stack.has_program || is_of_program(node.place);
    if (!is_of_kernel(node.place)) {
      stack.has_callers = stack.has_user_code;
      stack.has_user_code = true;
      stack.is_in_loader = is_of_loader(node.place);
    }
    stack.is_open = said_[i] == ChainEnd::open && outermost_[stack.outermost].is_known &&
                    stack.has_user_code && !stack.is_in_loader;
  }
}

void ChainEnds::count_ends() {
  for (const Sample& sample : samples_) {
    const Stack& stack = stacks_[sample.stack];
    if (stack.is_open && stack.has_callers) ++outermost_[stack.outermost].ended;
  }
}

void ChainEnds::count_chains_of_threads() {
  struct Thread {
    std::uint64_t samples = 0;
    std::uint64_t chains = 0;
  };
  std::vector<Thread> threads;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;  // functions with threads
  for (const Sample& sample : samples_) {
    const Stack& stack = stacks_[sample.stack];
    if (!stack.is_open) continue;
    // A chain that was cut is no evidence of where its thread began.
    if (stack.has_callers && outermost_[stack.outermost].is_called()) continue;
    if (sample.thread >= threads.size()) threads.resize(std::size_t{sample.thread} + 1);
    Thread& thread = threads[sample.thread];
    ++thread.samples;
    if (!stack.has_callers) continue;
    ++thread.chains;
    const std::pair end(stack.outermost, sample.thread);
    if (ends.empty() || ends.back() != end) ends.push_back(end);
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  for (const auto& [outermost, thread] : ends) {
    outermost_[outermost].samples += threads[thread].samples;
    outermost_[outermost].chains += threads[thread].chains;
  }
}

void ChainEnds::count_calls() {
  const std::span<const StackNode> nodes = builder_.stacks();
  std::vector<std::uint64_t> samples(nodes.size());
  for (const Sample& sample : samples_) ++samples[sample.stack];
  constexpr std::uint32_t not_looked_up = no_row - 1;
  // By place; no_row: no chain ends in its function.
  std::vector<std::uint32_t> outermost(builder_.places(), not_looked_up);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const StackNode& node = nodes[i];
    if (node.caller == no_row || samples[i] == 0) continue;
    samples[node.caller] += samples[i];
    std::uint32_t& number = outermost[node.place];
    if (number == not_looked_up) {
      const auto known = numbers_.find(function_of(node.place));
      number = known == numbers_.end() ? no_row : known->second;
    }
    if (number != no_row) outermost_[number].called += samples[i];
  }
}

bool ChainEnds::is_whole(Row row) const {
  const Outermost& outermost = outermost_[stacks_[row].outermost];
  if (!outermost.is_known) return false;
  if (stacks_[row].is_open) return outermost.begins_threads();
  // Threads of the kernel have nothing else, and the linker runs before there is a caller in the
  // program.
  return said_[row] != ChainEnd::cut;
}

void ChainEnds::decide() {
  std::erase_if(samples_, [](const Sample& sample) { return sample.stack == no_row; });
  describe_stacks();
  count_ends();
  count_calls();
  count_chains_of_threads();
  for (Row stack = 0; stack < stacks_.size(); ++stack) stacks_[stack].is_complete = is_whole(stack);
  samples_ = {};
}

}  // namespace gprof
