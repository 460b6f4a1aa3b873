#include "server/documents/build_alignments.h"

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
std::string aligned(BuildAlignments& alignments, const std::shared_ptr<const LineHashes>& build,
                    const Document& document) {
  const auto alignment = alignments.of(build, document);
  const LineHashes& compiled = build ? *build : *document.origins().front().lines();
  std::string result;
  for (LineNumber line = 1; line <= document.line_count(); ++line) {
    const auto there = alignment.there(line);
    if (line > 1) result += ' ';
    result += there ? std::to_string(*there) : "-";
    if (there && compiled[*there - 1] != (*document.hashes())[line - 1]) result += '!';
    if (there) REQUIRE(alignment.here(*there) == line);
  }
  return result;
}

std::string aligned(const std::shared_ptr<const LineHashes>& build, const Document& document) {
  BuildAlignments alignments;
  return aligned(alignments, build, document);
}

}  // namespace

TEST_CASE("if a build's lines are not known, they are taken for those of the opened text") {
  const auto document = edit(open("a\nb\nc"), 1, 0, 1, 0, "new\n");
  CHECK(aligned(nullptr, *document) == "1 - 2 3");
  const auto alignment = BuildAlignments().of(nullptr, *document);
  CHECK(alignment.here(0) == std::nullopt);
  CHECK(alignment.here(4) == std::nullopt);
  CHECK(alignment.there(0) == std::nullopt);
  CHECK(alignment.there(5) == std::nullopt);
}

TEST_CASE("a build of the opened or of a saved text is followed exactly") {
  const auto opened = open("x\nx\nx\nend");
  const auto saved = edit(opened, 1, 0, 2, 0, "")->saved();
  const auto now = edit(saved, 0, 0, 0, 0, "top\n");
  REQUIRE(now->origins().size() == 2);
  CHECK(aligned(hashes("x\nx\nx\nend"), *now) == "- 1 3 4");
  CHECK(aligned(hashes("x\nx\nend"), *now) == "- 1 2 3");
  CHECK(aligned(hashes("top\nx\nx\nend"), *now) == "1 2 3 4");
}

TEST_CASE("a build of another text is held against the opened one, and edits are followed on") {
  const auto build = hashes("f {\n  a\n}\ng {\n  b\n}\nend");
  const auto opened = open("f {\n  a2\n}\nnew\ng {\n  b\n}\nend");
  const auto now = edit(opened, 0, 0, 0, 0, "top\n");
  CHECK(aligned(build, *now) == "- 1 2! 3 - 4 5 6 7");
  CHECK(BuildAlignments().of(build, *now).here(5) == 7);
}

TEST_CASE("another origin is taken if it has clearly more of the build") {
  std::string build;
  for (int i = 0; i < 20; ++i) build += "line " + std::to_string(i) + "\n";
  const auto opened = open("line 3\nother\n");
  const auto replaced = opened->edited(std::vector<ContentChange>{{std::nullopt, build}}, 2);
  const auto now = edit(replaced->saved(), 0, 0, 1, 0, "");
  const auto alignment = BuildAlignments().of(hashes("first\n" + build), *now);
  CHECK(alignment.here(3) == 1);
  CHECK(alignment.here(21) == 19);
}

TEST_CASE("where it cannot be told which of equal lines stayed, a build's line is nowhere") {
  CHECK(aligned(hashes("a\nx\nx\nb"), *open("a\nx\nb")) == "1 - 4");
}

TEST_CASE("alignments from the cache are the same") {
  BuildAlignments alignments;
  const auto build = hashes("f {\n  a\n}\ng {\n  b\n}\nend");
  auto document = open("f {\n  a2\n}\nnew\ng {\n  b\n}\nend");
  for (int i = 0; i < 3; ++i) {
    CHECK(aligned(alignments, build, *document) == aligned(build, *document));
    document = edit(document, 0, 0, 0, 0, "top\n");
  }
  // Another build at the same memory address is still another build.
  for (int i = 0; i < 400; ++i) {
    const auto other = hashes("f {\n" + std::to_string(i) + "\nend");
    CHECK(aligned(alignments, other, *document) == aligned(other, *document));
  }
}

TEST_CASE("origins: the opened text, and the newest three that were saved") {
  auto document = open("0");
  for (int i = 1; i <= 5; ++i) {
    document = edit(document, 0, 0, 0, 1, std::to_string(i))->saved();
    document = document->saved();
  }
  REQUIRE(document->origins().size() == 4);
  const std::vector<std::string> texts{"0", "3", "4", "5"};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(*document->origins()[i].lines() == *hashes(texts[i]));
  }
  // What was saved earlier is the newest again.
  document = edit(document, 0, 0, 0, 1, "3")->saved();
  CHECK(*document->origins()[1].lines() == *hashes("4"));
  CHECK(*document->origins()[3].lines() == *hashes("3"));
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
    CHECK(store.find(uri)->origins().front().alignment().there(2) == 1);
    CHECK(store.find(uri)->origins().size() == 2);
    CHECK(store.find(uri)->text() == "new\r\na\r\nb");
  }
  SECTION("another text") {
    REQUIRE(store.open({uri, "c", 1, "new\na\nc"}));
    CHECK(store.find(uri)->origins().front().alignment().there(2) == 2);
    CHECK(store.find(uri)->origins().size() == 1);
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
  REQUIRE(store.save(uri));
  CHECK(holder->newest()->origins().size() == 2);
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
