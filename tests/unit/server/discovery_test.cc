#include "server/discovery/discovery.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include "server/discovery/live_profiles.h"
#include "server/discovery/program_planner.h"
#include "server/system/new_file.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/unit/server/counting_program.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

namespace fs = std::filesystem;

void set_age(const fs::path& path, std::chrono::seconds age) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

std::vector<fs::path> expanded(const std::string& pattern, const fs::path& folder) {
  GlobBudget budget;
  return expand_profiles(pattern, folder, budget).files;
}

// While it lives, no file can be opened. Assert only after it is destroyed: sanitizers need
// descriptors for some of their own checks.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none = {0, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_ = {};
};

}  // namespace

TEST_CASE("what cannot be read for a while is what it was") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram counting("discovery_no_descriptors");
  counting.run(1);
  FileCatalog catalog;
  WorkspaceDiscovery discovery;
  const auto executables = [&](FileCatalog& known) {
    std::vector<fs::path> found;
    for (const auto& program : discovery.discover({counting.folder}, {}, known).programs) {
      found.push_back(program.executable);
    }
    return found;
  };
  const std::vector<fs::path> expected = {counting.program};
  REQUIRE(executables(catalog) == expected);
  set_age(counting.profile, std::chrono::seconds(30));
  std::vector<fs::path> by_same;
  std::vector<fs::path> by_new;
  {
    const NoDescriptors none;
    by_same = executables(catalog);
    // One that knows nothing yet, as after a search that found nothing.
    FileCatalog ignorant;
    by_new = executables(ignorant);
  }
  CHECK(by_same == expected);
  CHECK(by_new == expected);
  set_age(counting.profile, std::chrono::seconds(20));
  CHECK(executables(catalog) == expected);

  FileCatalog ignorant;
  ignorant.begin_look();
  bool is_known = true;
  {
    const NoDescriptors none;
    is_known = ignorant.binary(counting.program) != nullptr;
  }
  CHECK_FALSE(is_known);
  ignorant.begin_look();
  CHECK(ignorant.binary(counting.program) != nullptr);
}

TEST_CASE("profiles find their executables, newest first") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram first("discovery/a");
  const CountingProgram second("discovery/b");
  second.build(60);
  first.run(1);
  set_age(first.profile, std::chrono::seconds(30));
  fs::rename(first.profile, first.folder / "gmon.out.77");
  first.run(2);
  set_age(first.profile, std::chrono::seconds(20));
  second.run(3);
  set_age(first.program, std::chrono::seconds(100));
  set_age(second.program, std::chrono::seconds(100));

  const fs::path root = first.folder.parent_path();
  FileCatalog catalog;
  WorkspaceDiscovery discovery;
  const Discovery found = discovery.discover({root}, {}, catalog);
  CHECK(found.warnings.empty());
  REQUIRE(found.programs.size() == 2);
  CHECK(found.programs[0].executable == second.program);
  CHECK(found.programs[0].profiles == std::vector<fs::path>{second.profile});
  CHECK(found.programs[1].executable == first.program);
  CHECK(found.programs[1].profiles ==
        std::vector<fs::path>{first.profile, first.folder / "gmon.out.77"});
}

TEST_CASE("of the copies of a build the one that was not stripped is shown") {
  if (!have_programs({"gcc", "strip"})) return;
  const CountingProgram counting("discovery_copies");
  counting.run(1);
  const fs::path installed = counting.folder / "out" / "bin" / "prog";
  fs::create_directories(installed.parent_path());
  run_or_fail({"strip", "-o", installed.string(), counting.program.string()}, counting.folder);
  fs::rename(counting.profile, installed.parent_path() / "gmon.out");
  set_age(counting.program, std::chrono::seconds(100));
  set_age(installed, std::chrono::seconds(50));
  FileCatalog catalog;
  WorkspaceDiscovery discovery;
  const Discovery found = discovery.discover({counting.folder}, {}, catalog);
  REQUIRE(found.programs.size() == 1);
  CHECK(found.programs[0].executable == counting.program);
}

