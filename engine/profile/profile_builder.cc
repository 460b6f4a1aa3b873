#include "engine/profile/profile_builder.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/support/hash_seed.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

// Memory per row, from adding it to the finished profile.
constexpr std::uint64_t bytes_of_row = 192;
constexpr std::uint64_t bytes_of_stack = 112;
constexpr std::uint64_t bytes_of_cost = 96;
// The prefix tree takes at most half a gigabyte; later stacks lose their callers.
constexpr std::size_t most_stack_nodes = std::size_t{1} << 25;

std::uint64_t letters_of(const std::string& text) { return text.size(); }
std::uint64_t letters_of(const ProfileRun& run) { return run.path.size() + run.tool.size(); }
std::uint64_t letters_of(const ProfileProcess&) { return 0; }
std::uint64_t letters_of(const ProfileThread& thread) { return thread.name.size(); }
std::uint64_t letters_of(const ProfileModule& module) {
  return module.path.size() + module.build_id.size();
}

auto key_of(const ProfileMetric& row) {
  const Metric& metric = row.metric;
  return std::tie(metric.name, metric.unit, metric.label, metric.kind, metric.origin,
                  row.amounts_a_unit, row.keeps_largest);
}

std::uint64_t hash_of_place(const Place& place) {
  const auto both = [](std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32U | b; };
  std::uint64_t hash = hash_of(place.address.value, static_cast<std::uint64_t>(place.kind));
  hash = hash_of(hash ^ both(place.module, place.line), both(place.function, place.linkage_name));
  return hash_of(hash, place.file);
}

// Moves the rows, which are all different, to `ordered`, ascending, and returns the new number of
// each old one.
template <typename T, typename Less = std::less<>>
std::vector<Row> put_in_order(std::vector<T>& rows, std::vector<T>& ordered,
                              const Less& less = {}) {
  std::vector<Row> order(rows.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::sort(order.begin(), order.end(), [&](Row a, Row b) { return less(rows[a], rows[b]); });
  std::vector<Row> numbers(rows.size());
  ordered.reserve(rows.size());
  for (const Row row : order) {
    numbers[row] = static_cast<Row>(ordered.size());
    ordered.push_back(std::move(rows[row]));
  }
  rows = {};
  return numbers;
}

void renumber(Row& row, const std::vector<Row>& numbers) {
  if (row != no_row) row = numbers[row];
}

}  // namespace

template <typename T>
Row ProfileBuilder::add(Table<T>& table, T row) {
  const auto known = table.numbers.find(row);
  if (known != table.numbers.end()) return known->second;
  // Texts are stored twice: in the row and in the key.
  if (table.rows.size() >= no_row || !room_.take(bytes_of_row + 2 * letters_of(row))) return no_row;
  const auto number = static_cast<Row>(table.rows.size());
  table.numbers.emplace(row, number);
  table.rows.push_back(std::move(row));
  return number;
}

// Whether `row` is a row of a table of so many. no_row is not a defect: its row found no room.
bool ProfileBuilder::is_row(Row row, std::size_t rows) {
  is_sound_ = is_sound_ && (row < rows || row == no_row);
  return row < rows;
}

Row ProfileBuilder::text(std::string_view text) { return add(texts_, std::string(text)); }

Row ProfileBuilder::run(ProfileRun run) { return add(runs_, std::move(run)); }

Row ProfileBuilder::module(ProfileModule module) { return add(modules_, std::move(module)); }

Row ProfileBuilder::process(const ProfileProcess& process) {
  return is_row(process.run, runs_.rows.size()) ? add(processes_, process) : no_row;
}

Row ProfileBuilder::thread(ProfileThread thread) {
  if (!is_row(thread.process, processes_.rows.size())) return no_row;
  return add(threads_, std::move(thread));
}

Row ProfileBuilder::place(const Place& place) {
  for (const Row text : {place.function, place.linkage_name, place.file}) {
    if (text != no_row && !is_row(text, texts_.rows.size())) return no_row;
  }
  if (place.module != no_row && !is_row(place.module, modules_.rows.size())) return no_row;
  const std::uint64_t hash = hash_of_place(place);
  const Row known = place_numbers_.find(hash, [&](Row row) { return places_[row] == place; });
  if (known != no_row) return known;
  if (places_.size() >= no_row || !room_.take(bytes_of_row)) return no_row;
  const auto number = static_cast<Row>(places_.size());
  place_numbers_.add(hash, number);
  places_.push_back(place);
  return number;
}

