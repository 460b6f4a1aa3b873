#include "server/cli/query/query_command.h"

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

#include <unistd.h>

#include "server/cli/query/tool_options.h"
#include "server/cli/run_command.h"
#include "server/cli/workspace_folders.h"
#include "server/protocol/message_writer.h"
#include "server/query/answer_text.h"
#include "server/query/query_workspace.h"
#include "server/query/recording.h"
#include "server/session/configuration_file.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

enum class AnswerFormat : std::uint8_t { json, text };

// What is asked, and of what.
struct ToolQuestion {
  std::string folder = ".";
  std::optional<AnyValue> arguments;  // as JSON, instead of options
  std::string configuration_file;
  std::optional<AnswerFormat> format;  // none: a terminal is shown text
};

OptionGroup workspace_options(ToolQuestion& question) {
  return {"Workspace",
          {{0, "workspace", directory_value("DIR", question.folder),
            "the workspace's folder (default: the current directory)"},
           {0, "config", file_value("FILE", question.configuration_file),
            "settings, as a JSON object, as for the server"},
           {0, "json",
            text_value(ValueUse::required, "ARGUMENTS",
                       [&question](std::optional<std::string_view> text) -> Expected<void> {
                         auto read = parse_any(*text);
                         if (!read || read->object() == nullptr) {
                           return usage_error("expected a JSON object");
                         }
                         question.arguments = std::move(*read);
                         return {};
                       }),
            "all of the tool's arguments as a JSON object, as agents send them; instead of the "
            "options above"},
           {0, "format",
            choice_value<AnswerFormat>(
                "", question.format, {{"json", AnswerFormat::json}, {"text", AnswerFormat::text}}),
            "the answer as JSON or as text (default: text on a terminal, else JSON)"},
           help_option()}};
}

constexpr std::string_view exit_statuses =
    "Exit status: 0; 1 if the question could not be answered; 2 if the command line\n"
    "is wrong.";

// Help, and the reader of one tool's command line.
class ToolLine {
 public:
  explicit ToolLine(const Tool& tool)
      : tool_(tool),
        options_(tool),
        name_(fmt::format("query {}", tool.name)),
        usage_(fmt::format("[OPTION]...{}{}", options_.operand_usage().empty() ? "" : " ",
                           options_.operand_usage())),
        about_(wrapped(tool.description)) {
    // The options of a program that is recorded are its own.
    if (!tool.only_reads()) usage_ = "[OPTION]... [--] PROGRAM [ARG]...";
  }

  [[nodiscard]] CommandSyntax syntax() {
    CommandSyntax syntax;
    syntax.name = name_;
    syntax.summary = tool_.title;
    syntax.usage = {usage_};
    syntax.about = about_;
    syntax.groups = {{"Options", options_.rows()}, workspace_options(question_)};
    syntax.closing = exit_statuses;
    if (!tool_.only_reads()) syntax.order = WordOrder::leading;
    syntax.finish = [this](const Operands& operands) -> Expected<void> {
      if (!question_.arguments) return options_.take_operands(operands.words);
      const bool is_more = !operands.words.empty() || !options_.arguments().object()->empty();
      return is_more ? Expected<void>(usage_error("--json holds all arguments already"))
                     : Expected<void>();
    };
    return syntax;
  }
  [[nodiscard]] AnyValue arguments() const {
    return question_.arguments.value_or(options_.arguments());
  }
  [[nodiscard]] const ToolQuestion& question() const { return question_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  static std::string wrapped(std::string_view text) {
    constexpr std::size_t width = 80;
    std::string lines;
    std::size_t column = 0;
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(word.size() + 1, text.size()));
      const bool fits = column + 1 + word.size() <= width;
      lines += column == 0 ? "" : fits ? " " : "\n";
      column = column != 0 && fits ? column + 1 + word.size() : word.size();
      lines += word;
    }
    return lines;
  }

  const Tool& tool_;
  ToolOptions options_;
  ToolQuestion question_;
  std::string name_;
  std::string usage_;
  std::string about_;
};

Expected<AnyValue> answer_of(const Tool& tool, const ToolLine& line) {
  TRY_ASSIGN(WorkspaceOptions options,
             workspace_of({line.question().folder}, line.question().configuration_file));
  const auto cancelled = std::make_shared<const std::atomic<bool>>(false);
  if (!tool.only_reads()) {
    TRY(check_arguments(tool, line.arguments()));
    TRY_ASSIGN(const auto arguments, from_any<RecordArguments>(line.arguments(), "arguments"));
    RecordPermission permission;
    permission.anything = true;
    TRY_ASSIGN(const auto answer,
               answer_record(arguments, WorkspacePaths(options.folders), permission, *cancelled));
    return to_any(answer);
  }
  WorkspaceListener listener;
  listener.log = [&](LogLevel level, const std::string& text) {
    if (level == LogLevel::error) tell_of_command(line.name(), text);
  };
  QueryWorkspace workspace(std::move(options), shared_programs(), std::move(listener));
  Expected<AnyValue> answer = AnyValue();
  workspace.ask(tool, line.arguments(), cancelled,
                [&](Expected<AnyValue> given) { answer = std::move(given); });
  return answer;
}

int answer_tool(const Tool& tool, std::span<const std::string_view> words) {
  ToolLine line(tool);
  if (const auto status = answered_status(line.syntax(), words)) return *status;
  const auto answer = answer_of(tool, line);
  if (!answer) {
    tell_of_command(line.name(), describe(answer.error()));
    return answer.error().code == ErrorCode::invalid_argument ? usage_status : failure_status;
  }
  const bool on_terminal = isatty(STDOUT_FILENO) != 0;
  const AnswerFormat format =
      line.question().format.value_or(on_terminal ? AnswerFormat::text : AnswerFormat::json);
  const std::string text =
      format == AnswerFormat::json ? written_text(*answer) + '\n' : answer_text(*answer);
  return print_text(line.name(), on_terminal ? for_terminal(text) : text);
}

}  // namespace

CommandSyntax query_syntax(QueryOptions&) {
  CommandSyntax syntax;
  syntax.name = "query";
  syntax.summary = "Answer a question about a profile, as JSON or text";
  syntax.usage = {"TOOL [OPTION]... [ARGUMENT]..."};
  syntax.about =
      "For coding agents and scripts: each TOOL answers one kind of question, with the\n"
      "errors of all figures, and says what to ask next. gprof-lsp query TOOL --help\n"
      "lists its options. gprof-lsp mcp offers the same tools over a protocol.";
  syntax.commands_title = "Tools";
  for (const Tool& tool : tools()) syntax.commands.push_back({tool.name, tool.title});
  syntax.groups = {{"Options", {help_option()}}};
  syntax.closing = exit_statuses;
  syntax.order = WordOrder::leading;
  syntax.finish = [](const Operands& operands) -> Expected<void> {
    if (operands.words.empty()) return usage_error("the tool is missing; --help lists them");
    return usage_error(fmt::format("{} is not a tool; --help lists them", operands.words.front()));
  };
  return syntax;
}

int run_query(std::span<const std::string_view> words) {
  const Tool* tool = words.empty() ? nullptr : tool_named(words.front());
  if (tool != nullptr) return answer_tool(*tool, words.subspan(1));
  QueryOptions options;
  return answered_status(query_syntax(options), words).value_or(usage_status);
}

}  // namespace gprof::lsp
