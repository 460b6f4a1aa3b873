// Prints long lists of a report in parts, on two threads: the first prints every other part to its
// destination, the second those in between, whose text waits in memory, less than a megabyte, until
// the parts before them are out.
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

#include "engine/report/text_output.h"
#include "engine/support/parallel.h"

namespace gprof {

// Assigns parts to threads, and holds what was printed early.
class PartsAhead {
 public:
  explicit PartsAhead(std::size_t count) : count_(count) {}

  // The text of the part whose turn it is, valid until the next one's; null if the caller is to
  // print it.
  [[nodiscard]] const std::string* take(std::size_t part);
  // No more parts will be taken.
  void stop();

  // The second thread's next part; waits if it is too far ahead; none at the end.
  [[nodiscard]] std::optional<std::size_t> claim();
  // Where the second thread puts the text of a part it has claimed: empty, memory retained.
  [[nodiscard]] std::string& text_of(std::size_t part);
  // The part's text is ready, or could not be made.
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
    std::string text;
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
      if (const std::string* printed = ahead.take(part)) {
        text += *printed;
      } else {
        print_part(text, part);
      }
    }
  };
  if (parts < 2) return in_order();
  run_beside(in_order, [&] {
    std::string* waiting = nullptr;
    // One for all parts, so that its buffer is allocated once.
    std::optional<TextOutput> output;
    while (const auto part = ahead.claim()) {
      bool printed = false;
      try {
        waiting = &ahead.text_of(*part);
        if (!output) {
          output.emplace([&](std::string_view piece) {
            *waiting += piece;
            return true;
          });
        }
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
