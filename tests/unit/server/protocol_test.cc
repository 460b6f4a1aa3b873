// JSON to structures and back.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/protocol/conversions.h"

using namespace gprof::lsp;

namespace {

Json json(const char* text) {
  auto parsed = parse_json(text);
  REQUIRE(parsed);
  return std::move(*parsed);
}

template <typename T>
T read(const char* text) {
  auto value = read_as<T>(json(text), "params");
  if (!value) FAIL(value.error().message);
  return std::move(*value);
}

template <typename T>
std::string problem(const char* text) {
  const auto value = read_as<T>(json(text), "params");
  return value ? "" : value.error().message;
}

// All that a message needs to be read, written and documented.
struct Stripe {
  std::string name;
  std::optional<double> width;
  MarkupKind kind = MarkupKind::plaintext;
  bool visible = true;
  std::vector<Range> ranges;
  std::optional<std::int32_t> version;
  std::vector<Stripe> inner;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name, "what it is called");
    visit("width", self.width);
    visit.optional("kind", self.kind);
    visit.optional_true("visible", self.visible);
    visit.optional("ranges", self.ranges);
    visit.nullable("version", self.version);
    visit.optional("inner", self.inner);
    visit.expect(self.name != "none", "another name");
  }
};

const Range range{{1, 2}, {3, 4}};
const char* const range_text =
    R"({"end":{"character":4,"line":3},"start":{"character":2,"line":1}})";

}  // namespace

TEST_CASE("the first problem is named with its place") {
  using Params = InlayHintParams;
  CHECK(problem<Params>("null") == "params: expected an object");
  CHECK(problem<Params>("[]") == "params: expected an object");
  CHECK(problem<Params>("{}") == "params.textDocument: expected a value");
  CHECK(problem<Params>(R"({"textDocument":{"uri":1}})") ==
        "params.textDocument.uri: expected a string");
  CHECK(problem<Params>(R"({"textDocument":{"uri":"a"},"range":{"start":{"line":-1}}})") ==
        "params.range.start.line: expected an integer from 0 to 2147483647");
  CHECK(
      problem<DidChangeParams>(
          R"({"textDocument":{"uri":"a","version":1},"contentChanges":[{"text":"x"},{"text":2}]})") ==
      "params.contentChanges[1].text: expected a string");
}

TEST_CASE("one description reads and writes a structure") {
  Stripe stripe;
  stripe.name = "a";
  CHECK(written_text(stripe) == R"({"name":"a","version":null})");
  stripe.width = 0.5;
  stripe.kind = MarkupKind::markdown;
  stripe.visible = false;
  stripe.ranges = {range};
  stripe.version = -3;
  stripe.inner.emplace_back().name = "b";
  const std::string text = written_text(stripe);
  CHECK(text == R"({"name":"a","width":0.5,"kind":"markdown","visible":false,"ranges":[)"
                R"({"start":{"line":1,"character":2},"end":{"line":3,"character":4}}],)"
                R"("version":-3,"inner":[{"name":"b","version":null}]})");
  CHECK(written_text(read<Stripe>(text.c_str())) == text);
  CHECK(read<Stripe>(R"({"name":"a","ranges":null,"unknown":[]})").visible);
}

TEST_CASE("what does not fit a description is named with its path") {
  CHECK(problem<Stripe>("{}") == "params.name: expected a value");
  CHECK(problem<Stripe>(R"({"name":"a","kind":"red"})") ==
        "params.kind: expected one of plaintext, markdown");
  CHECK(problem<Stripe>(R"({"name":"a","inner":[{"name":"b"},{"name":"c","ranges":[
            {"start":{"line":0,"character":0},"end":{"line":0,"character":0}},
            {"start":{"line":"1"}}]}]})") ==
        "params.inner[1].ranges[1].start.line: expected an integer from 0 to 2147483647");
  CHECK(problem<Stripe>(R"({"name":"a","inner":[{"name":"none"}]})") ==
        "params.inner[0]: expected another name");
}

