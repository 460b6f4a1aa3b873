// Which programs of a workspace contain the tests of a source file: by their symbols and debug
// information, whether they have been profiled or not.
//
// A program is opened when a file with tests is first asked about, and read again when it was
// rebuilt. Programs without symbols of a test framework are not opened.
//
// Ownership: owns a thread; shares the cache of lines. Bounded in programs, files and units of
// each. Thread contract: any thread; start() comes before all others. Errors: none; what cannot be
// read contains no tests.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/support/folder_bounds.h"
#include "engine/support/units.h"
#include "server/discovery/ctest_files.h"
#include "server/documents/line_hash.h"
#include "server/protocol/settings.h"
#include "server/sources/line_cache.h"
#include "server/system/job.h"
#include "server/system/worker_pool.h"

namespace gprof::lsp {

// What one program contains of a source file.
struct TestsOfProgram {
  std::filesystem::path executable;
  // GoogleTest: the classes of tests, "Suite_Name_Test" or, of TYPED_TEST_P,
  // "gtest_suite_Suite_::Name".
  std::set<std::string> classes;
  // Catch2: the lines of the build that define tests, ascending; their names are not in a program's
  // symbols.
  std::set<LineNumber> lines;
  std::shared_ptr<const LineHashes> build_text;  // the compiled lines; null if they are not known
  // Those that run this executable, shared by all files; null if there are none.
  std::shared_ptr<const std::vector<CTestTest>> ctest;

  friend bool operator==(const TestsOfProgram& a, const TestsOfProgram& b);
};

// The programs that are shown first, in their order; then the newest first.
using TestsOfFile = std::vector<TestsOfProgram>;

class TestPrograms {
 public:
  // Without a thread, programs are read on the caller's.
  TestPrograms(bool thread, std::shared_ptr<LineCache> lines);
  ~TestPrograms();  // ends the thread after the program that it looks at
  TestPrograms(const TestPrograms&) = delete;
  TestPrograms& operator=(const TestPrograms&) = delete;

  // Call once. `changed` is called, on the thread or in find(), whenever at_hand() would answer
  // differently.
  void start(std::vector<std::filesystem::path> folders, Bounds bounds,
             std::function<void()> changed);
  void use_folders(std::vector<std::filesystem::path> folders);

  struct Query {
    std::filesystem::path file;
    std::vector<std::filesystem::path> shown;  // executables
    std::vector<ProgramSettings> configured = {};
  };
  // What is known without waiting; never null. Programs are then read again on the thread.
  [[nodiscard]] std::shared_ptr<const TestsOfFile> at_hand(const Query& query);
  // Reads programs first; never null.
  [[nodiscard]] std::shared_ptr<const TestsOfFile> find(const Query& query);
  // What CTest would run in the build folders of all programs; the query's file does not matter.
  [[nodiscard]] std::vector<CTestTest> ctest_tests(const Query& query);

  // Calls `done`, on some thread, once no program is being read.
  void when_idle(Job<> done);

 private:
  struct Opened;
  struct Facts {
    FileStamp stamp;
    bool has_tests = false;
  };
  // What is known of one file.
  struct Answer {
    struct OfProgram {
      FileStamp stamp;
      std::optional<TestsOfProgram> tests;  // none: the program has no code from the file
    };
    std::map<std::filesystem::path, OfProgram> by_program;
    std::shared_ptr<const TestsOfFile> tests;
  };
  struct BuildFolder {
    CTestFiles files;  // without their tests, which are:
    std::map<std::filesystem::path, std::shared_ptr<const std::vector<CTestTest>>> by_program;
  };

  void look(const Query& query, bool search);
  [[nodiscard]] std::shared_ptr<const TestsOfFile> known_of(const std::filesystem::path& file);
  // These are called while `work_` is locked.
  [[nodiscard]] std::vector<std::filesystem::path> programs_of(const Query& query, bool search);
  void search_if_due(const std::vector<std::filesystem::path>& folders, bool at_once);
  [[nodiscard]] const Facts* facts_of(const std::filesystem::path& executable);
  [[nodiscard]] std::optional<TestsOfProgram> tests_in(const std::filesystem::path& executable,
                                                       const FileStamp& stamp, const Query& query);
  [[nodiscard]] std::shared_ptr<Opened> open(const std::filesystem::path& executable,
                                             const FileStamp& stamp, const Query& query);
  [[nodiscard]] BuildFolder read_build_folder(const std::filesystem::path& folder);
  [[nodiscard]] std::shared_ptr<const std::vector<CTestTest>> ctest_of(
      const std::filesystem::path& executable);

  const std::shared_ptr<LineCache> lines_;
  Bounds bounds_;
  std::function<void()> changed_;
  std::atomic<bool> ending_ = false;

  std::mutex mutex_;  // guards what follows
  std::vector<std::filesystem::path> folders_;
  std::map<std::filesystem::path, std::shared_ptr<const TestsOfFile>> at_hand_;  // by file
  std::set<std::filesystem::path> queued_;                                       // files

  std::mutex work_;  // guards what follows, which takes long; locked before mutex_
  std::map<std::filesystem::path, Answer> answers_;  // by file
  std::map<std::filesystem::path, Facts> facts_;     // by executable
  std::list<std::shared_ptr<Opened>> opened_;        // last used first
  std::map<std::filesystem::path, BuildFolder> ctest_;
  std::vector<ProgramSettings> configured_;  // of the last query
  std::vector<std::filesystem::path> searched_folders_;
  std::set<std::filesystem::path> found_;  // executables of the folders
  std::optional<std::chrono::steady_clock::time_point> next_search_;

  WorkerPool thread_;  // last: it ends before what it uses
};

}  // namespace gprof::lsp