Row ProfileBuilder::metric(ProfileMetric metric) {
  is_sound_ = is_sound_ && metric.amounts_a_unit > 0;
  const auto known = std::ranges::find_if(
      metrics_, [&](const ProfileMetric& other) { return key_of(other) == key_of(metric); });
  if (known != metrics_.end()) {
    known->order = std::min(known->order, metric.order);
    return static_cast<Row>(known - metrics_.begin());
  }
  const std::uint64_t letters = metric.metric.name.size() + metric.metric.label.size() +
                                metric.metric.unit.size() + metric.metric.origin.size();
  if (!room_.take(bytes_of_row + letters)) return no_row;
  metrics_.push_back(std::move(metric));
  costs_.emplace_back();
  return static_cast<Row>(metrics_.size() - 1);
}

bool ProfileBuilder::is_stack_of(Row stack, std::span<const Row> places) const {
  for (const Row place : places) {
    if (stack == no_row || stacks_[stack].place != place) return false;
    stack = stacks_[stack].caller;
  }
  return stack == no_row;
}

// Most stacks repeat: a hash of all places finds them without a lookup for each place.
Row ProfileBuilder::known_stack(std::uint64_t hash, std::span<const Row> places) const {
  return whole_stacks_.find(hash, [&](Row stack) { return is_stack_of(stack, places); });
}

Row ProfileBuilder::known_callee(Row caller, Row place) const {
  return stack_numbers_.find(hash_of(caller, place), [&](Row stack) {
    return stacks_[stack] == StackNode{caller, place};
  });
}

Row ProfileBuilder::add_callee(Row caller, Row place) {
  const auto number = static_cast<Row>(stacks_.size());
  stack_numbers_.add(hash_of(caller, place), number);
  stacks_.push_back({caller, place});
  return number;
}

// Takes room for all of them or for none: half a stack would waste the room of others. `rest`:
// bytes that must remain.
bool ProfileBuilder::take_room_of_stacks(std::size_t count, std::uint64_t rest) {
  return stacks_.size() + count <= most_stack_nodes && room_.take(count * bytes_of_stack, rest);
}

Row ProfileBuilder::stack_without_callers(Row place) {
  if (!is_row(place, places_.size())) return no_row;
  if (cut_stack_ == no_row) {
    const Row left_out = this->place({.kind = PlaceKind::left_out});
    if (left_out == no_row) return no_row;
    cut_stack_ = known_callee(no_row, left_out);
    if (cut_stack_ == no_row && take_room_of_stacks(1, 0))
      cut_stack_ = add_callee(no_row, left_out);
    if (cut_stack_ == no_row) return no_row;
  }
  const Row known = known_callee(cut_stack_, place);
  if (known != no_row || !take_room_of_stacks(1, 0)) return known;
  return add_callee(cut_stack_, place);
}

bool ProfileBuilder::is_unknown(Row row) const {
  const Place& place = places_[row];
  return place.kind != PlaceKind::left_out && place.module == no_row && place.function == no_row &&
         place.linkage_name == no_row && place.address.value == 0;
}

Row ProfileBuilder::stack(std::span<const Row> places) {
  if (places.empty()) is_sound_ = false;
  while (places.size() > 1 && places.back() < places_.size() && is_unknown(places.back())) {
    places = places.first(places.size() - 1);
  }
  std::uint64_t hash = places.size();
  for (const Row place : places) {
    if (!is_row(place, places_.size())) return no_row;
    hash = hash_of(hash, place);
  }
  if (places.empty()) return no_row;
  const Row known = known_stack(hash, places);
  if (known != no_row) return known;
  // Looking for a common prefix takes as long as the stack is deep, and would be in vain.
  if (room_.was_short()) return stack_without_callers(places.front());
  Row stack = no_row;
  std::size_t left = places.size();
  for (; left > 0; --left) {
    const Row callee = known_callee(stack, places[left - 1]);
    if (callee == no_row) break;
    stack = callee;
  }
  if (left > 0 && !take_room_of_stacks(left, room_of_costs_)) {
    return stack_without_callers(places.front());
  }
  for (; left > 0; --left) stack = add_callee(stack, places[left - 1]);
  if (room_.take(bytes_of_stack)) whole_stacks_.add(hash, stack);
  return stack;
}

