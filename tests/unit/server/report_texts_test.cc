#include "server/report_documents/report_texts.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "engine/report/report.h"
#include "tests/unit/report/synthetic_program.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

ProgramOnDisk program(const std::string& name, bool with_samples = true) {
  ProgramOnDisk made(name, {{"first", at(0)}, {"_ZN3box4growEi", at(1)}, {"last", at(2)}},
                     4 * function_size);
  GmonDescription profile;
  if (with_samples) profile.histograms = {{at(0), at(4), {1, 2, 3, 4}, 1, "seconds", 's', {}}};
  profile.arcs = {{at(0) + 8, at(1), 6}, {at(1) + 8, at(2), 3}};
  made.add_profile(profile);
  return made;
}

LoadedProgram load(const ProgramOnDisk& made) {
  AnalysisRequest request;
  request.executable = made.request.executable;
  request.profiles.assign(made.request.profiles.begin(), made.request.profiles.end());
  auto snapshot = analyse(request);
  REQUIRE(snapshot);
  LoadedProgram loaded;
  loaded.snapshot = *snapshot;
  loaded.name = "program";
  return loaded;
}

ReportAddress page(ReportPage page, std::string options = "-b") {
  return {page, std::nullopt, std::move(options), ""};
}

ReportTexts::State state_of(const LoadedProgram* loaded, bool demangle = true) {
  return ReportTexts::state_of(loaded, ReportAddress(), demangle);
}

}  // namespace

TEST_CASE("a report as a document is the engine's, and made once") {
  const ProgramOnDisk made = program("report_texts");
  const LoadedProgram loaded = load(made);
  ReportTexts texts;
  const auto flat = texts.text(loaded, page(ReportPage::flat_profile), true);
  REQUIRE(flat);
  ReportRequest request = made.request;
  request.brief = true;
  request.kinds.insert(ReportKind::flat_profile);
  const auto expected = make_report(request);
  REQUIRE(expected);
  CHECK((*flat)->text == expected->text);
  CHECK((*flat)->lines == LineTable(expected->text));

  ReportAddress named = page(ReportPage::flat_profile);
  named.program = "program";
  CHECK(*texts.text(loaded, named, true) == *flat);
  CHECK(*texts.text(loaded, page(ReportPage::flat_profile, ""), true) != *flat);
  CHECK((*texts.text(loaded, page(ReportPage::flat_profile), false))->text.find("_ZN3box") !=
        std::string::npos);
  // Another load of the same files is another state.
  CHECK(*texts.text(load(made), page(ReportPage::flat_profile), true) != *flat);
}

TEST_CASE("a report of another build names no functions of this one") {
  const ProgramOnDisk made = program("report_texts_build");
  const LoadedProgram loaded = load(made);
  const auto functions = [&] {
    ReportTexts texts;
    const auto text = texts.text(loaded, page(ReportPage::flat_profile), true);
    REQUIRE(text);
    return std::ranges::count((*text)->parts.ranges, RangeKind::function, &ReportRange::kind);
  };
  CHECK(functions() == 3);
  std::filesystem::copy_file(made.request.executable, made.request.executable + ".new");
  std::filesystem::rename(made.request.executable + ".new", made.request.executable);
  CHECK(functions() == 0);
}

TEST_CASE("few texts are kept") {
  const LoadedProgram loaded = load(program("report_texts_few"));
  ReportTexts texts;
  std::weak_ptr<const ReportText> first;
  for (int i = 0; i < 100; ++i) {
    const auto text =
        texts.text(loaded, page(ReportPage::call_graph, "-b -w" + std::to_string(i + 1)), true);
    REQUIRE(text);
    if (i == 0) first = *text;
    if (i == 1) CHECK_FALSE(first.expired());
  }
  CHECK(first.expired());
}

TEST_CASE("texts of a profile that is no longer shown go away, and do not keep it") {
  const ProgramOnDisk made = program("report_texts_gone");
  ReportTexts texts;
  std::weak_ptr<const Snapshot> snapshot;
  std::weak_ptr<const Program> opened;
  {
    const LoadedProgram loaded = load(made);
    snapshot = loaded.snapshot;
    opened = loaded.snapshot->program();
    REQUIRE(texts.text(loaded, page(ReportPage::flat_profile), true));
    texts.opened("gprof-report:/flat-profile", state_of(&loaded));
  }
  CHECK(snapshot.expired());
  CHECK(opened.expired());
}

TEST_CASE("a report that cannot be made is tried again") {
  const ProgramOnDisk made = program("report_texts_missing", false);
  const LoadedProgram loaded = load(made);
  ReportTexts texts;
  const auto missing = texts.text(loaded, page(ReportPage::flat_profile), true);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::no_profile_data);
  const auto unknown = texts.text(loaded, page(ReportPage::flat_profile, "-s"), true);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::invalid_argument);
  std::filesystem::rename(made.request.profiles.front(), made.request.profiles.front() + ".away");
  CHECK_FALSE(texts.text(loaded, page(ReportPage::call_graph), true));
  std::filesystem::rename(made.request.profiles.front() + ".away", made.request.profiles.front());
  CHECK(texts.text(loaded, page(ReportPage::call_graph), true));
}

TEST_CASE("documents are told once of another state") {
  const ProgramOnDisk made = program("report_texts_outdated");
  const LoadedProgram before = load(made);
  const LoadedProgram after = load(made);
  ReportTexts texts;
  const std::vector<DocumentUri> uris = {"gprof-report:/flat-profile", "gprof-report:/call-graph"};
  for (const auto& uri : uris) texts.opened(uri, state_of(&before));
  texts.opened("gprof-report:/index", state_of(&before));
  texts.closed("gprof-report:/index");
  const auto shown = [&](const LoadedProgram& program, bool demangle = true) {
    return [&program, demangle](const ReportAddress&) { return state_of(&program, demangle); };
  };
  CHECK(texts.take_outdated(shown(before)).empty());
  CHECK(texts.take_outdated(shown(after)).size() == 2);
  CHECK(texts.take_outdated(shown(after)).empty());
  CHECK(texts.take_outdated(shown(after, false)).size() == 2);
  const auto gone = [](const ReportAddress&) { return state_of(nullptr, false); };
  CHECK(texts.take_outdated(gone).size() == 2);
  CHECK(texts.take_outdated(gone).empty());
}

TEST_CASE("several threads that ask at once get one text") {
  const LoadedProgram loaded = load(program("report_texts_threads"));
  ReportTexts texts;
  std::vector<std::shared_ptr<const ReportText>> found(8);
  std::vector<std::thread> threads;
  for (auto& text : found) {
    threads.emplace_back([&] {
      auto made = texts.text(loaded, page(ReportPage::everything), true);
      if (made) text = *made;
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(found.front());
  for (const auto& text : found) CHECK(text == found.front());
}
