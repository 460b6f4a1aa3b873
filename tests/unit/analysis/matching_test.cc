// A profile of another build is distinguished from one of this build, without any build-id.
#include "engine/matching.h"

#include <sstream>

#include "engine/gmon/reader.h"
#include "tests/unit/analysis/profiled_source.h"

using namespace gprof;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

Agreement agreement_of(const fs::path& program, const fs::path& profile) {
  const auto opened = Program::open(program);
  REQUIRE(opened);
  const auto& image = (*opened)->image();
  const auto bytes = InputFile::open(profile)->read_all();
  REQUIRE(bytes);
  const auto raw = read_gmon(*bytes, profile.string(), {image.pointer_width(), image.byte_order()});
  REQUIRE(raw);
  CHECK_FALSE(raw->build_id_prefix);
  return agreement(**opened, *raw);
}

Words all_builds() {
  return {"gcc -O0 -pg",          "gcc -O2 -pg",
          "gcc -O0 -pg -mfentry", "gcc -O2 -pg -mfentry",
          "gcc -O2 -pg -fno-plt", "gcc -O2 -pg -no-pie -fno-pie",
          "gcc -O2 -pg -static",  "gcc -O2 -pg -fcf-protection=full",
          "clang -O0 -pg",        "clang -O2 -pg"};
}

Words words_of(const std::string& text) {
  Words words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  words.insert(words.begin() + 1, "-g");
  return words;
}

}  // namespace

TEST_CASE("the profile of another build is refused, that of this build is not") {
  for (const std::string& build : all_builds()) {
    const Words command = words_of(build);
    if (!have_programs({command.front()})) continue;
    INFO(build);
    const ProfiledSource source("matching_builds", 3, command);
    // main also calls mcount, and has a caller in glibc.
    const Agreement own = agreement_of(source.program(), source.profile());
    CHECK(own.agreeing >= 20);
    CHECK(own.disagreeing == 0);

    // Merely newer: linked again, copied, touched.
    source.compile(command);
    source.make_program_newer();
    CHECK(calls_of(*analyse_or_fail(source.request()), "f7") == 3);

    // All functions but the first are elsewhere.
    source.write(3, true);
    source.compile(command);
    source.make_program_newer();
    const Agreement other = agreement_of(source.program(), source.profile());
    CHECK(other.disagreeing > other.agreeing);
    const auto refused = analyse(source.request());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::mismatch);
    CHECK(refused.error().path == source.profile().string());
    CHECK(refused.error().message.find("another build") != std::string::npos);
    CHECK(refused.error().message.find("run the program again") != std::string::npos);

    source.run();
    CHECK(calls_of(*analyse_or_fail(source.request()), "f7") == 3);
  }
}

TEST_CASE("a profile that is newer than the program is not looked at for other builds") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("matching_newer_profile", 3, {"gcc", "-g", "-O2", "-pg"});
  source.write(3, true);
  source.compile({"gcc", "-g", "-O2", "-pg"});
  fs::last_write_time(source.profile(),
                      fs::last_write_time(source.program()) + std::chrono::seconds(1));
  CHECK(analyse(source.request()));
}

TEST_CASE("a sum that gprof wrote agrees with its build") {
  if (!have_programs({"gcc", "gprof"})) return;
  const ProfiledSource source("matching_sums", 3, {"gcc", "-g", "-O2", "-pg"});
  run_or_fail({"gprof", "-s", "program", "gmon.out"}, source.directory);
  const Agreement sum = agreement_of(source.program(), source.directory / "gmon.sum");
  CHECK(sum.agreeing >= 20);
  CHECK(sum.disagreeing == 0);
  AnalysisRequest request = source.request();
  request.profiles = {source.directory / "gmon.sum"};
  fs::last_write_time(source.program(),
                      fs::last_write_time(source.directory / "gmon.sum") + std::chrono::seconds(1));
  CHECK(calls_of(*analyse_or_fail(request), "f7") == 3);
}

TEST_CASE("functions that call no collector tell nothing of the build") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("matching_unknown", 3, {"gcc", "-g", "-O2", "-pg"});
  // The same functions, without calls to mcount.
  source.compile({"gcc", "-g", "-O2"});
  CHECK(agreement_of(source.program(), source.profile()).disagreeing == 0);
}
