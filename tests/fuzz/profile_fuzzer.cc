// Any sequence of calls of ProfileBuilder gives a sound profile or an error, and analysis can read
// what it gives. Two bytes are a call and what it is about, those behind them its arguments.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/import/converted_profile.h"
#include "engine/profile/memory_room.h"
#include "engine/profile/profile_builder.h"
#include "engine/support/saturating.h"
#include "tests/fuzz/imported_checks.h"
#include "tests/fuzz/require.h"

using namespace gprof;
using namespace gprof::test;

namespace {

class Calls {
 public:
  Calls(std::span<const std::uint8_t> bytes, MemoryRoom& room) : bytes_(bytes), builder_(room) {}

  Expected<Profile> make();
  // All that was added, in whichever metric.
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  std::uint8_t next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  // Mostly of one that was made.
  Row one_of(const std::vector<Row>& rows) {
    const std::uint8_t byte = next();
    if (byte == 0xff) return no_row;
    if (byte == 0xfe) return 1'000'000;
    return rows.empty() ? 0 : rows[byte % rows.size()];
  }
  static void keep(std::vector<Row>& rows, Row row) {
    if (row != no_row) rows.push_back(row);
  }

  void add_text();
  void add_place();
  void add_stack();
  void add_cost();

  std::span<const std::uint8_t> bytes_;
  ProfileBuilder builder_;
  bool has_slices_ = false;
  std::vector<Row> runs_;
  std::vector<Row> processes_;
  std::vector<Row> threads_;
  std::vector<Row> modules_;
  std::vector<Row> texts_;
  std::vector<Row> places_;
  std::vector<Row> stacks_;
  std::vector<Row> metrics_;
  std::uint64_t total_ = 0;
};

void Calls::add_text() {
  // Some are functions of the program.
  const SymbolTable& symbols = program().symbols();
  const std::uint8_t number = next();
  const bool is_known = number % 2 == 0 && symbols.size() > 0;
  const std::string name = is_known ? std::string(symbols[number / 2 % symbols.size()].name)
                                    : std::string(number % 8, static_cast<char>(number));
  keep(texts_, builder_.text(name));
}

void Calls::add_place() {
  Place place;
  constexpr std::uint8_t kinds = 5;
  place.kind = static_cast<PlaceKind>(next() % kinds);
  const std::uint8_t known = next();
  if ((known & 1U) != 0) place.module = one_of(modules_);
  if ((known & 2U) != 0) place.function = one_of(texts_);
  if ((known & 4U) != 0) place.linkage_name = one_of(texts_);
  if ((known & 8U) != 0) place.file = one_of(texts_);
  if ((known & 16U) != 0) place.line = next();
  if ((known & 32U) != 0) {
    const SymbolTable& symbols = program().symbols();
    const std::uint8_t number = next();
    const bool is_of_program = symbols.size() > 0 && number % 4 != 0;
    place.address = is_of_program ? symbols[number % symbols.size()].address + number / 4
                                  : Address{std::uint64_t{number} << number % 64};
  }
  keep(places_, builder_.place(place));
}

void Calls::add_stack() {
  std::vector<Row> places;
  for (std::uint8_t count = next() % 9; count > 0; --count) places.push_back(one_of(places_));
  keep(stacks_, builder_.stack(places));
}

void Calls::add_cost() {
  const Row metric = one_of(metrics_);
  const Row stack = one_of(stacks_);
  const Row thread = one_of(threads_);
  // Those of one file all have slices, or none.
  const std::uint32_t slice = has_slices_ ? next() : no_time_slice;
  const std::uint8_t amount = next();
  const std::uint64_t many = amount % 16 == 0 ? ~std::uint64_t{0} >> amount % 8 : amount;
  const std::uint64_t left_out = builder_.costs_left_out();
  builder_.cost(metric, stack, thread, slice, many, next());
  if (builder_.costs_left_out() == left_out) total_ = saturating_add(total_, many);
}

Expected<Profile> Calls::make() {
  has_slices_ = next() % 2 == 0;
  const std::uint8_t slices = has_slices_ ? next() : 0;
  keep(runs_, builder_.run({.path = "input",
                            .tool = "a tool",
                            .start = next(),
                            .slice_width = has_slices_ ? 1000U : 0U,
                            .slices = slices}));
  while (!bytes_.empty()) {
    switch (next() % 9) {
      case 0:
        keep(processes_, builder_.process({.run = one_of(runs_), .number = next()}));
        break;
      case 1:
        keep(threads_, builder_.thread({.process = one_of(processes_),
                                        .number = next(),
                                        .name = std::string(next() % 4, 't')}));
        break;
      case 2: {
        const std::uint8_t kind = next() % 5;
        keep(modules_,
             builder_.module({.kind = static_cast<ModuleKind>(kind),
                              .path = std::string(kind == 0 ? program().image().path()
                                                            : std::string(next() % 4, 'm'))}));
        break;
      }
      case 3:
        add_text();
        break;
      case 4:
        add_place();
        break;
      case 5:
        add_stack();
        break;
      case 6: {
        const std::string name(1 + next() % 2, 'e');
        keep(metrics_,
             builder_.metric({.metric = {name, name, "events", MetricKind::sampled, "a tool"},
                              .amounts_a_unit = next(),
                              .order = next()}));
        break;
      }
      default:
        add_cost();
        break;
    }
  }
  return builder_.finish();
}

void check_tables(const Profile& profile) {
  for (std::size_t i = 0; i < profile.stacks().size(); ++i) {
    const StackNode& node = profile.stacks()[i];
    require(node.place < profile.places().size(), "a stack's place is there");
    require(node.caller == no_row || node.caller < i, "callers come first");
  }
  for (const Place& place : profile.places()) {
    require(place.module == no_row || place.module < profile.modules().size(),
            "a place's module is there");
    // Reads the text.
    (void)profile.text(place.function).size();
    (void)profile.text(place.linkage_name).size();
    (void)profile.text(place.file).size();
  }
  for (const ProfileThread& thread : profile.threads()) {
    require(thread.process < profile.processes().size(), "a thread's process is there");
    require(profile.processes()[thread.process].run < profile.runs().size(),
            "a process's run is there");
  }
}

std::uint64_t check_costs(const Profile& profile) {
  std::uint64_t total = 0;
  for (Row metric = 0; metric < profile.metrics().size(); ++metric) {
    require(profile.metrics()[metric].amounts_a_unit > 0, "amounts have a unit");
    const Costs& costs = profile.costs(metric);
    const auto key = [&](std::size_t i) {
      return std::tuple(costs.stacks[i], costs.threads[i], costs.slices[i]);
    };
    for (std::size_t i = 0; i < costs.size(); ++i) {
      require(i == 0 || key(i - 1) < key(i), "costs are ascending");
      require(costs.stacks[i] < profile.stacks().size(), "a cost's stack is there");
      require(costs.threads[i] < profile.threads().size(), "a cost's thread is there");
      require(costs.slices[i] == no_time_slice || costs.slices[i] < profile.runs()[0].slices,
              "a cost's slice is there");
      total = saturating_add(total, costs.amounts[i]);
    }
  }
  return total;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  MemoryRoom room(size);
  Calls calls({data, size}, room);
  const auto profile = calls.make();
  if (!profile) {
    require(!profile.error().message.empty(), "an error says what went wrong");
    return 0;
  }
  check_tables(*profile);
  require(check_costs(*profile) == calls.total(), "nothing is lost");
  Warnings warnings;
  const auto converted = converted_profile(*profile, target(), "input", room, warnings);
  if (converted) check_metrics(*converted);
  return 0;
}
