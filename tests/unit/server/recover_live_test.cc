#include "server/cli/record/recover_live.h"

#include <filesystem>
#include <ios>
#include <string>
#include <variant>

#include <catch2/catch.hpp>

#include "engine/gmon/sidecar.h"
#include "tests/support/files.h"
#include "tests/support/live_builder.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;
namespace fs = std::filesystem;

namespace {

// Where counters with this name for their profile are recovered to.
fs::path recovered_to(const std::string& name, const fs::path& folder, const std::string& prefix) {
  test::LiveDescription live;
  live.header.name = name;
  live.module({0x50000, 0x50000, 0x60000, 0x51000, 0x58000, 0x51000, 0, test::still_loaded,
               module_flags::main, "0123456789", "program", "/opt/program"});
  live.arcs(0, {{0x51010, 0x51100, 7}});
  const auto bytes = test::build_live(live);
  const fs::path path = folder / "gmon.live.4711";
  write_file(path, bytes);
  RecoveryContext context;
  context.trusted_prefix = prefix;
  const auto recovery = recover_live_file(path, context);
  REQUIRE(recovery);
  const auto* recovered = std::get_if<Recovered>(&*recovery);
  REQUIRE(recovered != nullptr);
  return recovered->profile;
}

}  // namespace

TEST_CASE("a name leads out of the directory by a trusted prefix alone") {
  const fs::path root = fs::canonical(test::fresh_directory("recover_live"));
  const fs::path folder = root / "outer" / "inner";
  fs::create_directories(folder / "sub");
  CHECK(recovered_to("sub/mine.4711", folder, "sub/mine") == folder / "sub" / "mine.4711");
  CHECK(recovered_to("sub/mine.4711", folder, "") == folder / "mine.4711");
  CHECK(recovered_to("sub/other.4711", folder, "sub/mine") == folder / "other.4711");
  // Only what the prefix itself says is trusted.
  CHECK(recovered_to("sub/mine./../../../x.4711", folder, "sub/mine") == folder / "x.4711");
  CHECK(recovered_to("../../y.4711", folder, "sub/mine") == folder / "y.4711");
  CHECK(recovered_to("../../Makefile", folder, "") == folder / "gmon.out");
  CHECK_FALSE(fs::exists(root / "x.4711"));
  CHECK_FALSE(fs::exists(root / "y.4711"));
  CHECK_FALSE(fs::exists(root / "Makefile"));
}
