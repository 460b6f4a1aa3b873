#include "engine/selection.h"

#include <algorithm>

#include <fmt/format.h>

namespace gprof {
namespace {

// Of what there is, so many are named in a message.
constexpr std::size_t most_named = 20;

Error invalid(std::string message) {
  return Error{ErrorCode::invalid_argument, std::move(message), "", std::nullopt};
}

// "1, 2, 3 and 7 more"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) {
    if (i != 0) text += ", ";
    text += names[i];
  }
  if (names.size() > most_named) text += fmt::format(" and {} more", names.size() - most_named);
  return text;
}

std::string text_of(const RecordedThread& thread) {
  if (thread.name.empty()) return fmt::format("{}", thread.thread);
  return fmt::format("{} ({})", thread.name, thread.thread);
}

Expected<void> check_processes(const Selection& selection, const Dimensions& dimensions) {
  for (const std::uint32_t wanted : selection.processes) {
    const bool known = std::ranges::any_of(
        dimensions.processes,
        [&](const RecordedProcess& process) { return process.process == wanted; });
    if (known) continue;
    std::vector<std::string> names;
    for (const RecordedProcess& process : dimensions.processes) {
      names.push_back(fmt::format("{} ({})", process.process, process.name));
    }
    return invalid(fmt::format("the profile has no process {}; it has {}", wanted, listed(names)));
  }
  return {};
}

Error no_such_thread(const std::string& wanted, const Dimensions& dimensions) {
  if (dimensions.threads.empty()) {
    return invalid(
        "the profile does not tell threads apart: record it with this version's `gprof-lsp "
        "record`");
  }
  std::vector<std::string> names;
  for (const RecordedThread& thread : dimensions.threads) names.push_back(text_of(thread));
  return invalid(fmt::format("the profile has no thread {}; it has {}", wanted, listed(names)));
}

Expected<void> check_threads(const Selection& selection, const Dimensions& dimensions) {
  const auto has = [&](const auto& wanted, auto member) {
    return std::ranges::find(dimensions.threads, wanted, member) != dimensions.threads.end();
  };
  for (const std::uint32_t wanted : selection.threads) {
    if (!has(wanted, &RecordedThread::thread)) {
      return no_such_thread(fmt::format("{}", wanted), dimensions);
    }
  }
  for (const std::string& wanted : selection.thread_names) {
    if (!has(wanted, &RecordedThread::name)) return no_such_thread(wanted, dimensions);
  }
  return {};
}

Expected<void> check_time(const Selection& selection, const Dimensions& dimensions) {
  if (!selection.is_of_time()) return {};
  if (!(dimensions.slice_width > 0)) {
    return invalid(
        "the profile does not tell when its samples were taken: record it with this version's "
        "`gprof-lsp record`");
  }
  const Seconds from = selection.from.value_or(0);
  const Seconds to = selection.to.value_or(dimensions.length);
  if (from >= 0 && from < to && from < dimensions.length) return {};
  const std::string end = selection.to ? fmt::format("to {:g} s", to) : "on";
  return invalid(fmt::format("there is nothing from {:g} s {}: the run lasts from 0 s to {:.3f} s",
                             from, end, dimensions.length));
}

std::string threads_text(const Selection& selection, const Dimensions& dimensions) {
  std::vector<std::string> names = selection.thread_names;
  for (const std::uint32_t number : selection.threads) {
    const auto known = std::ranges::find(dimensions.threads, number, &RecordedThread::thread);
    names.push_back(known == dimensions.threads.end() ? fmt::format("{}", number)
                                                      : text_of(*known));
  }
  if (names.empty()) return "";
  return (names.size() == 1 ? "thread " : "threads ") + listed(names);
}

std::string processes_text(const Selection& selection) {
  std::vector<std::string> names;
  for (const std::uint32_t number : selection.processes) names.push_back(fmt::format("{}", number));
  if (names.empty()) return "";
  return (names.size() == 1 ? "process " : "processes ") + listed(names);
}

// Milliseconds, without zeros at the end.
std::string time_text(Seconds time) {
  std::string text = fmt::format("{:.3f}", time);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

std::string stretch_text(const Selection& selection) {
  if (!selection.is_of_time()) return "";
  if (!selection.to) return "from " + time_text(*selection.from);
  return fmt::format("{} to {}", time_text(selection.from.value_or(0)), time_text(*selection.to));
}

}  // namespace

Expected<void> check_selection(const Selection& selection, const Dimensions& dimensions) {
  TRY(check_processes(selection, dimensions));
  TRY(check_threads(selection, dimensions));
  return check_time(selection, dimensions);
}

std::string selection_text(const Selection& selection, const Dimensions& dimensions) {
  std::string text;
  for (const std::string& part :
       {processes_text(selection), threads_text(selection, dimensions), stretch_text(selection)}) {
    if (part.empty()) continue;
    if (!text.empty()) text += ", ";
    text += part;
  }
  return text;
}

}  // namespace gprof
