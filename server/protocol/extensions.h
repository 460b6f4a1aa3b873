// Structures of this server's own messages, gprof/…: docs/lsp-extensions.md describes them.
//
// Lines and characters start at 0, as everywhere in the protocol. Times are in the profile's unit,
// seconds unless the profile says otherwise. Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/protocol/any_value.h"
#include "server/protocol/basic_types.h"

namespace gprof::lsp {

// Raised by changes that a client must know of; additions leave it as it is.
inline constexpr int extensions_version = 1;

// The scheme of reports as virtual documents: gprof-report:/flat-profile?program=NAME.
inline constexpr const char* report_scheme = "gprof-report";

// What the server says of them in its capabilities: experimental.gprof.
[[nodiscard]] AnyValue extensions_offer();

// gprof/status
enum class ProfileState : std::uint8_t { loading, ready, stale, error };

// As it is written in messages.
[[nodiscard]] std::string_view profile_state_name(ProfileState state);

struct ProfileStatus {
  ProfileState state = ProfileState::loading;
  std::string program;                // path of the executable that is shown; empty for none
  std::vector<std::string> profiles;  // paths
  std::uint64_t generation = 0;
  std::string message;  // left out when empty
  bool live = false;    // the program is running; left out when it is not
  // Left out when empty.
  std::string ran;      // "ran 3.9 s, 0.09 s on CPU"
  std::string waiting;  // a sentence: most of the time is not in the figures
  std::string tick;     // a sentence: why places of samples say little

  friend bool operator==(const ProfileStatus&, const ProfileStatus&) = default;
};

}  // namespace gprof::lsp
