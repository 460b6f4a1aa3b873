#include "engine/analysis/idle_waits.h"

#include <algorithm>
#include <array>
#include <map>

#include "engine/analysis/external_functions.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

constexpr double least_share_of_waiting = 0.9;
constexpr double least_share_of_run = 0.5;

constexpr std::array<std::string_view, 32> functions_for_work = {
    "accept",
    "accept4",
    "cnd_timedwait",
    "cnd_wait",
    "epoll_pwait",
    "epoll_pwait2",
    "epoll_wait",
    "io_uring_enter",
    "mq_receive",
    "mq_timedreceive",
    "msgrcv",
    "pause",
    "poll",
    "ppoll",
    "pselect",
    "pthread_clockjoin_np",
    "pthread_cond_clockwait",
    "pthread_cond_timedwait",
    "pthread_cond_wait",
    "pthread_join",
    "pthread_timedjoin_np",
    "select",
    "sem_clockwait",
    "sem_timedwait",
    "sem_wait",
    "semop",
    "semtimedop",
    "sigsuspend",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
    "thrd_join",
};

std::uint64_t duration_of_run(const Sidecar& sidecar) {
  const SidecarProcess& process = sidecar.process;
  const std::uint64_t slices = sidecar.slice_width * sidecar.slices;
  const std::uint64_t length =
      process.end_time > process.start_time ? process.end_time - process.start_time : slices;
  // The runs of a sum lie on top of each other.
  const bool is_sum = process.process == 0;
  return is_sum && slices != 0 ? std::min(length, slices) : length;
}

}  // namespace

bool waits_for_work(std::string_view function) {
  return std::ranges::find(functions_for_work, function) != functions_for_work.end();
}

ModuleAddress waiting_place(const SidecarStack& stack, const std::vector<bool>& own_modules) {
  for (std::size_t i = 0; i < stack.frames.size(); ++i) {
    const ModuleAddress& frame = stack.frames[i];
    if (frame.module >= own_modules.size() || !own_modules[frame.module]) continue;
    return {frame.module, code_address(frame.address, i == 0)};
  }
  return stack.frames.empty() ? ModuleAddress() : stack.frames.front();
}

IdleWaits::IdleWaits(const Sidecar& sidecar, const std::vector<bool>& own_modules)
    : place_of_wait_(sidecar.waits.size(), none), place_of_thread_(sidecar.threads.size(), none) {
  std::map<ModuleAddress, std::uint32_t> places;
  for (std::size_t i = 0; i < sidecar.waits.size(); ++i) {
    const SidecarWait& wait = sidecar.waits[i];
    if (!waits_for_work(sidecar.name_of(wait))) continue;
    const ModuleAddress place = waiting_place(sidecar.wait_stacks[wait.stack], own_modules);
    place_of_wait_[i] =
        places.try_emplace(place, static_cast<std::uint32_t>(places.size())).first->second;
  }
  std::vector<std::uint64_t> waited(sidecar.threads.size());
  std::vector<std::map<std::uint32_t, std::uint64_t>> at_place(sidecar.threads.size());
  for (const SidecarPart& part : sidecar.wait_parts) {
    if (part.thread >= waited.size() || part.whole >= place_of_wait_.size()) continue;
    // A thread that waits for a CPU has something to do.
    if (sidecar.waits[part.whole].kind == WaitKind::cpu) continue;
    waited[part.thread] = saturating_add(waited[part.thread], part.count);
    const std::uint32_t place = place_of_wait_[part.whole];
    if (place == none) continue;
    std::uint64_t& time = at_place[part.thread][place];
    time = saturating_add(time, part.count);
  }
  const double least = least_share_of_run * static_cast<double>(duration_of_run(sidecar));
  for (std::size_t thread = 0; thread < waited.size(); ++thread) {
    const double share = least_share_of_waiting * static_cast<double>(waited[thread]);
    for (const auto& [place, time] : at_place[thread]) {
      const auto there = static_cast<double>(time);
      if (!(there > 0) || there < share || there < least) continue;
      place_of_thread_[thread] = place;
      ++threads_;
    }
  }
}

}  // namespace gprof
