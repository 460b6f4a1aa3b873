// Long lists of a report are printed in parts, on two threads: the first prints every other part to
// where they go, the second those between, whose text waits in memory, less than a megabyte, with
// its ranges, until that of the parts before them is out.
//
// Thread contract: returns when all is printed; print() must not depend on the order of parts.
// Errors: if no second thread can be started, or it runs out of memory, the first prints all.
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/text_output.h"
#include "engine/support/parallel.h"

namespace gprof {

struct PrintedPart {
  std::string text;
  std::vector<ReportRange> ranges;  // in this text
};

// Who prints which part, and what was printed before its turn.
class PartsAhead {
 public:
  explicit PartsAhead(std::size_t count) : count_(count) {}

  // The part whose turn it is, until the next one has its turn; null where the caller is to print
  // it.
  [[nodiscard]] const PrintedPart* take(std::size_t part);
  // No further part has its turn.
  void stop();

  // The second thread's next part; waits if it is too far ahead; none at the end.
  [[nodiscard]] std::optional<std::size_t> claim();
  // Where the second thread puts a part that it has claimed: empty, its memory kept.
  [[nodiscard]] PrintedPart& room_for(std::size_t part);
  // Its text is there, or could not be made.
  void finish(std::size_t part, bool printed);

 private:
  static constexpr std::size_t most_ahead = 4;

  const std::size_t count_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::size_t turn_ = 0;
  std::size_t next_ = 1;  // the second thread's next part; its parts are odd
  bool stopped_ = false;
  // By part, reused: no more are held at a time.
  struct Slot {
    bool finished = false;
    bool printed = false;
    PrintedPart part;
  };
  [[nodiscard]] Slot& slot_of(std::size_t part) { return slots_[part / 2 % slots_.size()]; }
  std::array<Slot, most_ahead> slots_;
};

// Calls print(text, begin, end) for parts of [0, count), possibly with a text other than `text`;
// the output comes out in order.
template <typename Print>
void print_in_parts(TextOutput& text, std::size_t count, const Print& print) {
  constexpr std::size_t part_size = 512;
  const std::size_t parts = (count + part_size - 1) / part_size;
  const auto print_part = [&](TextOutput& output, std::size_t part) {
    print(output, part * part_size, std::min(count, (part + 1) * part_size));
  };
  PartsAhead ahead(parts);
  const auto in_order = [&] {
    struct Stop {
      PartsAhead& ahead;
      ~Stop() { ahead.stop(); }
    } const at_the_end{ahead};
    for (std::size_t part = 0; part < parts && !text.stopped(); ++part) {
      if (const PrintedPart* printed = ahead.take(part)) {
        text.append(printed->text, printed->ranges);
      } else {
        print_part(text, part);
      }
    }
  };
  if (parts < 2) return in_order();
  run_beside(in_order, [&] {
    PrintedPart* waiting = nullptr;
    // One for all parts, so that its buffer is made once.
    std::optional<TextOutput> output;
    while (const auto part = ahead.claim()) {
      bool printed = false;
      try {
        waiting = &ahead.room_for(*part);
        if (!output) {
          output.emplace([&](std::string_view piece) {
            waiting->text += piece;
            return true;
          });
        }
        output->restart(text.has_ranges() ? &waiting->ranges : nullptr);
        print_part(*output, *part);
        output->flush();
        printed = true;
      } catch (const std::bad_alloc&) {
        // The other thread prints it; the partial output is dropped.
        output.reset();
      }
      ahead.finish(*part, printed);
    }
  });
}

}  // namespace gprof
