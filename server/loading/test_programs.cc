#include "server/loading/test_programs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "engine/object/demangle.h"
#include "engine/object/image.h"
#include "engine/program.h"
#include "server/discovery/program_planner.h"
#include "server/discovery/workspace_search.h"
#include "server/sources/build_texts.h"
#include "server/sources/source_paths.h"
#include "server/system/memory_reserve.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_test_candidates = 2'000;
constexpr std::size_t max_test_programs = 128;  // opened for one file
constexpr std::size_t max_opened = 4;           // kept in memory between two looks
constexpr std::size_t max_units = 256;          // of a file
constexpr std::size_t max_files = 1'000;        // that are remembered
constexpr std::size_t max_build_folders = 16;   // whose tests of CTest are remembered
constexpr std::size_t max_listed = 20'000;      // tests of CTest, of all build folders
constexpr std::uint64_t max_name_bytes = std::uint64_t{256} << 20;

// The workspace is searched again after this many times what the last search took.
constexpr int search_rest = 20;

constexpr std::string_view test_body = "TestBody";
// Parts of the names that Catch2's macros generate: of version 3, of version 2, and of its first
// releases.
constexpr std::array<std::string_view, 3> catch_marks = {"CATCH2_INTERNAL_T", "C_A_T_C_H_T_E",
                                                         "C_A_T_C_H____T_E"};

bool has_catch_mark(std::string_view name) {
  return std::ranges::any_of(catch_marks, [&](std::string_view mark) {
    return name.find(mark) != std::string_view::npos;
  });
}

// Searches the names of all symbols as one text, without making a table of them.
bool has_test_symbols(const fs::path& executable) {
  const auto image = Image::open(executable);
  if (!image || !(*image)->is_program()) return false;
  const Section* section = (*image)->find_section(".strtab");
  if (section == nullptr || section->size > max_name_bytes) return false;
  const auto bytes = (*image)->section_bytes(*section);
  if (!bytes) return false;
  const std::string_view names(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return names.find("8TestBodyEv") != std::string_view::npos || has_catch_mark(names);
}

// "ns::Suite_Name_Test<int>::TestBody" is of the class "Suite_Name_Test".
std::string test_class_of(std::string_view name) {
  const std::string plain = without_template_arguments(name);
  std::string_view rest = plain;
  rest.remove_suffix(std::min(rest.size(), test_body.size() + 2));
  const std::size_t last = rest.rfind("::");
  if (last == std::string_view::npos) return std::string(rest);
  const std::size_t before = last == 0 ? std::string_view::npos : rest.rfind("::", last - 1);
  const std::size_t scope = before == std::string_view::npos ? 0 : before + 2;
  if (rest.substr(scope).starts_with("gtest_suite_")) return std::string(rest.substr(scope));
  return std::string(rest.substr(last + 2));
}

void add_test_function(const Subprogram& function, TestsOfProgram& tests) {
  if (function.own_name == test_body && function.name.size() > test_body.size()) {
    tests.classes.insert(test_class_of(function.name));
  } else if (has_catch_mark(function.name) || has_catch_mark(function.linkage_name)) {
    tests.lines.insert(function.declaration.line);
  }
}

}  // namespace

bool operator==(const TestsOfProgram& a, const TestsOfProgram& b) {
  const bool is_same_ctest = a.ctest == b.ctest || (a.ctest && b.ctest && *a.ctest == *b.ctest);
  return is_same_ctest && a.executable == b.executable && a.classes == b.classes &&
         a.lines == b.lines && a.build_text == b.build_text;
}

struct TestPrograms::Opened {
  Opened(FileStamp version, std::shared_ptr<const Program> opened, std::vector<PathMapping> map,
         std::vector<fs::path> folders, Bounds bounds, std::shared_ptr<LineCache> lines)
      : stamp(version),
        program(std::move(opened)),
        paths(program->sources(), std::move(map), std::move(folders), std::move(bounds),
              program->image().path()),
        texts(program->identity().key(), std::move(lines)) {}

  FileStamp stamp;
  std::shared_ptr<const Program> program;
  SourcePaths paths;
  BuildTexts texts;
};

TestPrograms::TestPrograms(bool thread, std::shared_ptr<LineCache> lines)
    : lines_(std::move(lines)), thread_(thread ? 1 : 0) {}

TestPrograms::~TestPrograms() { ending_ = true; }

void TestPrograms::start(std::vector<fs::path> folders, Bounds bounds,
                         std::function<void()> changed) {
  const std::lock_guard lock(mutex_);
  folders_ = std::move(folders);
  bounds_ = std::move(bounds);
  changed_ = std::move(changed);
}

