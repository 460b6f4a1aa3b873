// The options that choose what of a profile is looked at, the same for all commands that take them:
// a metric of cost, threads, processes, a stretch of time.
//
// Ownership: rows refer to what they set. Thread contract: values and pure functions.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "engine/snapshot_view.h"
#include "server/cli/option_table.h"

namespace gprof::lsp {

struct ProfilePart {
  std::string metric;  // of cost; empty: the profile's first one
  Selection selection;

  [[nodiscard]] bool is_all() const { return metric.empty() && selection.is_all(); }
};

// The value of --metric. `time` is the first metric of cost, as in settings and requests.
[[nodiscard]] OptionValue metric_value(ProfilePart& part);
// --metric, --thread, --process, --time, --idle, without those that the command has a row of its
// own for.
[[nodiscard]] OptionGroup part_options(ProfilePart& part,
                                       std::initializer_list<std::string_view> without = {});

// Errors: those of view_of(); invalid_argument where the profile has no such part.
[[nodiscard]] Expected<std::shared_ptr<const Snapshot>> part_of(
    const std::shared_ptr<const Snapshot>& snapshot, const ProfilePart& part);

// The exit status of a command that failed: a part that the profile has not is an error of the
// command line.
[[nodiscard]] int status_of(const Error& error, int usage, int failure);

}  // namespace gprof::lsp
