#include "server/cli/record/record_notes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include "formats/run_notes.h"

namespace gprof::lsp {
namespace {

using gprof_formats::RunNotes;

// Programs named for each reason; the rest is only counted.
constexpr std::size_t max_named = 4;

struct Reason {
  std::string_view word;
  WhyLeftOut why;
  std::string_view text;
};
constexpr std::array<Reason, 5> reasons = {{
    {gprof_formats::reason_libc, WhyLeftOut::libc, "another C library than glibc"},
    {gprof_formats::reason_old_libc, WhyLeftOut::old_libc, "a glibc older than 2.17"},
    {gprof_formats::reason_machine, WhyLeftOut::machine, "for another kind of processor"},
    {gprof_formats::reason_valgrind, WhyLeftOut::valgrind,
     "under valgrind, where times mean nothing"},
    {gprof_formats::reason_root, WhyLeftOut::root, "the collector's file is out of its reach"},
}};

// The part before the first blank, which is removed with it.
std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

void parse_line(std::string_view line, Notes& notes) {
  const std::string_view kind = take_word(line);
  const std::string_view detail = take_word(line);
  if (line.empty()) return;
  if (kind == gprof_formats::problem_word) {
    Problem problem;
    const auto parsed =
        std::from_chars(detail.data(), detail.data() + detail.size(), problem.process);
    if (parsed.ec != std::errc() || parsed.ptr != detail.data() + detail.size()) return;
    problem.text = line;
    notes.problems.push_back(std::move(problem));
  } else if (kind == gprof_formats::left_out_word) {
    const auto* const reason = std::ranges::find(reasons, detail, &Reason::word);
    if (reason != reasons.end()) notes.left_out.push_back({std::string(line), reason->why});
  }
}

}  // namespace

Notes parse_notes(std::string_view text) {
  Notes notes;
  std::string line;
  for (const char character : text) {
    if (character == '\n') {
      parse_line(line, notes);
      line.clear();
    } else if (character != '\0') {
      line += character;
    }
  }
  return notes;
}

std::string describe_left_out_programs(const std::vector<LeftOutProgram>& programs) {
  std::string text;
  for (const Reason& reason : reasons) {
    std::vector<std::string_view> names;
    for (const LeftOutProgram& program : programs) {
      const std::string_view name =
          std::string_view(program.path).substr(program.path.rfind('/') + 1);
      if (program.why == reason.why && std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
    if (names.empty()) continue;
    text += text.empty() ? "started without the collector: " : "; ";
    const std::size_t named = names.size() > max_named + 1 ? max_named : names.size();
    for (std::size_t i = 0; i < named; ++i)
      text += fmt::format("{}{}", i == 0 ? "" : ", ", names[i]);
    if (named != names.size()) text += fmt::format(" and {} others", names.size() - named);
    text += fmt::format(" ({})", reason.text);
  }
  return text;
}

std::string problem_of(const Notes& notes, std::uint32_t process) {
  std::string text;
  for (const Problem& problem : notes.problems) {
    if (problem.process == process) text = problem.text;
  }
  return text;
}

std::string describe_problems(const Notes& notes, const std::vector<FoundProfile>& profiles,
                              std::uint32_t first) {
  struct Reports {
    std::set<std::uint32_t> processes;
    std::string text;  // the first of them
  };
  Reports with_profile;
  Reports without;
  for (const Problem& problem : notes.problems) {
    const bool has_profile =
        std::ranges::find(profiles, problem.process, &FoundProfile::process) != profiles.end();
    if (has_profile && problem.process == first) continue;
    Reports& reports = has_profile ? with_profile : without;
    reports.processes.insert(problem.process);
    if (reports.text.empty()) reports.text = problem.text;
  }
  const auto described = [](const Reports& reports, std::string_view beginning) {
    if (reports.text.empty()) return std::string();
    const std::size_t count = reports.processes.size();
    return fmt::format("{} {}, where the collector reported: {}", beginning,
                       count == 1 ? "a process" : fmt::format("{} processes", count), reports.text);
  };
  const std::string missing = described(without, "no profile of");
  const std::string partial = described(with_profile, "incomplete profile of");
  return missing + (missing.empty() || partial.empty() ? "" : "; ") + partial;
}

NotesPage::NotesPage() {
  constexpr int own_alone = 0600;
  number_ = shmget(IPC_PRIVATE, gprof_formats::notes_size, IPC_CREAT | own_alone);
  if (number_ < 0) return;
  void* const memory = shmat(number_, nullptr, 0);
  // It stays as long as a process has it, and others can still attach it by its number.
  shmctl(number_, IPC_RMID, nullptr);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): how shmat() reports failure
  if (memory == reinterpret_cast<void*>(-1)) return;
  memory_ = memory;
  auto* const page = static_cast<RunNotes*>(memory_);
  std::memcpy(page->magic, gprof_formats::notes_magic, sizeof page->magic);
}

NotesPage::~NotesPage() {
  if (memory_ != nullptr) shmdt(memory_);
}

std::string NotesPage::number() const {
  return memory_ == nullptr ? std::string() : fmt::format("{}", number_);
}

Notes NotesPage::take() {
  if (memory_ == nullptr) return {};
  auto* const page = static_cast<RunNotes*>(memory_);
  std::atomic_ref used(page->used);
  const std::size_t size =
      std::min<std::size_t>(used.load(std::memory_order_acquire), sizeof page->text);
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    text[i] = std::atomic_ref(page->text[i]).load(std::memory_order_relaxed);
    std::atomic_ref(page->text[i]).store('\0', std::memory_order_relaxed);
  }
  used.store(0, std::memory_order_release);
  Notes notes = parse_notes(text);
  notes.cpu_time = std::atomic_ref(page->cpu_time).exchange(0);
  return notes;
}

}  // namespace gprof::lsp
