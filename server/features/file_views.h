// Opens the files that features read: finds the program that a file belongs to, and its text.
//
// Ownership: holds the list of programs it was made with. Thread contract: one thread; one object
// per request, so that the whole answer comes from one state.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "server/documents/build_alignments.h"
#include "server/features/call_hierarchy.h"
#include "server/features/document_view.h"
#include "server/loading/profile_store.h"

namespace gprof::lsp {

class FileViews {
 public:
  // `document` is the one that the request is about: its open text counts, not the file on disk.
  // `alignments` must outlive this object.
  FileViews(ProgramList programs, DocumentView document, BuildAlignments& alignments,
            PositionEncoding encoding, const ClientSettings& settings)
      : programs_(std::move(programs)),
        document_(std::move(document)),
        alignments_(alignments),
        encoding_(encoding),
        demangle_(settings.demangle),
        inlined_at_calls_(settings.inlined_at_calls) {}

  // The request's file, in the first program that has code from it; in a workspace of several
  // folders, programs of other folders than the file's come last.
  [[nodiscard]] std::optional<FileView> of_document();
  // The request's file in every program that has code from it, in the same order.
  [[nodiscard]] std::vector<FileView> all_of_document();
  // Opens other files of a program.
  [[nodiscard]] OpenView of_program(const LoadedProgram& program);
  // The same without costs, which take time to gather: for callers that only need places.
  [[nodiscard]] OpenView texts_of_program(const LoadedProgram& program);
  [[nodiscard]] const std::vector<LoadedProgram>& programs() const { return *programs_; }
  // The document that the request is about.
  [[nodiscard]] const DocumentView& document() const { return document_; }

 private:
  enum class Costs : std::uint8_t { gathered, left_out };
  struct Candidate {
    const LoadedProgram* program = nullptr;
    FileId file = no_file;
  };
  [[nodiscard]] std::vector<Candidate> candidates_for_document() const;
  [[nodiscard]] OpenView files_of(const LoadedProgram& program, Costs costs);
  std::optional<FileView> open(const LoadedProgram& program, FileId file,
                               const std::filesystem::path& path, Costs costs = Costs::gathered);
  // The base's view of the file that a view shows.
  [[nodiscard]] std::shared_ptr<const FileView> base_of(const FileView& view,
                                                        const std::filesystem::path& path);
  std::shared_ptr<const Document> text_of(const std::filesystem::path& path);

  ProgramList programs_;
  DocumentView document_;
  BuildAlignments& alignments_;
  PositionEncoding encoding_;
  bool demangle_;
  bool inlined_at_calls_;
  std::map<std::filesystem::path, std::shared_ptr<const Document>> texts_;
};

}  // namespace gprof::lsp
