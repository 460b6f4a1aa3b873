#include "server/discovery/remembered_choice.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::lsp;

namespace {

namespace fs = std::filesystem;

struct Memory {
  fs::path directory = test::work_directory() / "choices";
  ChoiceMemory memory{directory};
  Memory() { fs::remove_all(directory); }
  ~Memory() { fs::remove_all(directory); }

  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
  }
};

constexpr FileTime some_time = 1'790'000'000'123'456'789;
const RememberedChoice example{{"/w/a prog\n%41", {"/w/gmon.out.1", "/w/gmon.out.2"}, some_time},
                               {{"/w/a prog\n%41", {"gmon.*", "/abs/[x]*.out"}, {}, {}},
                                {"/v/other", {"runs/*/gmon.out"}, {}, {}, true},
                                {"/v/plain", {}, {}, {}}}};

}  // namespace

TEST_CASE("a choice is found again for the same folders in any order, and for no others") {
  const Memory m;
  m.memory.remember({"/w", "/v"}, example);
  CHECK(m.memory.recall({"/v", "/w"}) == example);
  CHECK_FALSE(m.memory.recall({"/w"}));
  CHECK_FALSE(m.memory.recall({}));
  const RememberedChoice other{{"/w/other", {}, some_time},
                               {{"/w/other", {"runs/*"}, {}, {}, true}}};
  m.memory.remember({"/w", "/v"}, other);
  CHECK(m.memory.recall({"/w", "/v"}) == other);
  CHECK(m.files() == 1);
  m.memory.forget({"/w", "/v"});
  CHECK_FALSE(m.memory.recall({"/w", "/v"}));
}

TEST_CASE("a file of choices that is damaged or foreign says nothing") {
  const std::vector<fs::path> folders = {"/w"};
  const std::string text = write_choice(folders, example);
  CHECK(read_choice(text, folders) == example);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto read = read_choice(std::string_view(text).substr(0, size), folders);
    // Cut at a line end, or within a path, it remains a choice; it is never another program.
    if (read && size > text.find("profile")) {
      CHECK(read->selection.executable == example.selection.executable);
    }
  }
  CHECK_FALSE(read_choice(text, {"/v"}));
  CHECK_FALSE(read_choice("gprof-lsp choice 1\n" + text, folders));
  CHECK_FALSE(read_choice("gprof-lsp choice 2\nfolder file:///w\n", folders));
  CHECK_FALSE(read_choice("gprof-lsp choice 2\nfolder file:///w\nexecutable /w/prog\n", folders));
  std::string endless = "gprof-lsp choice 2\nfolder file:///w\nexecutable file:///w/prog\n";
  for (int i = 0; i < 3000; ++i) endless += "profile file:///w/gmon.out\n";
  CHECK_FALSE(read_choice(endless, folders));
  const std::string chosen = "gprof-lsp choice 2\nfolder file:///w\nexecutable file:///w/prog\n";
  CHECK(read_choice(chosen, folders));
  CHECK_FALSE(read_choice(chosen + "pattern file:///gmon.out\n", folders));
  std::string many = chosen;
  for (int i = 0; i < 33; ++i) many += "loaded file:///w/prog\n";
  CHECK_FALSE(read_choice(many, folders));
}

TEST_CASE("no more choices are kept than a directory should hold") {
  const Memory m;
  for (int i = 0; i < 300; ++i) m.memory.remember({"/w" + std::to_string(i)}, example);
  CHECK(m.files() == 256);
  CHECK(m.memory.recall({"/w299"}) == example);
}

TEST_CASE("without a directory, or one that can be written, nothing is remembered") {
  const ChoiceMemory none(std::nullopt);
  none.remember({"/w"}, example);
  CHECK_FALSE(none.recall({"/w"}));
  const ChoiceMemory no_directory(fs::path("/dev/null/choices"));
  no_directory.remember({"/w"}, example);
  CHECK_FALSE(no_directory.recall({"/w"}));
  const Memory m;
  m.memory.remember({"/w"}, {{"relative", {}}, {}});
  CHECK_FALSE(m.memory.recall({"/w"}));
}

TEST_CASE("settings come before what is remembered, but for pinned profiles of what they name") {
  RememberedChoice remembered{{"/w/prog", {"/w/gmon.out.1"}, some_time},
                              {{"/w/prog", {"gmon.*"}, {}, {}, true}}};
  const std::vector<fs::path> folders = {"/w"};
  SECTION("without settings, all of it counts") {
    const ProgramChoices choices = choices_of(remembered, {}, folders);
    CHECK(choices.selection == remembered.selection);
    REQUIRE(choices.loaded.size() == 1);
    CHECK(choices.loaded[0].newest);
  }
  SECTION("a program that they do not name is not shown") {
    CHECK(choices_of(remembered, {{"/w/other", {}, {}, {}}}, folders) == ProgramChoices());
  }
  SECTION("of a program that they name, the program is chosen and its profiles are not") {
    const ProgramChoices choices = choices_of(remembered, {{"prog", {"x"}, {}, {}}}, folders);
    CHECK(choices.selection == ProgramSelection{"/w/prog", {}, some_time});
    CHECK(choices.loaded.empty());
  }
  SECTION("unless they were pinned") {
    remembered.selection.pinned = true;
    CHECK(read_choice(write_choice(folders, remembered), folders) == remembered);
    CHECK(choices_of(remembered, {{"prog", {}, {}, {}}}, folders).selection ==
          remembered.selection);
  }
}
