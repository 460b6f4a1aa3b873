// Opens the files that features look at: finds the program that a file belongs to, and its text.
//
// Ownership: holds the list of programs that it was made with. Thread contract: one thread; one
// object answers one request, so that all of the answer comes from one state.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "server/features/call_hierarchy.h"
#include "server/profile_service_interface.h"
#include "server/profile_store.h"

namespace gprof::lsp {

class FileViews {
 public:
  // `document` is the one that the request is about: its text counts, not the disk's.
  FileViews(ProgramList programs, DocumentView document, PositionEncoding encoding, bool demangle)
      : programs_(std::move(programs)),
        document_(std::move(document)),
        encoding_(encoding),
        demangle_(demangle) {}

  // The request's file, in the first program that has code of it.
  [[nodiscard]] std::optional<FileView> of_document();
  // Opens further files of a program.
  [[nodiscard]] OpenView of_program(const LoadedProgram& program);
  [[nodiscard]] const std::vector<LoadedProgram>& programs() const { return *programs_; }

 private:
  std::optional<FileView> open(const LoadedProgram& program, FileId file,
                               const std::filesystem::path& path);
  std::shared_ptr<const Document> text_of(const std::filesystem::path& path);

  ProgramList programs_;
  DocumentView document_;
  PositionEncoding encoding_;
  bool demangle_;
  std::map<std::filesystem::path, std::shared_ptr<const Document>> texts_;
};

}  // namespace gprof::lsp
