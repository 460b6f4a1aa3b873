// The parts of `gprof-lsp record` that need no program: its command line, its last line, and how
// samples of several runs are laid out to be added.
#include "server/record/record_options.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/record/record_sum.h"
#include "server/record/record_summary.h"
#include "test_paths.h"
#include "tests/support/pattern.h"

using namespace gprof;
using namespace gprof::lsp;
using gprof::test::Groups;
using gprof::test::Pattern;

namespace {

using Words = std::vector<std::string_view>;

RecordOptions options_of(const Words& words) {
  const RecordCommandLine command = parse_record_options(words);
  if (const auto* error = std::get_if<UsageError>(&command)) FAIL(error->message);
  REQUIRE(std::holds_alternative<RecordOptions>(command));
  return *std::get_if<RecordOptions>(&command);
}

std::string error_of(const Words& words) {
  const RecordCommandLine command = parse_record_options(words);
  const auto* error = std::get_if<UsageError>(&command);
  return error == nullptr ? "" : error->message;
}

bool asks_for_help(const Words& words) {
  return std::holds_alternative<HelpRequest>(parse_record_options(words));
}

using Texts = std::vector<std::string>;

RawProfile with_samples(std::uint64_t low, std::vector<std::uint64_t> bins) {
  RawProfile profile;
  const std::uint64_t high = low + 2 * bins.size();
  profile.histograms.push_back({Address{low}, Address{high}, std::move(bins)});
  return profile;
}

}  // namespace

TEST_CASE("record's options stand before the program, which has the rest") {
  const RecordOptions plain = options_of({"prog", "--rate", "7", "--"});
  CHECK(plain.command == Texts{"prog", "--rate", "7", "--"});
  CHECK_FALSE(plain.rate);
  CHECK_FALSE(plain.runs);
  CHECK(plain.output.empty());

  const RecordOptions all = options_of(
      {"--rate", "250", "--stacks", "--live", "--runs=100", "--output", "some/dir", "--", "-odd"});
  CHECK(all.command == Texts{"-odd"});
  CHECK(all.rate == 250U);
  CHECK(all.runs == 100U);
  CHECK(all.stacks);
  CHECK(all.live);
  CHECK(all.output == "some/dir");

  CHECK(options_of({"--", "--"}).command == Texts{"--"});
  CHECK(options_of({"--", ""}).command == Texts{""});
  CHECK(options_of({"-"}).command == Texts{"-"});
  CHECK(options_of({"--rate=0", "prog"}).rate == 0U);
  CHECK(options_of({"--output=-x=y", "prog"}).output == "-x=y");
}

TEST_CASE("record's wrong command lines are named") {
  CHECK(error_of({}).find("a program to run is missing") == 0);
  CHECK(error_of({"--"}).find("a program to run is missing") == 0);
  CHECK(error_of({"--stack", "prog"}) == "--stack is no option; --help lists them");
  CHECK(error_of({"-x", "prog"}) == "-x is no option; --help lists them");
  CHECK(error_of({"--live=yes", "prog"}) == "--live takes no value");
  CHECK(error_of({"--output=", "prog"}) == "--output needs the name of a directory");
  CHECK(error_of({"--output"}) == "--output needs a value");
  CHECK(error_of({"--output", "--", "prog"}) == "--output needs a value");
  for (const std::string_view rate : {"", "x", "1x", "-1", "+1", "1.5", "20001", "99999999999"}) {
    INFO(rate);
    CHECK(error_of({"--rate", rate, "prog"}).find("--rate=") == 0);
  }
  CHECK_FALSE(error_of({"--runs=0", "prog"}).empty());
  CHECK(error_of({"--rate=20000", "--runs=1000000", "prog"}).empty());
  CHECK(asks_for_help({"--help"}));
  CHECK(asks_for_help({"--live", "-h", "--no-such"}));
  CHECK_FALSE(asks_for_help({"prog", "--help"}));
  CHECK_FALSE(asks_for_help({"--no-such", "--help"}));
}

TEST_CASE("--help and the man page tell of every option of record, and of no other") {
  const auto root = std::filesystem::path(GPROF_LSP_TEST_PROGRAMS).parent_path().parent_path();
  std::ifstream in(root / "docs" / "gprof-lsp-record.1");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const auto options_in = [](const std::string& text, const char* pattern) {
    std::set<std::string> names;
    for (const Groups& match : Pattern(pattern).all_in(text)) names.insert(match[1]);
    return names;
  };
  const std::set<std::string> known = {"help", "live", "output", "rate", "runs", "stacks"};
  CHECK(options_in(std::string(record_help_text()), R"(^  (?:-h, )?--([a-z]+))") == known);
  const std::size_t first = page.find(".SH OPTIONS");
  REQUIRE(first != std::string::npos);
  const std::string options = page.substr(first, page.find(".SH FILES") - first);
  CHECK(options_in(options, R"(\\fB\\-\\-([a-z]+)\\fR)") == known);
}

