#include "server/query/recording.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/support/input_file.h"
#include "server/protocol/any_value.h"
#include "server/query/answer_room.h"
#include "server/query/figures.h"
#include "server/system/child_command.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t most_recorded_runs = 100;
constexpr double longest_recording = 3600;
constexpr std::size_t most_words = 4096;

// The recorder's summary, in a temporary folder that is removed with this object.
class SummaryFile {
 public:
  SummaryFile() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "gprof-lsp-XXXXXX").string();
    if (!error && ::mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  SummaryFile(const SummaryFile&) = delete;
  SummaryFile& operator=(const SummaryFile&) = delete;
  ~SummaryFile() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  [[nodiscard]] bool ok() const { return !folder_.empty(); }
  [[nodiscard]] fs::path path() const { return folder_ / "summary.json"; }
  [[nodiscard]] Expected<RunSummary> read() const {
    TRY_ASSIGN(const InputFile file, InputFile::open(path(), FileUse::own));
    TRY_ASSIGN(const std::vector<std::byte> bytes, file.read_all());
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    TRY_ASSIGN(const AnyValue value, parse_any(text));
    return from_any<RunSummary>(value, "summary");
  }

 private:
  fs::path folder_;
};

// The program as its path, in the workspace's folder where it is a relative one. Names that are
// looked for in PATH stay as they are.
fs::path program_of(const std::string& word, const WorkspacePaths& paths) {
  return word.find('/') == std::string::npos ? fs::path(word)
                                             : (paths.folder() / word).lexically_normal();
}

Expected<void> check_permission(const fs::path& program, const WorkspacePaths& paths,
                                const RecordPermission& permission) {
  if (permission.anything) return {};
  std::error_code error;
  const fs::path real = program.is_absolute() ? fs::canonical(program, error) : program;
  const bool is_named =
      !error && std::ranges::find(permission.programs, real) != permission.programs.end();
  const bool is_inside =
      permission.in_workspace && program.is_absolute() && paths.bounds()->contains(program);
  if (is_named || is_inside) return {};
  const std::string name = quoted_name(program.string());
  if (permission.none()) {
    return wrong_argument("command", fmt::format("nothing: no program may be run here; the user "
                                                 "allows {} by --allow-record",
                                                 name));
  }
  return wrong_argument("command",
                        fmt::format("a program that may be run; {} is none: the user allows it by "
                                    "--allow-record={}",
                                    name, name));
}

struct Recording {
  fs::path output;  // empty: the workspace's folder
  std::vector<std::string> words;
};

Expected<Recording> recording_of(const RecordArguments& arguments, const WorkspacePaths& paths,
                                 const RecordPermission& permission, const fs::path& summary) {
  if (arguments.command.empty() || arguments.command.front().empty()) {
    return wrong_argument("command", "the program and its arguments");
  }
  for (const std::string& word : arguments.command) {
    if (word.find('\0') != std::string::npos || arguments.command.size() > most_words) {
      return wrong_argument("command", "words that a program can be given");
    }
  }
  TRY(check_range("runs", arguments.runs, 1U, most_recorded_runs));
  TRY(check_range("rate", arguments.rate, 0U, 20'000U));
  TRY(check_range("seconds", arguments.seconds, 0.1, longest_recording));
  const fs::path program = program_of(arguments.command.front(), paths);
  TRY(check_permission(program, paths, permission));
  Recording made;
  made.words = {"gprof-lsp", "record", "--keep-executable", "--summary=" + summary.string()};
  if (!arguments.output.empty()) {
    TRY_ASSIGN(made.output, paths.resolve(arguments.output, "arguments.output"));
    made.words.push_back("--output=" + made.output.string());
  }
  if (arguments.runs > 1) made.words.push_back(fmt::format("--runs={}", arguments.runs));
  if (arguments.wait) made.words.emplace_back("--wait");
  if (arguments.rate > 0) made.words.push_back(fmt::format("--rate={}", arguments.rate));
  made.words.emplace_back("--");
  made.words.push_back(program.string());
  made.words.insert(made.words.end(), arguments.command.begin() + 1, arguments.command.end());
  return made;
}

// Lines stay lines; what controls a terminal goes, and so does what the recorder says: the answer
// has it.
std::string quoted_output(std::string_view text) {
  std::string quoted;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with("gprof-lsp: ")) quoted += for_terminal(line) + '\n';
  }
  while (quoted.ends_with('\n')) quoted.pop_back();
  return quoted;
}

void take_summary(const RunSummary& summary, const WorkspacePaths& paths, RecordAnswer& answer) {
  answer.status = summary.status;
  answer.signal = summary.signal.value_or("");
  answer.figures = summary.figures.value_or("");
  answer.times = summary.times.value_or("");
  answer.problem = summary.problem.value_or("");
  if (summary.crash) {
    answer.crashed_at = fmt::format("{}:{}", paths.shown(summary.crash->path), summary.crash->line);
  }
  for (const std::string& remark : summary.remarks) answer.end.notes.push_back(remark);
}

}  // namespace

Expected<RecordAnswer> answer_record(const RecordArguments& arguments, const WorkspacePaths& paths,
                                     const RecordPermission& permission,
                                     const std::atomic<bool>& cancelled) {
  const SummaryFile file;
  if (!file.ok()) {
    return Error{ErrorCode::unreadable, "no temporary folder can be made for the summary", {}, {}};
  }
  TRY_ASSIGN(const Recording recording, recording_of(arguments, paths, permission, file.path()));
  ChildCommand command;
  std::error_code error;
  command.program = fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{ErrorCode::unreadable, error.message(), "/proc/self/exe", std::nullopt};
  command.words = recording.words;
  command.folder = paths.folder();
  command.longest = arguments.seconds;
  TRY_ASSIGN(const ChildEnd end, run_child(command, cancelled));
  RecordAnswer answer;
  answer.output_quote = quoted_output(end.output);
  answer.error_quote = quoted_output(end.error);
  const auto summary = file.read();
  if (summary) take_summary(*summary, paths, answer);
  if (end.out_of_time) {
    answer.problem = fmt::format("it was ended after {} seconds", arguments.seconds);
  } else if (!summary) {
    answer.problem = "the recorder did not say how the run ended";
  }
  if (!summary || !summary->profile) return answer;
  // One folder stands for all runs.
  answer.profiles.push_back(
      arguments.runs > 1 ? paths.shown(recording.output.empty() ? paths.folder() : recording.output)
                         : paths.shown((paths.folder() / *summary->profile).lexically_normal()));
  answer.end.next.push_back({"hot_spots", AnyValue(AnyValue::Object()), "where its time goes"});
  if (arguments.runs > 1) {
    answer.end.next.push_back(
        {"compare",
         AnyValue(
             AnyValue::Object{{"before", AnyValue(AnyValue::Array{AnyValue(answer.profiles[0])})}}),
         "once the changed program was recorded as well, with another output folder as after"});
  }
  return answer;
}

}  // namespace gprof::lsp
