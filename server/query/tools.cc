#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "server/protocol/json_schema.h"
#include "server/query/answers.h"

namespace gprof::lsp {
namespace {

template <typename Arguments, typename Answer,
          Expected<Answer> (*answer)(ToolContext&, const Arguments&)>
Expected<AnyValue> answered(ToolContext& context, const AnyValue& given) {
  TRY_ASSIGN(const Arguments arguments, from_any<Arguments>(given, "arguments"));
  TRY_ASSIGN(const Answer found, answer(context, arguments));
  return to_any(found);
}

template <typename Arguments>
AnyValue input_schema() {
  return schema_of<Arguments>(SchemaUse::read);
}
template <typename Answer>
AnyValue output_schema() {
  return schema_of<Answer>(SchemaUse::written);
}

struct ToolText {
  std::string_view name;
  std::string_view title;
  std::string_view description;
};

template <typename Arguments, typename Answer,
          Expected<Answer> (*answer)(ToolContext&, const Arguments&)>
constexpr Tool question(const ToolText& text) {
  return {text.name,
          text.title,
          text.description,
          input_schema<Arguments>,
          output_schema<Answer>,
          answered<Arguments, Answer, answer>};
}

constexpr std::array<Tool, 8> all_tools = {{
    question<ProgramsArguments, ProgramsAnswer, answer_programs>(
        {"programs", "Profiled programs",
         "Lists the programs of the workspace that have profiles: what was measured (metrics with "
         "totals), when it may be out of date, and which other profiles there are. Ask it first."}),
    {"record", "Run and profile a program",
     "Runs a program under the profiler. No special build is needed, but only debug information "
     "(-g) gives line numbers. To judge a change, record several runs (runs: 5 to 10) of the old "
     "build and of "
     "the new one, each with an output folder of its own, then ask compare.",
     input_schema<RecordArguments>, output_schema<RecordAnswer>, nullptr},
    question<HotSpotsArguments, HotSpotsAnswer, answer_hot_spots>(
        {"hot_spots", "Hot spots",
         "Lists the functions that cost most, with places, errors, totals with callees, and exact "
         "calls where those were counted. A figure that is less than about three times its error "
         "says little."}),
    question<FunctionArguments, FunctionAnswer, answer_function>(
        {"function", "One function",
         "Tells all about one function: figures, its costliest lines with their text, who calls it "
         "from where, what it calls, and where its threads wait, for what, and who held the "
         "lock."}),
    question<LinesArguments, LinesAnswer, answer_lines>(
        {"lines", "Lines of a file",
         "Lists the lines of a source file that cost something, the costliest first, with their "
         "text. Lines that were edited since the build have no figures."}),
    question<CallPathArguments, CallPathAnswer, answer_call_path>(
        {"call_path", "Ways to a function",
         "Lists the hottest ways from the program's start to a function: which of its callers to "
         "change."}),
    question<TimelineArguments, TimelineAnswer, answer_timeline>(
        {"timeline", "What ran when",
         "Tells what each thread or process cost in stretches of the run: phases, idle threads, "
         "imbalance. By the metrics wall and wait, what each of them did."}),
    question<CompareArguments, CompareAnswer, answer_compare>(
        {"compare", "Compare profiles",
         "Compares two profiles or sets of runs function by function, with a verdict for each: "
         "regressed, improved, new, gone, or noise, which means that nothing was shown to have "
         "changed. Trust verdicts, not percentages; for noise, runs_to_decide says how many runs "
         "of each side would probably tell."}),
}};

const AnyValue* schema_of_member(const AnyValue& schema, std::string_view name) {
  const AnyValue* properties = schema.find("properties");
  return properties == nullptr ? nullptr : properties->find(name);
}

std::string names_in(const AnyValue& schema) {
  std::string names;
  const AnyValue* properties = schema.find("properties");
  if (properties == nullptr || properties->object() == nullptr) return names;
  for (const auto& [name, described] : *properties->object()) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

}  // namespace

std::span<const Tool> tools() { return all_tools; }

const Tool* tool_named(std::string_view name) {
  const auto found = std::ranges::find(all_tools, name, &Tool::name);
  return found == all_tools.end() ? nullptr : &*found;
}

Expected<void> check_arguments(const Tool& tool, const AnyValue& arguments) {
  const AnyValue schema = tool.input();
  if (arguments.object() == nullptr) {
    return Error{ErrorCode::invalid_argument, "arguments: expected an object", {}, {}};
  }
  for (const auto& [name, value] : *arguments.object()) {
    if (schema_of_member(schema, name) != nullptr) continue;
    return Error{ErrorCode::invalid_argument,
                 fmt::format("arguments.{}: {} has no such argument; expected one of {}", name,
                             tool.name, names_in(schema)),
                 {},
                 {}};
  }
  return {};
}

}  // namespace gprof::lsp
