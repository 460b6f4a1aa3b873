#include "server/cli/recover/recover_command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>
#include <unistd.h>

#include "server/cli/record/record_files.h"
#include "server/cli/record/recover_live.h"
#include "server/cli/run_command.h"
#include "server/discovery/live_files.h"
#include "server/text/number_text.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

class RecoverCommand {
 public:
  int run(const RecoverOptions& options);

 private:
  void recover(const fs::path& path);
  void report(const fs::path& path, const Recovered& recovered);
  void fail(const Error& error) {
    tell_of_command("recover", describe(error));
    failed_ = true;
  }
  void say(std::string_view text) {
    const std::string line = on_one_line(text) + '\n';
    if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size()) failed_ = true;
    said_ = true;
  }

  bool failed_ = false;
  bool said_ = false;
};

int RecoverCommand::run(const RecoverOptions& options) {
  for (const std::string& directory : options.directories) {
    const auto files = find_live_files(directory);
    if (!files) {
      fail(files.error());
      continue;
    }
    for (const fs::path& path : *files) recover(path);
  }
  if (!said_ && !failed_) say("nothing to recover");
  if (std::fflush(stdout) != 0) failed_ = true;
  return failed_ ? failure_status : success_status;
}

void RecoverCommand::recover(const fs::path& path) {
  const auto recovery = recover_live_file(path, {});
  if (!recovery) return fail(recovery.error());
  if (const auto* recovered = std::get_if<Recovered>(&*recovery)) {
    report(path, *recovered);
  } else if (const auto* running = std::get_if<StillRunning>(&*recovery)) {
    say(fmt::format("{}: process {} is still running; left alone", path.string(),
                    running->process));
  } else if (const auto* removed = std::get_if<Removed>(&*recovery)) {
    say(fmt::format("{}: {}; removed", path.string(),
                    removed->written ? "its profile had been written" : "nothing was counted"));
  }
}

void RecoverCommand::report(const fs::path& path, const Recovered& recovered) {
  std::string libraries;
  for (const fs::path& library : recovered.libraries) {
    libraries += fmt::format("{}{}", libraries.empty() ? "; libraries: " : ", ", library.string());
  }
  say(fmt::format("{}: {} call{} and {} sample{} from {}{}", recovered.profile.string(),
                  exact_count(recovered.calls), recovered.calls == 1 ? "" : "s",
                  exact_count(recovered.samples), recovered.samples == 1 ? "" : "s", path.string(),
                  libraries));
  for (const Error& warning : recovered.warnings) tell_of_command("recover", describe(warning));
}

}  // namespace

CommandSyntax recover_syntax(RecoverOptions& options) {
  CommandSyntax syntax;
  syntax.name = "recover";
  syntax.summary = "Turn what killed programs left into profiles";
  syntax.usage = {"DIR..."};
  syntax.about =
      "Counters of a program that runs under libgprof_runtime.so are in the file\n"
      "gmon.live.PID. Each one in DIR whose process has ended becomes gmon.out, or what\n"
      "the program would have called it, and is removed. Those of running processes are\n"
      "left alone. A profile that is newer than what is recovered is not replaced: the\n"
      "process number is added to the name instead.";
  syntax.groups = {{"Options", {help_option()}}};
  syntax.closing =
      "Exit status: 0 if there is nothing left to recover, 1 if something could not be\n"
      "recovered, 2 for a wrong command line.";
  syntax.operands = ValueKind::directory;
  syntax.finish = [&options](const Operands& operands) -> Expected<void> {
    if (std::ranges::count(operands.words, "") != 0) {
      return usage_error("the name of a directory is empty");
    }
    options.directories.assign(operands.words.begin(), operands.words.end());
    if (!options.directories.empty()) return {};
    return usage_error("a directory is missing: gprof-lsp recover DIR...");
  };
  return syntax;
}

int run_recover(const RecoverOptions& options) {
  occupy_standard_streams();
  return RecoverCommand().run(options);
}

}  // namespace gprof::lsp
