// A value of a fixed set, by the name that users give it.
#pragma once

#include <string_view>

namespace gprof::lsp {

template <typename Value>
struct NamedValue {
  std::string_view name;
  Value value;
  std::string_view help = {};  // empty: whoever asks for it says enough
};

}  // namespace gprof::lsp
