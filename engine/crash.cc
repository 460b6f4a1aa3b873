#include "engine/crash.h"

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <utility>

namespace gprof {
namespace {

// A recursion may have millions.
constexpr std::size_t most_frames = 64;

std::string name_of(const SidecarModule& module) {
  return module.soname.empty() ? std::filesystem::path(module.path).filename().string()
                               : module.soname;
}

// A general protection fault, whose access has no valid address, has the kernel's own code (signal
// numbers and codes are Linux's).
std::optional<std::uint64_t> faulting_address(const SidecarCrash& crash) {
  constexpr std::int32_t by_kernel = 0x80;
  const bool by_access = crash.signal == SIGSEGV || crash.signal == SIGBUS;
  if (!by_access || crash.code <= 0 || crash.code == by_kernel) return std::nullopt;
  return crash.address;
}

std::vector<CrashFrame> frames_of(const Sidecar& sidecar, const SidecarStack& stack,
                                  const std::vector<bool>& own_modules) {
  std::vector<CrashFrame> frames;
  for (std::size_t i = 0; i < stack.frames.size() && frames.size() < most_frames; ++i) {
    const ModuleAddress& frame = stack.frames[i];
    if (frame.is_mark() || frame.module >= sidecar.modules.size()) continue;
    const bool own = frame.module < own_modules.size() && own_modules[frame.module];
    const std::uint64_t back = i == 0 || frame.address.value == 0 ? 0 : 1;
    frames.push_back({Address{frame.address.value - back},
                      own ? std::string() : name_of(sidecar.modules[frame.module])});
  }
  return frames;
}

}  // namespace

std::vector<Crash> crashes_of(const Sidecar& sidecar, const std::vector<bool>& own_modules) {
  std::vector<Crash> crashes;
  for (const SidecarCrash& one : sidecar.crashes) {
    if (crashes.size() == most_crashes) break;
    Crash crash{.signal = one.signal,
                .address = faulting_address(one),
                .thread = {},
                .frames = frames_of(sidecar, one.stack, own_modules)};
    if (sidecar.threads.size() > 1 && one.thread < sidecar.threads.size()) {
      crash.thread = sidecar.threads[one.thread].name;
    }
    if (!crash.frames.empty()) crashes.push_back(std::move(crash));
  }
  return crashes;
}

}  // namespace gprof
