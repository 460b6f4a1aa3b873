// Reports of a run's processes beyond their profiles: problems of the collector, and programs
// started without it. formats/run_notes.h describes the page that they share.
//
// Ownership: owns the shared memory. Thread contract: one thread; processes may add notes at any
// time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/cli/record/record_summary.h"

namespace gprof::lsp {

// Why a program was started without the collector's library.
enum class WhyLeftOut : std::uint8_t { libc, old_libc, machine, valgrind, root };

struct LeftOutProgram {
  std::string path;
  WhyLeftOut why = WhyLeftOut::libc;
};

struct Problem {
  std::uint32_t process = 0;
  std::string text;
};

struct Notes {
  std::uint64_t cpu_time = 0;  // nanoseconds, of further processes that left a profile themselves
  std::vector<LeftOutProgram> left_out;  // in the order of their first start
  std::vector<Problem> problems;         // in the order that they were noted in
};

// The notes in the text of a page; lines that mean nothing are skipped.
[[nodiscard]] Notes parse_notes(std::string_view text);

// "started without the collector: cc1 (its C library is not glibc), …"; empty if there are none.
[[nodiscard]] std::string describe_left_out_programs(const std::vector<LeftOutProgram>& programs);

// The collector's last report in that process; empty if there is none.
[[nodiscard]] std::string problem_of(const Notes& notes, std::uint32_t process);

// The collector's reports, by whether the process left one of these profiles: "no profile of a
// process, where the collector reported: …; incomplete profile of 2 processes, where …". A profile
// is incomplete if the process was sampled only before it executed another program. A report of
// `first`, the process that `record` started, is left out if it has a profile. Empty if there are
// none.
[[nodiscard]] std::string describe_problems(const Notes& notes,
                                            const std::vector<FoundProfile>& profiles,
                                            std::uint32_t first);

class NotesPage {
 public:
  // Without shared memory there is no page, and there are no notes.
  NotesPage();
  ~NotesPage();
  NotesPage(const NotesPage&) = delete;
  NotesPage& operator=(const NotesPage&) = delete;

  // The value of GPROF_NOTES; empty if there is no page.
  [[nodiscard]] std::string number() const;
  // Returns what was noted since the last time.
  [[nodiscard]] Notes take();

 private:
  int number_ = -1;
  void* memory_ = nullptr;  // a RunNotes
};

}  // namespace gprof::lsp
