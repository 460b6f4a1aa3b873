#include "server/documents/document.h"

#include <optional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/documents/document_store.h"
#include "tests/support/test_seed.h"
#include "tests/unit/server/content_change.h"

using namespace gprof;
using namespace gprof::lsp;
using gprof::test::change;

namespace {

std::shared_ptr<const Document> open(std::string text,
                                     PositionEncoding encoding = PositionEncoding::utf16) {
  return std::make_shared<const Document>(std::move(text), "cpp", 1, encoding);
}

std::shared_ptr<const Document> edit(const std::shared_ptr<const Document>& document,
                                     std::vector<ContentChange> changes) {
  return document->edited(changes, document->version() + 1);
}

// The slow way to find lines: walk the text, cut at each line end.
std::vector<std::string> naive_lines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (text[i] == '\n' || text[i] == '\r') {
      lines.emplace_back();
    } else {
      lines.back() += text[i];
    }
  }
  return lines;
}

// A line's number in the opened text.
std::optional<LineNumber> opened_line(const Document& document, LineNumber line) {
  return document.origins().front().alignment().there(line);
}

// Where a line of the opened text is now.
std::optional<LineNumber> line_now(const Document& document, LineNumber opened) {
  return document.origins().front().alignment().here(opened);
}

bool has_changed(const Document& document, LineNumber line) {
  const auto opened = opened_line(document, line);
  return opened &&
         (*document.hashes())[line - 1] != (*document.origins().front().lines())[*opened - 1];
}

// One character per line: its number in the opened text, followed by `!` if changed; `-` for none.
std::string origins(const Document& document) {
  std::string result;
  for (LineNumber line = 1; line <= document.line_count(); ++line) {
    if (line > 1) result += ' ';
    const auto opened = opened_line(document, line);
    result += opened ? std::to_string(*opened) : "-";
    if (has_changed(document, line)) result += '!';
  }
  return result;
}

// Invariants of every document, whatever was done to it.
void check_consistent(const Document& document) {
  const auto lines = naive_lines(document.text());
  REQUIRE(document.line_count() == lines.size());
  REQUIRE(document.lines() == LineTable(document.text()));
  LineNumber before = 0;
  for (LineNumber line = 1; line <= document.line_count(); ++line) {
    REQUIRE(document.line(line) == lines[line - 1]);
    const auto opened = opened_line(document, line);
    if (!opened) continue;
    REQUIRE(*opened > before);
    REQUIRE(*opened <= document.origins().front().lines()->size());
    REQUIRE(line_now(document, *opened) == line);
    before = *opened;
  }
  for (LineNumber line = 1; line <= document.origins().front().lines()->size(); ++line) {
    const auto now = line_now(document, line);
    if (now) REQUIRE(opened_line(document, *now) == line);
  }
}

}  // namespace

TEST_CASE("lines end at CR LF, LF and CR") {
  const auto document = open("a\r\nb\nc\rd\n");
  REQUIRE(document->line_count() == 5);
  CHECK(document->line(1) == "a");
  CHECK(document->line(2) == "b");
  CHECK(document->line(3) == "c");
  CHECK(document->line(4) == "d");
  CHECK(document->line(5).empty());
  CHECK(document->line(6).empty());
  CHECK(document->line(0).empty());
  CHECK(document->end_of_line(1) == Position{0, 1});
  CHECK(document->end_of_line(9) == Position{4, 0});
}

TEST_CASE("changes of one message apply one after the other") {
  const auto document = open("one\ntwo\nthree\n");
  const auto next = edit(document, {change(0, 0, 0, 0, "zero\n"), change(1, 0, 1, 3, "ONE")});
  CHECK(next->text() == "zero\nONE\ntwo\nthree\n");
  CHECK(next->version() == 2);
  CHECK(document->text() == "one\ntwo\nthree\n");
  const auto whole = edit(next, {{std::nullopt, "x\ny"}, change(1, 0, 1, 1, "z")});
  CHECK(whole->text() == "x\nz");
}

TEST_CASE("positions past the end are moved to it, and ranges that are upside down turned over") {
  CHECK(edit(open("ab\ncd"), {change(0, 99, 1, 0, "-")})->text() == "ab-cd");
  CHECK(edit(open("ab\ncd"), {change(7, 3, 9, 0, "!")})->text() == "ab\ncd!");
  CHECK(edit(open("abc"), {change(0, 2, 0, 1, "-")})->text() == "a-c");
}

