#include "server/sources/source_check.h"

#include "server/sources/build_texts.h"
#include "server/sources/source_paths.h"
#include "server/sources/source_text.h"

namespace gprof::lsp {
namespace {

void count_file(const LoadedProgram& program, FileId file, const std::filesystem::path& path,
                SourceCheck& check) {
  const auto compiled = program.texts->of(build_source(program, file, path));
  const auto source = read_source(path);
  if (!source) {
    ++check.missing;
  } else if (compiled == nullptr) {
    ++check.unknown;
  } else {
    const std::string_view text = source->text();
    ++(hash_lines(text, LineTable(text)) == *compiled ? check.in_step : check.changed);
  }
}

}  // namespace

SourceCheck check_sources(const LoadedProgram& program,
                          const std::vector<std::filesystem::path>& folders) {
  SourceCheck check;
  const ProgramSources& sources = program.snapshot->sources();
  for (const FileId file : sources.all_files()) {
    const auto path = program.paths->workspace_path(file);
    if (path && lies_in(*path, folders)) {
      count_file(program, file, *path, check);
    } else if (path || !lies_in(sources.path(file), folders)) {
      ++check.elsewhere;
    } else {
      ++check.missing;
    }
  }
  return check;
}

}  // namespace gprof::lsp
