#include "server/cli/record/attach_summary.h"

#include <fmt/format.h>

#include "server/cli/record/record_words.h"

namespace gprof::lsp {
namespace {

// A process that used less CPU time may have no sample by chance.
constexpr double noticeable_cpu_seconds = 0.01;

std::string end_text(AttachEnd end) {
  switch (end) {
    case AttachEnd::process:
      return "the process has ended";
    case AttachEnd::size:
      return "ended early: the recording has reached its limit";
    case AttachEnd::disk:
      return "ended early: no more could be written to the disk";
    default:
      return "";
  }
}

std::string hidden_kernel(const AttachResult& result) {
  return fmt::format(
      "time in the kernel was not sampled{}",
      result.paranoid ? fmt::format(" (kernel.perf_event_paranoid is {})", *result.paranoid) : "");
}

ProfileFigures figures_of(const AttachResult& result) {
  ProfileFigures figures;
  figures.observed = true;
  figures.samples = result.samples;
  figures.lost_samples = result.lost;
  figures.cpu_time = result.cpu_time;
  figures.requested_rate = result.rate;
  // With this source, missing samples are put down to time in the kernel.
  figures.source = result.has_kernel ? SampleSource::none : SampleSource::perf_clock;
  figures.threads = result.threads;
  figures.ran = {result.observed};
  return figures;
}

}  // namespace

DescribedFigures describe_attach(const AttachResult& result) {
  DescribedFigures described = describe_figures(figures_of(result), 1);
  if (!result.has_kernel) described.remarks.push_back(hidden_kernel(result));
  if (const std::string end = end_text(result.end); !end.empty()) described.remarks.push_back(end);
  return described;
}

std::string describe_recording(const std::string& path, const DescribedFigures& described) {
  std::string text = fmt::format("{}: {}", path, described.figures);
  if (!described.times.empty()) text += "; " + described.times;
  for (const std::string& remark : described.remarks) text += "; " + remark;
  return text;
}

std::string why_no_samples(const AttachTarget& target, const AttachResult& result) {
  const double observed = seconds_of(result.observed.end - result.observed.begin);
  const double busy = seconds_of(result.cpu_time);
  const std::string process =
      fmt::format("no profile of process {} ({})", target.process, target.name);
  if (busy < noticeable_cpu_seconds) {
    const std::string end = end_text(result.end);
    return fmt::format("{}: it used no CPU time in {}, and waiting is not sampled; {}", process,
                       seconds_text(observed),
                       end.empty() ? "attach to it while it is busy, or for longer (--time)" : end);
  }
  if (result.has_kernel) {
    return fmt::format("{}: none of its {} of CPU time in {} was sampled", process,
                       seconds_text(busy), seconds_text(observed));
  }
  return fmt::format("{}: none of its {} of CPU time in {} was in its own code; {}", process,
                     seconds_text(busy), seconds_text(observed), hidden_kernel(result));
}

}  // namespace gprof::lsp
