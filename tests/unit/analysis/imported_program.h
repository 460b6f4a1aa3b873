// A compiled program, and a profile of it in another tool's format, for tests.
//
// Needs gcc. Thread contract: one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/analysis.h"
#include "engine/profile_files.h"
#include "engine/program.h"
#include "tests/support/files.h"
#include "tests/unit/server/counting_program.h"

namespace gprof::test {

inline std::uint64_t count_at(const ImportedProfile& profile, std::uint64_t address) {
  for (const SidecarSample& sample : profile.sidecar->samples) {
    if (sample.place == ModuleAddress{0, {address}}) return sample.count;
  }
  return 0;
}

struct Imported {
  CountingProgram built;
  std::shared_ptr<const Program> program;
  std::filesystem::path file = built.folder / "profile";
  Warnings warnings;

  explicit Imported(const std::string& name) : built(name) {
    auto opened = Program::open(built.program);
    REQUIRE(opened);
    program = *opened;
  }
  [[nodiscard]] SymbolIndex symbol(std::string_view name) const {
    const auto found = program->symbols().find_by_name(name);
    REQUIRE(found);
    return *found;
  }
  [[nodiscard]] std::uint64_t address(std::string_view name) const {
    return program->symbols()[symbol(name)].address.value;
  }
  // In a process that has the file mapped from its beginning at `base`.
  [[nodiscard]] std::uint64_t in_process(std::string_view name, std::uint64_t base) const {
    const Image& image = program->image();
    const Address place = {address(name)};
    const Section* section = image.code_section_at(place);
    REQUIRE(section != nullptr);
    return base + section->offset + (place - section->address);
  }
  void write(const std::string& text) const { write_file(file, text); }
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const {
    AnalysisRequest request;
    request.executable = built.program;
    request.profiles = {file};
    auto snapshot = analyse(request);
    if (!snapshot) FAIL(describe(snapshot.error()));
    return *snapshot;
  }
  Error error() {
    const auto read = read_profile_file(file, *program, warnings);
    REQUIRE_FALSE(read);
    return read.error();
  }
  // Of a program that calls leaf ten times, on line 5.
  [[nodiscard]] std::string callgrind() const {
    return fmt::format(
        "# callgrind format\nversion: 1\ncreator: test\npositions: line\nevents: Ir Dr\n\n"
        "ob=(1) {}\nfl=(1) {}/prog.c\nfn=(1) leaf\n2 50 9\n\nfn=(2) main\n3 7\n+2 11 4\n"
        "cfn=(1)\ncalls=10 2\n* 50 9\njump=3 5\n*\n\n"
        "ob=(2) /lib/libc.so.6\nfl=(2) start.c\nfn=(3) (below main)\n1 5\ncob=(1)\ncfi=(1)\n"
        "cfn=(2)\ncalls=1 3\n* 68 13\n\ntotals: 73 13\n",
        built.program.string(), built.folder.string());
  }
};

}  // namespace gprof::test
