#include "server/sources/line_cache.h"

#include <csignal>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/system/cache_directory.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

CachedLines lines(LineHashes hashes, std::int64_t stamp = 0) {
  return {std::make_shared<const LineHashes>(std::move(hashes)), stamp};
}

// Lines that identify the key they were stored under.
CachedLines lines_of_key(int key, std::size_t count) {
  return lines(LineHashes(count, static_cast<LineHash>(key) * 0x9E3779B97F4A7C15), key);
}

bool has_lines_of_key(const CachedLines& found, int key) {
  return found.stamp == key && *found.lines == *lines_of_key(key, found.lines->size()).lines;
}

std::string key_name(int key) { return fmt::format("build-id:00ff|/src/file-{}.c", key); }

std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  return files;
}

std::uint64_t bytes_in(const fs::path& directory) {
  std::uint64_t bytes = 0;
  for (const fs::path& file : files_in(directory)) bytes += fs::file_size(file);
  return bytes;
}

void set_age(const fs::path& file, std::chrono::seconds age) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - age);
}

std::chrono::seconds age_of(const fs::path& file) {
  return std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() -
                                                          fs::last_write_time(file));
}

constexpr auto hour = std::chrono::seconds(3600);

}  // namespace

TEST_CASE("the user's directory follows the XDG base directory specification") {
  CHECK(user_directory("/c", "/users/a", ".cache") == fs::path("/c"));
  CHECK(user_directory("", "/users/a", ".cache") == fs::path("/users/a/.cache"));
  // "All paths set in these environment variables must be absolute", otherwise they are invalid.
  CHECK(user_directory("c", "/users/a", ".cache") == fs::path("/users/a/.cache"));
  CHECK(user_directory("./c", "", ".cache") == std::nullopt);
  CHECK(user_directory("", "home", ".cache") == std::nullopt);
}

TEST_CASE("lines are found again by the next server, by their key alone") {
  const fs::path directory = fresh_directory("line-cache-again") / "deep" / "lines";
  LineCache writer(directory);
  CHECK_FALSE(writer.find("a"));
  CHECK_FALSE(writer.holds("a"));
  writer.put("a", lines({1, 2, ~LineHash{0}}, -5));
  writer.put("b", lines({}));
  LineCache reader(directory);
  const auto a = reader.find("a");
  REQUIRE(a);
  CHECK(*a->lines == LineHashes{1, 2, ~LineHash{0}});
  CHECK(a->stamp == -5);
  REQUIRE(reader.find("b"));
  CHECK(reader.find("b")->lines->empty());
  CHECK(reader.holds("a"));
  CHECK_FALSE(reader.holds("c"));
  CHECK_FALSE(reader.find("c"));
  reader.put("a", lines({7}, 1));
  REQUIRE(writer.find("a"));
  CHECK(*writer.find("a")->lines == LineHashes{7});
  CHECK(files_in(directory).size() == 2);
}

TEST_CASE("an entry with any damage counts as absent and is removed") {
  const fs::path directory = fresh_directory("line-cache-damage");
  LineCache cache(directory);
  cache.put("key", lines({1, 2, 3}, 4));
  const fs::path file = files_in(directory).at(0);
  const std::string whole = read_file(file);
  REQUIRE(whole.size() == 40 + 3 + 3 * 8);
  const auto is_absent = [&](const std::string& bytes) {
    write_file(file, bytes);
    const bool found = cache.find("key").has_value();
    return !found && !fs::exists(file);
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
      INFO("byte " << i << ", bit " << bit);
      CHECK(is_absent(damaged));
    }
    INFO("cut to " << i);
    CHECK(is_absent(whole.substr(0, i)));
  }
  CHECK(is_absent(whole + std::string(1, '\0')));
  CHECK(is_absent(whole + std::string(8, '\0')));
  CHECK(is_absent(""));
  write_file(file, whole);
  CHECK(cache.find("key"));
}

TEST_CASE("an entry that is too large is neither written nor read") {
  const fs::path directory = fresh_directory("line-cache-large");
  LineCacheLimits limits;
  limits.entry_bytes = 200;
  LineCache cache(directory, limits);
  cache.put("key", lines(LineHashes(100)));
  CHECK_FALSE(cache.find("key"));
  CHECK(files_in(directory).empty());
  LineCache generous(directory);
  generous.put("key", lines(LineHashes(100)));
  CHECK_FALSE(cache.holds("key"));
  CHECK_FALSE(cache.find("key"));
  CHECK(files_in(directory).empty());
}

