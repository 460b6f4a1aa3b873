// Judges what is read and written with the installed GNU gprof.
#include <fstream>
#include <map>
#include <sstream>

#include <catch2/catch.hpp>

#include "engine/gmon/sum.h"
#include "engine/gmon/writer.h"
#include "tests/support/process.h"
#include "tests/support/skipped_tests.h"
#include "tests/unit/gmon/samples.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr const char* program_source = R"(
int leaf(int n) { volatile int sum = 0; for (int i = 0; i < n; ++i) sum += i; return sum; }
int middle(int n) { int sum = 0; for (int i = 0; i < 7; ++i) sum += leaf(n); return sum; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000; ++i) sum += middle(i);
  for (int i = 0; i < 11; ++i) sum += leaf(20000000);
  return sum == 1;
}
)";

struct ProfiledProgram {
  std::filesystem::path directory;
  std::filesystem::path profile;
};

// None, with a reason, if a tool is missing.
std::optional<ProfiledProgram> profiled_program(const std::string& test_name) {
  for (const char* tool : {"gcc", "gprof"}) {
    if (find_program(tool)) continue;
    gprof::test::skip_test(std::string("no ") + tool);
    return std::nullopt;
  }
  const auto directory = fresh_directory(test_name);
  std::ofstream(directory / "program.c") << program_source;
  const auto built =
      run_process({"gcc", "-pg", "-O0", "-g", "program.c", "-o", "program"}, directory);
  INFO(built.err);
  REQUIRE(built.exit_status == 0);
  REQUIRE(run_process({"./program"}, directory).exit_status == 0);
  return ProfiledProgram{directory, directory / "gmon.out"};
}

void write_file(const std::filesystem::path& path, const std::vector<std::byte>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

std::string gprof_output(const ProfiledProgram& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "gprof");
  const auto result = run_process(arguments, program.directory);
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  CHECK(result.err.empty());
  return result.out;
}

// The calls column of the flat profile, by function.
std::map<std::string, std::uint64_t> calls_in(const std::string& flat_profile) {
  std::map<std::string, std::uint64_t> calls;
  std::istringstream lines(flat_profile);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    double percent = 0, cumulative = 0, self = 0, self_per_call = 0, total_per_call = 0;
    std::uint64_t count = 0;
    std::string name;
    if (fields >> percent >> cumulative >> self >> count >> self_per_call >> total_per_call >>
        name) {
      calls[name] = count;
    }
  }
  return calls;
}

}  // namespace

TEST_CASE("gmon differential: GNU gprof shows the calls of a written sum of three runs") {
  const auto program = profiled_program("gmon_differential_sum");
  if (!program) return;
  const auto profile = read_gmon_file(program->profile, {});
  REQUIRE(profile);
  RawProfile sum;
  for (int i = 0; i < 3; ++i) REQUIRE(add_profile(sum, *profile, "gmon.out"));
  const auto bytes = write_gmon(sum, {});
  REQUIRE(bytes);
  write_file(program->directory / "sum", *bytes);

  const auto once = calls_in(gprof_output(*program, {"-b", "-p", "program", "gmon.out"}));
  CHECK(once.at("leaf") == 7011);
  CHECK(once.at("middle") == 1000);
  const auto thrice = calls_in(gprof_output(*program, {"-b", "-p", "program", "sum"}));
  CHECK(thrice.at("leaf") == 3 * 7011);
  CHECK(thrice.at("middle") == 3 * 1000);
  // GNU gprof's own sum of the three must have the same figures.
  const std::vector<std::string> three = {"-b", "program", "gmon.out", "gmon.out", "gmon.out"};
  CHECK(gprof_output(*program, {"-b", "program", "sum"}) == gprof_output(*program, three));
}

TEST_CASE("gmon differential: GNU gprof reads counts beyond a record's width") {
  const auto program = profiled_program("gmon_differential_large");
  if (!program) return;
  const auto profile = read_gmon_file(program->profile, {});
  REQUIRE(profile);
  ProfileSum sum;
  constexpr int copies = 2000;
  for (int i = 0; i < copies; ++i) REQUIRE(sum.add(*profile, "gmon.out"));
  RawProfile total = sum.take();
  for (RawArc& arc : total.arcs) arc.count *= 1000;
  const auto bytes = write_gmon(total, {});
  REQUIRE(bytes);
  write_file(program->directory / "sum", *bytes);
  const auto calls = calls_in(gprof_output(*program, {"-b", "-p", "program", "sum"}));
  CHECK(calls.at("leaf") == std::uint64_t{7011} * copies * 1000);  // 14 billion
}

TEST_CASE("gmon differential: GNU gprof counts the records of every format as they are read") {
  const auto program = profiled_program("gmon_differential_records");
  if (!program) return;
  for (const auto& [format, version] : {std::pair{GmonFormat::gnu, 0U},
                                        {GmonFormat::gnu, 1U},
                                        {GmonFormat::bsd, 1U},
                                        {GmonFormat::bsd44, 1U}}) {
    const auto bytes = build_gmon(sample(format, {}, version));
    write_file(program->directory / "made", bytes);
    const auto profile = read_gmon(bytes, "made", {});
    REQUIRE(profile);
    std::ostringstream expected;
    expected << "File `made' (version " << profile->version << ") contains:\n\t"
             << profile->histogram_records << " histogram record\n\t" << profile->arc_records
             << " call-graph records\n\t" << profile->block_records << " basic-block count record"
             << (profile->block_records == 1 ? "" : "s") << "\n";
    CHECK(gprof_output(*program, {"-l", "-i", "program", "made"}).find(expected.str()) !=
          std::string::npos);
  }
}
