#include "engine/selection.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace gprof {
namespace {

// Of what there is, so many are named in a message.
constexpr std::size_t most_named = 20;

Error invalid(std::string message) {
  return Error{ErrorCode::invalid_argument, std::move(message), "", std::nullopt};
}

// "1, 2, 3 and 7 more"; `text_of_item` is asked for those that are named.
template <typename List, typename TextOf>
std::string listed(const List& list, const TextOf& text_of_item) {
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), most_named); ++i) {
    if (i != 0) text += ", ";
    text += text_of_item(list[i]);
  }
  if (list.size() > most_named) text += fmt::format(" and {} more", list.size() - most_named);
  return text;
}

std::string text_of(const RecordedThread& thread) {
  if (thread.name.empty()) return fmt::format("{}", thread.thread);
  return fmt::format("{} ({})", thread.name, thread.thread);
}

// Whether it is a time or nothing.
bool take_end(std::string_view text, std::optional<Seconds>& end) {
  if (text.empty()) return true;
  Seconds seconds = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || rest != text.data() + text.size()) return false;
  if (!std::isfinite(seconds) || seconds < 0) return false;
  end = seconds;
  return true;
}

Expected<void> check_processes(const Selection& selection, const Dimensions& dimensions) {
  std::set<std::uint32_t> known;
  for (const RecordedProcess& process : dimensions.processes) known.insert(process.process);
  for (const std::uint32_t wanted : selection.processes) {
    if (known.contains(wanted)) continue;
    const auto text_of_process = [](const RecordedProcess& process) {
      return fmt::format("{} ({})", process.process, process.name);
    };
    return invalid(fmt::format("the profile has no process {}; it has {}", wanted,
                               listed(dimensions.processes, text_of_process)));
  }
  return {};
}

Error no_such_thread(const std::string& wanted, const Dimensions& dimensions) {
  if (dimensions.threads.empty()) {
    return invalid(
        "the profile does not tell threads apart: record it with this version's `gprof-lsp "
        "record`");
  }
  return invalid(fmt::format("the profile has no thread {}; it has {}", wanted,
                             listed(dimensions.threads, text_of)));
}

Expected<void> check_threads(const Selection& selection, const Dimensions& dimensions) {
  std::set<std::uint32_t> numbers;
  std::set<std::string_view> names;
  for (const RecordedThread& thread : dimensions.threads) {
    numbers.insert(thread.thread);
    names.insert(thread.name);
  }
  for (const std::uint32_t wanted : selection.threads) {
    if (!numbers.contains(wanted)) return no_such_thread(fmt::format("{}", wanted), dimensions);
  }
  for (const std::string& wanted : selection.thread_names) {
    if (!names.contains(wanted)) return no_such_thread(wanted, dimensions);
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
    // Those beyond are counted alone.
    const auto known = names.size() < most_named
                           ? std::ranges::find(dimensions.threads, number, &RecordedThread::thread)
                           : dimensions.threads.end();
    names.push_back(known == dimensions.threads.end() ? fmt::format("{}", number)
                                                      : text_of(*known));
  }
  if (names.empty()) return "";
  return (names.size() == 1 ? "thread " : "threads ") +
         listed(names, [](const std::string& name) { return name; });
}

std::string processes_text(const Selection& selection) {
  const auto& numbers = selection.processes;
  if (numbers.empty()) return "";
  return (numbers.size() == 1 ? "process " : "processes ") +
         listed(numbers, [](std::uint32_t number) { return fmt::format("{}", number); });
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

bool take_stretch(std::string_view text, Selection& selection) {
  constexpr std::string_view between = "..";
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos || text.size() == between.size()) return false;
  std::optional<Seconds> from;
  std::optional<Seconds> to;
  if (!take_end(text.substr(0, at), from)) return false;
  if (!take_end(text.substr(at + between.size()), to)) return false;
  if (from && to && !(*from < *to)) return false;
  selection.from = from;
  selection.to = to;
  return true;
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
