#include "server/export/export.h"

#include "server/export/callgrind_writer.h"
#include "server/export/csv_writer.h"
#include "server/export/dot_writer.h"
#include "server/export/folded_writer.h"
#include "server/export/json_writer.h"
#include "server/export/pprof_writer.h"
#include "server/export/speedscope_writer.h"
#include "server/export/thread_stacks.h"
#include "server/features/flame_names.h"

namespace gprof::lsp {
namespace {

constexpr double dot_threshold = 0.005;
// The paths through a call graph are countless; those below this are not worth a line.
constexpr double estimate_threshold = 0.0001;
constexpr std::size_t most_estimated_nodes = 200'000;
// All sampled stacks are exported; there are no more than the profile holds.
constexpr std::size_t most_measured_nodes = std::size_t{1} << 24U;
constexpr std::uint32_t greatest_depth = 4'096;

bool is_made_of_stacks(ExportFormat format) {
  return format == ExportFormat::folded || format == ExportFormat::speedscope ||
         format == ExportFormat::pprof;
}

FlameTree tree_of(const Snapshot& snapshot, const ExportRequest& request) {
  const bool measured = snapshot.measured().has_stacks();
  FlameTreeRequest wanted;
  wanted.minimum_share = request.threshold.value_or(measured ? 0 : estimate_threshold);
  wanted.maximum_depth = greatest_depth;
  wanted.maximum_nodes = measured ? most_measured_nodes : most_estimated_nodes;
  return FlameTree::build(flame_parts(snapshot), wanted);
}

Expected<void> write_stacks(const std::shared_ptr<const Snapshot>& shared,
                            const ExportRequest& request, FrameNames& names, ExportOutput& output) {
  const Snapshot& snapshot = *shared;
  const FlameTree tree = tree_of(snapshot, request);
  if (!(tree.total() > 0)) {
    return Error{ErrorCode::no_profile_data,
                 "the profile holds no samples, of which this format is made; csv, json, dot and "
                 "callgrind tell calls as well",
                 snapshot.image().path(), std::nullopt};
  }
  if (request.format == ExportFormat::pprof) {
    return write_pprof(tree, stacks_by_thread(shared), names, output);
  }
  if (request.format == ExportFormat::folded) {
    write_folded(tree, names, output);
  } else {
    write_speedscope(tree, names, output);
  }
  return {};
}

Expected<void> write_json(const std::shared_ptr<const Snapshot>& snapshot,
                          const ExportRequest& request, FrameNames& names, ExportOutput& output) {
  const ExportTables tables(*snapshot);
  const auto values = ExportValues::of(snapshot, tables, names, request);
  if (!values) return values.error();
  write_json_document(tables, *values, names, output);
  return {};
}

void write_tables(const Snapshot& snapshot, const ExportRequest& request, FrameNames& names,
                  ExportOutput& output) {
  const ExportTables tables(snapshot);
  if (request.format == ExportFormat::callgrind) {
    write_callgrind(tables, names, output);
  } else if (request.format == ExportFormat::csv) {
    write_csv(request.table, tables, names, output);
  } else {
    write_dot(request.threshold.value_or(dot_threshold), tables, names, output);
  }
}

Expected<void> write_format(const std::shared_ptr<const Snapshot>& snapshot,
                            const ExportRequest& request, ExportOutput& output) {
  FrameNames names(*snapshot, request.demangle);
  if (request.format == ExportFormat::json) {
    return write_json(snapshot, request, names, output);
  }
  if (is_made_of_stacks(request.format)) return write_stacks(snapshot, request, names, output);
  write_tables(*snapshot, request, names, output);
  return {};
}

}  // namespace

Expected<void> write_export(const std::shared_ptr<const Snapshot>& snapshot,
                            const ExportRequest& request, ExportOutput& output) {
  if (auto written = write_format(snapshot, request, output); !written) return written;
  return output.finish();
}

}  // namespace gprof::lsp
