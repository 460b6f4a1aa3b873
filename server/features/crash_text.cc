#include "server/features/crash_text.h"

#include <cstring>

#include <fmt/format.h>

#include "server/features/own_location.h"
#include "server/sources/source_paths.h"

namespace gprof::lsp {

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::optional<CrashPlace> own_place_of(const Crash& crash, const ProgramSources& sources) {
  for (std::size_t i = 0; i < crash.frames.size(); ++i) {
    if (!crash.frames[i].module.empty()) continue;
    const auto location = own_location(sources, crash.frames[i].address);
    if (location && !is_of_the_system(sources.path(location->file)))
      return CrashPlace{i, *location};
  }
  return std::nullopt;
}

std::string text_at(const Crash& crash, const CrashPlace& place) {
  const std::string module = place.frame == 0 ? "" : crash.frames[place.frame - 1].module;
  std::string text = fmt::format("killed by {} ", signal_name(crash.signal));
  text += module.empty() ? "here" : fmt::format("in {}, called here", module);
  if (!crash.thread.empty()) text += fmt::format(" in thread {}", crash.thread);
  if (crash.address) text += fmt::format(": no access to address {:#x}", *crash.address);
  return text;
}

}  // namespace gprof::lsp
