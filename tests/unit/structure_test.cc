// Checks the sources for the structure that ARCHITECTURE.md promises.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/files.h"
#include "tests/support/pattern.h"

using namespace gprof::test;
namespace fs = std::filesystem;

namespace {

const fs::path root = repository();

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

namespace {

// A folder, and why it includes none of those after it.
struct Room {
  std::string folders;  // several include each other; empty: the files beside the folders
  std::string reason;
};

// In the order in which they may include each other.
const std::vector<Room> engine_rooms = {
    {"support", "support/ knows bytes and threads, no format and no profile"},
    {"metrics", "metrics/ knows names and arithmetic, not what is counted"},
    {"profile", "profile/ holds what was measured, whichever tool wrote it; it reads no file"},
    {"object", "object/ reads ELF and PE; what DWARF or a profile says is not its business"},
    {"dwarf", "dwarf/ reads debugging information, whatever is made of it"},
    {"gmon", "gmon/ reads and writes profiles without knowing a symbol or a line"},
    {"code", "code/ reads instructions, not what they cost"},
    {"import", "import/ turns foreign profiles into raw ones; attributing them comes later"},
    {"analysis",
     "analysis/ attributes samples and arcs to symbols; it knows no cycles and no files"},
    {"callgraph", "callgraph/ propagates time between symbols; it knows no source files"},
    {"symbols", "symbols/ chooses what reports are about, not what they say"},
    {"symspec", "symspec/ matches symbols; reports decide what to do with them"},
    {"source", "source/ adds up costs by line for whoever asks: editors and reports"},
    {"", "the pipeline ends with a snapshot; reports and comparisons are made of it"},
    {"report", "report/ prints one side; comparing two is comparison/"},
    {"comparison", "comparison/ reads whole snapshots"},
};
const std::vector<Room> server_rooms = {
    {"text", "text/ knows how things are written, not what they are"},
    {"protocol", "protocol/ describes messages, not what answers them"},
    {"system", "system/ is the process: threads, memory, the user's folders; it serves everybody"},
    {"transport", "transport/ carries bytes; what they mean is session/'s"},
    {"documents", "documents/ follows texts through edits; it knows no profiles"},
    {"discovery", "discovery/ plans what to load; loading/ carries it out"},
    {"sources", "sources/ finds the texts that were compiled, whoever loads the program"},
    {"loading", "loading/ publishes snapshots; features read them"},
    {"features", "features/ are pure functions of a view; they know no requests"},
    {"report_documents", "report_documents/ are texts; who asks for them is session/'s"},
    {"export", "export/ writes files; who asks for them is session/'s or cli/'s"},
    {"session", "session/ serves one client, however the process was started"},
    {"query", "query/ answers questions about a workspace, by whatever protocol they come"},
    {"mcp", "mcp/ serves coding agents; what they ask is query/'s"},
    {"cli", "cli/ is what the words of the command line lead to; only main.cc stands above it"},
    {"", "main.cc is the end of the line"},
};

const std::vector<Room> runtime_rooms = {
    {"include", "include/ is what programs see of the collector"},
    {"system", "system/ calls the kernel, whatever for"},
    {"storage", "storage/ keeps chunks; what is counted in them is not its business"},
    {"unwind", "unwind/ walks stacks, whoever asks"},
    {"modules", "modules/ knows whose code an address is, not what ran there"},
    {"output", "output/ reads the tables, which others may be writing, and nothing else"},
    {"calls blocks sampling waits process",
     "these count, in the state that a thread has of all of them"},
    {"arch", "arch/ is where compilers enter"},
};

std::string folder_of(const std::string& path) {
  const auto first = path.find('/');
  const auto second = path.find('/', first + 1);
  return second == std::string::npos ? "" : path.substr(first + 1, second - first - 1);
}

std::size_t rank_of(const std::vector<Room>& rooms, const std::string& path) {
  const std::string folder = " " + folder_of(path) + " ";
  return static_cast<std::size_t>(std::find_if(rooms.begin(), rooms.end(),
                                               [&](const Room& room) {
                                                 return (" " + room.folders + " ").find(folder) !=
                                                        std::string::npos;
                                               }) -
                                  rooms.begin());
}

// What is wrong with the includes of a file, if it lies in the area.
std::vector<std::string> complaints(const std::string& area, const std::vector<Room>& rooms,
                                    const std::string& file,
                                    const std::vector<std::string>& includes) {
  const std::size_t here = rank_of(rooms, file);
  if (here == rooms.size()) {
    return {file + " lies in a folder that has no place in the order of " + area};
  }
  std::vector<std::string> list;
  for (const std::string& include : includes) {
    if (!include.starts_with(area + "/") || rank_of(rooms, include) <= here) continue;
    list.push_back(file + " includes " + include + ", but " + rooms[here].reason);
  }
  return list;
}

void check_order(const std::string& area, const std::vector<Room>& rooms) {
  std::vector<bool> found(rooms.size());
  for (const fs::path& file : sources_below(area)) {
    const auto list = complaints(area, rooms, file.string(), includes_of(file));
    CHECK(list == std::vector<std::string>());
    if (list.empty()) found[rank_of(rooms, file.string())] = true;
  }
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    INFO("in " << area << " nothing is left of: " << rooms[i].folders);
    CHECK(found[i]);
  }
}

}  // namespace

