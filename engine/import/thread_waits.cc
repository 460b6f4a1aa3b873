#include "engine/import/thread_waits.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/sidecar_parts.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

// Of all different stacks, a quarter of a gigabyte: what comes later is known by its place.
constexpr std::uint64_t most_waiting_frames = std::uint64_t{1} << 24;
// Of waits that last for several slices; those that come later have none.
constexpr std::size_t most_parts = std::size_t{1} << 19;

// Above the numbers of outs_.
constexpr std::uint32_t first_sign = 0xffffff00;
constexpr std::uint32_t is_numbered = 0x80;

// A sample may be taken on the way out, after the record that says so.
constexpr std::uint64_t on_the_way_out = 10'000;

}  // namespace

// What is known of one thread, moment by moment.
class ThreadWaits::Thread {
 public:
  explicit Thread(ThreadWaits& waits) : waits_(waits) {}

  void switch_out(const Out& out, std::uint64_t time) {
    end_somehow(time);
    if (!out.waits) return;
    open_ = &out;
    begin_ = time;
    woken_ = never;
    ran_ = never;
  }
  void note(Sign sign, std::uint64_t time) {
    was_switched_in_ = was_switched_in_ || sign == Sign::switched_in;
    if (open_ == nullptr) return;
    switch (sign) {
      case Sign::switched_in:
        end(time);
        break;
      case Sign::woken:
        woken_ = std::min(woken_, time);
        break;
      case Sign::ran:
        if (time - begin_ > on_the_way_out) ran_ = std::min(ran_, time);
        break;
      case Sign::ended:
        end_somehow(time);
        break;
    }
  }
  // Nothing more is known of it.
  void finish(std::uint64_t end_of_recording, bool tells_ends) {
    if (open_ == nullptr) return;
    if (std::min(woken_, ran_) != never) return end_somehow(end_of_recording);
    const bool is_told = was_switched_in_ && !was_missed_;
    if (tells_ends || is_told) end(std::max(begin_, end_of_recording));
  }

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  // It ran at that time at the latest.
  void end_somehow(std::uint64_t time) {
    if (open_ == nullptr) return;
    was_missed_ = true;
    if (woken_ == never) ++waits_.guessed_;
    end(woken_ != never ? woken_ : std::min(ran_, time));
  }
  void end(std::uint64_t time) { waits_.add_wait(*std::exchange(open_, nullptr), begin_, time); }

  ThreadWaits& waits_;
  const Out* open_ = nullptr;
  std::uint64_t begin_ = 0;
  std::uint64_t woken_ = never;
  std::uint64_t ran_ = never;
  bool was_switched_in_ = false;
  bool was_missed_ = false;  // when it was
};

std::uint32_t ThreadWaits::function_of(std::string_view name) {
  if (name.empty()) return 0;
  const auto known = name_places_.find(name);
  if (known != name_places_.end()) return known->second;
  const auto place = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  name_places_.emplace(name, place);
  return place;
}

void ThreadWaits::switch_out(const SwitchOut& out) {
  if (outs_.size() >= first_sign) return;
  Out made;
  made.place = out.place;
  made.waits = out.waits && !out.frames.empty();
  if (made.waits) {
    std::span<const ModuleAddress> frames = out.frames;
    if (stacks_.frames() + frames.size() > most_waiting_frames && !stacks_.find(frames)) {
      frames = frames.first(1);
    }
    made.stack = stacks_.find_or_add(frames);
    if (made.stack == is_complete_.size()) {
      is_complete_.push_back(out.is_complete && frames.size() == out.frames.size());
    }
    made.kind = out.cause.kind;
    made.function = function_of(out.cause.function);
  }
  moments_.push_back({out.time, out.thread, static_cast<std::uint32_t>(outs_.size())});
  outs_.push_back(made);
}

void ThreadWaits::note(Sign sign, std::uint32_t thread, std::uint64_t time) {
  moments_.push_back({time, thread, first_sign + static_cast<std::uint32_t>(sign)});
}

void ThreadWaits::note_numbered(Sign sign, std::uint32_t number, std::uint64_t time) {
  moments_.push_back({time, number, first_sign + is_numbered + static_cast<std::uint32_t>(sign)});
}

void ThreadWaits::note_number(std::uint32_t number, std::uint32_t thread) {
  threads_by_number_.emplace(number, thread);
  numbers_differ_ = numbers_differ_ || number != thread;
}

// A number of a namespace may be another thread's outside of it.
void ThreadWaits::resolve_numbers() {
  std::erase_if(moments_, [&](Moment& moment) {
    if (moment.what < first_sign + is_numbered) return false;
    moment.what -= is_numbered;
    const auto known = threads_by_number_.find(moment.thread);
    if (known != threads_by_number_.end()) moment.thread = known->second;
    return known == threads_by_number_.end() && numbers_differ_;
  });
  threads_by_number_ = {};
}