void TestPrograms::use_folders(std::vector<fs::path> folders) {
  const std::lock_guard lock(mutex_);
  folders_ = std::move(folders);
}

std::shared_ptr<const TestsOfFile> TestPrograms::at_hand(const Query& query) {
  bool is_queued = false;
  {
    const std::lock_guard lock(mutex_);
    is_queued = !queued_.insert(query.file).second;
  }
  if (!is_queued) {
    thread_.post([this, query] {
      {
        const std::lock_guard lock(mutex_);
        queued_.erase(query.file);
      }
      try {
        look(query, false);
      } catch (const std::bad_alloc&) {
        // Without lenses for tests, everything else still works.
        const MemoryPatience patience;
      }
    });
  }
  return known_of(query.file);
}

std::shared_ptr<const TestsOfFile> TestPrograms::find(const Query& query) {
  look(query, true);
  return known_of(query.file);
}

std::shared_ptr<const TestsOfFile> TestPrograms::known_of(const fs::path& file) {
  const std::lock_guard lock(mutex_);
  const auto known = at_hand_.find(file);
  return known != at_hand_.end() ? known->second : std::make_shared<const TestsOfFile>();
}

void TestPrograms::look(const Query& query, bool search) {
  const std::lock_guard work(work_);
  const std::vector<fs::path> programs = programs_of(query, search);
  if (answers_.size() >= max_files && !answers_.contains(query.file)) answers_.clear();
  Answer& answer = answers_[query.file];
  std::map<fs::path, Answer::OfProgram> by_program;
  TestsOfFile found;
  std::vector<FileTime> times;
  std::size_t looked_at = 0;
  for (const fs::path& executable : programs) {
    if (ending_) return;
    const Facts* facts = facts_of(executable);
    if (facts == nullptr || !facts->has_tests || ++looked_at > max_test_programs) continue;
    // Taken out as a whole: if memory lacks below, the program is looked at again.
    auto known = answer.by_program.extract(executable);
    if (known.empty() || known.mapped().stamp != facts->stamp) {
      by_program[executable] = {facts->stamp, tests_in(executable, facts->stamp, query)};
    } else {
      by_program.insert(std::move(known));
    }
    auto& tests = by_program[executable].tests;
    if (!tests) continue;
    tests->ctest = ctest_of(executable);
    const bool is_shown = std::ranges::find(query.shown, executable) != query.shown.end();
    const FileTime time = is_shown ? std::numeric_limits<FileTime>::max() : facts->stamp.modified;
    const auto place = std::ranges::upper_bound(times, time, std::ranges::greater());
    found.insert(found.begin() + (place - times.begin()), *tests);
    times.insert(place, time);
  }
  answer.by_program = std::move(by_program);
  if (answer.tests && *answer.tests == found) return;
  const bool is_news = answer.tests != nullptr || !found.empty();
  answer.tests = std::make_shared<const TestsOfFile>(std::move(found));
  {
    const std::lock_guard lock(mutex_);
    if (at_hand_.size() >= max_files && !at_hand_.contains(query.file)) at_hand_.clear();
    at_hand_[query.file] = answer.tests;
  }
  if (is_news && changed_) changed_();
}

std::vector<fs::path> TestPrograms::programs_of(const Query& query, bool search) {
  std::vector<fs::path> folders;
  {
    const std::lock_guard lock(mutex_);
    folders = folders_;
  }
  if (folders != searched_folders_ || query.configured != configured_) {
    // Both say where sources are.
    opened_.clear();
    for (auto& [file, answer] : answers_) answer.by_program.clear();
    configured_ = query.configured;
  }
  search_if_due(folders, search);
  std::vector<fs::path> programs;
  std::set<fs::path> known;
  const auto add = [&](const fs::path& program) {
    if (programs.size() >= max_test_candidates || !is_within(bounds_, program)) return;
    if (known.insert(program).second) programs.push_back(program);
  };
  for (const fs::path& program : query.shown) add(program);
  for (const ProgramSettings& program : query.configured) {
    add(find_in_workspace(program.executable, folders));
  }
  for (const fs::path& program : found_) add(program);
  return programs;
}

void TestPrograms::search_if_due(const std::vector<fs::path>& folders, bool at_once) {
  const auto begin = std::chrono::steady_clock::now();
  const bool is_due = at_once || !next_search_ || begin >= *next_search_;
  if (!is_due && folders == searched_folders_) return;
  found_ = search_workspace(folders).binaries;
  searched_folders_ = folders;
  const auto end = std::chrono::steady_clock::now();
  next_search_ = end + search_rest * (end - begin);
}

