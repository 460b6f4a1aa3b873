#include "server/cli/record/record_sampling.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "engine/delivered_rate.h"
#include "server/cli/record/record_words.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

// Code without samples took less than this many samples' time, with 95 % confidence: the rule of
// three.
constexpr double unseen_samples = 3;
// Smaller shares make no difference to a reader of the profile.
constexpr double noticeable_share = 0.01;
constexpr double noticeable_missed_rate = 0.05;
constexpr double noticeable_tick_share = 0.05;
constexpr double noticeable_truncated_share = 0.05;

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

SampledRun sampled_run(const ProfileFigures& figures) {
  return {figures.requested_rate, figures.source,  figures.cpu_time, figures.samples,
          figures.lost_samples,   figures.threads, figures.sampling};
}

// Three digits, and all of those before the decimal point.
std::string rate_text(double rate) {
  if (rate >= 99.95) return exact_count(static_cast<std::uint64_t>(std::llround(rate)));
  return fmt::format("{:.{}f}", rate, rate < 9.995 ? 2 : 1);
}

std::string remark_on_rate(const ProfileFigures& figures) {
  if (const auto missed = missed_rate(sampled_run(figures))) return missed->effect;
  if (figures.samples != 0) return "";
  return fmt::format("at {} Hz, what takes less than {} may have no sample",
                     exact_count(figures.requested_rate),
                     seconds_text(unseen_samples / figures.requested_rate));
}

std::string remark_on_places(const ProfileFigures& figures) {
  std::string text;
  const auto add = [&](std::uint64_t count, std::string_view place) {
    const double share = share_of(count, figures.samples);
    if (share <= noticeable_share) return;
    text += fmt::format("{}{} ({}) {}", text.empty() ? "" : ", ",
                        text.empty() ? counted(count, "sample") : exact_count(count),
                        percent(share), place);
  };
  add(figures.collector_samples, "in the collector itself");
  add(figures.library_samples,
      figures.counts_calls ? "in libraries without a profile" : "in libraries");
  add(figures.elsewhere_samples, "in code of no file");
  return text;
}

std::string remark_on_stacks(const ProfileFigures& figures) {
  const double share = share_of(figures.truncated_stacks, figures.stacks);
  if (share <= noticeable_truncated_share) return "";
  return fmt::format("{} of the stacks are truncated: their outer callers are not known",
                     percent(share));
}

std::string remark_on_tick(const ProfileFigures& figures) {
  const std::uint64_t ticks = figures.sampling.tick_samples;
  const double share = share_of(ticks, std::max(ticks, figures.samples));
  if (share <= noticeable_tick_share || figures.requested_rate == 0) return "";
  const std::string_view advice =
      figures.source == SampleSource::perf_clock
          ? ""
          : "; kernel.perf_event_paranoid=2 or lower allows a better clock";
  return fmt::format("the places of {} of the samples go with the kernel's tick: times are ± {}{}",
                     percent(share),
                     seconds_text(static_cast<double>(ticks) / figures.requested_rate), advice);
}

std::string remark_on_price(const ProfileFigures& figures) {
  if (figures.cpu_time == 0) return "";
  std::string text;
  // It is partly an estimate, which says nothing of a run that was over within a sample or two.
  const bool known = figures.sampling.sampling_time < figures.cpu_time;
  if (figures.samples != 0 && figures.sampling.sampling_time != 0 && known) {
    const double share = share_of(figures.sampling.sampling_time, figures.cpu_time);
    text = fmt::format("sampling took {} of the CPU time", percent(share));
  }
  // An estimate, which may exceed the whole.
  const double share = std::min(figures.counting_time / static_cast<double>(figures.cpu_time), 1.0);
  if (share < noticeable_share) return text;
  // The estimate is for a call whose counter is in cache; samples also cover others.
  const double sampled = share_of(figures.collector_samples, figures.samples);
  const std::string counting =
      fmt::format("{} {}", sampled > share ? "at least" : "about", percent(share));
  if (!text.empty()) return text + ", counting calls " + counting;
  return fmt::format("counting calls took {} of the CPU time", counting);
}

}  // namespace

std::string describe_samples(const ProfileFigures& figures) {
  if (figures.requested_rate == 0) return "no samples asked for";
  if (figures.samples == 0) {
    if (!figures.has_timer) return "no samples (the system gave no timer)";
    return fmt::format("no samples in {:.3f} s of CPU time", seconds_of(figures.cpu_time));
  }
  const auto delivered = delivered_rate(sampled_run(figures));
  if (!delivered) {
    return fmt::format("{}, {} Hz asked for", counted(figures.samples, "sample"),
                       exact_count(figures.requested_rate));
  }
  const double missed = std::abs(*delivered / figures.requested_rate - 1);
  if (missed <= noticeable_missed_rate || !rate_can_be_judged(sampled_run(figures))) {
    return fmt::format("{} at {} Hz", counted(figures.samples, "sample"),
                       exact_count(figures.requested_rate));
  }
  return fmt::format("{} at {} of {} Hz", counted(figures.samples, "sample"), rate_text(*delivered),
                     exact_count(figures.requested_rate));
}

std::vector<std::string> remarks_on_samples(const ProfileFigures& figures) {
  std::vector<std::string> remarks;
  const bool sampled = figures.requested_rate != 0 && (figures.has_timer || figures.samples != 0);
  if (sampled) remarks = {remark_on_rate(figures), remark_on_tick(figures)};
  remarks.push_back(remark_on_places(figures));
  remarks.push_back(remark_on_stacks(figures));
  remarks.push_back(remark_on_price(figures));
  std::erase(remarks, "");
  return remarks;
}

}  // namespace gprof::lsp
