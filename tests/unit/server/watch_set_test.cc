#include "server/discovery/watch_set.h"

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fnmatch.h>

#include "server/discovery/glob_pattern.h"

using namespace gprof::lsp;

namespace {

using Texts = std::vector<std::string>;

Texts texts(const std::vector<WatchedPattern>& patterns) {
  Texts result;
  for (const WatchedPattern& pattern : patterns) {
    result.push_back(pattern.base.empty() ? pattern.pattern
                                          : pattern.base + " | " + pattern.pattern);
  }
  return result;
}

}  // namespace

TEST_CASE("a path is a pattern that matches it alone") {
  for (const std::string path : {"/a/b", "/a [1]/b*?", "/a\\b/c", "/{a,b}/c"}) {
    CAPTURE(path);
    const std::string pattern = glob_of(path);
    CHECK_FALSE(has_wildcards(pattern));
    CHECK(literal_path(pattern) == path);
    CHECK(glob_matches(pattern, path));
    CHECK_FALSE(glob_matches(pattern, path + "x"));
  }
  CHECK_FALSE(glob_matches(glob_of("/a[b]/c"), "/ab/c"));
}

TEST_CASE("patterns match what fnmatch() says they match") {
  std::minstd_rand random(1);
  const std::string characters = "aab.*?[]!-^\\/";
  const auto text_of = [&](std::size_t most) {
    std::string text;
    for (std::size_t left = random() % (most + 1); left > 0; --left) {
      text += characters[random() % characters.size()];
    }
    return text;
  };
  int matches = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::string pattern = "/" + text_of(8);
    const std::string path = "/" + text_of(5);
    // What an unfinished quotation means does not matter; empty parts are not files.
    if (pattern.ends_with('\\') || pattern.find("//") != std::string::npos) continue;
    if (path.find("//") != std::string::npos || path.ends_with('/')) continue;
    if (pattern.find("\\/") != std::string::npos || pattern.ends_with('/')) continue;
    // fnmatch() accepts a set that contains a slash; in a part of a path it is not a set.
    const std::size_t set = pattern.find('[');
    if (set != std::string::npos && pattern.find('/', set) != std::string::npos) continue;
    const bool wanted = ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
    matches += wanted ? 1 : 0;
    CAPTURE(pattern, path);
    REQUIRE(glob_matches(pattern, path) == wanted);
  }
  CHECK(matches > 1000);
}

TEST_CASE("a pattern of many stars is held against a long name at once") {
  std::string pattern = "/";
  for (int i = 0; i < 60; ++i) pattern += "*a";
  const std::string name = "/" + std::string(255, 'a');
  CHECK(glob_matches(pattern + "*", name));
  CHECK_FALSE(glob_matches(pattern + "*b", name));
}

TEST_CASE("patterns below folders take the folder's name literally") {
  CHECK(glob_below("/w [x]", "gmon.*") == "/w \\[x]/gmon.*");
  CHECK(glob_below("/w", "../other/gmon.out") == "/other/gmon.out");
  CHECK(glob_below("/w", "/abs/*") == "/abs/*");
  CHECK(literal_directory("/w \\[x]/run-*/gmon.out") == "/w [x]");
  CHECK(literal_directory("/w/gmon.*") == "/w");
}

TEST_CASE("the protocol's patterns have no way to quote") {
  CHECK(protocol_pattern("/a/*.out") == "/a/*.out");
  CHECK(protocol_pattern("/a/[12].out") == "/a/[12].out");
  CHECK(protocol_pattern(glob_of("/a[b]{c}*\\d")) == "/a?b]?c???d");
}

TEST_CASE("what is watched is told once, by folder where the client knows bases") {
  WatchSet set;
  set.add_folder("/w");
  set.add_file("/w/prog");
  set.add_file("/w/./prog");
  set.add_file("/away/prog");
  set.add_profiles(glob_of("/w/gmon.out"));
  set.add_glob("/w/lib*.so");
  CHECK(texts(set.patterns({"/w"}, false)) ==
        Texts{"/away/prog", "/w/**/*.folded*", "/w/**/*.gpx", "/w/**/*.pb.gz", "/w/**/*.pprof",
              "/w/**/callgrind.out.*", "/w/**/gmon.live.*", "/w/**/gmon.out*", "/w/**/gmon.sum",
              "/w/**/perf.data*", "/w/**/perf.data*/data*", "/w/gmon.out", "/w/gmon.out.*",
              "/w/lib*.so", "/w/prog"});
  CHECK(texts(set.patterns({"/w"}, true)) ==
        Texts{"file:///away | prog", "file:///w | **/*.folded*", "file:///w | **/*.gpx",
              "file:///w | **/*.pb.gz", "file:///w | **/*.pprof", "file:///w | **/callgrind.out.*",
              "file:///w | **/gmon.live.*", "file:///w | **/gmon.out*", "file:///w | **/gmon.sum",
              "file:///w | **/perf.data*", "file:///w | **/perf.data*/data*",
              "file:///w | gmon.out", "file:///w | gmon.out.*", "file:///w | lib*.so",
              "file:///w | prog"});
  CHECK(texts(set.outside({"/w"}).patterns({"/w"}, false)) == Texts{"/away/prog"});
  CHECK(set.outside({"/"}).empty());
}

TEST_CASE("changes that are news") {
  WatchSet set;
  set.add_folder("/w");
  set.add_file("/away/prog");
  set.add_profiles("/runs/*/gmon.out");
  for (const char* path :
       {"/w/gmon.out", "/w/a/b/gmon.out.12", "/w/a/gmon.sum", "/w/run.77", "/w/run.77.gpx",
        "/w/gmon.out.libx.so.1", "/away/prog", "/runs/1/gmon.out", "/runs/1/gmon.out.gpx",
        "/w/perf.data/data", "/w/perf.data/data.3"}) {
    CAPTURE(path);
    CHECK(set.concerns(path));
  }
  for (const char* path : {"/w/main.o", "/w2/gmon.out", "/away/prog2", "/runs/gmon.out",
                           "/runs/1/2/gmon.out", "/w/gmon.txt", "/w/other/data"}) {
    CAPTURE(path);
    CHECK_FALSE(set.concerns(path));
  }
  CHECK(set.searches("/w/build"));
  CHECK_FALSE(set.searches("/w/.git"));
  CHECK_FALSE(set.searches("/elsewhere"));
}

TEST_CASE("directories to watch, each once, those of named files first") {
  WatchSet set;
  set.add_directory("/w/build");
  set.add_directory("/w/build");
  set.add_folder("/w");
  set.add_file("/w/bin/prog");
  set.add_file("/w/bin/other");
  set.add_profiles("/runs/*/gmon.out");
  const std::vector<std::filesystem::path> expected = {"/w/bin", "/runs", "/w", "/w/build"};
  CHECK(set.directories() == expected);
}