TEST_CASE("a profile stays with its executable while that is built anew") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("discovery-rebuilt/a");
  const CountingProgram other("discovery-rebuilt/b");
  other.build(30);
  program.run(1);
  const fs::path root = program.folder.parent_path();
  FileCatalog catalog;
  WorkspaceDiscovery discovery;
  REQUIRE(discovery.discover({root}, {}, catalog).programs.at(0).executable == program.program);

  // The other one's code is now as large as this one's was.
  program.build(30);
  other.build(0);
  const ChangedFiles changed{{program.program, other.program}, false};
  auto found = discovery.discover({root}, changed, catalog);
  REQUIRE(found.programs.size() == 1);
  CHECK(found.programs[0].executable == program.program);

  fs::remove(program.program);
  found = discovery.discover({root}, {{program.program}, false}, catalog);
  program.build(30);
  program.run(2);
  found = discovery.discover({root}, {{program.program, program.profile}, false}, catalog);
  REQUIRE(found.programs.size() == 1);
  CHECK(found.programs[0].executable == program.program);
}

TEST_CASE("a profile that has gone stays what is shown, until there is a newer one") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("discovery-gone", 1);
  set_age(program.profile, std::chrono::seconds(30));
  const fs::path older = program.folder / "gmon.out.1";
  fs::rename(program.profile, older);
  program.run(2);
  FileCatalog catalog;
  WorkspaceDiscovery discovery;
  using Paths = std::vector<fs::path>;
  REQUIRE(discovery.discover({program.folder}, {}, catalog).programs.at(0).profiles ==
          Paths{program.profile, older});
  fs::remove(program.profile);
  const ChangedFiles changed{{program.profile, older}, false};
  CHECK(discovery.discover({program.folder}, changed, catalog).programs.at(0).profiles ==
        Paths{program.profile, older});
  fs::remove(older);
  CHECK(discovery.discover({program.folder}, changed, catalog).programs.at(0).profiles ==
        Paths{program.profile});
  CHECK(discovery.discover({program.folder / "elsewhere"}, {}, catalog).programs.empty());
}

TEST_CASE("programs that come after the search are found with their profile") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("discovery-late/deep/er/still");
  const fs::path root = work_directory() / "discovery-late";
  fs::remove(program.program);
  FileCatalog catalog;
  WorkspaceDiscovery discovery;
  CHECK(discovery.discover({root}, {}, catalog).programs.empty());
  program.build();
  program.run(1);
  // Only the profile is reported.
  const auto found = discovery.discover({root}, {{program.profile}, false}, catalog);
  REQUIRE(found.programs.size() == 1);
  CHECK(found.programs[0].executable == program.program);
  fs::remove_all(root);
}

TEST_CASE("files that are called like profiles and are none are told once a look") {
  const fs::path root = fresh_directory("discovery-garbage");
  write_file(root / "gmon.out", "gmon");
  write_file(root / "notes.12", "these are no samples");
  FileCatalog catalog;
  WorkspaceDiscovery discovery;
  const auto found = discovery.discover({root}, {}, catalog);
  CHECK(found.programs.empty());
  CHECK(found.warnings.size() == 1);
  fs::remove_all(root);
}

TEST_CASE("files of other tools that are not shown are named, with the reason") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("discovery-left-out");
  const auto callgrind = [](const std::string& command, const std::string& object) {
    return "# callgrind format\npid: 12\ncmd: " + command + "\nevents: Ir\n\nob=" + object +
           "\nfl=prog.c\nfn=leaf\n2 50\n";
  };
  write_file(program.folder / "callgrind.out.1", callgrind("./other 5", "/w/other"));
  write_file(program.folder / "callgrind.out.2", "events: Ir\nfn=leaf\n2 50\n");
  write_file(program.folder / "heap.pprof", "no profile");
  FileCatalog catalog;
  WorkspaceDiscovery discovery;
  auto found = discovery.discover({program.folder}, {}, catalog);
  CHECK(found.programs.empty());
  CHECK(found.warnings.empty());
  const std::string folder = program.folder.string();
  const std::string advice = "; name both in the setting gprof.programs";
  CHECK(found.remarks ==
        std::vector<std::string>{folder +
                                     "/callgrind.out.1: a profile of other, and the workspace has "
                                     "no executable of that name" +
                                     advice,
                                 folder + "/callgrind.out.2: does not name its program" + advice,
                                 folder + "/heap.pprof: not in pprof's format, despite its name"});

  // Words of a command may belong to the program's name.
  fs::create_directories(program.folder / "a b");
  fs::copy(program.program, program.folder / "a b" / "my prog");
  write_file(program.folder / "callgrind.out.3", callgrind("./my prog -x 5", "/w/a b/my prog"));
  found = discovery.discover({program.folder}, {{}, true}, catalog);
  REQUIRE(found.programs.size() == 1);
  CHECK(found.programs[0].executable == program.folder / "a b" / "my prog");

  for (int i = 10; i < 25; ++i) {
    write_file(program.folder / ("callgrind.out." + std::to_string(i)), callgrind("./x", "/w/x"));
  }
  found = discovery.discover({program.folder}, {{}, true}, catalog);
  REQUIRE(found.remarks.size() == 11);
  CHECK(found.remarks.back() == "8 more files of other tools are not shown.");
}

