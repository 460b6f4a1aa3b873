#include "engine/program_index.h"

#include <functional>
#include <utility>

#include <fmt/format.h>

#include "engine/support/parallel.h"

namespace gprof {

std::string program_key(const ProgramIdentity& program, const DebugFileSearch& debug_files,
                        bool asks_source) {
  std::string key = "program " + program.key();
  for (const auto* directories :
       {&debug_files.global_directories, &debug_files.perf_caches, &debug_files.download_caches}) {
    for (const auto& directory : *directories) {
      key += fmt::format("|debug {}", directory.string());
    }
  }
  if (asks_source) key += "|debug fetched";
  return key;
}

std::string program_key(const Program& program) {
  return program_key(program.identity(), program.debug_files(), program.origin()->asked_source);
}

std::vector<FileVersion> debug_file_of(const Program& program) {
  if (program.debug_image() == nullptr) return {};
  return {version_of(program.debug_image()->path())};
}

std::shared_ptr<const Program> restore_program(const std::filesystem::path& executable,
                                               const DebugFileSearch& debug_files,
                                               SnapshotFileStore& store) {
  const FileVersion found = version_of(executable.string());
  auto image = Image::open(executable);
  if (!image || (*image)->stamp() != found.stamp) return nullptr;
  const std::string key =
      program_key(identity_of(**image), debug_files, debug_files.source != nullptr);
  SnapshotFileReader file(store.find(key));
  if (!file.good() || file.view_text() != key) return nullptr;
  std::vector<FileVersion> executables;
  exchange_versions(executables, file);
  std::vector<FileVersion> debug_files_then;
  exchange_versions(debug_files_then, file);
  if (executables != std::vector{found}) return nullptr;
  const auto program = Program::restore(std::move(*image), debug_files.on_disk(), file);
  if (!program || debug_file_of(*program) != debug_files_then) return nullptr;
  // Symbols are checked while the units are read.
  const bool worth_threads = program->symbols().size() >= elements_worth_a_thread;
  const std::vector<std::function<bool()>> checks = {
      [&] { return program->symbols().is_sound(); },
      [&] { return program->restore_units(file); },
  };
  const bool is_sound = all_hold(checks, worth_threads ? processor_count() : 1);
  return file.good() && is_sound ? program : nullptr;
}

bool may_be_kept(const Program& program) {
  if (!program.origin()) return false;
  const ProgramOrigin& origin = *program.origin();
  if (program.has_debug_information() && !program.debug_warnings().empty()) return false;
  const auto is_as_read = [&](const FileVersion& version) {
    return is_settled(version, origin.opened_at) && version_of(version.path) == version;
  };
  const Image* debug_image = program.debug_image();
  const bool same_debug_file =
      debug_image == nullptr || (file_stamp(debug_image->path()) == debug_image->stamp() &&
                                 is_settled(version_of(debug_image->path()), origin.opened_at));
  return same_debug_file && program.image().stamp() == origin.executable.stamp &&
         is_as_read(origin.executable);
}

void write_program(const Program& program, SnapshotFileWriter& file) {
  file.text(program_key(program));
  const std::vector<FileVersion> executables = {program.origin()->executable};
  exchange_versions(executables, file);
  const std::vector<FileVersion> debug_files = debug_file_of(program);
  exchange_versions(debug_files, file);
  program.store(file);
  program.store_units(file);
}

}  // namespace gprof
