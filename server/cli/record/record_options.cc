#include "server/cli/record/record_options.h"

#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

constexpr std::array<NamedValue<Children>, 3> children_choices = {{
    {"all", Children::all, "every process"},
    {"own", Children::own,
     "PROGRAM and the user's own programs that it ran, not the shells, make, env, python3 and the "
     "like in front of them, nor the system's; these only if nothing else took time"},
    {"none", Children::none, "the process of PROGRAM alone"},
}};

std::vector<OptionRow> record_rows(RecordOptions& options) {
  return {
      {0, "output", directory_value("DIR", options.output),
       "where the profile goes, even if the program changes its directory; created if missing "
       "(default: the current directory)"},
      {0, "rate",
       number_value("HZ", options.rate, 0U, most_samples_a_second,
                    fmt::format("samples a second, from 0 (none) to {}", most_samples_a_second)),
       "samples a second of CPU time of each thread, up to 20000; 0: none (default: 1000 if perf's "
       "clock is allowed, else 100; with --pid 997)",
       "Without it, GPROF_RATE counts if it is set. perf's clock is allowed if "
       "kernel.perf_event_paranoid is 2 or lower."},
      {0, "stacks", flag(options.stacks), "keep the call stack of each sample (default)",
       "So time is charged to the callers that really spent it, and time in libraries to the lines "
       "that called them. Without either option, GPROF_STACKS counts if it is set."},
      {0, "no-stacks", flag(options.stacks, false),
       "keep no call stacks: sampling takes less time, and totals are gprof's estimates"},
      {0, "wait", flag(options.waits),
       "measure how long each thread waits in calls of the C library, and where: for locks, files, "
       "connections, other threads, children, and in sleep",
       "By the clock, with the stack of the call, without a timer. Who had the locks is kept, too. "
       "Statically linked programs cannot be measured so."},
      {0, "children", choice_value<Children>("", options.children, children_choices),
       "whose profiles are kept, of the programs that were started; what was left out is named in "
       "the last line, with its time (default: own)"},
      {0, "live", flag(options.live),
       "keep the counters readable in DIR/gmon.live.PID while the program runs",
       "Editors show them: a gprof-lsp that would show the profile looks at them about once a "
       "second."},
      {0, "runs", number_value("N", options.runs, 1U, most_runs),
       "run the program N times; each profile goes to DIR/run-1 and so on, their sum to "
       "DIR/gmon.sum",
       "For programs that are too short to be sampled. The runs end early when one cannot be "
       "started or is interrupted."},
      {0, "keep-executable", flag(options.keep_executable),
       "keep a copy of PROGRAM, so that the profile can be compared with after a rebuild",
       "Editors ask for it. Copies are in $XDG_CACHE_HOME/gprof-lsp/executables, for this user "
       "alone: at most 64 of 1 GiB each and 4 GiB together, of which those go first that were not "
       "used for the longest time."},
      {0, "summary", file_value("FILE", options.summary),
       "write how the run ended and what the last line says to FILE, as JSON",
       "For editors and scripts; docs/lsp-extensions.md describes it. The exit status is then 128 "
       "+ N if signal N ended the program: gprof-lsp itself does not die by the signal."},
      {0, "pid",
       number_value("N", options.process, 1U,
                    static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()),
                    "the number of a process"),
       "sample the running process N instead of starting a program; the profile is DIR/perf.data",
       "The kernel samples it (perf_event_open): the process is neither stopped nor traced, and "
       "nothing is loaded into it. All of its threads are sampled, with their call stacks, and "
       "those that they start; calls are not counted. It needs a process of this user and "
       "kernel.perf_event_paranoid at 2 or lower, or the capability CAP_PERFMON. A perf.data that "
       "is there already becomes perf.data.old. Recordings end at 1 GiB, or half of the free "
       "space."},
      {0, "time",
       number_value("SECONDS", options.seconds, 0.0, max_attached_seconds,
                    fmt::format("seconds, from 0 to {}", max_attached_seconds)),
       "how long --pid samples; 0: until the process ends, or Ctrl-C (default: 10)",
       "Ctrl-C ends it earlier, and keeps what was sampled."},
      help_option(),
  };
}

// Options that only a program can have that is started.
Error useless_for_process(std::string_view option, std::string_view reason) {
  return usage_error(
      fmt::format("{} is for programs that record starts, not for --pid: {}", option, reason));
}

Expected<void> check_process_options(const RecordOptions& options) {
  if (!options.command.empty()) {
    return usage_error(fmt::format(
        "--pid samples a process that runs already, and {} would be another: name one of them",
        options.command.front()));
  }
  const std::pair<bool, Error> checks[] = {
      {options.waits,
       useless_for_process("--wait", "the collector, which measures waits, is not in the process")},
      {options.live, useless_for_process("--live", "it has no counters of the collector")},
      {options.runs.has_value(), useless_for_process("--runs", "it runs once")},
      {options.children.has_value(), useless_for_process("--children", "it is sampled alone")},
      {options.rate == 0U, useless_for_process("--rate=0", "samples are all there is")},
  };
  for (const auto& [is_given, error] : checks) {
    if (is_given) return error;
  }
  return {};
}

}  // namespace

CommandSyntax record_syntax(RecordOptions& options) {
  CommandSyntax syntax;
  syntax.name = "record";
  syntax.summary = "Run a program and keep its profile";
  syntax.usage = {"[OPTION]... [--] PROGRAM [ARG]...", "[OPTION]... --pid=N [--time=SECONDS]"};
  syntax.about =
      "PROGRAM is any dynamically linked program, as it is: libgprof_runtime.so is\n"
      "loaded into it and samples it from its start on; what was built with -pg has its\n"
      "calls counted as well. It has the terminal, the signals and the exit status that\n"
      "it would have anyway. With --pid, the kernel samples a running process.\n"
      "The last line on standard error says where the profile is and how good it is.";
  syntax.groups = {{"Options", record_rows(options)}};
  syntax.closing =
      "Exit status: that of the program; 127 if it is not found, 126 if it cannot be\n"
      "run, 125 if gprof-lsp could not prepare its run, 2 for a wrong command line.\n"
      "With --pid: 0, or 125 if there is no profile.";
  syntax.operands = ValueKind::program;
  // The program's own options are not ours.
  syntax.order = WordOrder::leading;
  syntax.finish = [&options](const Operands& operands) -> Expected<void> {
    options.command.assign(operands.words.begin(), operands.words.end());
    if (options.process) return check_process_options(options);
    if (options.seconds) {
      return usage_error("--time is for --pid=N: a program that record starts runs to its end");
    }
    if (!options.command.empty()) return {};
    return usage_error(
        "a program to run is missing: gprof-lsp record [OPTION]... -- PROGRAM [ARG]...");
  };
  return syntax;
}

}  // namespace gprof::lsp
