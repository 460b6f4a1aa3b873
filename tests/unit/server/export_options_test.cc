#include "server/cli/export/export_options.h"

#include <fmt/format.h>

#include "server/cli/option_help.h"
#include "tests/support/files.h"
#include "tests/unit/server/command_words.h"

using namespace gprof::lsp;
using namespace gprof::test;

namespace {

constexpr CommandWords<ExportOptions> export_line{export_syntax};

}  // namespace

TEST_CASE("export takes a format, an executable and profiles") {
  const ExportOptions plain = export_line.options({"--format=json", "prog"});
  CHECK(plain.request.format == ExportFormat::json);
  CHECK(plain.executable == "prog");
  CHECK(plain.profiles == std::vector<std::string>{"gmon.out"});
  CHECK(plain.output.empty());
  CHECK(plain.request.demangle);
  CHECK_FALSE(plain.request.threshold);
  const ExportOptions all =
      export_line.options({"prog", "--format", "csv", "a", "-o", "out", "--table", "lines",
                           "--no-demangle", "--threshold=0.25", "--", "--b"});
  CHECK(all.request.format == ExportFormat::csv);
  CHECK(all.request.table == ExportTable::lines);
  CHECK(all.profiles == std::vector<std::string>{"a", "--b"});
  CHECK(all.output == "out");
  CHECK_FALSE(all.request.demangle);
  CHECK(all.request.threshold == 0.25);
  CHECK(export_line.options({"--format=dot", "-oout", "prog"}).output == "out");
  CHECK(export_line.options({"--format=dot", "--output=-", "prog"}).output.empty());
  CHECK(export_line.asks_for_help({"prog", "--help"}));
  CHECK(export_line.asks_for_help({"-h"}));
}

TEST_CASE("export refuses what makes no sense, naming it") {
  CHECK(export_line.error({"prog"}).find("--format") != std::string::npos);
  CHECK(export_line.error({"--format=gif", "prog"}).find("--format=gif: ") == 0);
  CHECK(export_line.error({"--format"}).find("--format") == 0);
  CHECK(export_line.error({"--format=json"}).find("executable") != std::string::npos);
  CHECK(export_line.error({"--format=csv", "--table=rows", "prog"}).find("--table=rows") == 0);
  CHECK(export_line.error({"--format=json", "--table=lines", "prog"}).find("--table") == 0);
  for (const std::string_view share : {"2", "-1", "x", "", "nan", "0.5%"}) {
    CAPTURE(share);
    const std::string word = "--threshold=" + std::string(share);
    CHECK(export_line.error({"--format=dot", word, "prog"}).find("--threshold") == 0);
  }
  CHECK(export_line.error({"--format=dot", "--no-demangle=1", "prog"}).find("--no-demangle") == 0);
  CHECK(export_line.error({"--format=dot", "--colour", "prog"}).find("--colour") == 0);
  CHECK(export_line.error({"--format=dot", "-o"}).find("-o") == 0);
  CHECK_FALSE(export_line.error({"--format=dot", "--output=", "prog"}).empty());
  CHECK_FALSE(export_line.error({"--format=dot", ""}).empty());
}

TEST_CASE("export's help and description tell of its formats") {
  ExportOptions options;
  const std::string help = help_text(export_syntax(options));
  const std::string description = read_file(repository() / "docs/export.md");
  for (const auto& format : wire_names<ExportFormat>.values) {
    CAPTURE(format.name);
    CHECK(help.find(fmt::format("--format={} ", format.name)) != std::string::npos);
    CHECK(description.find(fmt::format("\n| `{}` |", format.name)) != std::string::npos);
  }
}
