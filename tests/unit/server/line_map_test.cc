#include "server/documents/line_map.h"

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/documents/document_store.h"

using namespace gprof;
using namespace gprof::lsp;

namespace {

std::shared_ptr<const LineHashes> hashes(const std::string& text) {
  return std::make_shared<const LineHashes>(hash_lines(text, LineTable(text)));
}

std::shared_ptr<const Document> open(const std::string& text) {
  return std::make_shared<const Document>(text, "c", 1, PositionEncoding::utf16);
}

std::shared_ptr<const Document> edit(const std::shared_ptr<const Document>& document,
                                     std::uint32_t line, std::uint32_t from, std::uint32_t end_line,
                                     std::uint32_t to, std::string text) {
  const std::vector<ContentChange> changes{{Range{{line, from}, {end_line, to}}, std::move(text)}};
  return document->edited(changes, document->version() + 1);
}

// The build's lines, followed by `!` if changed; `-` for none.
std::string builds(const LineMap& map) {
  std::string result;
  for (LineNumber line = 1; line <= map.text()->line_count(); ++line) {
    const auto build = map.build_line(line);
    if (line > 1) result += ' ';
    result += build ? std::to_string(*build) : "-";
    if (map.changed(line)) result += '!';
    if (build) REQUIRE(map.text_line(*build) == line);
  }
  return result;
}

}  // namespace

TEST_CASE("without a build, lines are those of the opened text and nothing is certain") {
  const auto map = LineMap::uncertain(edit(open("a\nb\nc"), 1, 0, 1, 0, "new\n"));
  CHECK_FALSE(map.certain());
  CHECK(builds(map) == "1 - 2 3");
  CHECK(map.any_changes());
  CHECK(map.text_line(0) == std::nullopt);
  CHECK(map.text_line(4) == std::nullopt);
  CHECK(map.build_line(5) == std::nullopt);
  CHECK_FALSE(LineMap::uncertain(open("a\nb")).any_changes());
}

TEST_CASE("a build of the opened or of a saved text is followed exactly") {
  const auto opened = open("x\nx\nx\nend");
  const auto saved = edit(opened, 1, 0, 2, 0, "")->anchored();
  const auto now = edit(saved, 0, 0, 0, 0, "top\n");
  REQUIRE(now->anchors().size() == 2);
  CHECK(builds(LineMap::between(hashes("x\nx\nx\nend"), now)) == "- 1 3 4");
  CHECK(builds(LineMap::between(hashes("x\nx\nend"), now)) == "- 1 2 3");
  const auto same = LineMap::between(hashes("top\nx\nx\nend"), now);
  CHECK(builds(same) == "1 2 3 4");
  CHECK(same.certain());
  CHECK_FALSE(same.any_changes());
}

TEST_CASE("a build of another text is held against the opened one, and edits are followed on") {
  const auto build = hashes("f {\n  a\n}\ng {\n  b\n}\nend");
  const auto opened = open("f {\n  a2\n}\nnew\ng {\n  b\n}\nend");
  const auto map = LineMap::between(build, edit(opened, 0, 0, 0, 0, "top\n"));
  CHECK(map.certain());
  CHECK(map.any_changes());
  CHECK(builds(map) == "- 1 2! 3 - 4 5 6 7");
  CHECK(map.text_line(5) == 7);
}

TEST_CASE("another anchor is taken where it has clearly more of the build") {
  std::string build;
  for (int i = 0; i < 20; ++i) build += "line " + std::to_string(i) + "\n";
  const auto opened = open("line 3\nother\n");
  const auto replaced = opened->edited(std::vector<ContentChange>{{std::nullopt, build}}, 2);
  const auto now = edit(replaced->anchored(), 0, 0, 1, 0, "");
  const auto map = LineMap::between(hashes("first\n" + build), now);
  CHECK(map.text_line(3) == 1);
  CHECK(map.text_line(21) == 19);
}

TEST_CASE("where it cannot be told which of equal lines stayed, a build's line is nowhere") {
  const auto map = LineMap::between(hashes("a\nx\nx\nb"), open("a\nx\nb"));
  CHECK(builds(map) == "1 - 4");
}

