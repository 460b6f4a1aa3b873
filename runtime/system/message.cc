#include "runtime/system/message.h"

#include "formats/run_notes.h"
#include "runtime/system/run_notes.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

// Set once per process by the first report, in any thread.
int reported = 0;
int silent = 0;
// Number of problems reported to `gprof-lsp record`.
std::uint32_t noted = 0;

struct ErrorName {
  int number;
  const char* text;
};

// The few errors that files, memory and timers cause; libc's own texts may allocate and lock.
constexpr ErrorName error_names[] = {
    {1, "operation not permitted"},
    {2, "no such file or directory"},
    {4, "interrupted"},
    {5, "input/output error"},
    {11, "resource unavailable"},
    {12, "out of memory"},
    {13, "permission denied"},
    {17, "file exists"},
    {20, "not a directory"},
    {21, "is a directory"},
    {22, "invalid argument"},
    {23, "too many open files in the system"},
    {24, "too many open files"},
    {27, "file too large"},
    {28, "no space left on device"},
    {30, "read-only file system"},
    {36, "file name too long"},
    {38, "function not implemented"},
    {40, "too many symbolic links"},
    {122, "disk quota exceeded"},
};

// A write to a pipe that nobody reads, or to a file at the limit of its size, raises a signal that
// ends the program, which has written nothing itself. The signal is for this thread alone: it is
// blocked and taken back.
class QuietWrites {
 public:
  QuietWrites() {
    is_blocked_ = !sys::failed(change_mask(sig_block, &signals, &before_));
    if (sys::failed(sys::call(__NR_rt_sigpending, sys::word(&pending_), sizeof pending_))) {
      pending_ = signals;
    }
  }
  ~QuietWrites() {
    if (!is_blocked_) return;
    const std::uint64_t raised = signals & ~pending_;
    const struct {
      std::int64_t seconds;
      std::int64_t nanoseconds;
    } at_once = {0, 0};
    if (raised != 0) {
      sys::call(__NR_rt_sigtimedwait, sys::word(&raised), 0, sys::word(&at_once), sizeof raised);
    }
    change_mask(sig_setmask, &before_, nullptr);
  }
  QuietWrites(const QuietWrites&) = delete;
  QuietWrites& operator=(const QuietWrites&) = delete;

 private:
  static constexpr int sig_block = 0;
  static constexpr int sig_setmask = 2;
  static constexpr int sig_pipe = 13;
  static constexpr int sig_xfsz = 25;
  static constexpr std::uint64_t signals =
      std::uint64_t{1} << (sig_pipe - 1) | std::uint64_t{1} << (sig_xfsz - 1);

  static sys::Result change_mask(int how, const std::uint64_t* to, std::uint64_t* before) {
    return sys::call(__NR_rt_sigprocmask, how, sys::word(to), sys::word(before), sizeof *to);
  }

  bool is_blocked_ = false;
  std::uint64_t before_ = 0;
  std::uint64_t pending_ = 0;  // already before
};

// Writes exactly one line: paths and values may contain line breaks and worse.
void write_line(const Text<1024>& text) {
  char line[1026];
  const std::size_t size = text.size();
  constexpr char first_printable = ' ';
  constexpr char erase = 0x7f;
  for (std::size_t i = 0; i < size; ++i) {
    const char character = text.c_str()[i];
    const bool is_control =
        static_cast<unsigned char>(character) < first_printable || character == erase;
    line[i] = is_control ? '?' : character;
  }
  line[size] = '\n';
  const QuietWrites quiet;
  sys::call(__NR_write, 2, sys::word(line), static_cast<long>(size + 1));
}

}  // namespace

// Even of a process that is not to be heard.
void note_problem(const char* message) {
  constexpr std::uint32_t max_noted = 4;
  if (__atomic_fetch_add(&noted, 1, __ATOMIC_RELAXED) >= max_noted) return;
  Text<24> process;
  process.add(static_cast<std::uint64_t>(sys::call(__NR_getpid)));
  add_run_note(gprof_formats::problem_word, process.c_str(), message);
}

void report_problem(const char* what, const char* where, int error) {
  const bool is_silent = __atomic_load_n(&silent, __ATOMIC_RELAXED) != 0;
  Text<1024> line;
  line.add("gprof: ").add(what);
  if (where != nullptr && *where != '\0') line.add(": ").add(where);
  if (error != 0) {
    const char* name = nullptr;
    for (const ErrorName& known : error_names) {
      if (known.number == error) name = known.text;
    }
    if (name != nullptr) {
      line.add(": ").add(name);
    } else {
      line.add(": error ").add(static_cast<std::uint64_t>(error));
    }
  }
  constexpr std::size_t prefix_size = sizeof "gprof: " - 1;
  note_problem(line.c_str() + prefix_size);
  if (is_silent || __atomic_exchange_n(&reported, 1, __ATOMIC_RELAXED) != 0) return;
  write_line(line);
}

void be_silent(bool wanted) { __atomic_store_n(&silent, wanted ? 1 : 0, __ATOMIC_RELAXED); }

void allow_another_report() {
  __atomic_store_n(&reported, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&noted, 0, __ATOMIC_RELAXED);
}

}  // namespace gprof_runtime
