// Rows checked against another DWARF reader. GNU readelf cannot be the judge: up to binutils 2.40
// its file numbers for DWARF 5 are one too low.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>

#include <catch2/catch.hpp>

#include "engine/dwarf/debug_information.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"
#include "tests/unit/dwarf/program_under_test.h"

using namespace gprof;
using namespace gprof::test;

namespace {

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string row_text(std::uint64_t address, const std::string& file, unsigned long line,
                     unsigned long column, bool is_statement) {
  std::ostringstream text;
  text << std::hex << address << std::dec << ' ' << file << ':' << line << ':' << column
       << (is_statement ? "" : " inner");
  return text.str();
}

std::string end_text(std::uint64_t address) {
  std::ostringstream text;
  text << std::hex << address << " end";
  return text.str();
}

std::vector<std::string> our_rows(const DebugInformation& debug) {
  std::vector<std::string> texts;
  for (UnitIndex unit = 0; unit < debug.units().size(); ++unit) {
    const auto rows = debug.rows(unit);
    REQUIRE(rows);
    for (const LineRow& row : *rows) {
      texts.push_back(row.end_of_sequence
                          ? end_text(row.address.value)
                          : row_text(row.address.value, file_name(debug.path(row.file)), row.line,
                                     row.column, row.is_statement));
    }
  }
  return texts;
}

// The rows that llvm-dwarfdump --debug-line prints, without sequences outside the code.
std::vector<std::string> judged_rows(const std::string& dump, const Image& image) {
  std::vector<std::string> texts;
  std::vector<std::string> sequence;
  std::map<unsigned, std::string> files;
  unsigned file_number = 0;
  bool in_code = false;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    unsigned long address = 0;
    unsigned long row_line = 0;
    unsigned long column = 0;
    unsigned file = 0;
    if (line.starts_with("debug_line[")) files.clear();
    if (std::sscanf(line.c_str(), "file_names[%u]:", &file_number) == 1) continue;
    const std::size_t quote = line.find('"');
    if (line.find("name: ") != std::string::npos && quote != std::string::npos) {
      files[file_number] = line.substr(quote + 1, line.rfind('"') - quote - 1);
    }
    if (std::sscanf(line.c_str(), "0x%lx %lu %lu %u", &address, &row_line, &column, &file) != 4) {
      continue;
    }
    if (sequence.empty()) in_code = image.code_section_at(Address{address}) != nullptr;
    const bool ends = line.find("end_sequence") != std::string::npos;
    sequence.push_back(ends ? end_text(address)
                            : row_text(address, file_name(files[file]), row_line, column,
                                       line.find("is_stmt") != std::string::npos));
    if (!ends) continue;
    if (in_code) texts.insert(texts.end(), sequence.begin(), sequence.end());
    sequence.clear();
  }
  return texts;
}

}  // namespace

TEST_CASE("rows are those that llvm-dwarfdump sees") {
  const auto directory = fresh_directory("dwarf_rows_differential");
  if (!have_programs({"llvm-dwarfdump"})) return;
  const std::vector<std::vector<std::string>> commands = {
      {"g++", "-O2", "-g", "-gdwarf-5"},
      {"g++", "-O2", "-g", "-gdwarf-3"},
      {"g++", "-O1", "-g", "-ffunction-sections", "-Wl,--gc-sections"},
      {"g++", "-O2", "-g", "-flto"},
      {"g++", "-O2", "-g", "-gdwarf64"},
      {"clang++", "-O2", "-g", "-gdwarf-5"},
      {"clang++", "-O2", "-g", "-gdwarf-4"},
      {"clang++", "-O2", "-g", "-ffunction-sections", "-Wl,--gc-sections", "-fuse-ld=lld"},
      {"rustc", "-g", "-O"},
  };
  for (const auto& command : commands) {
    INFO(command_text(command));
    if (!have_programs({command.front()})) continue;
    if (command.back() == "-fuse-ld=lld" && !have_programs({"ld.lld"})) continue;
    const auto program = build_dwarf_program(command, directory);
    const auto image = Image::open(program);
    REQUIRE(image);
    const auto dump = run_process({"llvm-dwarfdump", "--debug-line", program.string()});
    REQUIRE(dump.exit_status == 0);
    const auto expected = judged_rows(dump.out, **image);
    const auto rows = our_rows(*open_program(program));
    REQUIRE(expected.size() > 20);
    const auto [ours, theirs] =
        std::mismatch(rows.begin(), rows.end(), expected.begin(), expected.end());
    INFO("row " << ours - rows.begin() << " of " << rows.size());
    CHECK((ours == rows.end() ? "" : *ours) == (theirs == expected.end() ? "" : *theirs));
  }
}
