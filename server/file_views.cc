#include "server/file_views.h"

#include "engine/support/input_file.h"
#include "server/protocol/uri.h"

namespace gprof::lsp {
namespace {

// A source file larger than this is no source file that anybody edits.
constexpr std::uint64_t largest_source = std::uint64_t{64} << 20;

// A copy or a checkout writes sources and executable within a moment, in any order.
constexpr FileTime same_moment = 2'000'000'000;

bool changed_since(const std::filesystem::path& source, const Image& image) {
  const auto file = InputFile::open(source);
  return file && image.modified() != 0 && file->modified() > image.modified() + same_moment;
}

}  // namespace

std::optional<FileView> FileViews::of_document() {
  if (document_.path.empty()) return std::nullopt;
  for (const LoadedProgram& program : *programs_) {
    const auto file = program.paths->file_of(document_.path);
    if (!file) continue;
    auto view = open(program, *file, document_.path);
    if (view && !(view->costs->functions.empty() && view->costs->lines.empty())) return view;
  }
  return std::nullopt;
}

OpenView FileViews::of_program(const LoadedProgram& program) {
  return [this, program](FileId file) -> std::optional<FileView> {
    if (!document_.path.empty() && program.paths->file_of(document_.path) == file) {
      return open(program, file, document_.path);
    }
    const auto path = program.paths->workspace_path(file);
    return path ? open(program, file, *path) : std::nullopt;
  };
}

std::optional<FileView> FileViews::open(const LoadedProgram& program, FileId file,
                                        const std::filesystem::path& path) {
  const bool is_document = path == document_.path;
  FileView view;
  view.text = is_document && document_.document ? document_.document : text_of(path);
  if (!view.text) return std::nullopt;
  view.program = program;
  view.costs = program.snapshot->sources().costs(file);
  view.uri = is_document ? document_.uri : uri_from_path(path);
  view.demangle = demangle_;
  view.changed_since_build = changed_since(path, program.snapshot->image());
  return view;
}

std::shared_ptr<const Document> FileViews::text_of(const std::filesystem::path& path) {
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second;
  auto& text = texts_[path];
  const auto file = InputFile::open(path);
  if (!file || file->size() > largest_source) return nullptr;
  const auto bytes = file->read_all();
  if (!bytes) return nullptr;
  text = std::make_shared<const Document>(
      std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()), "", 0, encoding_);
  return text;
}

}  // namespace gprof::lsp