TEST_CASE("callgrind's files of one run are shown together") {
  if (!have_programs({"gcc", "gzip"})) return;
  const CountingProgram program("discovery-parts");
  const auto write = [&](const std::string& name, std::chrono::seconds age) {
    write_file(program.folder / name,
               "# callgrind format\npid: 12\ncmd: ./prog 5\nevents: Ir\n\nob=" +
                   program.program.string() + "\nfl=prog.c\nfn=leaf\n2 50\n");
    set_age(program.folder / name, age);
  };
  write("callgrind.out.11", std::chrono::seconds(50));
  run_or_fail({"gzip", "-N", "callgrind.out.11"}, program.folder);
  write("callgrind.out.12-01", std::chrono::seconds(31));
  write("callgrind.out.12-02", std::chrono::seconds(30));
  write("callgrind.out.12.1-02", std::chrono::seconds(40));
  write_file(program.folder / "callgrind.out.12", "");
  const PlanRequest request{{}, {program.folder}, {}, {}, {}};
  const LoadPlan plan = ProgramPlanner().plan(request);
  REQUIRE(plan.programs.size() == 1);
  CHECK(plan.programs[0].profiles ==
        std::vector<fs::path>{program.folder / "callgrind.out.12-01",
                              program.folder / "callgrind.out.12-02",
                              program.folder / "callgrind.out.12.1-02"});
  CHECK(plan.programs[0].candidates.size() == 4);
  CHECK(plan.warnings.empty());
  CHECK(plan.remarks.empty());
}

TEST_CASE("a search is bounded") {
  const fs::path root = fresh_directory("discovery-bounds");
  fs::create_directories(root / ".hidden");
  fs::create_directories(root / "a" / "b" / "c");
  for (const char* place : {".", ".hidden", "a", "a/b", "a/b/c"}) {
    write_file(root / place / "gmon.out", "gmon");
  }
  SearchLimits limits;
  CHECK(search_workspace({root}, limits).profiles.size() == 4);
  limits.depth = 1;
  CHECK(search_workspace({root}, limits).profiles.size() == 2);
  limits = {};
  limits.entries = 2;
  const WorkspaceFiles few = search_workspace({root}, limits);
  CHECK_FALSE(few.complete);
  limits = {};
  limits.directories = 1;
  CHECK(search_workspace({root}, limits).directories == std::vector<fs::path>{root / "a"});
  fs::remove_all(root);
}

TEST_CASE("a pattern of profiles leaves out what lies beside them") {
  const fs::path root = work_directory() / "patterns [1]";
  fs::remove_all(root);
  fs::create_directories(root);
  for (const char* name : {"gmon.out", "gmon.out.12", "gmon.out.gpx", "gmon.out.libx.so.1",
                           "gmon.out.12.libx.so.1", "gmon.sum", ".gmon.out.13.tmp"}) {
    write_file(root / name, "gmon");
  }
  // An unfinished file does not count yet.
  const auto sum = NewFile::create(root / "gmon.sum");
  REQUIRE(sum);
  using Paths = std::vector<fs::path>;
  CHECK(expanded("gmon.*", root) ==
        Paths{root / "gmon.out", root / "gmon.out.12", root / "gmon.sum"});
  CHECK(expanded("*", root) == Paths{root / "gmon.out", root / "gmon.out.12", root / "gmon.sum"});
  CHECK(expanded("gmon.out*", root) == Paths{root / "gmon.out", root / "gmon.out.12"});
  CHECK(expanded("gmon.sum", root) == Paths{root / "gmon.sum"});
  CHECK(expanded("gmon.out.libx.so.1", root) == Paths{root / "gmon.out.libx.so.1"});
  CHECK(expanded("missing.out", root) == Paths{root / "missing.out"});
  fs::remove_all(root);
}