TEST_CASE("the directory is bounded, and what was not used for longest goes first") {
  const fs::path directory = fresh_directory("line-cache-bounds");
  LineCacheLimits limits;
  limits.entries = 16;
  LineCache cache(directory, limits);
  for (int i = 0; i < 16; ++i) cache.put(key_name(i), lines_of_key(i, 3));
  for (const fs::path& file : files_in(directory)) set_age(file, 48 * hour);
  REQUIRE(cache.find(key_name(3)));
  REQUIRE(cache.holds(key_name(5)));
  cache.put(key_name(16), lines_of_key(16, 3));
  CHECK(files_in(directory).size() == 14);
  CHECK(cache.find(key_name(3)));
  CHECK(cache.find(key_name(5)));
  CHECK(cache.find(key_name(16)));
  for (int i = 17; i < 100; ++i) {
    cache.put(key_name(i), lines_of_key(i, 3));
    REQUIRE(files_in(directory).size() <= 16);
  }
}

TEST_CASE("the directory is bounded in bytes") {
  const fs::path directory = fresh_directory("line-cache-bytes");
  LineCacheLimits limits;
  limits.bytes = 10'000;
  LineCache cache(directory, limits);
  for (int i = 0; i < 50; ++i) {
    cache.put(key_name(i), lines_of_key(i, 100));
    REQUIRE(bytes_in(directory) <= limits.bytes);
  }
  CHECK(cache.find(key_name(49)));
  CHECK(files_in(directory).size() >= 5);
}

TEST_CASE("what others wrote counts from the first write on") {
  const fs::path directory = fresh_directory("line-cache-others");
  LineCache generous(directory);
  for (int i = 0; i < 40; ++i) generous.put(key_name(i), lines_of_key(i, 3));
  LineCacheLimits limits;
  limits.entries = 16;
  LineCache cache(directory, limits);
  cache.put(key_name(40), lines_of_key(40, 3));
  CHECK(files_in(directory).size() <= 16);
}

TEST_CASE("a use is written down, but no more than once an hour") {
  const fs::path directory = fresh_directory("line-cache-use");
  LineCache cache(directory);
  cache.put("key", lines({1}));
  const fs::path file = files_in(directory).at(0);
  set_age(file, hour / 2);
  REQUIRE(cache.find("key"));
  CHECK(age_of(file) >= hour / 2);
  set_age(file, 2 * hour);
  REQUIRE(cache.find("key"));
  CHECK(age_of(file) < hour / 2);
  // A clock that was set back must not make an entry immortal.
  set_age(file, -48 * hour);
  REQUIRE(cache.find("key"));
  CHECK(age_of(file) >= -hour);
}

TEST_CASE("only the cache's own files are pruned, and what was never finished") {
  const fs::path directory = fresh_directory("line-cache-foreign");
  const std::string digits(32, 'a');
  write_file(directory / "notes.txt", "mine");
  write_file(directory / (digits + ".txt"), "mine");
  write_file(directory / ".gprof-lsp-aaaaaa.tmp", "left by a server that was killed");
  write_file(directory / ".gprof-lsp-bbbbbb.tmp", "another server is writing this");
  set_age(directory / ".gprof-lsp-aaaaaa.tmp", 2 * hour);
  set_age(directory / "notes.txt", 200 * hour);
  fs::create_directory(directory / (digits + ".lines"));
  LineCacheLimits limits;
  limits.entries = 8;
  LineCache cache(directory, limits);
  for (int i = 0; i < 20; ++i) cache.put(key_name(i), lines_of_key(i, 3));
  CHECK(fs::exists(directory / "notes.txt"));
  CHECK(fs::exists(directory / (digits + ".txt")));
  CHECK(fs::is_directory(directory / (digits + ".lines")));
  CHECK(fs::exists(directory / ".gprof-lsp-bbbbbb.tmp"));
  CHECK_FALSE(fs::exists(directory / ".gprof-lsp-aaaaaa.tmp"));
}

TEST_CASE("without a directory that can be written, lines are kept in memory") {
  const fs::path place = fresh_directory("line-cache-memory");
  write_file(place / "file", "");
  LineCacheLimits limits;
  limits.memory_bytes = 10'000;
  // A file in place of the directory: that stops even the superuser.
  LineCache blocked(place / "file" / "lines", limits);
  LineCache without(std::nullopt, limits);
  for (LineCache* cache : {&blocked, &without}) {
    cache->put("a", lines({1, 2}, 3));
    cache->put("b", lines({4}));
    REQUIRE(cache->find("a"));
    CHECK(*cache->find("a")->lines == LineHashes{1, 2});
    CHECK(cache->find("a")->stamp == 3);
    CHECK(cache->holds("b"));
    CHECK_FALSE(cache->find("c"));
    for (int i = 0; i < 1000; ++i) {
      cache->put(key_name(i), lines_of_key(i, 10));
      REQUIRE(cache->find("a"));  // in use
    }
    CHECK_FALSE(cache->find("b"));
    CHECK(cache->find(key_name(999)));
  }
  const auto trouble = blocked.take_trouble();
  REQUIRE(trouble);
  CHECK(trouble->find((place / "file" / "lines").string()) != std::string::npos);
  CHECK_FALSE(blocked.take_trouble());
  CHECK_FALSE(without.take_trouble());
  CHECK(read_file(place / "file").empty());
}