TEST_CASE("texts and numbers are written as JSON has them") {
  CHECK(written_text(std::string("a\"\\\n\x01 → é")) == R"("a\"\\\n\u0001 → é")");
  CHECK(written_text(std::string("\xC3 \xE2\x82")).find("\xEF\xBF\xBD") != std::string::npos);
  CHECK(written_text(std::vector<double>{0.1, 3, -1e300}) == "[0.1,3.0,-1e+300]");
  CHECK(written_text(std::numeric_limits<double>::infinity()) == "null");
  CHECK(written_text(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(written_text(std::vector<int>()) == "[]");
  CHECK(written_text(ProgramsResult()) == R"({"programs":[]})");
}

TEST_CASE("integers have the protocol's range") {
  CHECK(read<Position>(R"({"line":2147483647,"character":0})").line == 2147483647);
  CHECK(read<Position>(R"({"line":3.0,"character":0})").line == 3);
  for (const char* bad :
       {"2147483648", "1e300", "1.5", "-0.5", "18446744073709551615", "true", "\"1\"", "null"}) {
    CAPTURE(bad);
    const std::string text = std::string("{\"character\":0,\"line\":") + bad + "}";
    CHECK_FALSE(problem<Position>(text.c_str()).empty());
  }
}

TEST_CASE("initialize takes what it can use and forgives the rest") {
  const auto params = read<InitializeParams>(R"({
    "processId": 12, "rootUri": null, "rootPath": "/w", "workspaceFolders": null,
    "clientInfo": {"name": "editor"},
    "initializationOptions": {"gprof": {"metric": "calls", "colour": 1}},
    "capabilities": {
      "general": {"positionEncodings": ["utf-32", 7, "utf-8"]},
      "window": {"workDoneProgress": true, "showDocument": {"support": true}},
      "workspace": {"configuration": true, "codeLens": {"refreshSupport": true}, "inlayHint": 5,
                    "didChangeWatchedFiles": {"dynamicRegistration": "yes"}},
      "textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}},
      "experimental": {"gprof": {"decorations": true, "version": 1}}}})");
  CHECK(params.process_id == 12);
  CHECK_FALSE(params.root_uri);
  CHECK(params.root_path == "/w");
  CHECK(params.client_name == "editor");
  CHECK(merge_settings({&params.options.settings, 1}).metric == "calls");
  CHECK(params.options.settings.problems.size() == 1);
  const ClientCapabilities& client = params.capabilities;
  CHECK(client.position_encodings == std::vector<std::string>{"utf-32", "utf-8"});
  CHECK(client.work_done_progress);
  CHECK(client.show_document);
  CHECK(client.workspace_configuration);
  CHECK(client.code_lens_refresh);
  CHECK_FALSE(client.inlay_hint_refresh);
  CHECK_FALSE(client.register_watched_files);
  CHECK(client.hover_markdown);
  CHECK(client.gprof_decorations);
  REQUIRE(client.experimental_gprof);
  CHECK(*client.experimental_gprof->find("version")->integer() == 1);

  CHECK(read<InitializeParams>("{}").capabilities.position_encodings.empty());
  CHECK_FALSE(problem<InitializeParams>(R"({"processId": "x"})").empty());
}

TEST_CASE("the client's first known encoding is taken") {
  CHECK(choose_encoding({"utf-7", "utf-32", "utf-8"}) == PositionEncoding::utf32);
  CHECK(choose_encoding({"utf-8", "utf-16"}) == PositionEncoding::utf8);
  CHECK(choose_encoding({}) == PositionEncoding::utf16);
  CHECK(choose_encoding({"utf-7"}) == PositionEncoding::utf16);
}

TEST_CASE("the server's capabilities") {
  InitializeResult result;
  result.server_name = "gprof-lsp";
  Json written = write_json(result);
  CHECK(written["capabilities"]["textDocumentSync"]["change"] == 2);
  CHECK(written["capabilities"]["positionEncoding"] == "utf-16");
  CHECK_FALSE(written["capabilities"].contains("executeCommandProvider"));
  result.capabilities.commands = {"gprof.reload"};
  written = write_json(result);
  CHECK(written["capabilities"]["executeCommandProvider"]["commands"] ==
        Json::array({"gprof.reload"}));
}

TEST_CASE("documents") {
  const auto opened = read<DidOpenParams>(
      R"({"textDocument":{"uri":"file:///a","languageId":"c","version":7,"text":"x"}})");
  CHECK(opened.uri == "file:///a");
  CHECK(opened.version == 7);
  CHECK(opened.text == "x");
  const auto changed = read<DidChangeParams>(
      (R"({"textDocument":{"uri":"u","version":8},"contentChanges":[{"range":)" +
       std::string(range_text) + R"(,"text":"y"},{"text":"z"}]})")
          .c_str());
  REQUIRE(changed.changes.size() == 2);
  CHECK(changed.changes[0].range == range);
  CHECK_FALSE(changed.changes[1].range);
  CHECK(read<DidChangeWatchedFilesParams>(R"({"changes":[{"uri":"u","type":3}]})")
            .changes[0]
            .change == FileChange::deleted);
  CHECK_FALSE(
      problem<DidChangeWatchedFilesParams>(R"({"changes":[{"uri":"u","type":4}]})").empty());
}

TEST_CASE("lenses, hints and hovers") {
  CHECK(json_text(write_json(range)) == range_text);
  const Command command{"10 calls", "gprof.showCallers", {AnyValue(1), AnyValue("x")}, {}};
  CHECK(
      json_text(write_json(CodeLens{range, command, {}})) ==
      std::string(
          R"({"command":{"arguments":[1,"x"],"command":"gprof.showCallers","title":"10 calls"},"range":)") +
          range_text + "}");
  CHECK_FALSE(write_json(CodeLens{range, std::nullopt, {}}).contains("command"));

  InlayHint hint{{5, 6}, "12 %", std::nullopt, true, false, {}};
  CHECK(json_text(write_json(hint)) ==
        R"({"label":"12 %","paddingLeft":true,"position":{"character":6,"line":5}})");
  hint.label =
      std::vector<InlayHintLabelPart>{{"a", std::nullopt, Location{"file:///x", range}, {}}};
  hint.tooltip = MarkupContent{MarkupKind::markdown, "**b**"};
  const Json parts = write_json(hint);
  CHECK(parts["label"][0]["value"] == "a");
  CHECK(parts["label"][0]["location"]["uri"] == "file:///x");
  CHECK(parts["tooltip"] == Json{{"kind", "markdown"}, {"value", "**b**"}});

  const std::optional<Hover> none;
  CHECK(write_json(none).is_null());
  CHECK(write_json(std::optional(Hover{{MarkupKind::plaintext, "t"}, range}))["range"] ==
        write_json(range));
}

TEST_CASE("a call hierarchy item comes back as it went") {
  CallHierarchyItem item;
  item.name = "f";
  item.kind = SymbolKind::method;
  item.detail = "10+4";
  item.uri = "file:///a.cc";
  item.range = range;
  item.selection_range = {{1, 2}, {1, 5}};
  item.data = AnyValue::Object{{"a", AnyValue::Array{AnyValue(true), AnyValue(1.5), AnyValue()}},
                               {"b", -3}};
  const auto back = read_as<CallHierarchyItem>(write_json(item), "item");
  REQUIRE(back);
  CHECK(*back == item);
  CHECK(write_json(CallHierarchyIncomingCall{item, {range}})["fromRanges"][0] == write_json(range));
  CHECK(write_json(CallHierarchyOutgoingCall{item, {}})["fromRanges"] == Json::array());
  CHECK_FALSE(problem<CallHierarchyItem>(R"({"name":"f","kind":0})").empty());
}

TEST_CASE("symbols and commands") {
  const Json symbol =
      write_json(WorkspaceSymbol{"f", SymbolKind::function, {"file:///a", range}, ""});
  CHECK(symbol["kind"] == 12);
  CHECK_FALSE(symbol.contains("containerName"));
  const auto params = read<ExecuteCommandParams>(
      R"({"command":"gprof.showCallers","arguments":[{"uri":"file:///a","position":{"line":1,"character":2}}]})");
  REQUIRE(params.arguments.size() == 1);
  const auto place = from_any<PlaceArgument>(params.arguments[0]);
  REQUIRE(place);
  CHECK(place->uri == "file:///a");
  CHECK(place->position == Position{1, 2});
  CHECK_FALSE(from_any<PlaceArgument>(AnyValue(1)));
  CHECK_FALSE(from_any<PlaceArgument>(AnyValue::Object{{"uri", "file:///a"}, {"position", 3}}));
  CHECK(*from_any<Range>(to_any(range)) == range);
  CHECK(write_json(to_any(std::vector<Location>{{"file:///a", range}})) ==
        write_json(std::vector<Location>{{"file:///a", range}}));
}

TEST_CASE("progress, messages and registrations") {
  const ProgressParams<WorkDoneProgressReport> progress{"t", {50, "half"}};
  CHECK(json_text(write_json(progress)) ==
        R"({"token":"t","value":{"kind":"report","message":"half","percentage":50}})");
  CHECK(json_text(write_json(ShowMessageParams{Severity::warning, "m"})) ==
        R"({"message":"m","type":2})");
  CHECK(json_text(write_json(ConfigurationParams{"gprof"})) ==
        R"({"items":[{"section":"gprof"}]})");
  CHECK(json_text(write_json(RegisterWatchedFilesParams{"i", {{"", "/a/*"}}})) ==
        R"({"registrations":[{"id":"i","method":"workspace/didChangeWatchedFiles",)"
        R"("registerOptions":{"watchers":[{"globPattern":"/a/*"}]}}]})");
  CHECK(json_text(write_json(UnregisterParams{"i", "m"})) ==
        R"({"unregisterations":[{"id":"i","method":"m"}]})");
}

TEST_CASE("what the client pushes as configuration") {
  CHECK_FALSE(read<DidChangeConfigurationParams>(R"({"settings":null})").settings);
  CHECK_FALSE(read<DidChangeConfigurationParams>(R"({"settings":{"other":{}}})").settings);
  const auto pushed =
      read<DidChangeConfigurationParams>(R"({"settings":{"gprof":{"demangle":false}}})");
  REQUIRE(pushed.settings);
  CHECK_FALSE(merge_settings({&*pushed.settings, 1}).demangle);
  CHECK_FALSE(problem<ConfigurationResult>("[]").empty());
  CHECK(read<ConfigurationResult>("[null]").settings.problems.empty());
}
