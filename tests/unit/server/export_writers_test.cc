// Exports of fictitious programs, read back by other means than those that wrote them.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <protozero/pbf_reader.hpp>
#include <zlib.h>

#include "server/export/csv_writer.h"
#include "server/export/export.h"
#include "server/export/export_tables.h"
#include "server/protocol/json_text.h"
#include "server/text/shown_text.h"
#include "tests/support/hostile_text.h"
#include "tests/support/made_up_profile.h"
#include "tests/support/pattern.h"
#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::lsp;
using gprof::test::MadeUpProfile;
using gprof::test::Pattern;

namespace {

std::string exported(const std::shared_ptr<const Snapshot>& snapshot,
                     const ExportRequest& request) {
  std::string text;
  ExportOutput output([&](std::string_view piece) -> Expected<void> {
    text += piece;
    return {};
  });
  const auto written = write_export(snapshot, request, output);
  INFO((written ? "" : describe(written.error())));
  REQUIRE(written);
  return text;
}

ExportRequest request_for(ExportFormat format) {
  ExportRequest request;
  request.format = format;
  return request;
}

std::string exported(const std::shared_ptr<const Snapshot>& snapshot, ExportFormat format) {
  return exported(snapshot, request_for(format));
}

// With names that are hard to write, a cycle, recursion, library code.
MadeUpProfile hard_names(const std::string& test) {
  MadeUpProfile made(
      test, {"main", "odd;name", "with space", "quo\"te", "_ZN3boxIiE4growEm", "ping", "pong"});
  made.calls("?", "main", 1).calls("main", "odd;name", 2).calls("main", "with space", 1);
  made.calls("odd;name", "with space", 3).calls("with space", "quo\"te", 5);
  made.calls("main", "_ZN3boxIiE4growEm", 7);
  made.calls("_ZN3boxIiE4growEm", "_ZN3boxIiE4growEm", 9);
  made.calls("main", "ping", 1).calls("ping", "pong", 4).calls("pong", "ping", 4);
  return made;
}

std::shared_ptr<const Snapshot> estimated() {
  return hard_names("exports_estimated")
      .self("odd;name", 10)
      .self("with space", 21)
      .self("quo\"te", 33)
      .self("_ZN3boxIiE4growEm", 5)
      .self("ping", 6)
      .self("pong", 8)
      .snapshot();
}

std::shared_ptr<const Snapshot> measured() {
  return hard_names("exports_measured")
      .stack(40, {"main", "odd;name", "with space", "quo\"te"})
      .stack(10, {"main", "with space"})
      .stack(5, {"main", "_ZN3boxIiE4growEm", "_ZN3boxIiE4growEm"})
      .stack(3, {"main", "ping", "pong", "ping"})
      .stack(2, {"main", "/lib/libc.so.6", "quo\"te"})
      .stack(1, {"main", "/lib/libc.so.6"})
      .stack(4, {"pong"}, true)
      .snapshot();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string inflated(const std::string& bytes) {
  std::string result(std::size_t{1} << 20U, '\0');
  z_stream stream = {};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  REQUIRE(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  result.resize(stream.total_out);
  inflateEnd(&stream);
  return result;
}

// The part of profile.proto that the tests use.
class PprofProfile {
 public:
  struct Sample {
    std::vector<std::uint64_t> places;  // innermost first
    std::vector<std::int64_t> values;
  };

  explicit PprofProfile(const std::string& bytes) {
    protozero::pbf_reader profile(bytes);
    while (profile.next()) read_member(profile);
  }

  [[nodiscard]] const std::string& first_string() const { return strings_.at(0); }
  // "main;f", as in folded stacks.
  [[nodiscard]] std::string stack(const Sample& sample) const {
    std::string text;
    for (auto place = sample.places.rbegin(); place != sample.places.rend(); ++place) {
      std::string name = strings_.at(name_of_function_.at(function_of_location_.at(*place)));
      std::replace(name.begin(), name.end(), ';', ':');
      text += (text.empty() ? "" : ";") + name;
    }
    return text;
  }

  std::vector<Sample> samples;

 private:
  void read_member(protozero::pbf_reader& profile) {
    switch (profile.tag()) {
      case 2:
        return read_sample(profile.get_message());
      case 4:
        return read_location(profile.get_message());
      case 5:
        return read_function(profile.get_message());
      case 6:
        strings_.push_back(profile.get_string());
        return;
      default:
        profile.skip();
    }
  }
  void read_sample(protozero::pbf_reader sample) {
    Sample& read = samples.emplace_back();
    while (sample.next()) {
      if (sample.tag() == 1) {
        for (const auto id : sample.get_packed_uint64()) read.places.push_back(id);
      } else {
        for (const auto value : sample.get_packed_int64()) read.values.push_back(value);
      }
    }
  }
  void read_location(protozero::pbf_reader location) {
    std::uint64_t id = 0;
    while (location.next()) {
      if (location.tag() == 1) {
        id = location.get_uint64();
      } else if (location.tag() == 4) {
        protozero::pbf_reader line = location.get_message();
        REQUIRE(line.next(1));
        function_of_location_[id] = line.get_uint64();
      } else {
        location.skip();
      }
    }
  }
  void read_function(protozero::pbf_reader function) {
    std::uint64_t id = 0;
    while (function.next()) {
      if (function.tag() == 1) {
        id = function.get_uint64();
      } else if (function.tag() == 2) {
        name_of_function_[id] = static_cast<std::size_t>(function.get_int64());
      } else {
        function.skip();
      }
    }
  }

  std::vector<std::string> strings_;
  std::map<std::uint64_t, std::size_t> name_of_function_;
  std::map<std::uint64_t, std::uint64_t> function_of_location_;
};

}  // namespace

TEST_CASE("exports: folded stacks hold every stack, and names do not part them") {
  CHECK(exported(measured(), ExportFormat::folded) ==
        "main;odd:name;with space;quo\"te 400000\n"
        "main;with space 100000\n"
        "main;box<int>::grow(unsigned long);box<int>::grow(unsigned long) 50000\n"
        "main;[libc.so.6] 10000\n"
        "main;[libc.so.6];quo\"te 20000\n"
        "main;ping;pong;ping 30000\n"
        "[truncated];pong 40000\n");
  ExportRequest request = request_for(ExportFormat::folded);
  request.demangle = false;
  CHECK(exported(measured(), request).find("main;_ZN3boxIiE4growEm;") != std::string::npos);
  request.threshold = 0.2;
  CHECK(exported(measured(), request) ==
        "[left out] 40000\n"
        "main;[left out] 210000\n"
        "main;odd:name;with space;quo\"te 400000\n");
}

TEST_CASE("exports: estimated stacks share time out, and name cycles") {
  CHECK(exported(estimated(), ExportFormat::folded) ==
        "main;odd:name 100000\n"
        "main;odd:name;with space 157500\n"
        "main;odd:name;with space;quo\"te 247500\n"
        "main;<cycle 1>;pong 80000\n"
        "main;<cycle 1>;ping 60000\n"
        "main;with space 52500\n"
        "main;with space;quo\"te 82500\n"
        "main;box<int>::grow(unsigned long) 50000\n");
}

TEST_CASE("exports: callgrind's costs add up, function by function") {
  for (const auto& snapshot : {estimated(), measured()}) {
    const bool is_measured = snapshot->measured().known();
    const std::string text = exported(snapshot, ExportFormat::callgrind);
    CHECK(text.find(is_measured ? "desc: Inclusive costs: measured"
                                : "desc: Inclusive costs: estimated") != std::string::npos);
    std::map<std::string, std::string> names;
    std::map<std::string, std::uint64_t> self;
    std::map<std::string, std::uint64_t> calls;
    std::map<std::string, std::uint64_t> inclusive;
    std::string function;
    std::string arc;
    std::uint64_t total = 0;
    const Pattern function_line(R"((c?fn)=\((\d+)\)(?: (.*))?)");
    const Pattern calls_line(R"(calls=(\d+) \d+)");
    const Pattern cost_line(R"(\d+ (\d+))");
    for (const std::string& line : lines_of(text)) {
      if (const auto named = function_line.match(line)) {
        const std::string &kind = (*named)[1], &number = (*named)[2], &name = (*named)[3];
        if (!name.empty()) names[number] = name;
        REQUIRE(names.contains(number));
        (kind == "fn" ? function : arc) =
            kind == "fn" ? names[number] : function + "->" + names[number];
        if (kind == "fn") arc.clear();
      } else if (const auto counted = calls_line.match(line)) {
        calls[arc] += std::stoull((*counted)[1]);
      } else if (const auto spent = cost_line.match(line)) {
        (arc.empty() ? self[function] : inclusive[arc]) += std::stoull((*spent)[1]);
        if (arc.empty()) total += std::stoull((*spent)[1]);
      } else if (line.starts_with("totals: ")) {
        CHECK(std::stoull(line.substr(8)) == total);
      }
    }
    CHECK(total == (is_measured ? 650'000 : 830'000));
    CHECK(calls["main->odd;name"] == 2);
    CHECK(calls["box<int>::grow(unsigned long)->box<int>::grow(unsigned long)"] == 9);
    CHECK(self["with space"] == (is_measured ? 100'000 : 210'000));
    CHECK(inclusive["main->odd;name"] == (is_measured ? 400'000 : 505'000));
    CHECK(inclusive["main->quo\"te"] == (is_measured ? 20'000 : 0));
    CHECK(inclusive["main->[libc.so.6]"] == (is_measured ? 10'000 : 0));
    CHECK(self["[libc.so.6]"] == (is_measured ? 10'000 : 0));
  }
}

TEST_CASE("exports: a JSON document tells the same, with errors of what was sampled") {
  const auto json = parse_json(exported(measured(), ExportFormat::json));
  REQUIRE(json);
  CHECK((*json)["basis"] == "measured");
  CHECK((*json)["total"].get<double>() == Approx(0.65));
  std::map<std::string, Json> functions;
  for (const Json& function : (*json)["functions"]) functions[function["name"]] = function;
  CHECK(functions["quo\"te"]["self"].get<double>() == Approx(0.42));
  CHECK(functions["quo\"te"]["selfError"].get<double>() == Approx(std::sqrt(42) / 100));
  CHECK(functions["main"]["total"].get<double>() == Approx(0.61));
  // Four samples have a stack without its outer end, where it may have been.
  CHECK(functions["main"]["totalError"].get<double>() == Approx((std::sqrt(61) + 4) / 100));
  CHECK(functions["ping"]["total"].get<double>() == Approx(0.03));
  CHECK(functions["ping"]["cycle"] == 1);
  CHECK(functions["box<int>::grow(unsigned long)"]["recursiveCalls"] == 9);
  CHECK(functions["box<int>::grow(unsigned long)"]["linkageName"] == "_ZN3boxIiE4growEm");
  CHECK(functions["[libc.so.6]"]["module"] == "libc.so.6");
  CHECK(functions["[libc.so.6]"]["total"].get<double>() == Approx(0.03));
  const auto other = parse_json(exported(estimated(), ExportFormat::json));
  REQUIRE(other);
  CHECK((*other)["basis"] == "estimated");
  for (const Json& function : (*other)["functions"]) {
    const double total = function["total"];
    const double error = function["totalError"];
    CAPTURE(function["name"].get<std::string>(), total, error);
    CHECK((error > 0) == (total > 0));
    CHECK(error <= std::sqrt(total * 100) / 100 + 1e-9);
  }
  for (const Json& arc : (*other)["arcs"]) {
    CHECK((arc["timeError"].get<double>() > 0) == (arc["time"].get<double>() > 0));
  }
}

TEST_CASE("exports: a JSON document tells every metric of each function") {
  const auto json = parse_json(exported(estimated(), ExportFormat::json));
  REQUIRE(json);
  std::map<std::string, Json> metrics;
  for (const Json& metric : (*json)["metrics"]) metrics[metric["name"]] = metric;
  CHECK((*json)["metric"] == "cpu");
  CHECK(metrics["cpu"]["unit"] == "seconds");
  CHECK(metrics["cpu"]["kind"] == "sampled");
  CHECK(metrics["cpu"]["total"].get<double>() == Approx((*json)["total"].get<double>()));
  CHECK(metrics["calls"]["kind"] == "exact");
  CHECK(metrics["seconds per call"]["kind"] == "derived");
  CHECK((*json)["threads"].is_array());
  for (const Json& function : (*json)["functions"]) {
    CAPTURE(function["name"].get<std::string>());
    const Json& values = function["values"];
    CHECK(values["cpu"]["self"] == function["self"]);
    CHECK(values["cpu"]["total"] == function["total"]);
    CHECK(values["cpu"].contains("selfError") == (function["selfError"].get<double>() > 0));
    REQUIRE(values.contains("calls") == function.contains("calls"));
    REQUIRE(values.contains("seconds per call") == function.contains("calls"));
    if (!function.contains("calls")) continue;
    const double calls = function["calls"];
    CHECK(values["calls"] == Json{{"self", calls}});
    CHECK(values["seconds per call"]["self"].get<double>() ==
          Approx(function["self"].get<double>() / calls));
    CHECK(values["seconds per call"]["total"].get<double>() ==
          Approx(function["total"].get<double>() / calls));
  }
}

TEST_CASE("exports: tables quote what would part their columns") {
  const std::string text = exported(measured(), ExportFormat::csv);
  CHECK(text.starts_with("function,linkage_name,file,line,calls,recursive_calls,self,"));
  CHECK(text.find("\r\n\"quo\"\"te\",\"quo\"\"te\",,,5,,0.42,") != std::string::npos);
  CHECK(text.find("\r\nodd;name,odd;name,,,2,,0,0,0.4,0.103") != std::string::npos);
  ExportRequest request = request_for(ExportFormat::csv);
  request.table = ExportTable::arcs;
  const std::string arcs = exported(estimated(), request);
  const std::string row = "\r\nmain,odd;name,,,2,exact,0.505,";
  const std::size_t place = arcs.find(row);
  REQUIRE(place != std::string::npos);
  const double error = std::stod(arcs.substr(place + row.size()));
  CHECK(error > 0);
  CHECK(error < std::sqrt(50.5) / 100 + 1e-9);
  CHECK(lines_of(arcs).size() == 10);
}

TEST_CASE("exports: speedscope's stacks have their weights") {
  for (const auto& snapshot : {estimated(), measured()}) {
    const auto json = parse_json(exported(snapshot, ExportFormat::speedscope));
    REQUIRE(json);
    const Json& profile = (*json)["profiles"][0];
    CHECK(profile["unit"] == "microseconds");
    REQUIRE(profile["samples"].size() == profile["weights"].size());
    std::uint64_t total = 0;
    std::string folded;
    for (std::size_t i = 0; i < profile["samples"].size(); ++i) {
      std::string stack;
      for (const Json& frame : profile["samples"][i]) {
        std::string name = (*json)["shared"]["frames"][frame.get<std::size_t>()]["name"];
        std::replace(name.begin(), name.end(), ';', ':');
        stack += (stack.empty() ? "" : ";") + name;
      }
      total += profile["weights"][i].get<std::uint64_t>();
      folded += stack + " " + std::to_string(profile["weights"][i].get<std::uint64_t>()) + "\n";
    }
    CHECK(profile["endValue"] == total);
    CHECK(folded == exported(snapshot, ExportFormat::folded));
  }
}

TEST_CASE("exports: pprof's samples refer to what is there") {
  for (const auto& snapshot : {estimated(), measured()}) {
    const bool is_measured = snapshot->measured().known();
    const PprofProfile profile(inflated(exported(snapshot, ExportFormat::pprof)));
    CHECK(profile.first_string().empty());
    std::map<std::string, std::int64_t> folded;
    for (const PprofProfile::Sample& sample : profile.samples) {
      REQUIRE(sample.values.size() == (is_measured ? 2 : 1));
      if (is_measured) CHECK(sample.values[1] == sample.values[0] * 10'000'000);
      folded[profile.stack(sample)] += sample.values.back() / 1000;
    }
    std::map<std::string, std::int64_t> expected;
    for (const std::string& line : lines_of(exported(snapshot, ExportFormat::folded))) {
      const std::size_t space = line.rfind(' ');
      expected[line.substr(0, space)] = std::stoll(line.substr(space + 1));
    }
    CHECK(folded == expected);
  }
}

TEST_CASE("exports: graphs quote names and draw cycles as clusters") {
  const std::string text = exported(estimated(), ExportFormat::dot);
  CHECK(text.find("subgraph cluster_1") != std::string::npos);
  CHECK(text.find("label=\"quo\\\"te\\nself 0.33 s (40 %)\\ntotal 0.33 s (40 %)\\n5 calls\"") !=
        std::string::npos);
  CHECK(text.find("[label=\"2×\\n61 %\"") != std::string::npos);
  ExportRequest request = request_for(ExportFormat::dot);
  request.threshold = 0.5;
  CHECK(exported(estimated(), request).find("with space") != std::string::npos);
  CHECK(exported(estimated(), request).find("quo") == std::string::npos);
}

TEST_CASE("exports: calls alone make tables and graphs, and no stacks") {
  const auto snapshot = hard_names("exports_counted").snapshot();
  CHECK(exported(snapshot, ExportFormat::dot).find("quo\\\"te\\n5 calls") != std::string::npos);
  CHECK(exported(snapshot, ExportFormat::callgrind).find("calls=7 ") != std::string::npos);
  for (const ExportFormat format :
       {ExportFormat::folded, ExportFormat::pprof, ExportFormat::speedscope}) {
    ExportOutput output([](std::string_view) -> Expected<void> { return {}; });
    const auto written = write_export(snapshot, request_for(format), output);
    REQUIRE_FALSE(written);
    CHECK(written.error().code == ErrorCode::no_profile_data);
  }
}

TEST_CASE("exports: an output that fails ends the writing with its error") {
  for (const ExportFormat format :
       {ExportFormat::callgrind, ExportFormat::csv, ExportFormat::dot, ExportFormat::folded,
        ExportFormat::json, ExportFormat::pprof, ExportFormat::speedscope}) {
    int pieces = 0;
    ExportOutput output([&](std::string_view) -> Expected<void> {
      ++pieces;
      return Error{ErrorCode::unreadable, "No space left on device", "out", std::nullopt};
    });
    const auto written = write_export(measured(), request_for(format), output);
    CAPTURE(export_format_name(format));
    REQUIRE_FALSE(written);
    CHECK(written.error().message == "No space left on device");
    CHECK(pieces == 1);
  }
}

TEST_CASE("exports: names that are no UTF-8 are made so") {
  MadeUpProfile made("exports_bytes", {"main", "caf\xe9"});
  const auto snapshot = made.stack(5, {"main", "caf\xe9"}).snapshot();
  const std::string name = "caf\xEF\xBF\xBD";
  CHECK(exported(snapshot, ExportFormat::folded) == "main;" + name + " 50000\n");
  const PprofProfile profile(inflated(exported(snapshot, ExportFormat::pprof)));
  REQUIRE(profile.samples.size() == 1);
  CHECK(profile.stack(profile.samples[0]) == "main;" + name);
  for (const ExportFormat format : {ExportFormat::callgrind, ExportFormat::csv, ExportFormat::dot,
                                    ExportFormat::json, ExportFormat::speedscope}) {
    const std::string text = exported(snapshot, format);
    CHECK(text.find(name) != std::string::npos);
    CHECK(text.find('\xe9') == std::string::npos);
  }
}

TEST_CASE("exports: whole numbers keep their sum") {
  WholeNumbers whole(1);
  std::uint64_t sum = 0;
  for (int i = 0; i < 1000; ++i) sum += whole.next(0.3);
  CHECK(sum == 300);
  CHECK(WholeNumbers(1e4).next(2) == 20'000);
  WholeNumbers beyond(1e6);
  CHECK(beyond.next(1e19) == 9'000'000'000'000'000'000U);
  CHECK(beyond.next(3) == 3'000'000);
  CHECK(WholeNumbers(1).next(-5) == 0);
  CHECK(WholeNumbers(1).next(std::nan("")) == 0);
}

TEST_CASE("csv: no cell is a formula to a spreadsheet") {
  CHECK(csv_cell("main(int, char**)") == "\"main(int, char**)\"");
  CHECK(csv_cell("operator\"\"_s") == "\"operator\"\"\"\"_s\"");
  CHECK(csv_cell("=HYPERLINK(\"https://e.example\")") ==
        "\"'=HYPERLINK(\"\"https://e.example\"\")\"");
  CHECK(csv_cell("-[View draw:]") == "'-[View draw:]");
  CHECK(csv_cell("a=b") == "a=b");
  CHECK(csv_cell("\t=1\r\n2") == "?=1??2");
}

TEST_CASE("property: a cell of csv is one cell, on one line, and no formula") {
  std::mt19937 random(test_seed(4180));
  for (int i = 0; i < 2000; ++i) {
    const std::string name = test::hostile_text(random);
    const std::string cell = csv_cell(name);
    CAPTURE(i, name, cell);
    CHECK(cell == on_one_line(cell));
    std::string text = cell;
    if (cell.starts_with('"')) {
      REQUIRE(cell.size() >= 2);
      REQUIRE(cell.ends_with('"'));
      text.clear();
      for (std::size_t at = 1; at + 1 < cell.size(); ++at) {
        if (cell[at] == '"') {
          REQUIRE(cell[++at] == '"');
        }
        text += cell[at];
      }
    } else {
      CHECK(cell.find_first_of("\",") == std::string::npos);
    }
    CHECK(text.find_first_of("=+-@") != 0);
    if (text.starts_with('\'') && !name.starts_with('\'')) text.erase(0, 1);
    CHECK(text == on_one_line(name));
  }
}
