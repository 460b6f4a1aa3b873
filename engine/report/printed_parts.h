// Long lists of a report are printed in parts, two at a time on two threads: the text of the second
// waits in memory, less than a megabyte, until that of the first is out.
//
// Thread contract: returns when all is printed; print() must not depend on the order of parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "engine/report/text_output.h"
#include "engine/support/parallel.h"

namespace gprof {

// Calls print(text, begin, end) for parts of [0, count), which may go to another text than `text`;
// what they print comes out in order.
template <typename Print>
void print_in_parts(TextOutput& text, std::size_t count, const Print& print) {
  // So many that a thread is worth its start.
  constexpr std::size_t part_size = 1024;
  if (processor_count() == 1) return print(text, std::size_t{0}, count);
  std::string waiting;
  for (std::size_t first = 0; first < count && !text.stopped(); first += 2 * part_size) {
    const std::size_t second = std::min(first + part_size, count);
    const std::size_t end = std::min(second + part_size, count);
    waiting.clear();
    for_each_index(second < end ? 2 : 1, 2, [&](std::size_t part) {
      if (part == 0) return print(text, first, second);
      TextOutput other([&](std::string_view piece) {
        waiting += piece;
        return true;
      });
      print(other, second, end);
      other.flush();
    });
    text += waiting;
  }
}

}  // namespace gprof