TEST_CASE("an include against the order is told with its reason") {
  const auto of = [](const std::string& file, const std::string& include) {
    return complaints("engine", engine_rooms, file, {"vector", include});
  };
  using Sentences = std::vector<std::string>;
  CHECK(of("engine/source/a.cc", "engine/dwarf/b.h") == Sentences());
  CHECK(of("engine/dwarf/a.cc", "engine/source/b.h") ==
        Sentences{"engine/dwarf/a.cc includes engine/source/b.h, but dwarf/ reads debugging "
                  "information, whatever is made of it"});
  CHECK(of("engine/dwarf/a.cc", "engine/attic/b.h").size() == 1);
  CHECK(of("engine/attic/a.cc", "engine/dwarf/b.h") ==
        Sentences{"engine/attic/a.cc lies in a folder that has no place in the order of engine"});
}

TEST_CASE("engine folders include only the folders before them") {
  check_order("engine", engine_rooms);
  for (const fs::path& file : sources_below("engine")) {
    for (const std::string& include : includes_of(file)) {
      INFO(file.string() << " includes " << include << ", but the engine knows no editor");
      CHECK_FALSE(include.starts_with("server/"));
    }
  }
}

TEST_CASE("server folders include only the folders before them") {
  check_order("server", server_rooms);
}

TEST_CASE("folders of the collector include only the folders before them") {
  check_order("runtime", runtime_rooms);
}

TEST_CASE("libraries are included in their own folder alone") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> homes = {
      {R"(^(libdwarf/)?(libdwarf|dwarf)\.h$)", {"engine/dwarf/"}},
      {R"(^(libelf|gelf)\.h$)", {"engine/object/"}},
      {R"(^capstone)", {"engine/code/"}},
      {R"(^md5\.h$)", {"engine/support/"}},
      {R"(^nlohmann/)", {"server/protocol/", "server/session/dispatcher", "server/cli/diff/"}},
      // Through this header, others would get JSON.
      {R"(^server/protocol/json_text\.h$)",
       {"server/protocol/", "server/session/dispatcher", "server/export/"}},
      {R"(^protozero/)", {"server/export/", "engine/import/pprof_file"}},
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

TEST_CASE("files are opened by the one reader that asks whether they may be") {
  // What names no file of others: the process's own, the kernel's, and what the command line names.
  const std::vector<std::string> allowed = {
      "engine/support/input_file.cc",      // the reader
      "engine/support/file_state.cc",      // the number of the boot
      "server/cli/record/",                // what it runs
      "server/cli/serve/serve.cc",         // /dev/null
      "server/discovery/live_files.cc",    // processes
      "server/system/",                    // the log, memory limits, new files
      "server/transport/access_token.cc",  // the token's file
      "server/text/source_names.cc",       // only names the standard library's types
  };
  const Pattern opening(R"((ifstream|\bfopen\(|::open(at)?\(|\bopenat\())");
  const Pattern function(R"(\w::open(at)?\()");
  for (const auto& folder : {"engine", "server"}) {
    for (const fs::path& file : sources_below(folder)) {
      if (starts_with_any(file.string(), allowed)) continue;
      for (const std::string& line : lines_of(file)) {
        if (function.search(line)) continue;
        INFO(file.string() << ": " << line);
        CHECK_FALSE(opening.search(line));
      }
    }
  }
}

TEST_CASE("the collector shares nothing with the rest but formats") {
  for (const fs::path& file : sources_below("formats")) {
    for (const std::string& include : includes_of(file)) {
      INFO(file.string() << " includes " << include
                         << ", but formats/ is for the collector, too, which has no C++ library");
      CHECK(starts_with_any(include, {"formats/", "cstddef", "cstdint", "elf.h", "linux/"}));
    }
  }
  for (const fs::path& file : sources_below("runtime")) {
    for (const std::string& include : includes_of(file)) {
      INFO(file.string() << " includes " << include
                         << ", but the collector runs in programs of others, by itself");
      CHECK_FALSE(starts_with_any(include, {"engine/", "server/"}));
    }
  }
  for (const auto& folder : {"engine", "server"}) {
    for (const fs::path& file : sources_below(folder)) {
      for (const std::string& include : includes_of(file)) {
        INFO(file.string() << " includes " << include
                           << ", but what both need of the collector's files is in formats/");
        CHECK_FALSE(include.starts_with("runtime/"));
      }
    }
  }
}
