#include "engine/analysis.h"

#include <fmt/format.h>

#include "engine/program_index.h"
#include "engine/run_reader.h"
#include "engine/snapshot_index.h"
#include "engine/support/parallel.h"
#include "engine/thread_use.h"

namespace gprof {
namespace {

// The approximate share of opening a program in the work.
constexpr double program_share = 0.5;

// Announces a step of the work, unless it was cancelled.
Expected<void> begin_step(const AnalysisRequest& request, std::string_view step, double share) {
  TRY(check_not_cancelled(request));
  if (request.progress) request.progress(step, share);
  return {};
}

bool is_worth_a_thread(const std::filesystem::path& executable) {
  const auto stamp = file_stamp(executable);
  return stamp && stamp->size >= bytes_worth_a_thread;
}

// As it was opened before, by this process; null if it was not.
std::shared_ptr<const Program> program_in_memory(const AnalysisRequest& request) {
  const bool is_it =
      request.program && request.program->is_current(request.executable, request.debug_files);
  return is_it ? request.program : nullptr;
}

// By a process before; null if it was not kept.
std::shared_ptr<const Program> program_on_disk(const AnalysisRequest& request) {
  if (request.indexes == nullptr) return nullptr;
  return restore_program(request.executable, request.debug_files, *request.indexes);
}

Expected<std::shared_ptr<const Program>> open_program(const AnalysisRequest& request) {
  return Program::open(request.executable, request.debug_files,
                       [&](std::string_view step, double share) {
                         return begin_step(request, step, share * program_share);
                       });
}

// Large programs are opened while the first profile is read.
Expected<std::shared_ptr<const Program>> open_program(const AnalysisRequest& request,
                                                      RunReader& runs) {
  if (!is_worth_a_thread(request.executable)) return open_program(request);
  Expected<std::shared_ptr<const Program>> program(nullptr);
  run_beside([&] { program = open_program(request); }, [&] { runs.read_early(); });
  return program;
}

// Fails if nothing was recorded.
Expected<void> check_recorded(const SummedProfile& recorded, const Image& image) {
  const RawProfile& raw = recorded.raw;
  if (!raw.histograms.empty() || !raw.arcs.empty() || !raw.blocks.empty()) return {};
  // A program may do nothing but wait, or call libraries and the system.
  if (recorded.runs.metrics.size() > 1 || recorded.runs.stacks.total() > 0) return {};
  if (!recorded.runs.inclusive.empty()) return {};
  const std::string path = recorded.runs.paths.empty() ? "" : recorded.runs.paths.front();
  if (is_imported_profile(path)) {
    return Error{
        ErrorCode::no_profile_data,
        fmt::format("has no samples in functions of {}; if it was rebuilt since, record it "
                    "again",
                    image.path()),
        path, std::nullopt};
  }
  return Error{ErrorCode::no_profile_data,
               "holds neither samples nor calls: build the program with -pg, let it run for a "
               "while, and let it end normally (exit or return from main)",
               path, std::nullopt};
}

void warn_if_rebuilt(const Image& image, SummedProfile& recorded) {
  RecordedRuns& runs = recorded.runs;
  if (image.modified() <= runs.modified) return;
  const bool same_build = recorded.raw.build_id_prefix && !image.build_id().empty();
  if (same_build) return;
  runs.warnings.push_back(
      Error{ErrorCode::stale,
            fmt::format("was rebuilt after this profile ({}); figures may be on the wrong "
                        "lines. Run it again.",
                        runs.paths.front()),
            image.path(), std::nullopt});
}

void warn_of_threads(const Program& program, SummedProfile& recorded) {
  if (!recorded.from_c_library) return;
  const auto start = thread_start_of(program.image(), program.symbols());
  if (!start) return;
  recorded.runs.warnings.push_back(Error{
      ErrorCode::incomplete,
      fmt::format("calls may be missing: {} can start threads ({}), and the C library's "
                  "collector loses calls that threads make at the same time. gprof-lsp record "
                  "counts them all.",
                  std::filesystem::path(program.image().path()).filename().string(), *start),
      recorded.runs.paths.front(), std::nullopt});
}

// Null if there is none.
const Snapshot* snapshot_of_same_calls(const AnalysisRequest& request, const Program& program,
                                       const RawProfile& raw) {
  const Snapshot* like = request.like.get();
  if (like == nullptr || like->program().get() != &program) return nullptr;
  return like->profile().has_calls_of(raw, call_site_precision(raw)) ? like : nullptr;
}

}  // namespace

Expected<void> check_not_cancelled(const AnalysisRequest& request) {
  if (request.cancelled == nullptr || !request.cancelled->load()) return {};
  return Error{ErrorCode::cancelled, "loading was cancelled", request.executable.string(),
               std::nullopt};
}

Expected<std::shared_ptr<const Snapshot>> analyse(const AnalysisRequest& request) {
  auto program = program_in_memory(request);
  if (program == nullptr) {
    program = program_on_disk(request);
    auto kept = program != nullptr ? restore_snapshot(request, program) : nullptr;
    if (kept != nullptr) return kept;
  }
  auto origin = origin_of(request);
  RunReader runs(request);
  if (program == nullptr) {
    TRY_ASSIGN(program, open_program(request, runs));
  }

  TRY(begin_step(request, "Reading profiles", program_share));
  TRY_ASSIGN(auto recorded, runs.read(*program));
  TRY(check_recorded(recorded, program->image()));
  warn_if_rebuilt(program->image(), recorded);
  warn_of_threads(*program, recorded);
  const DebugFileSource* source = request.debug_files.source.get();
  // What is kept for later processes would never be looked for again.
  if (!recorded.has_versions || (source != nullptr && source->gave_up())) origin.reset();
  if (origin) {
    add_named_files(*origin, recorded.named_files);
    recorded.runs.files = origin->files;
  }

  TRY(begin_step(request, "Joining profile and program", 0.7));
  const Snapshot* like = snapshot_of_same_calls(request, *program, recorded.raw);
  auto snapshot = std::make_shared<const Snapshot>(std::move(program), std::move(recorded), like,
                                                   std::move(origin));
  TRY(begin_step(request, "Ready", 1.0));
  return snapshot;
}

}  // namespace gprof