const TestPrograms::Facts* TestPrograms::facts_of(const fs::path& executable) {
  const auto stamp = file_stamp(executable);
  if (!stamp) {
    facts_.erase(executable);
    return nullptr;
  }
  if (facts_.size() >= 2 * max_test_candidates) facts_.clear();
  const auto [known, is_new] = facts_.try_emplace(executable);
  if (is_new || known->second.stamp != *stamp) {
    known->second = {*stamp, has_test_symbols(executable)};
  }
  return &known->second;
}

std::shared_ptr<TestPrograms::Opened> TestPrograms::open(const fs::path& executable,
                                                         const FileStamp& stamp,
                                                         const Query& query) {
  const auto known = std::ranges::find_if(opened_, [&](const std::shared_ptr<Opened>& opened) {
    return opened->program->image().path() == executable && opened->stamp == stamp;
  });
  if (known != opened_.end()) {
    opened_.splice(opened_.begin(), opened_, known);
    return opened_.front();
  }
  auto program = Program::open(executable);
  if (!program) return nullptr;
  std::vector<PathMapping> map;
  for (const ProgramSettings& settings : query.configured) {
    if (find_in_workspace(settings.executable, searched_folders_) == executable) {
      map = settings.path_map;
    }
  }
  opened_.push_front(std::make_shared<Opened>(stamp, std::move(*program), std::move(map),
                                              searched_folders_, bounds_, lines_));
  if (opened_.size() > max_opened) opened_.pop_back();
  return opened_.front();
}

std::optional<TestsOfProgram> TestPrograms::tests_in(const fs::path& executable,
                                                     const FileStamp& stamp, const Query& query) {
  const auto opened = open(executable, stamp, query);
  if (!opened) return std::nullopt;
  const ProgramSources& sources = opened->program->sources();
  const auto file = opened->paths.file_of(query.file);
  if (!file) return std::nullopt;
  TestsOfProgram tests;
  tests.executable = executable;
  std::size_t units = 0;
  for (const UnitIndex index : sources.units_of_file(*file)) {
    if (++units > max_units) break;
    const auto unit = sources.unit(index);
    for (const Subprogram& function : unit->functions().subprograms) {
      const bool is_there = !function.ranges.empty() && function.declaration.file == *file;
      if (is_there) add_test_function(function, tests);
    }
  }
  if (tests.classes.empty() && tests.lines.empty()) return std::nullopt;
  BuildSource source;
  source.build_path = sources.path(*file);
  source.digest = sources.digest(*file);
  source.conflicting_digests = !source.digest && sources.has_conflicting_digests(*file);
  source.file = query.file;
  source.executable_modified = stamp.modified;
  tests.build_text = opened->texts.of(source);
  return tests;
}

TestPrograms::BuildFolder TestPrograms::read_build_folder(const fs::path& folder) {
  BuildFolder build;
  build.files = read_ctest_files(folder, bounds_);
  std::map<fs::path, std::vector<CTestTest>> by_program;
  for (CTestTest& test : std::exchange(build.files.tests, {})) {
    by_program[test.program].push_back(std::move(test));
  }
  for (auto& [program, tests] : by_program) {
    build.by_program[program] = std::make_shared<const std::vector<CTestTest>>(std::move(tests));
  }
  return build;
}

std::shared_ptr<const std::vector<CTestTest>> TestPrograms::ctest_of(const fs::path& executable) {
  const auto folder = ctest_folder(executable, searched_folders_);
  if (!folder) return nullptr;
  auto known = ctest_.find(*folder);
  if (known == ctest_.end() || !are_current(known->second.files)) {
    if (known == ctest_.end() && ctest_.size() >= max_build_folders) ctest_.clear();
    known = ctest_.insert_or_assign(*folder, read_build_folder(*folder)).first;
  }
  const auto tests = known->second.by_program.find(executable);
  return tests == known->second.by_program.end() ? nullptr : tests->second;
}

std::vector<CTestTest> TestPrograms::ctest_tests(const Query& query) {
  const std::lock_guard work(work_);
  std::set<fs::path> folders;
  for (const fs::path& program : programs_of(query, true)) {
    if (const auto folder = ctest_folder(program, searched_folders_)) folders.insert(*folder);
  }
  std::vector<CTestTest> tests;
  for (const fs::path& folder : folders) {
    CTestFiles files = read_ctest_files(folder, bounds_);
    files.tests.resize(std::min(files.tests.size(), max_listed - tests.size()));
    std::ranges::move(files.tests, std::back_inserter(tests));
    if (tests.size() == max_listed || ending_) break;
  }
  return tests;
}

void TestPrograms::when_idle(Job<> done) { thread_.when_idle(std::move(done)); }

}  // namespace gprof::lsp
