// The profile data of a report: the files on its command line, read and added up.
//
// Thread contract: pure functions. Errors: those of read_gmon() and ProfileSum.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/collected_samples.h"
#include "engine/gmon/raw_profile.h"
#include "engine/gmon/reader.h"
#include "engine/gmon/sidecar.h"
#include "engine/object/image.h"
#include "engine/report/report_request.h"
#include "engine/report/text_output.h"
#include "engine/support/expected.h"

namespace gprof {

// What -i shows about one file.
struct ProfileFileInformation {
  std::string path;
  std::uint32_t version = 0;
  std::uint64_t histogram_records = 0;
  std::uint64_t arc_records = 0;
  std::uint64_t block_records = 0;
};

struct ProfileInput {
  RawProfile sum;  // of a view without the samples
  // The request's: what else is known is there; may be null.
  std::shared_ptr<const Snapshot> view;
  std::vector<ProfileFileInformation> files;
  // A BSD file has both, even if empty.
  bool has_samples = false;
  bool has_arcs = false;
  // One per file with a sidecar (--accurate, --error, -s), and which of its modules the file is of.
  struct Collected {
    std::string path;
    Sidecar sidecar;
    std::vector<bool> own_modules;
  };
  std::vector<Collected> collected;
  // Samples of files without a sidecar.
  Ticks uncollected = 0;
  // What is known about all samples; empty if neither of the two was requested.
  CollectedSamples samples;
  Warnings warnings;
  // Of the file that could not be used; the members above cover those before it.
  std::optional<Error> failure;
};

// Warns of files that another program has written: GNU gprof shows their figures as this one's.
[[nodiscard]] ProfileInput read_profile_input(const ReportRequest& request, const Image& image);

// The report of -i.
void append_file_information(TextOutput& text, const ProfileInput& input);

}  // namespace gprof
