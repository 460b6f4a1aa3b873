// The tool compare.
#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "engine/comparison/compared_side.h"
#include "server/discovery/named_profiles.h"
#include "server/discovery/profile_names.h"
#include "server/features/compared_functions.h"
#include "server/features/external_names.h"
#include "server/query/answer_room.h"
#include "server/query/answers.h"
#include "server/query/asked_program.h"
#include "server/query/figures.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// More runs tell hardly more, and each is read.
constexpr std::size_t most_runs_of_side = 1000;
constexpr std::size_t most_entries_of_folder = 10'000;
constexpr std::size_t most_notes = 6;

// Profiles in a folder, or those of its folders run-N, which `record --runs` makes: of these alone,
// as their sum is no further run.
std::vector<std::string> profiles_in(const fs::path& folder) {
  std::vector<std::string> files;
  std::vector<fs::path> runs;
  std::error_code error;
  std::size_t seen = 0;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++seen > most_entries_of_folder) break;
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (name.starts_with("run-")) runs.push_back(entry->path());
    } else if (is_profile_name(name)) {
      files.push_back(entry->path().string());
    }
  }
  if (!runs.empty()) {
    files.clear();
    // run-2 comes before run-10.
    std::ranges::sort(runs, [](const fs::path& a, const fs::path& b) {
      return std::pair(a.string().size(), a) < std::pair(b.string().size(), b);
    });
    for (const fs::path& run : runs) {
      for (std::string& file : profiles_in(run)) files.push_back(std::move(file));
    }
    return files;
  }
  std::ranges::sort(files);
  const std::vector<std::string_view> words(files.begin(), files.end());
  return named_profiles(words);
}

Expected<std::vector<fs::path>> profiles_of(const WorkspacePaths& paths, std::string_view argument,
                                            const std::vector<std::string>& named) {
  std::vector<fs::path> profiles;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::string name = fmt::format("arguments.{}[{}]", argument, i);
    TRY_ASSIGN(const fs::path path, paths.resolve(named[i], name));
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      profiles.push_back(path);
      continue;
    }
    const auto found = profiles_in(path);
    if (found.empty()) {
      return Error{ErrorCode::invalid_argument,
                   fmt::format("{}: the folder {} has no profiles", name, paths.shown(path)),
                   {},
                   std::nullopt};
    }
    profiles.insert(profiles.end(), found.begin(), found.end());
  }
  if (profiles.size() > most_runs_of_side) {
    return wrong_argument(argument, fmt::format("at most {} profiles", most_runs_of_side));
  }
  return profiles;
}

struct Side {
  fs::path executable;
  bool is_kept = false;  // a copy that was kept when it was recorded
  std::vector<fs::path> profiles;
};

ChangeData data_of(const TimeChange& change, Verdict verdict) {
  ChangeData data;
  data.before = rounded(change.before, change.before_error);
  data.before_error = rounded_error(change.before_error);
  data.after = rounded(change.after, change.after_error);
  data.after_error = rounded_error(change.after_error);
  data.difference = rounded(change.difference(), change.error);
  data.error = rounded_error(change.error);
  if (change.before > 0) data.percent = rounded_percent(change.difference() / change.before);
  // What is new or gone is not tested.
  if (verdict != Verdict::appeared && verdict != Verdict::gone) {
    data.probability = rounded_error(change.probability);
  }
  data.verdict = verdict;
  if (change.runs_to_decide) data.runs_to_decide = *change.runs_to_decide;
  return data;
}

class ComparisonTeller {
 public:
  ComparisonTeller(ToolContext& context, const CompareArguments& arguments)
      : context_(context), arguments_(arguments) {}

  Expected<CompareAnswer> answer();

 private:
  [[nodiscard]] Expected<void> choose_executable(std::string_view argument,
                                                 const std::string& named, Side& side) const;
  [[nodiscard]] ComparedSideData data_of_side(const Side& side, std::size_t runs) const;
  [[nodiscard]] Expected<Side> side_of(std::string_view argument,
                                       const std::vector<std::string>& profiles,
                                       const std::string& executable) const;
  [[nodiscard]] Expected<ComparedSide> read(const Side& side,
                                            const std::shared_ptr<const Program>& program);
  [[nodiscard]] ComparedRow row_of(const Comparison& comparison,
                                   const ComparedFunction& function) const;
  [[nodiscard]] std::vector<ComparedRow> rows_of(const Comparison& comparison) const;

  ToolContext& context_;
  const CompareArguments& arguments_;
  const LoadedProgram* program_ = nullptr;  // null if none is loaded
  Selection selection_;
  CompareAnswer answer_;
};

Expected<void> ComparisonTeller::choose_executable(std::string_view argument,
                                                   const std::string& named, Side& side) const {
  if (!named.empty()) {
    TRY_ASSIGN(side.executable,
               context_.paths.resolve(named, fmt::format("arguments.{}_executable", argument)));
    return {};
  }
  if (context_.executables != nullptr) {
    if (auto kept = context_.executables->find(side.profiles.front())) {
      side.executable = std::move(*kept);
      side.is_kept = true;
      return {};
    }
  }
  if (program_ == nullptr) {
    return wrong_argument(fmt::format("{}_executable", argument),
                          "the executable that wrote the profiles, as no program is loaded");
  }
  side.executable = program_->snapshot->image().path();
  return {};
}

ComparedSideData ComparisonTeller::data_of_side(const Side& side, std::size_t runs) const {
  if (!side.is_kept) return {context_.paths.shown(side.executable), runs};
  return {"the copy that was kept when it was recorded", runs};
}

