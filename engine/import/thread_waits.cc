#include "engine/import/thread_waits.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "engine/profile/wait_metrics.h"

namespace gprof {
namespace {

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
  made.waits = out.waits;
  if (made.waits) {
    made.stack = out.stack;
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
  if (is_new) waits_.push_back({out.stack, out.kind, out.function, 0});
  Wait& wait = waits_[place->second];
  wait.longest = std::max(wait.longest, end - begin);
  ++count_;
  add_parts(place->second, out.place, begin, end);
}

void ThreadWaits::add_parts(std::uint32_t wait, std::uint32_t place, std::uint64_t begin,
                            std::uint64_t end) {
  std::uint32_t slice = timeline_.slice_at(begin);
  std::uint32_t last = timeline_.slice_at(end);
  if (slice != last && parts_.size() >= most_parts) slice = last = no_time_slice;
  std::uint64_t left = end - begin;
  for (; slice < last; ++slice) {
    const std::uint64_t from = std::max(begin, timeline_.start) - timeline_.start;
    const std::uint64_t piece = std::min(left, (slice + std::uint64_t{1}) * timeline_.width -
                                                   std::max(from, slice * timeline_.width));
    if (piece > 0) parts_.push_back({wait, place, slice, 0, piece});
    left -= piece;
  }
  // It counts where it ends.
  parts_.push_back({wait, place, last, 1, left});
}

void ThreadWaits::add_to(ProfileBuilder& builder, std::span<const Row> threads,
                         const std::function<Row(Row)>& stack_of_costs) {
  // By wait: the metrics of its times, and of how many they are.
  std::vector<std::pair<Row, Row>> metrics;
  const auto metric_of = [&](const Wait& wait, WaitFigure figure) {
    return builder.metric(metric_of_waits({wait.kind, names_[wait.function], figure}));
  };
  for (const Wait& wait : waits_) {
    metrics.emplace_back(metric_of(wait, WaitFigure::time), metric_of(wait, WaitFigure::number));
    builder.cost(metric_of(wait, WaitFigure::longest), stack_of_costs(wait.stack), threads.front(),
                 no_time_slice, wait.longest);
  }
  for (const Part& part : parts_) {
    const auto& [time, number] = metrics[part.wait];
    const Row stack = stack_of_costs(waits_[part.wait].stack);
    builder.cost(time, stack, threads[part.place], part.slice, part.time);
    builder.cost(number, stack, threads[part.place], part.slice, part.number);
  }
  parts_ = {};
  waits_ = {};
}

}  // namespace gprof
