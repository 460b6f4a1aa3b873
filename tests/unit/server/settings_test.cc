#include "server/protocol/settings.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <catch2/catch.hpp>

#include "server/protocol/settings_reader.h"
#include "tools/describe_settings.h"

using namespace gprof;
using namespace gprof::lsp;

namespace {

SettingsLayer parse(const std::string& text) {
  auto layer = parse_settings_text(text, "settings.json");
  if (!layer) FAIL(describe(layer.error()));
  return std::move(*layer);
}

ClientSettings settings(const std::string& text) {
  const SettingsLayer layer = parse(text);
  if (!layer.problems.empty()) FAIL(layer.problems[0]);
  return merge_settings({&layer, 1});
}

}  // namespace

TEST_CASE("every setting is read") {
  const ClientSettings all = settings(R"({"gprof": {
    "programs": [{"executable": "a.out", "profiles": ["gmon.*", "gmon.out"], "libraries": "l*.so",
                  "pathMap": [{"from": "/build", "to": "/src"}]}],
    "base": {"executable": "old", "profiles": ["gmon.old"]},
    "metric": "total", "threshold": 0.25,
    "derived": [{"name": "miss rate", "formula": "D1mr / Dr", "unit": "misses"}], "codeLens": {"enable": false, "threshold": 0.02},
    "inlayHints.enable": false, "diagnostics": {"enable": true}, "demangle": false,
    "logLevel": "debug"}})");
  const ProgramSettings program{"a.out", {"gmon.*", "gmon.out"}, {"l*.so"}, {{"/build", "/src"}}};
  CHECK(all.programs == std::vector<ProgramSettings>{program});
  CHECK(all.base == BaseSettings{"old", {"gmon.old"}});
  CHECK(all.metric == "total");
  CHECK(all.derived == std::vector<DerivedSetting>{{"miss rate", "D1mr / Dr", "misses"}});
  CHECK(all.threshold == 0.25);
  CHECK_FALSE(all.code_lens);
  CHECK(all.lens_threshold == 0.02);
  CHECK_FALSE(all.inlay_hints);
  CHECK(all.diagnostics);
  CHECK_FALSE(all.demangle);
  CHECK(all.log_level == LogLevel::debug);
}

TEST_CASE("what is not set, or null, keeps its default") {
  CHECK(settings("{}") == ClientSettings());
  CHECK(settings(R"({"programs": null, "codeLens": {"enable": null}, "metric": null})") ==
        ClientSettings());
  CHECK(ClientSettings().threshold == 0.005);
}

TEST_CASE("unknown keys and wrong types are named, and the rest is used") {
  const SettingsLayer layer = parse(R"({
    "colour": 1, "metric": 7, "threshold": 2, "demangle": "yes", "codeLens": {"on": true},
    "derived": [{"name": "a", "formula": "b", "sum": "c"}, {"name": "d"}, 7,
                {"name": "", "formula": "b"}],
    "inlayHints": true, "logLevel": 3, "base": [], "diagnostics": {"enable": 1},
    "programs": [{"executable": "ok", "profile": []}, {"profiles": []}, 7,
                 {"executable": "two", "profiles": 5, "pathMap": [{"from": "/a"}]}]})");
  std::string problems;
  for (const std::string& problem : layer.problems) problems += problem + "\n";
  for (const char* name :
       {"gprof.colour is", "gprof.metric must", "gprof.threshold must", "gprof.demangle must",
        "gprof.codeLens.on is", "gprof.inlayHints must", "gprof.logLevel must", "gprof.base must",
        "gprof.diagnostics.enable must", "gprof.programs[0].profile is",
        "gprof.programs[1].executable must", "gprof.programs[2] must", "gprof.derived[0].sum is",
        "gprof.derived[1] must", "gprof.derived[2] must", "gprof.derived[3].name must",
        "gprof.programs[3].profiles must", "gprof.programs[3].pathMap[0] must"}) {
    CAPTURE(problems, name);
    CHECK(problems.find(name) != std::string::npos);
  }
  CHECK(layer.problems.size() == 18);
  ClientSettings all;
  all.metric = "calls";
  layer.apply_to(all);
  REQUIRE(all.programs.size() == 2);
  CHECK(all.programs[1].executable == "two");
  CHECK(all.metric == "calls");
}

