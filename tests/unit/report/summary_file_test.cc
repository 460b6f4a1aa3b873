#include "engine/report/summary_file.h"

#include <memory>

#include "tests/unit/report/synthetic_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr GmonLayout layout = {PointerWidth::eight, ByteOrder::little};

std::unique_ptr<const JoinedReport> joined(const std::vector<SiteArc>& arcs) {
  auto report = std::make_unique<JoinedReport>();
  report->data = data_of(functions_named({"main", "f", "g"}), {0, 0, 0}, arcs);
  report->arcs = arcs;
  return report;
}

RawProfile samples(std::uint64_t count) {
  RawProfile raw;
  raw.rate = 100;
  raw.histogram_records = 1;
  raw.histograms = {{entry_of(0), entry_of(1), {count, 2}}};
  raw.arcs = {{entry_of(0) + 9, entry_of(1) + 4, 77}};
  return raw;
}

RawProfile read_back(const ReportFile& file) {
  const auto read = read_gmon(std::as_bytes(std::span(file.contents)), file.path, layout);
  REQUIRE(read);
  return *read;
}

}  // namespace

TEST_CASE("summary file: arcs from entry to entry, by caller, the newest first") {
  const auto file = make_summary_file(
      {}, samples(5),
      *joined({{entry_of(1) + 9, 1, 2, 4}, {entry_of(0) + 5, 0, 2, 0}, {entry_of(0) + 9, 0, 1, 3}}),
      layout);
  REQUIRE(file);
  CHECK(file->path == "gmon.sum");
  const RawProfile sum = read_back(*file);
  CHECK(sum.arcs == std::vector<RawArc>{{entry_of(0), entry_of(2), 0},
                                        {entry_of(0), entry_of(1), 3},
                                        {entry_of(1), entry_of(2), 4}});
  REQUIRE(sum.histograms.size() == 1);
  CHECK(sum.histograms[0].bins == BinCounts{5, 2});
  CHECK(sum.rate == 100);
}

TEST_CASE("summary file: the spare bytes are zero, or say which build was profiled") {
  RawProfile raw = samples(1);
  const auto plain = make_summary_file({}, raw, *joined({}), layout);
  REQUIRE(plain);
  CHECK(plain->contents.substr(8, 12) == std::string(12, '\0'));
  raw.build_id_prefix.emplace().fill(std::byte{'!'});
  const auto tagged = make_summary_file({}, raw, *joined({}), layout);
  REQUIRE(tagged);
  CHECK(tagged->contents.substr(8, 12) == "gpid!!!!!!!!");
}

TEST_CASE("summary file: what one record cannot hold is carried by several") {
  const auto file = make_summary_file({}, samples(200'000),
                                      *joined({{entry_of(0) + 9, 0, 1, 10'000'000'000}}), layout);
  REQUIRE(file);
  const RawProfile sum = read_back(*file);
  REQUIRE(sum.histograms.size() == 1);
  CHECK(sum.histograms[0].bins == BinCounts{200'000, 2});
  CHECK(sum.histogram_records == 4);
  std::uint64_t calls = 0;
  for (const RawArc& arc : sum.arcs) calls += arc.count;
  CHECK(calls == 10'000'000'000);
}

TEST_CASE("summary file: a BSD format refuses what it cannot hold") {
  ReportRequest request;
  request.format = GmonFormatChoice::bsd;
  RawProfile raw = samples(65'535);
  raw.format = GmonFormat::bsd;
  CHECK(make_summary_file(request, raw, *joined({}), layout));
  raw.histograms[0].bins[0] = 65'536;
  const auto refused = make_summary_file(request, raw, *joined({}), layout);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().path == "gmon.sum");
}

TEST_CASE("summary file: a call from nowhere known keeps its place") {
  const auto file =
      make_summary_file({}, samples(1), *joined({{Address{7}, no_symbol, 1, 3}}), layout);
  REQUIRE(file);
  CHECK(read_back(*file).arcs == std::vector<RawArc>{{Address{7}, entry_of(1), 3}});
}
