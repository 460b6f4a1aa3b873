#include "server/cli/export/export_options.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "server/cli/option_help.h"
#include "server/cli/option_parser.h"
#include "test_paths.h"

using namespace gprof::lsp;

namespace {

using Words = std::vector<std::string_view>;

ExportOptions options_of(const Words& words) {
  const auto command = parse_line(export_syntax, words);
  if (const auto* error = std::get_if<UsageError>(&command)) FAIL(error->message);
  REQUIRE(std::holds_alternative<ExportOptions>(command));
  return *std::get_if<ExportOptions>(&command);
}

std::string error_of(const Words& words) {
  const auto command = parse_line(export_syntax, words);
  const auto* error = std::get_if<UsageError>(&command);
  return error == nullptr ? "" : error->message;
}

std::string text_of(const std::string& name) {
  const auto root = std::filesystem::path(GPROF_LSP_TEST_PROGRAMS).parent_path().parent_path();
  std::ifstream in(root / "docs" / name);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("export takes a format, an executable and profiles") {
  const ExportOptions plain = options_of({"--format=json", "prog"});
  CHECK(plain.request.format == ExportFormat::json);
  CHECK(plain.executable == "prog");
  CHECK(plain.profiles == std::vector<std::string>{"gmon.out"});
  CHECK(plain.output.empty());
  CHECK(plain.request.demangle);
  CHECK_FALSE(plain.request.threshold);
  const ExportOptions all = options_of({"prog", "--format", "csv", "a", "-o", "out", "--table",
                                        "lines", "--no-demangle", "--threshold=0.25", "--", "--b"});
  CHECK(all.request.format == ExportFormat::csv);
  CHECK(all.request.table == ExportTable::lines);
  CHECK(all.profiles == std::vector<std::string>{"a", "--b"});
  CHECK(all.output == "out");
  CHECK_FALSE(all.request.demangle);
  CHECK(all.request.threshold == 0.25);
  CHECK(options_of({"--format=dot", "-oout", "prog"}).output == "out");
  CHECK(options_of({"--format=dot", "--output=-", "prog"}).output.empty());
  CHECK(std::holds_alternative<HelpRequest>(parse_line(export_syntax, Words{"prog", "--help"})));
  CHECK(std::holds_alternative<HelpRequest>(parse_line(export_syntax, Words{"-h"})));
}

TEST_CASE("export refuses what makes no sense, naming it") {
  CHECK(error_of({"prog"}).find("--format") != std::string::npos);
  CHECK(error_of({"--format=gif", "prog"}).find("--format=gif: ") == 0);
  CHECK(error_of({"--format"}).find("--format") == 0);
  CHECK(error_of({"--format=json"}).find("executable") != std::string::npos);
  CHECK(error_of({"--format=csv", "--table=rows", "prog"}).find("--table=rows") == 0);
  CHECK(error_of({"--format=json", "--table=lines", "prog"}).find("--table") == 0);
  for (const std::string_view share : {"2", "-1", "x", "", "nan", "0.5%"}) {
    CAPTURE(share);
    const std::string word = "--threshold=" + std::string(share);
    CHECK(error_of({"--format=dot", word, "prog"}).find("--threshold") == 0);
  }
  CHECK(error_of({"--format=dot", "--no-demangle=1", "prog"}).find("--no-demangle") == 0);
  CHECK(error_of({"--format=dot", "--colour", "prog"}).find("--colour") == 0);
  CHECK(error_of({"--format=dot", "-o"}).find("-o") == 0);
  CHECK_FALSE(error_of({"--format=dot", "--output=", "prog"}).empty());
  CHECK_FALSE(error_of({"--format=dot", ""}).empty());
}

TEST_CASE("export's help and description tell of its formats") {
  ExportOptions options;
  const std::string help = help_text(export_syntax(options));
  const std::string description = text_of("export.md");
  for (const auto& format : wire_names<ExportFormat>.values) {
    CAPTURE(format.name);
    CHECK(parse_export_format(format.name) == format.value);
    CHECK(export_format_name(format.value) == format.name);
    CHECK(help.find(fmt::format("--format={} ", format.name)) != std::string::npos);
    CHECK(description.find(fmt::format("\n| `{}` |", format.name)) != std::string::npos);
  }
}