TEST_CASE("a directory is listed once for all who look there") {
  const fs::path root = gprof::test::fresh_directory("listed-once");
  write_file(root / "gmon.live.12", "live");
  write_file(root / "gmon.out", "gmon");
  DirectoryListings listings;
  CHECK(listings.of(root) == std::vector<std::string>{"gmon.live.12", "gmon.out"});
  // Later files are found by the next search.
  write_file(root / "gmon.live.13", "live");
  const auto live = [&root](DirectoryListings& listed) {
    return live_files_beside({root / "gmon.out", root / "gmon.out.1"}, listed);
  };
  CHECK(live(listings) == std::set<fs::path>{root / "gmon.live.12"});
  DirectoryListings later;
  CHECK(live(later) == std::set<fs::path>{root / "gmon.live.12", root / "gmon.live.13"});
}

TEST_CASE("what the disk is asked grows with the files, not with their pairs") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("discovery-many", 3);
  const auto questions_of = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const fs::path folder = program.folder / std::to_string(i);
      if (fs::exists(folder)) continue;
      fs::create_directories(folder);
      fs::copy_file(program.program, folder / "prog");
      fs::copy_file(program.profile, folder / "gmon.out");
    }
    FileCatalog catalog;
    WorkspaceDiscovery discovery;
    const Discovery found = discovery.discover({program.folder}, {}, catalog);
    // Each profile belongs to its neighbour.
    CHECK(found.programs.size() == count + 1);
    for (const DiscoveredProgram& one : found.programs) {
      REQUIRE(one.profiles.size() == 1);
      CHECK(one.profiles.front().parent_path() == one.executable.parent_path());
    }
    return catalog.questions();
  };
  const std::size_t few = questions_of(20);
  const std::size_t many = questions_of(80);
  CAPTURE(few, many);
  CHECK(many <= 5 * few);
}

TEST_CASE("a pattern that names a whole tree ends with its budget, and that is told") {
  const fs::path root = fresh_directory("glob-budget");
  for (int i = 0; i < 30; ++i) {
    for (int j = 0; j < 30; ++j) {
      fs::create_directories(root / std::to_string(i) / std::to_string(j));
    }
  }
  GlobBudget budget(500);
  const GlobMatches cut = expand_glob((root / "**/**/**").string(), budget);
  CHECK_FALSE(cut.complete);
  CHECK(budget.entries == 0);
  // What another pattern would need is used up as well.
  CHECK_FALSE(expand_glob((root / "*").string(), budget).complete);

  GlobBudget enough;
  const GlobMatches whole = expand_glob((root / "*/2?").string(), enough);
  CHECK(whole.complete);
  CHECK(whole.files.size() == 300);
  CHECK(GlobBudget::usual - enough.entries == 30 + 30 * 30);

  // A link to itself is followed at most as often as the pattern has parts.
  fs::create_directory_symlink(root, root / "again");
  GlobBudget loops;
  CHECK(expand_glob((root / "again/*/*/*/*/*/*/x").string(), loops).files.empty());
  CHECK(expand_glob((root / "*/again/1/1").string(), loops).files ==
        std::vector<fs::path>{root / "again/again/1/1"});

  ProgramPlanner planner;
  PlanRequest request{{{"prog", {"**/**/**", "also/*"}, {}, {}}}, {root}, {}, {}};
  request.patterns = GlobBudget(500);
  const LoadPlan plan = planner.plan(request);
  const auto is_told = [](const Error& warning) {
    return warning.code == ErrorCode::unsupported && warning.path.ends_with("**/**/**") &&
           warning.message.find("500") != std::string::npos;
  };
  CHECK(std::count_if(plan.warnings.begin(), plan.warnings.end(), is_told) == 1);
  fs::remove_all(root);
}

TEST_CASE("a profile that claims to be larger than any is costs a message") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("discovery-sparse", 1);
  const fs::path sparse = program.folder / "gmon.out.500";
  write_file(sparse, "gmon");
  fs::resize_file(sparse, std::uintmax_t{500} << 30);
  FileCatalog catalog;
  WorkspaceDiscovery discovery;
  const Discovery found = discovery.discover({program.folder}, {}, catalog);
  REQUIRE(found.programs.size() == 1);
  CHECK(found.programs[0].profiles == std::vector<fs::path>{program.profile});
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings[0].code == ErrorCode::unsupported);
  CHECK(found.warnings[0].path == sparse);
}