Expected<Side> ComparisonTeller::side_of(std::string_view argument,
                                         const std::vector<std::string>& profiles,
                                         const std::string& executable) const {
  Side side;
  TRY_ASSIGN(side.profiles, profiles_of(context_.paths, argument, profiles));
  if (side.profiles.empty() && argument == "after" && program_ != nullptr) {
    for (const std::string& path : program_->snapshot->profile_paths()) {
      side.profiles.emplace_back(path);
    }
  }
  if (side.profiles.empty()) return wrong_argument(argument, "at least one profile");
  TRY(choose_executable(argument, executable, side));
  return side;
}

Expected<ComparedSide> ComparisonTeller::read(const Side& side,
                                              const std::shared_ptr<const Program>& program) {
  AnalysisRequest request;
  request.executable = side.executable;
  request.profiles = side.profiles;
  request.program = program;
  request.debug_files = context_.debug_files;
  request.cancelled = &context_.cancelled;
  Warnings warnings;
  const std::string metric = arguments_.part.metric.value_or("");
  auto read = read_side(request, warnings, {}, {metric == "time" ? "" : metric, selection_});
  for (const Error& warning : warnings) {
    if (answer_.end.notes.size() < most_notes) {
      answer_.end.notes.push_back(quoted_text(describe(warning)));
    }
  }
  return read;
}

ComparedRow ComparisonTeller::row_of(const Comparison& comparison,
                                     const ComparedFunction& function) const {
  ComparedRow row;
  row.function = quoted_name(shown_name(comparison, function));
  if (const auto place = definition_of(comparison, function)) {
    row.at = fmt::format("{}:{}", context_.paths.shown(place->file), place->line);
  }
  const TimeChange& time = function.time(arguments_.order);
  row.change = data_of(time, verdict_of(function, time));
  const CallsChange& calls = function.calls;
  if (calls.verdict != CallsVerdict::unknown && calls.verdict != CallsVerdict::same) {
    row.calls_before = calls.before.mean;
    row.calls_after = calls.after.mean;
  }
  return row;
}

// Functions of libraries, whose self times are compared, stand behind the program's: those that
// changed before all that is noise.
std::vector<ComparedRow> ComparisonTeller::rows_of(const Comparison& comparison) const {
  std::vector<ComparedRow> rows;
  for (const std::size_t index : comparison.ranked(arguments_.order)) {
    const ComparedFunction& function = comparison.functions()[index];
    // Functions without a figure by this metric only take room.
    const TimeChange& time = function.time(arguments_.order);
    const bool differs_in_calls = function.calls.verdict == CallsVerdict::more ||
                                  function.calls.verdict == CallsVerdict::fewer;
    if (time.before > 0 || time.after > 0 || differs_in_calls) {
      rows.push_back(row_of(comparison, function));
    }
  }
  if (arguments_.order != ComparisonMetric::self || !comparison.has_times()) return rows;
  for (const std::size_t index : comparison.ranked_externals()) {
    const ComparedExternal& external = comparison.externals()[index];
    ComparedRow& row = rows.emplace_back();
    row.function = quoted_name(external_name_with_module(external.code, true));
    row.change = data_of(external.self, verdict_of(external.self));
  }
  std::stable_partition(rows.begin(), rows.end(), [](const ComparedRow& row) {
    return row.change.verdict != Verdict::noise;
  });
  return rows;
}

Expected<CompareAnswer> ComparisonTeller::answer() {
  TRY_ASSIGN(AnswerRoom room, AnswerRoom::of(arguments_.page.size));
  TRY_ASSIGN(const AnswerPage page, AnswerPage::of(arguments_.page, arguments_.limit));
  TRY_ASSIGN(selection_, selection_of(arguments_.part));
  if (!context_.features.views.programs().empty() || arguments_.part.program) {
    PartArguments whole;
    whole.program = arguments_.part.program;
    TRY_ASSIGN(program_, asked_program(context_, whole));
  }
  TRY_ASSIGN(const Side before, side_of("before", arguments_.before, arguments_.before_executable));
  TRY_ASSIGN(const Side after, side_of("after", arguments_.after, arguments_.after_executable));
  TRY_ASSIGN(const ComparedSide old_runs, read(before, nullptr));
  // Runs of one build may be compared with each other.
  TRY_ASSIGN(const ComparedSide new_runs, read(after, old_runs.program()));
  TRY_ASSIGN(const Comparison comparison, Comparison::make(old_runs, new_runs));
  answer_.before = data_of_side(before, comparison.runs_before());
  answer_.after = data_of_side(after, comparison.runs_after());
  answer_.metric = arguments_.part.metric.value_or("time");
  answer_.unit = old_runs.dimension();
  answer_.compared = arguments_.order;
  if (comparison.has_times()) {
    answer_.program = data_of(comparison.program(), verdict_of(comparison.program()));
  }
  std::vector<ComparedRow> rows = rows_of(comparison);
  const std::string first = rows.empty() ? std::string() : rows.front().function;
  for (std::string& remark : comparison_remarks(comparison)) {
    answer_.end.notes.push_back(std::move(remark));
  }
  give_page(std::move(rows), page, room, answer_.functions, answer_.end);
  if (!first.empty() && program_ != nullptr) {
    answer_.end.next.push_back({"function", about_function(first), "its lines and callers now"});
  }
  return std::move(answer_);
}

}  // namespace

Expected<CompareAnswer> answer_compare(ToolContext& context, const CompareArguments& arguments) {
  if (arguments.before.empty()) return wrong_argument("before", "at least one profile");
  return ComparisonTeller(context, arguments).answer();
}

}  // namespace gprof::lsp
