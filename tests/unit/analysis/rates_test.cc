// Profiles sampled at different rates are not added up.
#include <fstream>

#include "tests/unit/analysis/profiled_source.h"

using namespace gprof;
using namespace gprof::test;

namespace fs = std::filesystem;
using Catch::Contains;

namespace {

// Gives the first histogram of a 64-bit gmon file another rate, and samples in its first bin.
void sample(const fs::path& profile, std::uint32_t rate, std::uint16_t samples) {
  constexpr std::streamoff rate_offset = 20 + 1 + 8 + 8 + 4;
  constexpr std::streamoff bins_offset = rate_offset + 4 + 16;
  std::fstream file(profile, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(rate_offset);
  file.write(reinterpret_cast<const char*>(&rate), sizeof rate);
  file.seekp(bins_offset);
  file.write(reinterpret_cast<const char*>(&samples), sizeof samples);
  REQUIRE(file);
}

}  // namespace

TEST_CASE("profiles that were sampled at different rates are not added up") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("rates", 3, {"gcc", "-g", "-O0", "-pg"});
  AnalysisRequest request = source.request();
  request.profiles.push_back(source.directory / "other");
  fs::copy(source.profile(), request.profiles.back());
  sample(source.profile(), 100, 5);

  sample(request.profiles.back(), 100, 7);
  CHECK(analyse_or_fail(request)->profile().total_ticks() == 12);

  sample(request.profiles.back(), 1000, 7);
  const auto refused = analyse(request);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::mismatch);
  CHECK(refused.error().path == request.profiles.back().string());
  CHECK_THAT(refused.error().message, Contains("100 Hz") && Contains("1000 Hz"));

  // Without samples there are no times to add up.
  sample(request.profiles.back(), 1000, 0);
  CHECK(analyse_or_fail(request)->profile().total_ticks() == 5);
}
