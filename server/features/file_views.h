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
  // From now on, files are opened without waiting for totals that are not known yet: for answers
  // that the client is told to ask for again.
  void use_costs_at_hand() { at_hand_ = true; }
  // Opens other files of a program.
  [[nodiscard]] OpenView of_program(const LoadedProgram& program);
  // The same without costs, which take time to gather: for callers that only need places.
  [[nodiscard]] OpenView texts_of_program(const LoadedProgram& program);
  [[nodiscard]] const std::vector<LoadedProgram>& programs() const { return *programs_; }
  // That of of_document(), among programs(); null if there is none.
  [[nodiscard]] const LoadedProgram* program_of_document();
  // Replaces one of programs() by another view of it, which is returned.
  const LoadedProgram* show(std::size_t index, LoadedProgram view);
  // For documents beside those that a view is made of.
  [[nodiscard]] BuildAlignments& alignments() const { return alignments_; }
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
  [[nodiscard]] std::shared_ptr<const FileCosts> costs_of(const LoadedProgram& program,
                                                          FileId file) const;
  std::shared_ptr<const Document> text_of(const std::filesystem::path& path);

  ProgramList programs_;
  DocumentView document_;
  BuildAlignments& alignments_;
  PositionEncoding encoding_;
  bool demangle_;
  bool inlined_at_calls_;
  bool at_hand_ = false;
  std::map<std::filesystem::path, std::shared_ptr<const Document>> texts_;
};

}  // namespace gprof::lsp
