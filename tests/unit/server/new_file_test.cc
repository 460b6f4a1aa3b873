#include "server/system/new_file.h"

#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

mode_t mode_of(const fs::path& path) {
  struct stat status = {};
  REQUIRE(lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

}  // namespace

TEST_CASE("a new file is whole under its name, or not there") {
  const fs::path folder = fs::canonical(test::fresh_directory("new_file"));
  {
    auto file = NewFile::create(folder / "new");
    REQUIRE(file);
    REQUIRE(file->write("half"));
    CHECK_FALSE(fs::exists(folder / "new"));
    const auto names = names_in(folder);
    REQUIRE(names.size() == 1);
    CHECK(names.front().starts_with("."));
    CHECK(names.front().ends_with(".tmp"));
  }
  CHECK(names_in(folder).empty());
  write_file(folder / "old", "old");
  auto file = NewFile::create(folder / "old");
  REQUIRE(file);
  REQUIRE(file->write("new "));
  REQUIRE(file->write("text"));
  CHECK(read_file(folder / "old") == "old");
  REQUIRE(file->commit());
  CHECK(read_file(folder / "old") == "new text");
  CHECK(names_in(folder).size() == 1);
}

TEST_CASE(
    "a file for its owner alone is so from the beginning, and known as unfinished until then") {
  const fs::path folder = fs::canonical(test::fresh_directory("new_file_owner"));
  auto file = NewFile::create(folder / "new", Readers::owner_alone);
  REQUIRE(file);
  REQUIRE(names_in(folder).size() == 1);
  const std::string unfinished = names_in(folder).front();
  CHECK(is_unfinished_name(unfinished));
  CHECK(mode_of(folder / unfinished) == 0600);
  REQUIRE(write_bytes(file->descriptor(), "all") == 0);
  REQUIRE(file->commit());
  CHECK(names_in(folder) == std::vector<std::string>{"new"});
  CHECK_FALSE(is_unfinished_name("new"));
  CHECK(mode_of(folder / "new") == 0600);
}

TEST_CASE("links are replaced by new files, and never followed") {
  const fs::path folder = fs::canonical(test::fresh_directory("new_file_links"));
  write_file(folder / "precious", "mine");
  fs::create_symlink("precious", folder / "link");
  fs::create_symlink("nowhere", folder / "dangling");
  fs::create_symlink("loop", folder / "loop");
  fs::create_hard_link(folder / "precious", folder / "hard");
  for (const char* name : {"link", "dangling", "loop", "hard"}) {
    CAPTURE(name);
    REQUIRE(write_whole_file(folder / name, "ours"));
    CHECK_FALSE(fs::is_symlink(folder / name));
    CHECK(read_file(folder / name) == "ours");
  }
  CHECK(read_file(folder / "precious") == "mine");
  CHECK_FALSE(fs::exists(folder / "nowhere"));
  CHECK(names_in(folder).size() == 5);
  // Even if the user named it.
  fs::remove(folder / "link");
  fs::create_symlink("precious", folder / "link");
  auto named = NewFile::create_or_open(folder / "link");
  REQUIRE(named);
  REQUIRE(named->write("ours"));
  REQUIRE(named->commit());
  CHECK(read_file(folder / "precious") == "mine");
}

TEST_CASE("what is no regular file keeps its name") {
  const fs::path folder = fs::canonical(test::fresh_directory("new_file_others"));
  fs::create_directory(folder / "folder");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  for (const fs::path& path : {folder / "folder", folder / "pipe", folder / "", folder / ".",
                               folder / "..", folder / "missing" / "file", fs::path("")}) {
    CAPTURE(path);
    const auto written = write_whole_file(path, "ours");
    REQUIRE_FALSE(written);
    CHECK(written.error().path == path.string());
  }
  CHECK(names_in(folder).size() == 2);
}

TEST_CASE("a pipe or a device that the user names is written to as such") {
  const fs::path folder = fs::canonical(test::fresh_directory("new_file_streams"));
  const fs::path pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  auto file = NewFile::create_or_open(pipe);
  REQUIRE(file);
  REQUIRE(file->write("text"));
  REQUIRE(file->commit());
  std::string text(16, '\0');
  REQUIRE(read(reader, text.data(), text.size()) == 4);
  close(reader);
  CHECK(fs::is_fifo(pipe));
  auto device = NewFile::create_or_open("/dev/null");
  REQUIRE(device);
  REQUIRE(device->write("text"));
  REQUIRE(device->commit());
  CHECK(fs::is_character_file("/dev/null"));
  // A system link is no place to create a file.
  const int descriptor = open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(descriptor >= 0);
  auto link = NewFile::create_or_open("/dev/fd/" + std::to_string(descriptor));
  REQUIRE(link);
  REQUIRE(link->write("through"));
  REQUIRE(link->commit());
  close(descriptor);
  CHECK(read_file(folder / "out") == "through");
}

TEST_CASE("the permissions of a file pass on, and no right to run as its owner") {
  const fs::path folder = fs::canonical(test::fresh_directory("new_file_modes"));
  write_file(folder / "old", "old");
  REQUIRE(chmod((folder / "old").c_str(), 06640) == 0);
  REQUIRE(write_whole_file(folder / "old", "new"));
  CHECK(mode_of(folder / "old") == 0640);
  const mode_t mask = umask(0);
  umask(mask);
  fs::create_symlink("old", folder / "link");
  REQUIRE(write_whole_file(folder / "link", "new"));
  CHECK(mode_of(folder / "link") == (0666U & ~mask));
}
