// Which part of a profile is looked at: some of its processes, of its threads, a stretch of time.
//
// Units: seconds since the run began. Thread contract: value types and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/units.h"

namespace gprof {

struct Selection {
  std::vector<std::uint32_t> processes;   // by number; empty: all
  std::vector<std::uint32_t> threads;     // by number; with thread_names: either may match
  std::vector<std::string> thread_names;  // all threads of the name; both empty: all
  std::optional<Seconds> from;            // included
  std::optional<Seconds> to;              // not included
  // Whether idle waiting (idle_waits.h) is part of waiting and wall-clock time.
  bool with_idle = false;

  // Whatever is said of idle waiting.
  [[nodiscard]] bool is_all() const { return *this == all_of_it(); }
  // All processes, threads and time, and idle waiting as here.
  [[nodiscard]] Selection all_of_it() const {
    Selection all;
    all.with_idle = with_idle;
    return all;
  }
  [[nodiscard]] bool is_of_time() const { return from.has_value() || to.has_value(); }
  friend bool operator==(const Selection&, const Selection&) = default;
};

struct RecordedProcess {
  std::uint32_t process = 0;  // its number; where that is unknown, of its profile, from 1
  std::string name;           // of its profile's file
  Seconds from = 0;
  Seconds to = 0;  // as from, where it is not known how long it ran

  friend bool operator==(const RecordedProcess&, const RecordedProcess&) = default;
};

struct RecordedThread {
  std::uint32_t process = 0;  // as in RecordedProcess
  std::uint32_t thread = 0;
  std::string name;  // empty if it has none
  Seconds cpu = 0;   // that was sampled; of other metrics than time, in its unit

  friend bool operator==(const RecordedThread&, const RecordedThread&) = default;
};

// What can be selected of a profile.
struct Dimensions {
  std::vector<RecordedProcess> processes;  // never empty
  std::vector<RecordedThread> threads;     // empty if samples are not told apart by thread
  Seconds length = 0;                      // of the run
  Seconds slice_width = 0;                 // 0 if it is not known when samples were taken
  // The parts of calls that several threads have together, and no selection of threads has.
  bool calls_by_thread = false;

  friend bool operator==(const Dimensions&, const Dimensions&) = default;
};

// Errors: invalid_argument, with a message that names what there is, where the selection names a
// process or thread that the profile has not, a stretch outside of the run or an empty one, or
// asks for what the profile does not tell apart.
[[nodiscard]] Expected<void> check_selection(const Selection& selection,
                                             const Dimensions& dimensions);

// "1.5..4", "1.5..", "..4": takes the stretch of time and returns true, or changes nothing.
[[nodiscard]] bool take_stretch(std::string_view text, Selection& selection);

// "thread parser (12), 1.2 s to 3.4 s"; empty for all.
[[nodiscard]] std::string selection_text(const Selection& selection, const Dimensions& dimensions);

}  // namespace gprof
