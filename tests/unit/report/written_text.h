// What a function writes to a TextOutput, as a string.
#pragma once

#include <string>
#include <string_view>

#include "engine/report/text_output.h"

namespace gprof {

template <typename Write>
std::string written_text(const Write& write) {
  std::string text;
  TextOutput output([&](std::string_view piece) {
    text += piece;
    return true;
  });
  write(output);
  output.flush();
  return text;
}

}  // namespace gprof