TEST_CASE("maps that are remembered say the same") {
  LineMaps maps;
  const auto build = hashes("f {\n  a\n}\ng {\n  b\n}\nend");
  auto document = open("f {\n  a2\n}\nnew\ng {\n  b\n}\nend");
  for (int i = 0; i < 3; ++i) {
    CHECK(builds(maps.between(build, document)) == builds(LineMap::between(build, document)));
    document = edit(document, 0, 0, 0, 0, "top\n");
  }
  // Another build at the same memory address is still another build.
  for (int i = 0; i < 400; ++i) {
    const auto other = hashes("f {\n" + std::to_string(i) + "\nend");
    CHECK(builds(maps.between(other, document)) == builds(LineMap::between(other, document)));
  }
}

TEST_CASE("anchors: the opened text, and the newest three that were saved") {
  auto document = open("0");
  for (int i = 1; i <= 5; ++i) {
    document = edit(document, 0, 0, 0, 1, std::to_string(i))->anchored();
    document = document->anchored();
  }
  REQUIRE(document->anchors().size() == 4);
  const std::vector<std::string> texts{"0", "3", "4", "5"};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(*document->anchors()[i].original() == *hashes(texts[i]));
  }
  // What was saved earlier is the newest again.
  document = edit(document, 0, 0, 0, 1, "3")->anchored();
  CHECK(*document->anchors()[1].original() == *hashes("4"));
  CHECK(*document->anchors()[3].original() == *hashes("3"));
}

TEST_CASE("a document that was closed keeps its past if it comes back as it was") {
  DocumentStore store;
  const DocumentUri uri = "file:///a.c";
  REQUIRE(store.open({uri, "c", 1, "a\nb"}));
  REQUIRE(store.change({uri, 2, {{Range{{0, 0}, {0, 0}}, "new\n"}}}));
  REQUIRE(store.save(uri));
  const auto held = store.open_document(uri);
  REQUIRE(store.close(uri));
  CHECK_FALSE(store.save(uri));
  CHECK(held->newest()->text() == "new\na\nb");
  SECTION("the same text") {
    REQUIRE(store.open({uri, "c", 1, "new\r\na\r\nb"}));
    CHECK(store.find(uri)->original_line(2) == 1);
    CHECK(store.find(uri)->anchors().size() == 2);
    CHECK(store.find(uri)->text() == "new\r\na\r\nb");
  }
  SECTION("another text") {
    REQUIRE(store.open({uri, "c", 1, "new\na\nc"}));
    CHECK(store.find(uri)->original_line(2) == 2);
    CHECK(store.find(uri)->anchors().size() == 1);
  }
}

TEST_CASE("the holder of a document has its newest text, a revision for each, and tickets") {
  DocumentStore store;
  const DocumentUri uri = "file:///a.c";
  REQUIRE(store.open({uri, "c", 7, "a"}));
  const auto holder = store.open_document(uri);
  REQUIRE(holder);
  const auto revision = holder->revision();
  REQUIRE(store.change({uri, 7, {{Range{{0, 0}, {0, 0}}, "b"}}}));
  CHECK(holder->newest()->text() == "ba");
  const auto changed = holder->revision();
  CHECK(changed != revision);
  store.anchor_all();
  CHECK(holder->newest()->anchors().size() == 2);
  CHECK(holder->revision() == changed);

  const auto first = holder->take_ticket("hints");
  CHECK(holder->is_newest_ticket("hints", first));
  const auto lens = holder->take_ticket("lenses");
  const auto second = holder->take_ticket("hints");
  CHECK_FALSE(holder->is_newest_ticket("hints", first));
  CHECK(holder->is_newest_ticket("hints", second));
  CHECK(holder->is_newest_ticket("lenses", lens));

  REQUIRE(store.open({uri, "c", 1, "z"}));
  CHECK(store.open_document(uri) != holder);
  CHECK(store.open_document(uri)->revision() > changed);
  CHECK(holder->newest()->text() == "ba");
}