TEST_CASE("each setting is read by its name, alone and in its group") {
  each_setting<ClientSettings>([](const SettingRow& row, auto member) {
    const std::string name(row.name);
    const std::size_t dot = name.find('.');
    const std::string nested = dot == std::string::npos ? "{\"" + name + "\": [7]}"
                                                        : "{\"" + name.substr(0, dot) + "\": {\"" +
                                                              name.substr(dot + 1) + "\": [7]}}";
    for (const std::string& text : {"{\"" + name + "\": [7]}", nested}) {
      const auto problems = parse(text).problems;
      CAPTURE(text);
      REQUIRE(problems.size() == 1);
      CHECK(problems[0].starts_with("gprof." + name));
    }
    if constexpr (std::is_same_v<decltype(member), bool ClientSettings::*>) {
      const bool other = !(ClientSettings().*member);
      const ClientSettings read = settings("{\"" + name + (other ? "\": true}" : "\": false}"));
      CHECK(read.*member == other);
    }
  });
}

TEST_CASE("settings of editors are none of the server's") {
  CHECK(parse(R"({"annotations": {"enable": true}})").problems.size() == 1);
  CHECK(parse(R"({"base.executable": "a"})").problems.size() == 1);
}

TEST_CASE("later layers win, member by member") {
  const std::vector<SettingsLayer> layers{
      parse(R"({"metric": "calls", "threshold": 0.1})"), parse(R"({"metric": "total"})"), {}};
  const ClientSettings merged = merge_settings(layers);
  CHECK(merged.metric == "total");
  CHECK(merged.threshold == 0.1);
}

TEST_CASE("a layer that is laid over another keeps what only the other sets") {
  SettingsLayer chosen = parse(R"({"metric": "calls", "threshold": 0.1})");
  SettingsLayer later;
  // Its default, but set.
  later.set(&ClientSettings::metric, std::string("self"));
  chosen.add(later);
  ClientSettings all = settings(R"({"metric": "total", "demangle": false})");
  chosen.apply_to(all);
  CHECK(all.metric == "self");
  CHECK(all.threshold == 0.1);
  CHECK_FALSE(all.demangle);
}

namespace {

// Settings that no other place knows of.
struct ExampleSettings {
  bool wrap = true;
  std::int32_t indent = 4;
  std::string font;

  static void rows(auto&& visit) {
    using Self = ExampleSettings;
    visit({.name = "lines.wrap", .text = "Whether lines are wrapped."}, &Self::wrap);
    visit({.name = "lines.indent", .text = "How far.", .least = 1, .most = 8}, &Self::indent);
    visit({.name = "font", .text = "Its name."}, &Self::font);
  }
};

SettingsLayerOf<ExampleSettings> parse_example(const std::string& text) {
  SettingsLayerOf<ExampleSettings> layer;
  SettingsReader(layer).read_section(Json::parse(text));
  return layer;
}

}  // namespace

TEST_CASE("a member with its row is read, layered and described") {
  auto layer = parse_example(R"({"lines": {"wrap": false, "indent": 2}, "font": "Fira"})");
  CHECK(layer.problems.empty());
  const auto later = parse_example(R"({"lines.indent": 9, "font": "", "lines.wrap": true})");
  CHECK(later.problems ==
        std::vector<std::string>{"gprof.lines.indent must be a number from 1 to 8"});
  layer.add(later);
  ExampleSettings all;
  layer.apply_to(all);
  CHECK(all.wrap);
  CHECK(all.indent == 2);
  CHECK(all.font.empty());
  const auto described = describe_settings<ExampleSettings>();
  REQUIRE(described.size() == 3);
  CHECK(described[0]["type"] == "boolean");
  CHECK(described[1]["default"] == 4);
  CHECK(described[1]["most"] == 8);
  CHECK(described[2]["text"] == "Its name.");
}

TEST_CASE("a file that is no object is refused by name") {
  for (const char* text : {"", "[]", "{", "3"}) {
    const auto layer = parse_settings_text(text, "settings.json");
    REQUIRE_FALSE(layer);
    CHECK(layer.error().path == "settings.json");
  }
}
