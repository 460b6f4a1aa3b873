#include "server/cli/record/crash_place.h"

#include <cstddef>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "engine/crash.h"
#include "engine/gmon/sidecar.h"
#include "engine/program.h"
#include "engine/run_info.h"
#include "server/features/crash_text.h"
#include "server/sources/source_paths.h"

namespace gprof::lsp {
namespace {

// The module as it ran; null if it is another build by now, or has no lines. The system's own
// libraries have lines where their debug information is installed, but no sources.
std::shared_ptr<const Program> open_module(const SidecarModule& module) {
  std::error_code ignored;
  if (is_of_the_system(std::filesystem::canonical(module.path, ignored))) return nullptr;
  auto program = Program::open(module.path);
  if (!program || (*program)->identity().build_id_hex != module.build_id) return nullptr;
  return (*program)->has_debug_information() ? *program : nullptr;
}

std::optional<CrashedAt> place_in(const Program& program, const Crash& crash) {
  const auto place = own_place_of(crash, program.sources());
  if (!place) return std::nullopt;
  const auto symbol = program.symbols().find(crash.frames[place->frame].address);
  return CrashedAt{.path = program.sources().path(place->location.file),
                   .line = place->location.line,
                   .function = symbol ? program.sources().name(*symbol).name : std::string()};
}

}  // namespace

std::optional<CrashedAt> find_crash(const std::filesystem::path& profile) {
  const auto sidecar = read_sidecar_file(sidecar_name(profile.string()));
  if (!sidecar || sidecar->crashes.empty()) return std::nullopt;
  std::vector<bool> asked(sidecar->modules.size());
  for (const ModuleAddress& frame : sidecar->crashes.front().stack.frames) {
    if (frame.module >= asked.size() || asked[frame.module]) continue;
    asked[frame.module] = true;
    const auto program = open_module(sidecar->modules[frame.module]);
    if (program == nullptr) continue;
    std::vector<bool> own(sidecar->modules.size());
    own[frame.module] = true;
    const std::vector<Crash> crashes = crashes_of(*sidecar, own);
    if (crashes.empty()) return std::nullopt;
    if (auto place = place_in(*program, crashes.front())) return place;
  }
  return std::nullopt;
}

}  // namespace gprof::lsp