TEST_CASE("a disk that takes no more leaves no half of an entry") {
  const fs::path directory = fresh_directory("line-cache-full");
  LineCache cache(directory);
  cache.put("old", lines({1}));
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  cache.put("new", lines(LineHashes(100, 5)));
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(files_in(directory).size() == 1);
  REQUIRE(cache.find("new"));
  CHECK(cache.find("new")->lines->size() == 100);
  CHECK_FALSE(LineCache(directory).find("new"));
  cache.put("new", lines({6}));
  CHECK(*cache.find("new")->lines == LineHashes{6});
  CHECK(LineCache(directory).find("new"));
}

TEST_CASE("symbolic links are followed to the directory, never to an entry") {
  const fs::path place = fresh_directory("line-cache-links");
  fs::create_directory(place / "real");
  fs::create_directory_symlink(place / "real", place / "link");
  LineCache cache(place / "link");
  cache.put("key", lines({1}));
  const fs::path file = files_in(place / "real").at(0);
  const std::string bytes = read_file(file);
  write_file(place / "elsewhere", bytes);
  fs::remove(file);
  fs::create_symlink(place / "elsewhere", file);
  CHECK_FALSE(cache.find("key"));
  CHECK_FALSE(cache.holds("key"));
  cache.put("key", lines({2}));
  CHECK(fs::is_regular_file(fs::symlink_status(file)));
  CHECK(*cache.find("key")->lines == LineHashes{2});
  CHECK(read_file(place / "elsewhere") == bytes);
  // A dangling link in place of the directory.
  fs::create_directory_symlink(place / "nowhere", place / "dangling");
  LineCache dangling(place / "dangling");
  dangling.put("key", lines({3}));
  CHECK(dangling.find("key"));
  CHECK_FALSE(fs::exists(place / "nowhere"));
}

namespace {

constexpr int shared_keys = 60;

LineCacheLimits shared_limits() {
  LineCacheLimits limits;
  limits.entries = 32;
  limits.bytes = 20'000;
  return limits;
}

// Writes and reads at random; false if anything was found that was never stored.
bool work_in(const fs::path& directory, unsigned seed, int rounds) {
  LineCache cache(directory, shared_limits());
  std::mt19937 random(test_seed(seed));
  for (int round = 0; round < rounds; ++round) {
    const int key = static_cast<int>(random() % shared_keys);
    if (random() % 2 == 0) {
      cache.put(key_name(key), lines_of_key(key, random() % 200));
    } else if (const auto found = cache.find(key_name(key));
               found && !has_lines_of_key(*found, key)) {
      return false;
    }
  }
  return true;
}

void check_after_work(const fs::path& directory) {
  for (const fs::path& file : files_in(directory)) CHECK(file.extension() == ".lines");
  // A server's first write checks what all the others left.
  LineCache cache(directory, shared_limits());
  cache.put("last", lines({1}));
  CHECK(files_in(directory).size() <= shared_limits().entries);
  CHECK(bytes_in(directory) <= shared_limits().bytes);
  CHECK(cache.find("last"));
}

}  // namespace

TEST_CASE("several servers in one process may share the directory") {
  const fs::path directory = fresh_directory("line-cache-threads");
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      if (!work_in(directory, seed, 300)) ++failures;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
  check_after_work(directory);
}

TEST_CASE("several servers may share the directory") {
  const fs::path directory = fresh_directory("line-cache-processes");
  std::vector<pid_t> children;
  for (unsigned seed = 0; seed < 4; ++seed) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(work_in(directory, seed, 300) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  check_after_work(directory);
}

TEST_CASE("several threads may share one cache") {
  const fs::path directory = fresh_directory("line-cache-one");
  for (const auto& place : {std::optional(directory), std::optional<fs::path>()}) {
    LineCache cache(place, shared_limits());
    std::vector<std::thread> threads;
    std::atomic<int> failures = 0;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int round = 0; round < 200; ++round) {
          const int key = (thread * 7 + round) % shared_keys;
          cache.put(key_name(key), lines_of_key(key, 20));
          const auto found = cache.find(key_name((key * 3) % shared_keys));
          if (found && !has_lines_of_key(*found, (key * 3) % shared_keys)) ++failures;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(failures == 0);
  }
  check_after_work(directory);
}
