// The messages of lenses, hints, references and diagnostics, in their wire format.
#include <catch2/catch.hpp>

#include "server/protocol/conversions.h"

using namespace gprof::lsp;

namespace {

template <typename T>
T read(const char* text) {
  const auto json = parse_json(text);
  REQUIRE(json);
  auto value = read_as<T>(*json, "params");
  REQUIRE(value);
  return std::move(*value);
}

template <typename T>
bool is_refused(const char* text) {
  const auto json = parse_json(text);
  REQUIRE(json);
  return !read_as<T>(*json, "params");
}

constexpr const char* range =
    R"({"end":{"character":4,"line":3},"start":{"character":1,"line":3}})";

}  // namespace

TEST_CASE("a lens comes back as it was sent") {
  for (const std::string& text :
       {R"({"data":{"generation":7,"uri":"file:///a.c"},"range":)" + std::string(range) + "}",
        R"({"command":{"arguments":[1,"x"],"command":"gprof.showCallers","title":"3 calls",)"
        R"("tooltip":"Show"},"range":)" +
            std::string(range) + "}",
        R"({"range":)" + std::string(range) + "}"}) {
    CHECK(json_text(write_json(read<CodeLens>(text.c_str()))) == text);
  }
  CHECK(is_refused<CodeLens>(R"({"data":{}})"));
  CHECK(is_refused<CodeLens>(R"({"range":3})"));
  CHECK(is_refused<CodeLens>("[]"));
}

TEST_CASE("a hint comes back as it was sent, its label whole or in parts") {
  for (
      const std::string text :
      {R"({"data":{"line":3},"label":"3×","paddingLeft":true,"position":{"character":9,"line":2}})",
       R"({"label":[{"value":"3× · "},{"command":{"command":"gprof.showCallees","title":"t"},)"
       R"("location":{"range":{"end":{"character":1,"line":0},"start":{"character":0,"line":0}},)"
       R"("uri":"file:///a.c"},"value":"→ f 3×"}],"position":{"character":9,"line":2},)"
       R"("tooltip":{"kind":"markdown","value":"**x**"}})"}) {
    CHECK(json_text(write_json(read<InlayHint>(text.c_str()))) == text);
  }
  const auto hint =
      read<InlayHint>(R"({"position":{"line":0,"character":0},"label":"x","tooltip":"plain"})");
  CHECK(hint.tooltip == MarkupContent{MarkupKind::plaintext, "plain"});
  CHECK(is_refused<InlayHint>(R"({"position":{"line":0,"character":0}})"));
  CHECK(is_refused<InlayHint>(R"({"position":{"line":0,"character":0},"label":3})"));
  CHECK(is_refused<InlayHint>(R"({"position":{"line":0,"character":0},"label":[{}]})"));
  CHECK(is_refused<InlayHint>(R"({"label":"x"})"));
}

TEST_CASE("references say whether the declaration is wanted") {
  const std::string place =
      R"("textDocument":{"uri":"file:///a.c"},"position":{"line":1,"character":2})";
  auto wanted = [&](const std::string& more) {
    return read<ReferenceParams>(("{" + place + more + "}").c_str()).include_declaration;
  };
  CHECK(wanted(R"(,"context":{"includeDeclaration":true})"));
  CHECK_FALSE(wanted(R"(,"context":{"includeDeclaration":false})"));
  CHECK_FALSE(wanted(""));
  CHECK(is_refused<ReferenceParams>(R"({"textDocument":{"uri":"file:///a.c"}})"));
}

TEST_CASE("a report of diagnostics is full, or says that nothing changed") {
  DiagnosticReport report;
  report.result_id = "1f";
  report.items = {{{{3, 1}, {3, 4}}, DiagnosticSeverity::warning, "stale-source", "Changed."}};
  const std::string item = R"({"code":"stale-source","message":"Changed.","range":)" +
                           std::string(range) + R"(,"severity":2,"source":"gprof"})";
  CHECK(json_text(write_json(report)) ==
        R"({"items":[)" + item + R"(],"kind":"full","resultId":"1f"})");
  report.unchanged = true;
  CHECK(json_text(write_json(report)) == R"({"kind":"unchanged","resultId":"1f"})");
  CHECK(json_text(write_json(PublishDiagnosticsParams{"file:///a.c", 4, {report.items[0]}})) ==
        R"({"diagnostics":[)" + item + R"(],"uri":"file:///a.c","version":4})");
  CHECK(json_text(write_json(PublishDiagnosticsParams{"file:///a.c", {}, {}})) ==
        R"({"diagnostics":[],"uri":"file:///a.c"})");
  CHECK(read<DocumentDiagnosticParams>(
            R"({"textDocument":{"uri":"file:///a.c"},"previousResultId":"1f"})")
            .previous_result_id == "1f");
}

TEST_CASE("hovers come in the first format of the client's list that is known") {
  auto markdown = [](const std::string& formats) {
    return read<InitializeParams>(
               (R"({"capabilities":{"textDocument":{"hover":{"contentFormat":)" + formats + "}}}}")
                   .c_str())
        .capabilities.hover_markdown;
  };
  CHECK(markdown(R"(["markdown","plaintext"])"));
  CHECK(markdown(R"(["asciidoc","markdown"])"));
  CHECK_FALSE(markdown(R"(["plaintext","markdown"])"));
  CHECK_FALSE(markdown("[]"));
  CHECK_FALSE(markdown("3"));
}

TEST_CASE("a cycle says what it is, and leaves out what it has not") {
  CycleMember member;
  member.function.name = "is_even";
  member.function.linkage_name = "_Z7is_eveni";
  member.calls = 6;
  CallCycle cycle;
  cycle.number = 1;
  cycle.calls = 1;
  cycle.internal_calls = 10;
  cycle.member_count = 2;
  cycle.members = {member};
  CyclesResult result;
  result.program = "prog";
  result.unit = "seconds";
  result.total = 1;
  result.cycles = {cycle};
  CHECK(json_text(write_json(result)) ==
        R"({"cycles":[{"calls":1,"childSeconds":0.0,"cycle":1,"internalCalls":10,"memberCount":2,)"
        R"("members":[{"calls":6,"linkageName":"_Z7is_eveni","name":"is_even",)"
        R"("selfError":0.0,"selfSeconds":0.0}],"selfSeconds":0.0,"totalError":0.0}],)"
        R"("generation":0,"program":"prog","total":1,"unit":"seconds"})");
  result.cycles.front().members.front().recursive_calls = 3;
  CHECK(json_text(write_json(result)).find(R"("recursiveCalls":3)") != std::string::npos);
  CHECK(read_as<CyclesParams>(*parse_json(R"({"program":"prog"})"), "params")->program == "prog");
  CHECK(is_refused<CyclesParams>(R"({"program":3})"));
}
