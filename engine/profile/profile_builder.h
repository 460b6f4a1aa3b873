// Builds a Profile. A row is added after the rows that it refers to; finish() puts all tables into
// canonical order. Equal rows become one, and their costs add up.
//
// Memory is bounded by a MemoryRoom. If it runs short, new stacks lose their callers first, so that
// their costs keep the innermost place; then costs are left out and counted.
//
// Ownership: borrows the room. Thread contract: one thread. Errors: finish() returns
// invalid_argument if a row refers to a missing row or a metric has no unit, which is a defect of
// the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/profile/memory_room.h"
#include "engine/profile/profile.h"
#include "engine/profile/row_index.h"
#include "engine/support/expected.h"

namespace gprof {

class ProfileBuilder {
 public:
  explicit ProfileBuilder(MemoryRoom& room) : room_(room), room_of_costs_(room.left() / 8) {}

  // Each returns the row's number, valid until finish(), or no_row if there is no room for the row
  // or was none for a row that it refers to.
  Row text(std::string_view text);
  Row run(ProfileRun run);
  Row process(const ProfileProcess& process);
  Row thread(ProfileThread thread);
  Row module(ProfileModule module);
  Row place(const Place& place);
  // Metrics that differ only in their order become one, with the lowest order.
  Row metric(ProfileMetric metric);
  // `places`: at least one, the innermost first. Outermost ones of which nothing is known are
  // dropped: code that uses the frame pointer for other data leaves them there. Without room for
  // all, the stack has the innermost place, whose callers are left out.
  Row stack(std::span<const Row> places);
  // The stack of a place whose callers are left out.
  Row stack_without_callers(Row place);
  // `thread` must be a row, if only an unknown thread's.
  void cost(Row metric, Row stack, Row thread, std::uint32_t slice, std::uint64_t amount,
            std::uint64_t excess_variance = 0);

  [[nodiscard]] const Place& place_at(Row place) const { return places_[place]; }
  // How many there are so far.
  [[nodiscard]] std::size_t places() const { return places_.size(); }
  [[nodiscard]] const ProfileModule& module_at(Row module) const { return modules_.rows[module]; }
  [[nodiscard]] Row innermost_place(Row stack) const { return stacks_[stack].place; }
  // Callers have lower numbers than their callees.
  [[nodiscard]] std::span<const StackNode> stacks() const { return stacks_; }
  // So far, for lack of room.
  [[nodiscard]] std::uint64_t costs_left_out() const { return costs_left_out_; }

  // Call it once, last.
  [[nodiscard]] Expected<Profile> finish();

 private:
  template <typename T>
  struct Table {
    std::vector<T> rows;
    std::map<T, Row> numbers;
  };
  struct Cost {
    Row stack = 0;
    Row thread = 0;
    std::uint32_t slice = 0;
    std::uint64_t amount = 0;
    std::uint64_t excess_variance = 0;
  };
  // New numbers of rows, by their old ones.
  using Numbers = std::vector<Row>;

  template <typename T>
  Row add(Table<T>& table, T row);
  [[nodiscard]] bool is_row(Row row, std::size_t rows);
  [[nodiscard]] std::uint32_t slices_of(Row thread) const;
  [[nodiscard]] bool is_unknown(Row place) const;
  [[nodiscard]] bool is_stack_of(Row stack, std::span<const Row> places) const;
  [[nodiscard]] Row known_stack(std::uint64_t hash, std::span<const Row> places) const;
  [[nodiscard]] Row known_callee(Row caller, Row place) const;
  Row add_callee(Row caller, Row place);
  [[nodiscard]] bool take_room_of_stacks(std::size_t count, std::uint64_t rest);

  [[nodiscard]] std::vector<bool> used_stacks() const;
  [[nodiscard]] Numbers order_places(Profile& profile, const Numbers& texts,
                                     const Numbers& modules);
  [[nodiscard]] Numbers order_stacks(Profile& profile, const Numbers& places);
  void order_costs(Profile& profile, const Numbers& metrics, const Numbers& stacks,
                   const Numbers& threads);
  [[nodiscard]] static std::vector<Cost> in_order(const std::vector<Cost>& costs,
                                                  std::size_t stacks);

  MemoryRoom& room_;
  std::uint64_t room_of_costs_;  // bytes that stacks must leave free
  Table<std::string> texts_;
  Table<ProfileRun> runs_;
  Table<ProfileProcess> processes_;
  Table<ProfileThread> threads_;
  Table<ProfileModule> modules_;
  std::vector<Place> places_;
  RowIndex place_numbers_;
  std::vector<StackNode> stacks_;
  RowIndex stack_numbers_;  // by caller and place
  RowIndex whole_stacks_;   // by all places
  std::vector<ProfileMetric> metrics_;
  std::vector<std::vector<Cost>> costs_;  // by metric
  Row cut_stack_ = no_row;                // the caller of stacks whose callers found no room
  std::uint64_t costs_left_out_ = 0;
  bool is_sound_ = true;
};

}  // namespace gprof