TEST_CASE("characters are counted in the negotiated encoding") {
  // U+1F600 is 4 bytes, 2 UTF-16 units, 1 code point; U+00E9 is 2 bytes and 1 of the others.
  const std::string text = "\xC3\xA9\xF0\x9F\x98\x80x";
  CHECK(edit(open(text, PositionEncoding::utf8), {change(0, 6, 0, 7, "y")})->line(1).back() == 'y');
  CHECK(edit(open(text, PositionEncoding::utf16), {change(0, 3, 0, 4, "y")})->line(1).back() ==
        'y');
  CHECK(edit(open(text, PositionEncoding::utf32), {change(0, 2, 0, 3, "y")})->line(1).back() ==
        'y');
}

TEST_CASE("lines keep their originals through edits") {
  const auto document = open("a\nb\nc\nd\ne");
  CHECK(origins(*document) == "1 2 3 4 5");
  CHECK(line_now(*document, 6) == std::nullopt);

  SECTION("insertion") {
    CHECK(origins(*edit(document, {change(1, 0, 1, 0, "new\n")})) == "1 - 2 3 4 5");
    CHECK(origins(*edit(document, {change(1, 1, 1, 1, "\nnew")})) == "1 2 - 3 4 5");
    CHECK(origins(*edit(document, {change(4, 1, 4, 1, "\nnew\n")})) == "1 2 3 4 5 - -");
  }
  SECTION("deletion") {
    const auto next = edit(document, {change(1, 0, 3, 0, "")});
    CHECK(origins(*next) == "1 4 5");
    CHECK(line_now(*next, 2) == std::nullopt);
    CHECK(line_now(*next, 5) == 3);
    SECTION("and undo") {
      const auto undone = edit(next, {change(1, 0, 1, 0, "b\nc\n")});
      CHECK(origins(*undone) == "1 2 3 4 5");
    }
    SECTION("and something else in its place") {
      CHECK(origins(*edit(next, {change(1, 0, 1, 0, "x\ny\n")})) == "1 - - 4 5");
      CHECK(origins(*edit(next, {change(1, 0, 1, 0, "x\nc\n")})) == "1 - 3 4 5");
    }
  }
  SECTION("a changed line, and back") {
    const auto changed = edit(document, {change(2, 0, 2, 1, "see")});
    CHECK(origins(*changed) == "1 2 3! 4 5");
    CHECK(origins(*edit(changed, {change(2, 0, 2, 3, "c")})) == "1 2 3 4 5");
  }
  SECTION("a split line, and joined again") {
    const auto split = edit(open("ab\ncd\nef"), {change(1, 1, 1, 1, "\n")});
    CHECK(origins(*split) == "1 2! - 3");
    CHECK(origins(*edit(split, {change(1, 1, 2, 0, "")})) == "1 2 3");
  }
  SECTION("joined lines, and split again") {
    const auto joined = edit(document, {change(1, 1, 2, 0, "")});
    CHECK(origins(*joined) == "1 2! 4 5");
    CHECK(origins(*edit(joined, {change(1, 1, 1, 1, "\n")})) == "1 2 3 4 5");
  }
  SECTION("the whole text replaced by almost the same") {
    CHECK(origins(*edit(document, {{std::nullopt, "a\nnew\nb\nc\nD\ne"}})) == "1 - 2 3 4! 5");
  }
  SECTION("line ends alone are no change") {
    CHECK(origins(*edit(document, {{std::nullopt, "a\r\nb\r\nc\r\nd\r\ne"}})) == "1 2 3 4 5");
  }
}

TEST_CASE("a replaced block keeps its equal lines and no others") {
  const auto document = open("void f() {\n  a();\n  b();\n  c();\n}\n");
  const auto next = edit(document, {change(1, 0, 4, 0, "  a2();\n  b();\n  more();\n  c2();\n")});
  CHECK(origins(*next) == "1 - 3 - - 5 6");
}

