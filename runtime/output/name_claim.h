// Chooses a profile's name when several processes write into one directory: no process replaces the
// profile of one that ran at the same time. docs/gmon-format.md has the rules.
//
// Thread contract: one thread at a time, any signal handler.
#pragma once

#include <cstdint>

#include "formats/live_file.h"
#include "runtime/output/output_file.h"

namespace gprof_runtime {

using namespace gprof_formats;

// Held while a name is chosen and the files are renamed to it. The kernel releases it if the
// process is killed.
class NamesLock {
 public:
  explicit NamesLock(const OutputDirectory& directory);
  NamesLock(const NamesLock&) = delete;
  NamesLock& operator=(const NamesLock&) = delete;
  ~NamesLock();

  [[nodiscard]] bool held() const { return held_; }
  // Whether others held it for longer than a process may be delayed.
  [[nodiscard]] bool busy() const { return busy_; }

 private:
  int descriptor_ = -1;
  bool held_ = false;
  bool busy_ = false;
};

enum class NameUse : std::uint8_t {
  unused,
  outdated,  // from a run that ended before this one began, or from this process itself
  taken,
};

// How the gmon file NAME and its sidecar in the directory are used. `own`: this process's header.
NameUse use_of_name(const OutputDirectory& directory, const char* name, const LiveHeader& own);

// NAME, NAME.PID, NAME.PID.2, NAME.PID.3, ...; PID is not repeated if NAME contains it.
class NameChoice {
 public:
  // Call first. `name` must outlive the calls of next().
  void begin(const char* name, std::uint32_t process);

  [[nodiscard]] const char* c_str() const { return text_.c_str(); }
  // False if the next name would be too long or there were too many.
  bool next();
  // Whether other processes may want the current name, too.
  [[nodiscard]] bool is_shared() const { return attempt_ == 0 && !has_process_; }

 private:
  const char* first_ = "";
  std::uint32_t process_ = 0;
  std::uint32_t attempt_ = 0;
  bool has_process_ = false;
  Text<live_name_size> text_;
};

}  // namespace gprof_runtime
