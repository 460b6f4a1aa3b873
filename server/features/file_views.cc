#include "server/features/file_views.h"

#include <algorithm>

#include "server/discovery/workspace_folder.h"
#include "server/protocol/uri.h"
#include "server/sources/build_texts.h"
#include "server/sources/source_text.h"

namespace gprof::lsp {
namespace {

// Files and programs outside of all folders belong to each of them.
bool is_of_another_folder(const LoadedProgram& program, const std::filesystem::path& file) {
  const auto& folders = program.paths->workspace_folders();
  if (folders.size() < 2) return false;
  const auto* of_file = folder_of(file, folders);
  const auto* of_program = folder_of(program.snapshot->image().path(), folders);
  return of_file != nullptr && of_program != nullptr && of_file != of_program;
}

// The base's counterpart of the view's file: by its path, else by where the base defines the
// functions that the view's file defines.
std::optional<FileId> file_in_base(const FileView& view, const std::filesystem::path& path) {
  const LoadedProgram& base = *view.program.base;
  if (const auto file = base.paths->file_of(path)) return file;
  for (const FunctionCost& function : view.costs->functions) {
    const auto compared = view.program.comparison->together(function.symbols);
    if (!compared || compared->before == no_symbol) continue;
    const auto declared = base.snapshot->sources().declaration(compared->before);
    if (declared && declared->file != no_file) return declared->file;
  }
  return std::nullopt;
}

}  // namespace

std::vector<FileViews::Candidate> FileViews::candidates_for_document() const {
  std::vector<Candidate> candidates;
  if (document_.path.empty()) return candidates;
  for (const LoadedProgram& program : *programs_) {
    const auto file = program.paths->file_of(document_.path);
    if (file) candidates.push_back({&program, *file});
  }
  std::stable_partition(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
    return !is_of_another_folder(*candidate.program, document_.path);
  });
  return candidates;
}

std::optional<FileView> FileViews::of_document() {
  for (const auto& [program, file] : candidates_for_document()) {
    auto view = open(*program, file, document_.path);
    if (view && !(view->costs->functions.empty() && view->costs->lines.empty())) return view;
  }
  return std::nullopt;
}

const LoadedProgram* FileViews::program_of_document() {
  for (const auto& [program, file] : candidates_for_document()) {
    const auto view = open(*program, file, document_.path);
    if (view && !(view->costs->functions.empty() && view->costs->lines.empty())) return program;
  }
  return nullptr;
}

const LoadedProgram* FileViews::show(std::size_t index, LoadedProgram view) {
  auto programs = std::make_shared<std::vector<LoadedProgram>>(*programs_);
  (*programs)[index] = std::move(view);
  const LoadedProgram* shown = &(*programs)[index];
  programs_ = std::move(programs);
  return shown;
}

std::vector<FileView> FileViews::all_of_document() {
  std::vector<FileView> views;
  for (const auto& [program, file] : candidates_for_document()) {
    auto view = open(*program, file, document_.path);
    if (!view || (view->costs->functions.empty() && view->costs->lines.empty())) continue;
    views.push_back(std::move(*view));
  }
  return views;
}

OpenView FileViews::of_program(const LoadedProgram& program) {
  return files_of(program, Costs::gathered);
}

OpenView FileViews::texts_of_program(const LoadedProgram& program) {
  return files_of(program, Costs::left_out);
}

OpenView FileViews::files_of(const LoadedProgram& program, Costs costs) {
  return [this, program, costs](FileId file) -> std::optional<FileView> {
    if (!document_.path.empty() && program.paths->file_of(document_.path) == file) {
      return open(program, file, document_.path, costs);
    }
    const auto path = program.paths->workspace_path(file);
    return path ? open(program, file, *path, costs) : std::nullopt;
  };
}

std::optional<FileView> FileViews::open(const LoadedProgram& program, FileId file,
                                        const std::filesystem::path& path, Costs with_costs) {
  if (!is_within(program.paths->bounds(), path)) return std::nullopt;
  const bool is_document = path == document_.path;
  auto text = is_document && document_.document ? document_.document : text_of(path);
  if (!text) return std::nullopt;
  auto build_text = program.texts ? program.texts->of(build_source(program, file, path)) : nullptr;
  auto costs = with_costs == Costs::gathered
                   ? costs_of(program, file)
                   : std::make_shared<const FileCosts>(FileCosts{file, {}, {}, {}, false});
  FileView view(program, std::move(costs), std::move(text), std::move(build_text), alignments_);
  view.uri = is_document ? document_.uri : uri_from_path(path);
  view.demangle = demangle_;
  view.inlined_at_calls = inlined_at_calls_;
  if (with_costs == Costs::gathered) view.base = base_of(view, path);
  return view;
}

std::shared_ptr<const FileCosts> FileViews::costs_of(const LoadedProgram& program,
                                                     FileId file) const {
  const SourceIndex& index = program.snapshot->source_index();
  return at_hand_ ? index.costs_at_hand(file) : index.costs(file);
}

std::shared_ptr<const FileView> FileViews::base_of(const FileView& view,
                                                   const std::filesystem::path& path) {
  if (!view.program.base || !view.program.comparison) return nullptr;
  const LoadedProgram& base = *view.program.base;
  const auto file = file_in_base(view, path);
  if (!file) return nullptr;
  // If the base was compiled from a copy of the source, that copy is the text to use.
  std::filesystem::path compiled = base.snapshot->sources().path(*file);
  std::error_code error;
  const bool is_shown = is_within(base.paths->bounds(), compiled);
  if (!is_shown || !std::filesystem::is_regular_file(compiled, error)) compiled = path;
  auto build_text = base.texts ? base.texts->of(build_source(base, *file, compiled)) : nullptr;
  return std::make_shared<const FileView>(base, base.snapshot->source_index().costs(*file),
                                          view.text, std::move(build_text), alignments_);
}

std::shared_ptr<const Document> FileViews::text_of(const std::filesystem::path& path) {
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second;
  auto& text = texts_[path];
  if (document_.open_files) {
    const auto open = document_.open_files->find(path);
    if (open != nullptr) return text = open->newest();
  }
  const auto file = read_source(path);
  if (!file) return nullptr;
  text = std::make_shared<const Document>(std::string(file->text()), "", 0, encoding_);
  return text;
}

}  // namespace gprof::lsp