TEST_CASE("random edits of any kind leave a consistent document") {
  std::mt19937 random(test_seed(20240229));
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::vector<std::string> pieces{
      "\n",   "\r",           "\r\n", "x", "yy", "", "\n\n", "\xC3\xA9", "\xF0\x9F\x98\x80",
      "\xFF", "a\nb\r\nc\rd", "\n\r"};
  for (int round = 0; round < 300; ++round) {
    std::string start;
    for (std::uint32_t i = below(12); i > 0; --i) start += pieces[below(pieces.size())];
    auto document = open(start, static_cast<PositionEncoding>(below(3)));
    for (int step = 0; step < 20; ++step) {
      std::vector<ContentChange> changes;
      std::string expected = document->text();
      // A single change, so that its offsets refer to this version of the document.
      const Position one{below(document->line_count() + 2), below(6)};
      const Position other{below(document->line_count() + 2), below(6)};
      std::string text;
      for (std::uint32_t i = below(4); i > 0; --i) text += pieces[below(pieces.size())];
      const auto begin = std::min(document->offset_of(one), document->offset_of(other));
      const auto end = std::max(document->offset_of(one), document->offset_of(other));
      expected.replace(begin, end - begin, text);
      changes.push_back({Range{one, other}, text});
      document = edit(document, changes);
      REQUIRE(document->text() == expected);
      check_consistent(*document);
    }
  }
}

// The reference knows what each operation means, and where each line of distinct text comes from;
// the document only sees ranges and text.
TEST_CASE("random line operations are traced as a reference that knows their meaning does") {
  struct Line {
    std::string text;
    LineNumber original;  // 0: none
  };
  std::mt19937 random(test_seed(7));
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  int serial = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Line> reference;
    std::string text;
    for (LineNumber line = 1; line <= 30; ++line) {
      reference.push_back({"line " + std::to_string(++serial), line});
      text += reference.back().text + '\n';
    }
    reference.push_back({"", 31});  // what follows the last line end
    const auto opened = reference;
    auto document = open(text);
    for (int step = 0; step < 40; ++step) {
      const std::uint32_t at = below(reference.size() - 1);
      Line& line = reference[at];
      const auto length = static_cast<std::uint32_t>(line.text.size());
      const auto place = reference.begin() + at;
      ContentChange edit_of_step;
      switch (below(5)) {
        case 0: {  // new lines above
          const std::string fresh = "new " + std::to_string(++serial);
          edit_of_step = change(at, 0, at, 0, fresh + '\n');
          reference.insert(place, {fresh, 0});
          break;
        }
        case 1: {  // a new line below
          const std::string fresh = "new " + std::to_string(++serial);
          edit_of_step = change(at, length, at, length, '\n' + fresh);
          reference.insert(place + 1, {fresh, 0});
          break;
        }
        case 2:  // delete
          if (reference.size() < 10) continue;
          edit_of_step = change(at, 0, at + 1, 0, "");
          reference.erase(place);
          break;
        case 3: {  // type inside
          edit_of_step = change(at, length / 2, at, length / 2, std::to_string(++serial));
          line.text.insert(length / 2, edit_of_step.text);
          break;
        }
        default:  // put an original's text back
          if (line.original == 0) continue;
          line.text = opened[line.original - 1].text;
          edit_of_step = change(at, 0, at, length, line.text);
      }
      document = edit(document, {edit_of_step});
      REQUIRE(document->line_count() == reference.size());
      for (LineNumber number = 1; number <= reference.size(); ++number) {
        const Line& expected = reference[number - 1];
        CAPTURE(round, step, number, expected.text);
        REQUIRE(document->line(number) == expected.text);
        REQUIRE(opened_line(*document, number).value_or(0) == expected.original);
        REQUIRE(has_changed(*document, number) ==
                (expected.original != 0 && opened[expected.original - 1].text != expected.text));
      }
      check_consistent(*document);
    }
  }
}

TEST_CASE("the store keeps documents by path and refuses what is not open") {
  DocumentStore store;
  REQUIRE(store.open({"file:///tmp/a%2Bb.c", "c", 3, "x\n"}));
  const auto document = store.find("file:///tmp/a+b.c");
  REQUIRE(document);
  CHECK(document->language_id() == "c");
  CHECK(document->version() == 3);
  CHECK(store.change({"file:///tmp/a+b.c", 4, {change(0, 0, 0, 1, "y")}}));
  CHECK(store.find("file:///tmp/a%2bb.c")->text() == "y\n");
  CHECK(document->text() == "x\n");
  CHECK(store.close("file:///tmp/a+b.c"));
  CHECK(store.find("file:///tmp/a+b.c") == nullptr);
  CHECK_FALSE(store.close("file:///tmp/a+b.c"));
  const auto failed = store.change({"untitled:1", 1, {}});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().path == "untitled:1");
}
