#include "server/export/export_file.h"

#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "server/export/csv_writer.h"
#include "server/protocol/uri.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;
namespace fs = std::filesystem;

namespace {

bool is_allowed(const fs::path& wanted, const fs::path& folder, ExportFormat format) {
  const auto target = workspace_target(wanted.string(), {folder}, format);
  if (!target) CHECK(target.error().code == ErrorCode::invalid_argument);
  return target.has_value();
}

}  // namespace

TEST_CASE("an editor's exports stay in its workspace") {
  const fs::path root = fs::canonical(test::fresh_directory("export_target"));
  const fs::path folder = root / "work";
  fs::create_directories(folder / "below");
  fs::create_directories(root / "workshop");
  fs::create_directory_symlink(root / "workshop", folder / "out");
  fs::create_directory_symlink(folder, root / "in");
  const auto target = workspace_target("below/x", {folder, root / "other"}, ExportFormat::json);
  REQUIRE(target);
  CHECK(*target == folder / "below" / "x");
  const std::string uri = uri_from_path(folder / "a b");
  CHECK(*workspace_target(uri, {folder}, ExportFormat::json) == folder / "a b");
  // A path through a link to the workspace means the workspace.
  CHECK(*workspace_target((root / "in" / "x").string(), {folder}, ExportFormat::json) ==
        folder / "x");
  CHECK(is_allowed(folder / "x", root / "in", ExportFormat::json));
  for (const fs::path& path : {folder / "out" / "x", folder / ".." / "x", root / "workshop" / "x",
                               folder / "missing" / "x", folder, folder / "below", folder / "out",
                               folder / ".", folder / "..", fs::path("")}) {
    CAPTURE(path);
    CHECK_FALSE(is_allowed(path, folder, ExportFormat::json));
  }
  CHECK_FALSE(workspace_target("x", {}, ExportFormat::json));
}

TEST_CASE("an editor's exports replace exports of their format alone") {
  const fs::path folder = fs::canonical(test::fresh_directory("export_replace"));
  const std::vector<std::pair<ExportFormat, std::string>> exports = {
      {ExportFormat::callgrind, "# callgrind format\nversion: 1\n"},
      {ExportFormat::csv, std::string(csv_columns(ExportTable::lines)) + "\r\n"},
      {ExportFormat::dot, "digraph \"gprof-lsp a.out\" {\n"},
      {ExportFormat::folded, "main;f 12\nmain;operator new 3\nmain;g 1"},
      {ExportFormat::json, "{\n\"exporter\":\"gprof-lsp 1.0\","},
      {ExportFormat::pprof, "\x1f\x8b\x08"},
      {ExportFormat::speedscope,
       R"({"$schema":"https://www.speedscope.app/file-format-schema.json")"}};
  const fs::path file = folder / "file";
  for (const auto& [format, text] : exports) {
    write_file(file, text);
    for (const auto& [other, ignored] : exports) {
      CAPTURE(text, export_format_name(other));
      CHECK(is_allowed(file, folder, other) == (format == other));
    }
  }
  for (const std::string_view text :
       {"", "int x = 1\n",
        "\x7f"
        "ELF",
        "#!/bin/sh\nexit 1\nrm x\n", "main;f 12\nint x;\n", "12\n", " 12\n", "{}", "digraph g {"}) {
    write_file(file, text);
    for (const auto& [format, ignored] : exports) {
      CAPTURE(text, export_format_name(format));
      CHECK_FALSE(is_allowed(file, folder, format));
    }
  }
}
