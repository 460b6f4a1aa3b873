// What was measured, whichever tool wrote it: tables of who ran, where, and what it cost there.
// Made by ProfileBuilder for the readers of perf's files, pprof and folded stacks.
//
// Rows refer to rows of other tables by number. Tables are in canonical order, each row once: the
// same rows give the same tables, whatever order they came in. Costs of unknown code have a place
// that says so; costs that found no room are counted in costs_left_out().
//
//   runs        a recording by one tool, with its time line
//   processes   of a run
//   threads     of a process
//   modules     executables, libraries, the kernel, code made at run time
//   places      code: an address in a module, or a name
//   stacks      a tree: a place, and the stack that it was called from
//   metrics     what costs are counted in
//   costs       amounts by stack, thread and slice of time, for each metric
//
// Units: an amount divided by its metric's amounts_a_unit is in the metric's unit. Times are
// nanoseconds of the run's clock. Addresses are link-time addresses of their module: the reader has
// subtracted the load bias. Ownership: owns everything. Thread contract: immutable.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/metrics/metric.h"
#include "engine/support/units.h"

namespace gprof {

// The number of a row in its table.
using Row = std::uint32_t;
inline constexpr Row no_row = 0xffffffff;

inline constexpr std::uint32_t no_time_slice = 0xffffffff;

struct ProfileRun {
  std::string path = {};  // of the file that it was read from
  std::string tool = {};
  // The time line: slice i begins at start + i * slice_width. No width: no cost has a slice.
  std::uint64_t start = 0;
  std::uint64_t slice_width = 0;
  std::uint32_t slices = 0;

  friend auto operator<=>(const ProfileRun&, const ProfileRun&) = default;
};

struct ProfileProcess {
  Row run = no_row;
  std::uint32_t number = 0;  // 0: unknown

  friend auto operator<=>(const ProfileProcess&, const ProfileProcess&) = default;
};

struct ProfileThread {
  Row process = no_row;
  std::uint32_t number = 0;  // 0: unknown, or several threads together
  std::string name = {};
  std::uint64_t start = 0;  // 0: unknown

  friend auto operator<=>(const ProfileThread&, const ProfileThread&) = default;
};

enum class ModuleKind : std::uint8_t {
  program,
  library,  // or another program
  kernel,
  generated,  // code made at run time
  named,      // a name for code of which nothing else is known
};

struct ProfileModule {
  ModuleKind kind = ModuleKind::library;
  std::string path = {};      // as the tool wrote it
  std::string build_id = {};  // hexadecimal digits; empty if unknown

  friend auto operator<=>(const ProfileModule&, const ProfileModule&) = default;
};

// What a place is on a stack.
enum class PlaceKind : std::uint8_t {
  sampled,      // the sampled or counted instruction
  interrupted,  // the instruction that a signal, an interrupt or a fault interrupted
  call,         // the return address of a call
  inlined,      // a function that the compiler inlined into the next outer place
  left_out,     // unknown frames; outermost, they make the stack incomplete
};

struct Place {
  PlaceKind kind = PlaceKind::sampled;
  Row module = no_row;   // none: unknown; the function may be the program's
  Address address = {};  // 0: unknown
  // Texts; none: unknown.
  Row function = no_row;  // its name as the tool writes it
  Row linkage_name = no_row;
  Row file = no_row;
  LineNumber line = 0;
  LineNumber start_line = 0;  // of the function's definition

  friend auto operator<=>(const Place&, const Place&) = default;
};

// The address whose function and line are those of the place. A return address may belong to the
// next function or line, so a call is looked up at its last byte. Whoever looks up a Place uses
// this function and subtracts nothing.
[[nodiscard]] constexpr Address lookup_address(const Place& place) {
  const bool is_behind = place.kind == PlaceKind::call && place.address.value != 0;
  return is_behind ? place.address - 1 : place.address;
}

struct StackNode {
  Row caller = no_row;  // the stack without its innermost place; none: it has one place
  Row place = no_row;

  friend auto operator<=>(const StackNode&, const StackNode&) = default;
};

struct ProfileMetric {
  Metric metric = {};
  std::uint32_t amounts_a_unit = 1;
  // Metrics are listed in ascending order, then by name. The first is the default.
  std::uint32_t order = 0;
  // Whether the largest amount for a stack, thread and slice is kept, instead of the sum.
  bool keeps_largest = false;
};

// Of one metric, ascending by stack, thread and slice, without two that agree in all three.
struct Costs {
  std::vector<Row> stacks;
  std::vector<Row> threads;
  std::vector<std::uint32_t> slices;  // no_time_slice: at an unknown time
  std::vector<std::uint64_t> amounts;
  // The variance of each amount beyond that of as many single samples: a sample with an amount of n
  // adds n * (n - 1). Empty if all are 0.
  std::vector<std::uint64_t> excess_variances;

  [[nodiscard]] std::size_t size() const { return stacks.size(); }
  [[nodiscard]] std::uint64_t excess_variance(std::size_t row) const {
    return excess_variances.empty() ? 0 : excess_variances[row];
  }
  friend bool operator==(const Costs&, const Costs&) = default;
};

class Profile {
 public:
  [[nodiscard]] std::span<const ProfileRun> runs() const { return runs_; }
  [[nodiscard]] std::span<const ProfileProcess> processes() const { return processes_; }
  [[nodiscard]] std::span<const ProfileThread> threads() const { return threads_; }
  [[nodiscard]] std::span<const ProfileModule> modules() const { return modules_; }
  [[nodiscard]] std::span<const Place> places() const { return places_; }
  // In preorder: a stack is followed by all stacks that extend it.
  [[nodiscard]] std::span<const StackNode> stacks() const { return stacks_; }
  [[nodiscard]] std::span<const ProfileMetric> metrics() const { return metrics_; }
  [[nodiscard]] const Costs& costs(Row metric) const { return costs_[metric]; }
  // Empty for no_row.
  [[nodiscard]] std::string_view text(Row text) const {
    return text == no_row ? std::string_view() : std::string_view(texts_[text]);
  }
  // The places of a stack, the innermost first.
  void places_of(Row stack, std::vector<Row>& places) const;
  // By stack: false if its outermost frames are left out.
  [[nodiscard]] std::vector<bool> complete_stacks() const;
  // Costs for which the builder had no room.
  [[nodiscard]] std::uint64_t costs_left_out() const { return costs_left_out_; }

  friend bool operator==(const Profile& a, const Profile& b);

 private:
  friend class ProfileBuilder;
  Profile() = default;

  std::vector<std::string> texts_;
  std::vector<ProfileRun> runs_;
  std::vector<ProfileProcess> processes_;
  std::vector<ProfileThread> threads_;
  std::vector<ProfileModule> modules_;
  std::vector<Place> places_;
  std::vector<StackNode> stacks_;
  std::vector<ProfileMetric> metrics_;
  std::vector<Costs> costs_;  // by metric
  std::uint64_t costs_left_out_ = 0;
};

}  // namespace gprof
