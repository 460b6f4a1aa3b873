// Metrics by name and selections, as messages and settings have them.
#include <catch2/catch.hpp>

#include "server/features/metric_values.h"
#include "server/protocol/conversions.h"

using namespace gprof;
using namespace gprof::lsp;

namespace {

HotSpotsParams params_of(std::string_view text) {
  const auto json = parse_json(text);
  REQUIRE(json);
  const auto params = read_as<HotSpotsParams>(*json, "params");
  REQUIRE(params);
  return *params;
}

std::string problem_of(std::string_view text) {
  const auto json = parse_json(text);
  REQUIRE(json);
  const auto params = read_as<HotSpotsParams>(*json, "params");
  REQUIRE_FALSE(params);
  return params.error().message;
}

}  // namespace

TEST_CASE("a request leaves the selection as it is, lifts it, or has its own") {
  CHECK_FALSE(params_of("{}").selection);
  const auto all = params_of(R"({"selection": null})").selection;
  REQUIRE(all);
  CHECK_FALSE(*all);
  const auto part =
      params_of(R"({"selection": {"processes": [7], "threads": [12, "parser"], "to": 3.5}})")
          .selection;
  REQUIRE(part);
  REQUIRE(*part);
  const Selection selection = selection_of(**part);
  CHECK(selection.processes == std::vector<std::uint32_t>{7});
  CHECK(selection.threads == std::vector<std::uint32_t>{12});
  CHECK(selection.thread_names == std::vector<std::string>{"parser"});
  CHECK_FALSE(selection.from);
  CHECK(selection.to == 3.5);
  CHECK(selection_data(selection) == **part);
  CHECK(lsp::written_text(selection_data(selection)) ==
        R"({"processes":[7],"threads":[12,"parser"],"to":3.5})");
}

TEST_CASE("what is wrong with a selection is named") {
  CHECK(problem_of(R"({"selection": 7})").find("params.selection") != std::string::npos);
  CHECK(problem_of(R"({"selection": {"threads": [true]}})").find("params.selection.threads[0]") !=
        std::string::npos);
  CHECK(problem_of(R"({"selection": {"from": "now"}})").find("params.selection.from") !=
        std::string::npos);
}

TEST_CASE("values by metric are an object") {
  ValuesByMetric values;
  values["seconds per call"] = {0.5, 0.25, std::nullopt, std::nullopt};
  values["Ir"] = {3, std::nullopt, 4, std::nullopt};
  CHECK(lsp::written_text(values) ==
        R"({"Ir":{"self":3.0,"total":4.0},"seconds per call":{"self":0.5,"selfError":0.25}})");
}

TEST_CASE("figures have the digits that their errors allow") {
  CHECK(figure_text({0.0000583, 0}, "seconds") == "58.3 µs");
  CHECK(figure_text({1.5, 0}, "seconds") == "1.50 s");
  CHECK(figure_text({0, 0}, "seconds") == "0 s");
  CHECK(figure_text({0.0583, 0.01}, "seconds") == "58 ms");
  CHECK(figure_text({0.0123, 0}, "misses") == "0.0123 misses");
  CHECK(figure_text({2, 0}, "") == "2.00");
  CHECK(figure_text({1234, 0}, "") == "1234");
  CHECK(figure_text({26312, 0}, "Ir") == "26.3k Ir");
  CHECK(figure_text({-26312, 0}, "Ir") == "-26.3k Ir");
}