std::uint32_t ProfileBuilder::slices_of(Row thread) const {
  const ProfileProcess& process = processes_.rows[threads_.rows[thread].process];
  return runs_.rows[process.run].slices;
}

void ProfileBuilder::cost(Row metric, Row stack, Row thread, std::uint32_t slice,
                          std::uint64_t amount, std::uint64_t excess_variance) {
  const bool has_metric = is_row(metric, metrics_.size());
  const bool has_thread = is_row(thread, threads_.rows.size());
  const bool has_stack = is_row(stack, stacks_.size());
  const bool has_slice = slice == no_time_slice || (has_thread && is_row(slice, slices_of(thread)));
  if (amount == 0) return;
  if (!has_metric || !has_thread || !has_stack || !has_slice || !room_.take(bytes_of_cost)) {
    ++costs_left_out_;
    return;
  }
  costs_[metric].push_back({stack, thread, slice, amount, excess_variance});
}

ProfileBuilder::Numbers ProfileBuilder::order_places(Profile& profile, const Numbers& texts,
                                                     const Numbers& modules) {
  place_numbers_.clear();
  for (Place& place : places_) {
    renumber(place.module, modules);
    renumber(place.function, texts);
    renumber(place.linkage_name, texts);
    renumber(place.file, texts);
  }
  return put_in_order(places_, profile.places_);
}

// By stack: whether a cost refers to it or to a stack that extends it.
std::vector<bool> ProfileBuilder::used_stacks() const {
  std::vector<bool> used(stacks_.size());
  for (const auto& costs : costs_) {
    for (const Cost& cost : costs) used[cost.stack] = true;
  }
  // Callers have lower numbers than their callees.
  for (std::size_t i = stacks_.size(); i-- > 0;) {
    if (used[i] && stacks_[i].caller != no_row) used[stacks_[i].caller] = true;
  }
  return used;
}

