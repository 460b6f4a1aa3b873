#include "server/cli/profile_part.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gprof::lsp {
namespace {

// Calls `take` with each of the words between commas; it tells whether the word is one of those
// that are expected.
template <typename Take>
OptionValue list_value(std::string name, std::string expected, Take take) {
  return text_value(ValueUse::required, std::move(name),
                    [expected = std::move(expected), take = std::move(take)](
                        std::optional<std::string_view> text) -> Expected<void> {
                      std::string_view rest = *text;
                      for (;;) {
                        const std::size_t comma = rest.find(',');
                        const std::string_view word = rest.substr(0, comma);
                        if (word.empty() || !take(word)) return usage_error("expected " + expected);
                        if (comma == std::string_view::npos) return {};
                        rest.remove_prefix(comma + 1);
                      }
                    });
}

OptionValue thread_value(Selection& selection) {
  return list_value("THREAD", "names or numbers of threads, separated by commas",
                    [&selection](std::string_view word) {
                      if (const auto number = parse_number<std::uint32_t>(word)) {
                        selection.threads.push_back(*number);
                      } else {
                        selection.thread_names.emplace_back(word);
                      }
                      return true;
                    });
}

OptionValue process_value(Selection& selection) {
  return list_value("PROCESS", "numbers of processes, separated by commas",
                    [&selection](std::string_view word) {
                      const auto number = parse_number<std::uint32_t>(word);
                      if (number) selection.processes.push_back(*number);
                      return number.has_value();
                    });
}

OptionValue time_value(Selection& selection) {
  return text_value(ValueUse::required, "FROM..TO",
                    [&selection](std::optional<std::string_view> text) -> Expected<void> {
                      if (take_stretch(*text, selection)) return {};
                      return usage_error(
                          "expected seconds since the run began, as 1.5..4, or with one end: 1.5.. "
                          "or ..4");
                    });
}

std::vector<OptionRow> part_rows(ProfilePart& part) {
  Selection& selection = part.selection;
  return {
      {0, "metric", metric_value(part),
       "figures by that metric of cost, as cpu, or an event of an imported profile, as Ir or "
       "page-faults (default: the profile's first)"},
      {0, "thread", thread_value(selection),
       "only what these threads did; by name or number, separated by commas", "May be repeated."},
      {0, "process", process_value(selection),
       "only what these processes did; by number, separated by commas", "May be repeated."},
      {0, "time", time_value(selection),
       "only what happened from FROM to before TO, in seconds since the run began; either may be "
       "left out",
       "Counts of calls and executions have no time, and are left out."},
      {0, "idle", flag(selection.with_idle),
       "with the metrics of waiting and wall: idle waiting too, of threads that wait nearly always "
       "at one place for something to do"},
  };
}

}  // namespace

OptionValue metric_value(ProfilePart& part) {
  return text_value(ValueUse::required, "NAME",
                    [&part](std::optional<std::string_view> name) -> Expected<void> {
                      if (name->empty()) return usage_error("expected the name of a metric");
                      part.metric = *name == "time" ? std::string_view() : *name;
                      return {};
                    });
}

OptionGroup part_options(ProfilePart& part, std::initializer_list<std::string_view> without) {
  OptionGroup group{"Part of the profile (default: all of it)", part_rows(part),
                    "gprof-lsp check lists what there is of it."};
  std::erase_if(group.rows, [&](const OptionRow& row) {
    return std::ranges::find(without, row.name) != without.end();
  });
  return group;
}

Expected<std::shared_ptr<const Snapshot>> part_of(const std::shared_ptr<const Snapshot>& snapshot,
                                                  const ProfilePart& part) {
  if (part.is_all()) return snapshot;
  return view_of(snapshot, part.metric, part.selection);
}

int status_of(const Error& error, int usage, int failure) {
  return error.code == ErrorCode::invalid_argument ? usage : failure;
}

}  // namespace gprof::lsp