void ThreadWaits::finish(const PerfTimeline& timeline, std::uint64_t end, bool tells_ends) {
  timeline_ = timeline;
  resolve_numbers();
  std::ranges::stable_sort(
      moments_, {}, [](const Moment& moment) { return std::pair(moment.thread, moment.time); });
  for (std::size_t i = 0; i < moments_.size();) {
    Thread thread(*this);
    const std::uint32_t number = moments_[i].thread;
    for (; i < moments_.size() && moments_[i].thread == number; ++i) {
      const Moment& moment = moments_[i];
      if (moment.what < first_sign) {
        thread.switch_out(outs_[moment.what], moment.time);
      } else {
        thread.note(static_cast<Sign>(moment.what - first_sign), moment.time);
      }
    }
    thread.finish(end, tells_ends);
  }
  moments_ = {};
  outs_ = {};
}

std::optional<std::string> ThreadWaits::message() const {
  constexpr std::uint64_t tolerated_part = 20;
  if (guessed_ * tolerated_part <= count_) return std::nullopt;
  return fmt::format(
      "does not say when threads went on after {} of {} waits: these are told up to the next "
      "sample of their thread; record with `perf record --switch-events`",
      guessed_, count_);
}

void ThreadWaits::add_wait(const Out& out, std::uint64_t begin, std::uint64_t end) {
  if (end <= begin) return;
  const auto next = static_cast<std::uint32_t>(waits_.size());
  const auto [place, is_new] = wait_places_.try_emplace({out.stack, out.kind, out.function}, next);
  if (is_new) waits_.push_back({out.stack, out.kind, 0, 0, 0, out.function});
  SidecarWait& wait = waits_[place->second];
  ++wait.times;
  wait.total = saturating_add(wait.total, end - begin);
  wait.longest = std::max(wait.longest, end - begin);
  ++count_;
  add_parts(place->second, out.place, begin, end);
}

void ThreadWaits::add_parts(std::uint32_t wait, std::uint32_t place, std::uint64_t begin,
                            std::uint64_t end) {
  std::uint32_t slice = timeline_.slice_at(begin);
  std::uint32_t last = timeline_.slice_at(end);
  if (slice != last && parts_.size() >= most_parts) slice = last = no_slice;
  std::uint64_t left = end - begin;
  for (; slice < last; ++slice) {
    const std::uint64_t from = std::max(begin, timeline_.start) - timeline_.start;
    const std::uint64_t piece = std::min(left, (slice + std::uint64_t{1}) * timeline_.width -
                                                   std::max(from, slice * timeline_.width));
    if (piece > 0) parts_.push_back({wait, place, slice, piece, 0});
    left -= piece;
  }
  // It counts where it ends.
  parts_.push_back({wait, place, last, left, 1});
}

// The stacks become the sidecar's, those with most time first.
std::vector<std::uint32_t> ThreadWaits::stack_ranks(Sidecar& sidecar) const {
  std::vector<std::uint64_t> times(stacks_.size());
  for (const SidecarWait& wait : waits_) {
    times[wait.stack] = saturating_add(times[wait.stack], wait.total);
  }
  std::vector<std::uint32_t> order(stacks_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::erase_if(order, [&](std::uint32_t stack) { return times[stack] == 0; });
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return times[a] != times[b] ? times[a] > times[b]
                                : std::ranges::lexicographical_compare(stacks_[a], stacks_[b]);
  });
  std::vector<std::uint32_t> ranks(stacks_.size());
  for (const std::uint32_t stack : order) {
    ranks[stack] = static_cast<std::uint32_t>(sidecar.wait_stacks.size());
    const auto frames = stacks_[stack];
    sidecar.wait_stacks.push_back(
        {times[stack], !is_complete_[stack], {frames.begin(), frames.end()}});
  }
  return ranks;
}

void ThreadWaits::give_to(Sidecar& sidecar) {
  const std::vector<std::uint32_t> ranks = stack_ranks(sidecar);
  for (SidecarWait& wait : waits_) wait.stack = ranks[wait.stack];
  std::vector<std::uint32_t> order(waits_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return comes_before(waits_[a], waits_[b]); });
  std::vector<std::uint32_t> places(waits_.size());
  for (const std::uint32_t wait : order) {
    places[wait] = static_cast<std::uint32_t>(sidecar.waits.size());
    sidecar.waits.push_back(waits_[wait]);
  }
  for (SidecarPart& part : parts_) part.whole = places[part.whole];
  std::ranges::sort(parts_, comes_before);
  for (const SidecarPart& part : parts_) {
    if (sidecar.wait_parts.empty() || comes_before(sidecar.wait_parts.back(), part)) {
      sidecar.wait_parts.push_back(part);
      continue;
    }
    SidecarPart& same = sidecar.wait_parts.back();
    same.count = saturating_add(same.count, part.count);
    same.excess_variance += part.excess_variance;
  }
  sidecar.names = std::move(names_);
  parts_ = {};
  waits_ = {};
}

}  // namespace gprof
