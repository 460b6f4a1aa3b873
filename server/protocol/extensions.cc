#include "server/protocol/extensions.h"

#include <array>
#include <string_view>

#include "server/protocol/conversions.h"

namespace gprof::lsp {
namespace {

// Requests; the one notification is gprof/status.
constexpr std::array<const char*, 9> extension_requests = {
    "gprof/callGraph", "gprof/callSites", "gprof/cycles",   "gprof/flameGraph", "gprof/flatProfile",
    "gprof/hotSpots",  "gprof/lineData",  "gprof/programs", "gprof/report"};

}  // namespace

std::string_view profile_state_name(ProfileState state) {
  switch (state) {
    case ProfileState::loading:
      return "loading";
    case ProfileState::stale:
      return "stale";
    case ProfileState::error:
      return "error";
    case ProfileState::ready:
      break;
  }
  return "ready";
}

AnyValue extensions_offer() {
  AnyValue::Array requests(extension_requests.begin(), extension_requests.end());
  return AnyValue(AnyValue::Object{
      {"gprof", AnyValue(AnyValue::Object{
                    {"version", AnyValue(extensions_version)},
                    {"requests", AnyValue(std::move(requests))},
                    {"notifications", AnyValue(AnyValue::Array{AnyValue("gprof/status")})}})}});
}

Json write_json(const ProfileStatus& value) {
  Json json = {{"state", profile_state_name(value.state)},
               {"program", value.program},
               {"profiles", value.profiles},
               {"generation", value.generation}};
  if (!value.message.empty()) json["message"] = value.message;
  if (value.live) json["live"] = true;
  if (!value.ran.empty()) json["ran"] = value.ran;
  if (!value.waiting.empty()) json["waiting"] = value.waiting;
  if (!value.tick.empty()) json["tick"] = value.tick;
  return json;
}

}  // namespace gprof::lsp
