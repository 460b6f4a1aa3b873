// The page that `gprof-lsp record` shares with the processes of a run: what they have to report
// that no profile holds, such as why none was written. It is System V shared memory, so that notes
// can be added where no file can be written: on a full disk, below a file size limit, in another
// root, under a system call filter. It is marked for removal from the start: it ends with the last
// process that has it.
//
// Notes are lines of text. A process adds one by reserving its bytes in `used`, then filling them
// in, the line feed last. Bytes reserved by a process that died stay zero; readers skip them.
// `used` may exceed the room: what did not fit is dropped.
//
//   problem PROCESS TEXT    the collector's message of that process
//   left-out REASON PATH    an executable that was started without the collector's library
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprof_formats {

// The page's number, as of shmat().
inline constexpr const char* notes_variable = "GPROF_NOTES";

inline constexpr char notes_magic[8] = {'g', 'p', 'r', 'o', 'f', 'n', 'o', 't'};
inline constexpr std::size_t notes_size = 65536;
inline constexpr std::size_t notes_header_size = 24;

struct RunNotes {
  char magic[8];
  std::uint32_t used;  // bytes of `text` given out
  std::uint32_t reserved;
  // Nanoseconds of CPU time that processes which left a profile used, sampled or not; without those
  // of the process that `record` started.
  std::uint64_t cpu_time;
  char text[notes_size - notes_header_size];
};
static_assert(sizeof(RunNotes) == notes_size);
static_assert(offsetof(RunNotes, text) == notes_header_size);

inline constexpr const char* problem_word = "problem";
inline constexpr const char* left_out_word = "left-out";

// REASON.
inline constexpr const char* reason_libc = "libc";  // another C library than glibc
inline constexpr const char* reason_old_libc =
    "old-libc";  // a glibc that lacks what the library needs
inline constexpr const char* reason_machine = "machine";  // another processor, class or byte order
inline constexpr const char* reason_valgrind = "valgrind";  // it runs under valgrind
inline constexpr const char* reason_root = "root";  // the library's path leads nowhere there

}  // namespace gprof_formats
