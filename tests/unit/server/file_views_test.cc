#include "server/features/file_views.h"

#include <string>

#include <catch2/catch.hpp>

#include "server/protocol/uri.h"
#include "server/sources/build_texts.h"
#include "tests/support/files.h"
#include "tests/unit/analysis/profiled_source.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

class Workspace {
 public:
  explicit Workspace(const std::string& name) : source_(name, 10, {"gcc", "-g", "-pg", "-O0"}) {
    LoadedProgram program;
    program.snapshot = test::analyse_or_fail(source_.request());
    program.paths =
        std::make_shared<const SourcePaths>(program.snapshot->sources(), std::vector<PathMapping>{},
                                            std::vector<fs::path>{source_.directory});
    program.texts =
        std::make_shared<BuildTexts>(program.snapshot->program()->identity().key(),
                                     std::make_shared<LineCache>(source_.directory / "lines"));
    programs = {program};
  }

  [[nodiscard]] fs::path file() const { return source_.directory / "program.c"; }
  [[nodiscard]] std::string text() const { return test::read_file(file()); }
  void grow_first_function() const {
    source_.write(10, true);
    fs::last_write_time(file(), fs::last_write_time(source_.program()) + std::chrono::seconds(1));
  }
  // Without a text, the document is not open.
  FileViews views(const std::optional<std::string>& open_text = std::nullopt) {
    DocumentView document;
    document.uri = uri_from_path(file());
    document.path = file();
    if (open_text) {
      document.document =
          std::make_shared<const Document>(*open_text, "c", 1, PositionEncoding::utf16);
    }
    return {std::make_shared<const std::vector<LoadedProgram>>(programs), std::move(document),
            alignments_, PositionEncoding::utf16, ClientSettings()};
  }
  // Of the document, which is not open.
  auto view() {
    auto found = views().of_document();
    REQUIRE(found);
    return found;
  }
  // The function's line according to its lens; 0 for none.
  static LineNumber line_of(const FileView& view, std::string_view name) {
    for (const FunctionCost& function : view.costs->functions) {
      if (function.name != name) continue;
      const auto range = name_range(view, function);
      return range ? range->start.line + 1 : 0;
    }
    return 0;
  }

  std::vector<LoadedProgram> programs;

 private:
  test::ProfiledSource source_;
  BuildAlignments alignments_;
};

}  // namespace

TEST_CASE("a file is held against the text that was compiled, open or not") {
  if (!test::have_programs({"gcc"})) return;
  Workspace workspace("file-views-compiled");
  const std::string compiled = workspace.text();
  {
    const auto view = workspace.view();
    CHECK(view->source_state == SourceState::in_step);
    CHECK(view->text->text() == compiled);
    CHECK(Workspace::line_of(*view, "f0") == 2);
    CHECK(Workspace::line_of(*view, "f1") == 6);
  }
  workspace.grow_first_function();
  {
    const auto view = workspace.view();
    CHECK(view->source_state == SourceState::changed);
    CHECK(Workspace::line_of(*view, "f0") == 2);
    CHECK(Workspace::line_of(*view, "f1") == 46);
    CHECK(view->lines_changed_since_build() == 0);
  }
  {
    // What the editor shows counts, not what is on disk.
    FileViews views = workspace.views(compiled);
    const auto view = views.of_document();
    REQUIRE(view);
    CHECK(view->source_state == SourceState::in_step);
    CHECK(Workspace::line_of(*view, "f1") == 6);
    const auto again = views.of_program(workspace.programs.front())(view->costs->file);
    REQUIRE(again);
    CHECK(again->text == view->text);
    CHECK(again->build_text == view->build_text);
  }
}

TEST_CASE("a file of whose compiled text nothing is known is stale") {
  if (!test::have_programs({"gcc"})) return;
  Workspace workspace("file-views-stale");
  workspace.grow_first_function();
  {
    const auto view = workspace.view();
    CHECK(view->source_state == SourceState::stale);
    CHECK(Workspace::line_of(*view, "f0") == 2);
    CHECK(Workspace::line_of(*view, "f1") == 0);
  }
  // A program whose texts are not kept.
  workspace.programs.front().texts = nullptr;
  CHECK(workspace.view()->source_state == SourceState::stale);
}

TEST_CASE("a file that took no part in any build has no view") {
  if (!test::have_programs({"gcc"})) return;
  Workspace workspace("file-views-none");
  fs::remove(workspace.file());
  CHECK_FALSE(workspace.views().of_document());
  workspace.programs.clear();
  CHECK_FALSE(workspace.views("int x;\n").of_document());
}
