// Which name a profile takes where several processes write into one directory: none takes what
// another process of its own time has written. docs/gmon-format.md has the rules.
//
// Thread contract: one thread at a time, any signal handler.
#pragma once

#include <cstdint>

#include "formats/live_file.h"
#include "runtime/output/output_file.h"

namespace gprof_runtime {

using namespace gprof_formats;

// Held while a name is chosen and the files get it. The kernel takes it from a process that is
// killed.
class NamesLock {
 public:
  explicit NamesLock(const OutputDirectory& directory);
  NamesLock(const NamesLock&) = delete;
  NamesLock& operator=(const NamesLock&) = delete;
  ~NamesLock();

  [[nodiscard]] bool held() const { return held_; }
  // Others have held it for longer than a process may be held up.
  [[nodiscard]] bool busy() const { return busy_; }

 private:
  int descriptor_ = -1;
  bool held_ = false;
  bool busy_ = false;
};

enum class NameUse : std::uint8_t {
  unused,
  outdated,  // of a run that had ended when this one began, or of this process itself
  taken,
};

// Who has the gmon file NAME and its sidecar in the directory. `own` is this process's header.
NameUse use_of_name(const OutputDirectory& directory, const char* name, const LiveHeader& own);

// NAME, NAME.PID, NAME.PID.2, NAME.PID.3, ...; the number is not repeated where NAME has it.
class NameChoice {
 public:
  // Before everything else. `name` has to stay as long as next() is asked.
  void begin(const char* name, std::uint32_t process);

  [[nodiscard]] const char* c_str() const { return text_.c_str(); }
  // False where the next name would be too long, or there were too many.
  bool next();
  // Whether other processes may want it, too.
  [[nodiscard]] bool is_shared() const { return attempt_ == 0 && !has_process_; }

 private:
  const char* first_ = "";
  std::uint32_t process_ = 0;
  std::uint32_t attempt_ = 0;
  bool has_process_ = false;
  Text<live_name_size> text_;
};

}  // namespace gprof_runtime
