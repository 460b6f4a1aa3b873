// Reads the files that profiles come in, in any format: gmon files with their sidecars, the live
// Reads the files that profiles come in, in any format: gmon files with their sidecars, the live
// counters of a program that runs or was killed, and other tools' files: perf.data, the text of
// `perf script`, callgrind's, pprof's and folded stacks. The format is recognised by content; by
// name only where that says nothing, so that it is pprof's reader that refuses a NAME.pb.gz.
//
// Thread contract: pure functions of files. Errors: those of the format's reader.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/gmon/live_counters.h"
#include "engine/gmon/raw_profile.h"
#include "engine/gmon/reader.h"
#include "engine/gmon/sidecar.h"
#include "engine/import/imported_profile.h"
#include "engine/metrics/metric.h"
#include "engine/program.h"
#include "engine/support/expected.h"

namespace gprof {

struct ProfileFile {
  RawProfile raw;
  // What raw has no room for: stacks, and how it was collected.
  std::optional<Sidecar> sidecar;
  // Which of the sidecar's modules the program is.
  std::vector<bool> own_modules;
  std::shared_ptr<const ExternalNames> external_names;  // of its other modules; may be null
  // Total costs of calls, if they were counted.
  InclusiveCosts inclusive;
  // Of costs that were counted, if they are of several threads: these add up to all of it.
  std::vector<ImportedThread> threads;
  FileTime modified = 0;
  // Of a gmon file that our collector did not write.
  bool from_c_library = false;
  // Read from live counters, whose file's times do not tell that they go on.
  bool from_live_counters = false;
  // What the costs are of.
  Metric metric;
  // Whose all of it is; 0 where that is not known, or threads are told apart.
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  // The same file by its other metrics of cost; none of them has others.
  std::vector<ProfileFile> others;
};

// What samples of a gmon file are of, whose dimension is usually `seconds`.
[[nodiscard]] Metric sampled_metric(const std::string& dimension, double rate);

// A profile of the program, or of another one: see matching.h. For live counters, the file's
// current contents, whether or not the process still runs.
[[nodiscard]] Expected<ProfileFile> read_profile_file(const std::filesystem::path& path,
                                                      const Program& program, Warnings& warnings);

// Whether the file is another tool's; false if it cannot be read.
[[nodiscard]] bool is_imported_profile(const std::filesystem::path& path);

// The layout of the program's gmon files.
[[nodiscard]] GmonLayout layout_of(const Image& image);

// The same for a gmon file, without needing the program's symbols; none for other files.
[[nodiscard]] Expected<std::optional<ProfileFile>> read_gmon_profile(
    const std::filesystem::path& path, const GmonLayout& layout, Warnings& warnings);

// The profile that the process would write for this program, its executable or one of its
// libraries, if it ended now. `modified` is when the process started: anything built later is
// another build. Errors: mismatch if the program is not part of the process; corrupt if nothing is
// known of its executable. `now`: for a running process; 0 if it is not known to run.
[[nodiscard]] Expected<ProfileFile> profile_of_live(const LiveCounters& live,
                                                    const std::string& path, const Program& program,
                                                    Warnings& warnings, FileTime now = 0);

}  // namespace gprof