TEST_CASE("recover takes directories alone") {
  const auto directories_of = [](const Words& words) {
    const RecoverCommandLine command = parse_recover_options(words);
    const auto* options = std::get_if<RecoverOptions>(&command);
    return options == nullptr ? Texts{} : options->directories;
  };
  CHECK(directories_of({"a", "--", "-b"}) == Texts{"a", "-b"});
  CHECK(directories_of({}).empty());
  CHECK(directories_of({"--all", "a"}).empty());
  CHECK(directories_of({""}).empty());
  CHECK(std::holds_alternative<HelpRequest>(parse_recover_options(Words{"a", "--help"})));
}

TEST_CASE("figures of a profile in words") {
  ProfileFigures figures;
  figures.calls = 1234567;
  figures.samples = 321;
  figures.cpu_time = 3'222'000'000;
  figures.requested_rate = 100;
  figures.threads = 8;
  CHECK(describe_figures(figures) ==
        "1,234,567 calls, 321 samples at 99.6 of 100 Hz, 8 threads, nothing lost");
  figures.lost_calls = 1;
  figures.lost_samples = 12;
  figures.lost_stacks = 3;
  figures.threads = 1;
  figures.calls = 1;
  CHECK(describe_figures(figures) ==
        "1 call, 321 samples at 99.6 of 100 Hz, 1 thread, 1 call "
        "lost, 12 samples lost, 3 stacks lost");
  figures = {};
  CHECK(describe_figures(figures) == "0 calls, no samples asked for, 0 threads, nothing lost");
  figures.requested_rate = 100;
  figures.cpu_time = 4'000'000;
  CHECK(describe_figures(figures) ==
        "0 calls, no samples in 0.004 s of CPU time, 0 threads, nothing lost");
  figures.has_timer = false;
  CHECK(describe_figures(figures).find("the system gave no timer") != std::string::npos);
}

TEST_CASE("the last line names files of libraries and further processes") {
  FoundProfile first;
  first.path = "out/gmon.out";
  first.libraries = {"out/gmon.out.libx.so"};
  first.killed_by = 9;
  first.recovered = true;
  CHECK(describe_profiles({first}) ==
        "out/gmon.out: 0 calls, no samples asked for, 0 threads, nothing lost; killed by SIGKILL; "
        "recovered; libraries: out/gmon.out.libx.so");
  std::vector<FoundProfile> many(12);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].path = "p" + std::to_string(i);
    many[i].process = static_cast<std::uint32_t>(100 + i);
  }
  many[3].figures.lost_calls = 5;
  CHECK(describe_profiles(many).find(
            "further processes: p1, p2, p3, p4, p5, p6, p7, p8 and 3 more (1 with losses)") !=
        std::string::npos);
  many[1].process = 100;
  CHECK(describe_profiles(many).find("; after exec: p1; further processes: p2, p3") !=
        std::string::npos);
  CHECK(signal_name(64) == "signal 64");
}

TEST_CASE("samples around different places are laid out alike") {
  const std::vector<AddressRange> ranges = united({{Address{200}, Address{210}},
                                                   {Address{100}, Address{104}},
                                                   {Address{104}, Address{108}},
                                                   {Address{106}, Address{112}},
                                                   {Address{5}, Address{5}}});
  REQUIRE(ranges ==
          std::vector<AddressRange>{{Address{100}, Address{112}}, {Address{200}, Address{210}}});
  RawProfile profile = with_samples(104, {1, 2});
  lay_out_samples(profile, ranges);
  REQUIRE(profile.histograms.size() == 1);
  CHECK(profile.histograms[0].low == Address{100});
  CHECK(profile.histograms[0].high == Address{112});
  CHECK(profile.histograms[0].bins == BinCounts{0, 0, 1, 2, 0, 0});

  SECTION("two histograms of one range add up in it") {
    RawProfile two = with_samples(100, {7});
    two.histograms.push_back({Address{110}, Address{112}, {9}});
    lay_out_samples(two, ranges);
    REQUIRE(two.histograms.size() == 1);
    CHECK(two.histograms[0].bins == BinCounts{7, 0, 0, 0, 0, 9});
  }
  SECTION("what does not fit stays as it is") {
    RawProfile odd = with_samples(101, {1});
    lay_out_samples(odd, ranges);
    CHECK(odd.histograms[0].low == Address{101});
    RawProfile outside = with_samples(50, {1});
    lay_out_samples(outside, ranges);
    CHECK(outside.histograms[0].bins.size() == 1);
    RawProfile coarse;
    coarse.histograms.push_back({Address{100}, Address{112}, {1, 2}});
    lay_out_samples(coarse, ranges);
    CHECK(coarse.histograms[0].bins.size() == 2);
  }
}
