// Checks the sources for the structure that ARCHITECTURE.md promises.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "test_paths.h"
#include "tests/support/pattern.h"

namespace fs = std::filesystem;
using gprof::test::Pattern;

namespace {

const fs::path root = fs::path(GPROF_LSP_TEST_PROGRAMS).parent_path().parent_path();

std::vector<fs::path> sources_below(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const auto extension = entry.path().extension();
    if (extension == ".cc" || extension == ".h") files.push_back(fs::relative(entry.path(), root));
  }
  return files;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(root / file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    // Comments may mention anything.
    lines.push_back(line.substr(0, line.find("//")));
  }
  return lines;
}

std::vector<std::string> includes_of(const fs::path& file) {
  static const Pattern include(R"(^\s*#include\s*[<"]([^>"]+)[>"])");
  std::vector<std::string> names;
  for (const std::string& line : lines_of(file)) {
    if (const auto match = include.search(line)) names.push_back((*match)[1]);
  }
  return names;
}

bool starts_with_any(const std::string& text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return text.starts_with(prefix); });
}

}  // namespace

TEST_CASE("engine folders include only the folders before them") {
  const std::vector<std::string> order = {"support", "object",  "dwarf",     "gmon",    "code",
                                          "import",  "profile", "callgraph", "symbols", "symspec",
                                          "report",  "source",  "comparison"};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const fs::path& file : sources_below("engine/" + order[i])) {
      for (const std::string& include : includes_of(file)) {
        INFO(file.string() << " includes " << include);
        CHECK_FALSE(include.starts_with("server/"));
        for (std::size_t later = i + 1; later < order.size(); ++later) {
          CHECK_FALSE(include.starts_with("engine/" + order[later] + "/"));
        }
      }
    }
  }
}

TEST_CASE("libraries are included in their own folder alone") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> homes = {
      {R"(^(libdwarf/)?(libdwarf|dwarf)\.h$)", {"engine/dwarf/"}},
      {R"(^(libelf|gelf)\.h$)", {"engine/object/"}},
      {R"(^capstone)", {"engine/code/"}},
      {R"(^md5\.h$)", {"engine/support/"}},
      {R"(^nlohmann/)", {"server/protocol/", "server/dispatcher", "server/diff/"}},
      // Through this header, others would get JSON.
      {R"(^server/protocol/json_text\.h$)",
       {"server/protocol/", "server/dispatcher", "server/export/"}},
      {R"(^protozero/)", {"server/export/"}},
      {R"(^(libiberty/)?demangle\.h$)", {"engine/object/"}},
  };
  std::vector<std::pair<std::string, std::string>> inclusions;
  for (const auto& folder : {"engine", "server"}) {
    for (const fs::path& file : sources_below(folder)) {
      for (const std::string& include : includes_of(file)) inclusions.emplace_back(file, include);
    }
  }
  for (const auto& [text, allowed] : homes) {
    const Pattern library(text);
    for (const auto& [file, include] : inclusions) {
      if (!library.search(include)) continue;
      INFO(file << " includes " << include);
      CHECK(starts_with_any(file, allowed));
    }
  }
}

TEST_CASE("the engine neither prints nor exits nor reads the environment") {
  const Pattern forbidden(
      R"(\b(std::)?(printf|puts|fprintf|cout|cerr|exit|_exit|abort|getenv|setenv|system|popen)\b\s*(\(|<<))");
  for (const fs::path& file : sources_below("engine")) {
    for (const std::string& line : lines_of(file)) {
      INFO(file.string() << ": " << line);
      CHECK_FALSE(forbidden.search(line));
    }
  }
}

TEST_CASE("the collector shares nothing with the rest but formats") {
  for (const fs::path& file : sources_below("formats")) {
    for (const std::string& include : includes_of(file)) {
      INFO(file.string() << " includes " << include);
      CHECK(starts_with_any(include, {"formats/", "cstddef", "cstdint"}));
    }
  }
  for (const fs::path& file : sources_below("runtime")) {
    for (const std::string& include : includes_of(file)) {
      INFO(file.string() << " includes " << include);
      CHECK_FALSE(starts_with_any(include, {"engine/", "server/"}));
    }
  }
  for (const auto& folder : {"engine", "server"}) {
    for (const fs::path& file : sources_below(folder)) {
      for (const std::string& include : includes_of(file)) {
        INFO(file.string() << " includes " << include);
        CHECK_FALSE(include.starts_with("runtime/"));
      }
    }
  }
}