// Numbers the used stacks in preorder, callees of one caller by their places.
ProfileBuilder::Numbers ProfileBuilder::order_stacks(Profile& profile, const Numbers& places) {
  stack_numbers_.clear();
  whole_stacks_.clear();
  for (StackNode& node : stacks_) node.place = places[node.place];
  const std::vector<bool> used = used_stacks();
  // A list of callees for each stack, in one array; the last list is of stacks without a caller.
  std::vector<std::uint32_t> begins(stacks_.size() + 2);
  const auto list_of = [&](Row stack) {
    const Row caller = stacks_[stack].caller;
    return caller == no_row ? stacks_.size() : caller;
  };
  for (Row stack = 0; stack < stacks_.size(); ++stack) {
    if (used[stack]) ++begins[list_of(stack) + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<Row> order(begins.back());
  std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
  for (Row stack = 0; stack < stacks_.size(); ++stack) {
    if (used[stack]) order[next[list_of(stack)]++] = stack;
  }
  // Descending, for the walk below takes from the end of a list.
  for (std::size_t list = 0; list + 1 < begins.size(); ++list) {
    std::sort(order.begin() + begins[list], order.begin() + begins[list + 1],
              [&](Row left, Row right) { return stacks_[left].place > stacks_[right].place; });
  }
  std::vector<Row> waiting(order.begin() + begins[stacks_.size()], order.end());
  Numbers numbers(stacks_.size());
  profile.stacks_.reserve(order.size());
  while (!waiting.empty()) {
    const Row stack = waiting.back();
    waiting.pop_back();
    numbers[stack] = static_cast<Row>(profile.stacks_.size());
    const StackNode& node = stacks_[stack];
    const Row caller = node.caller == no_row ? no_row : numbers[node.caller];
    profile.stacks_.push_back({caller, node.place});
    waiting.insert(waiting.end(), order.begin() + begins[stack], order.begin() + begins[stack + 1]);
  }
  stacks_ = {};
  return numbers;
}

// By stack, thread and slice. Most stacks have few costs, and most of these are in order already.
std::vector<ProfileBuilder::Cost> ProfileBuilder::in_order(const std::vector<Cost>& costs,
                                                           std::size_t stacks) {
  std::vector<std::size_t> ends(stacks + 1);
  for (const Cost& cost : costs) ++ends[cost.stack + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Cost> ordered(costs.size());
  for (const Cost& cost : costs) ordered[ends[cost.stack]++] = cost;
  const auto is_before = [](const Cost& a, const Cost& b) {
    return std::tie(a.thread, a.slice) < std::tie(b.thread, b.slice);
  };
  std::size_t begin = 0;
  for (const std::size_t end : std::span(ends).first(stacks)) {
    const std::span group = std::span(ordered).subspan(begin, end - begin);
    if (!std::ranges::is_sorted(group, is_before)) std::ranges::sort(group, is_before);
    begin = end;
  }
  return ordered;
}

void ProfileBuilder::order_costs(Profile& profile, const Numbers& metrics, const Numbers& stacks,
                                 const Numbers& threads) {
  profile.costs_.resize(metrics.size());
  const auto key = [](const Cost& cost) { return std::tie(cost.stack, cost.thread, cost.slice); };
  for (std::size_t metric = 0; metric < costs_.size(); ++metric) {
    std::vector<Cost> costs = std::exchange(costs_[metric], {});
    for (Cost& cost : costs) {
      cost.stack = stacks[cost.stack];
      cost.thread = threads[cost.thread];
    }
    costs = in_order(costs, profile.stacks_.size());
    Costs& ordered = profile.costs_[metrics[metric]];
    const bool keeps_largest = profile.metrics_[metrics[metric]].keeps_largest;
    const bool has_excess =
        std::ranges::any_of(costs, [](const Cost& cost) { return cost.excess_variance != 0; });
    const Cost* last = nullptr;
    for (const Cost& cost : costs) {
      if (last != nullptr && key(*last) == key(cost)) {
        std::uint64_t& amount = ordered.amounts.back();
        amount =
            keeps_largest ? std::max(amount, cost.amount) : saturating_add(amount, cost.amount);
        if (!has_excess) continue;
        std::uint64_t& excess = ordered.excess_variances.back();
        excess = saturating_add(excess, cost.excess_variance);
        continue;
      }
      last = &cost;
      ordered.stacks.push_back(cost.stack);
      ordered.threads.push_back(cost.thread);
      ordered.slices.push_back(cost.slice);
      ordered.amounts.push_back(cost.amount);
      if (has_excess) ordered.excess_variances.push_back(cost.excess_variance);
    }
  }
}

Expected<Profile> ProfileBuilder::finish() {
  if (!is_sound_) {
    return Error{ErrorCode::invalid_argument,
                 "the reader of this profile made a row that refers to a missing one, or a metric "
                 "without a unit; report this defect",
                 {},
                 std::nullopt};
  }
  Profile profile;
  const Numbers texts = put_in_order(texts_.rows, profile.texts_);
  const Numbers runs = put_in_order(runs_.rows, profile.runs_);
  for (ProfileProcess& process : processes_.rows) renumber(process.run, runs);
  const Numbers processes = put_in_order(processes_.rows, profile.processes_);
  for (ProfileThread& thread : threads_.rows) renumber(thread.process, processes);
  const Numbers threads = put_in_order(threads_.rows, profile.threads_);
  const Numbers modules = put_in_order(modules_.rows, profile.modules_);
  const Numbers places = order_places(profile, texts, modules);
  const Numbers stacks = order_stacks(profile, places);
  const Numbers metrics =
      put_in_order(metrics_, profile.metrics_, [](const ProfileMetric& a, const ProfileMetric& b) {
        return a.order != b.order ? a.order < b.order : key_of(a) < key_of(b);
      });
  order_costs(profile, metrics, stacks, threads);
  profile.costs_left_out_ = costs_left_out_;
  return profile;
}

}  // namespace gprof
