// MD5 digests of sources, as clang writes them into the line tables of DWARF 5.
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "engine/dwarf/debug_information.h"
#include "engine/dwarf/line_header.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"
#include "tests/unit/dwarf/program_under_test.h"
#include "tests/unit/dwarf/section_builder.h"

using namespace gprof;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

SourceDigest digest_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return md5(std::as_bytes(std::span(text.view())));
}

FileId file_of(const DebugInformation& debug, const fs::path& path) {
  const auto file = debug.find_file(path.string());
  INFO(path.string());
  REQUIRE(file);
  return *file;
}

// one.c and two.c, which both include common.h.
void write_sources(const fs::path& directory) {
  write(directory / "common.h", "static inline int twice(int x) { return 2 * x; }\n");
  write(directory / "one.c",
        "#include \"common.h\"\nint other(int);\nint main(int c, char** v) {\n"
        "  (void)v;\n  return twice(c) + other(c) == 7;\n}\n");
  write(directory / "two.c", "#include \"common.h\"\nint other(int x) { return twice(x); }\n");
}

// A line table with one directory, the files one.c and two.c with the digests, and no program.
SectionBuilder table_with(const SourceDigest& one, const SourceDigest& two, unsigned md5_form) {
  SectionBuilder parameters(ByteOrder::little);
  parameters.u8(1).u8(1).u8(1).u8(0x100 - 5).u8(14).u8(1);
  parameters.u8(1).uleb128(1).uleb128(8).uleb128(1).string("/src");
  parameters.u8(3).uleb128(1).uleb128(8).uleb128(2).uleb128(11).uleb128(5).uleb128(md5_form);
  parameters.uleb128(2);
  const auto add_file = [&](std::string_view name, const SourceDigest& digest) {
    parameters.string(name).u8(0);
    for (const std::byte byte : digest) parameters.u8(std::to_integer<unsigned>(byte));
  };
  add_file("one.c", one);
  add_file("two.c", two);
  SectionBuilder content(ByteOrder::little);
  content.u16(5).u8(8).u8(0).u32(parameters.size()).append(parameters);
  SectionBuilder table(ByteOrder::little);
  return table.u32(content.size()).append(content);
}

Expected<dwarf::LineHeader> read_header(std::vector<std::byte> line) {
  dwarf::DwarfSections sections;
  sections.line = line;
  sections.path = "program";
  auto header = dwarf::read_line_header(sections, 0, dwarf::UnitHeader{}, {});
  if (!header) return std::move(header).error();
  // The bytes that names view end here.
  for (auto& file : header->files) file.name = {};
  return header;
}

}  // namespace

TEST_CASE("clang's digests of sources are those of the files; gcc writes none") {
  for (const std::string compiler : {"clang", "gcc"}) {
    for (const std::string form : {"-gdwarf-5", "-gdwarf-4"}) {
      for (const std::string split : {"-gno-split-dwarf", "-gsplit-dwarf"}) {
        if (!have_programs({compiler})) continue;
        INFO(compiler << " " << form << " " << split);
        const auto directory = fresh_directory("digest_compilers");
        write_sources(directory);
        for (const std::string name : {"one", "two"}) {
          run_or_fail({compiler, "-g", form, split, "-c", name + ".c", "-o", name + ".o"},
                      directory);
        }
        run_or_fail({compiler, "one.o", "two.o", "-o", "program"}, directory);
        const auto debug = open_program(directory / "program");
        for (const std::string name : {"one.c", "two.c", "common.h"}) {
          INFO(name);
          const FileId file = file_of(*debug, directory / name);
          CHECK_FALSE(debug->has_conflicting_digests(file));
          if (compiler == "clang" && form == "-gdwarf-5") {
            REQUIRE(debug->digest(file));
            CHECK(*debug->digest(file) == digest_of(directory / name));
          } else {
            CHECK_FALSE(debug->digest(file));
          }
        }
        CHECK_FALSE(debug->digest(no_file));
        CHECK_FALSE(debug->digest(100000));
      }
    }
  }
}

TEST_CASE("a header that changed between two compilations has no digest that can be trusted") {
  if (!have_programs({"clang"})) return;
  const auto directory = fresh_directory("digest_conflict");
  write_sources(directory);
  const auto compile = [&](const std::string& name) {
    run_or_fail({"clang", "-g", "-gdwarf-5", "-c", name + ".c", "-o", name + ".o"}, directory);
  };
  compile("one");
  write(directory / "common.h", "\nstatic inline int twice(int x) { return x + x; }\n");
  compile("two");
  run_or_fail({"clang", "one.o", "two.o", "-o", "program"}, directory);
  const auto debug = open_program(directory / "program");
  const FileId header = file_of(*debug, directory / "common.h");
  CHECK_FALSE(debug->digest(header));
  CHECK(debug->has_conflicting_digests(header));
  const FileId one = file_of(*debug, directory / "one.c");
  CHECK(debug->digest(one) == digest_of(directory / "one.c"));
  CHECK_FALSE(debug->has_conflicting_digests(one));
}

TEST_CASE("all files of a program are known without asking for one of them first") {
  if (!have_programs({"gcc"})) return;
  const auto directory = fresh_directory("digest_all_files");
  write_sources(directory);
  run_or_fail({"gcc", "-g", "one.c", "two.c", "-o", "program"}, directory);
  const auto debug = open_program(directory / "program");
  std::vector<std::string> names;
  for (const FileId file : debug->all_files()) {
    names.push_back(fs::path(debug->path(file)).filename());
  }
  for (const std::string name : {"one.c", "two.c", "common.h"}) {
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
}

TEST_CASE("a digest of zeros is none, and one of another form is passed over") {
  SourceDigest some;
  some.fill(std::byte{7});
  const auto header = read_header(table_with(some, SourceDigest{}, 0x1e).bytes());
  REQUIRE(header);
  REQUIRE(header->files.size() == 2);
  CHECK(header->files[0].digest == some);
  CHECK_FALSE(header->files[1].digest);
  // As a block: its first byte is its size.
  const auto other = read_header(table_with(some, some, 0x09).bytes());
  if (other) {
    for (const auto& file : other->files) CHECK_FALSE(file.digest);
  }
  // Truncated anywhere, the header is either refused or complete, and nothing is read past its end.
  const auto whole = table_with(some, some, 0x1e).bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK_FALSE(read_header({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}));
  }
}
