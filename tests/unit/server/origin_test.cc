// Which line of the opened text each line of an edited one is, rule by rule.
#include "server/documents/origin.h"

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/documents/document.h"
#include "tests/unit/server/content_change.h"

using namespace gprof;
using namespace gprof::lsp;
using gprof::test::change;

namespace {

class Text {
 public:
  explicit Text(std::string text)
      : document_(
            std::make_shared<const Document>(std::move(text), "c", 1, PositionEncoding::utf16)) {}
  Text& edit(std::vector<ContentChange> changes) {
    document_ = document_->edited(changes, 1);
    return *this;
  }
  Text& edit(std::uint32_t line, std::uint32_t from, std::uint32_t end_line, std::uint32_t to,
             std::string text) {
    return edit({change(line, from, end_line, to, std::move(text))});
  }
  // The opened text's lines, followed by `!` if changed; `-` for none.
  [[nodiscard]] std::string origins() const {
    std::string result;
    const Origin& opened = document_->origins().front();
    for (LineNumber line = 1; line <= document_->line_count(); ++line) {
      if (line > 1) result += ' ';
      const auto there = opened.alignment().there(line);
      result += there ? std::to_string(*there) : "-";
      const bool changed =
          there && (*opened.lines())[*there - 1] != (*document_->hashes())[line - 1];
      if (changed) result += '!';
    }
    return result;
  }
  [[nodiscard]] const std::string& text() const { return document_->text(); }

 private:
  std::shared_ptr<const Document> document_;
};

}  // namespace

TEST_CASE("whole lines among equal ones come and go where the edit says") {
  const std::string text = "x\nx\nx\nx";
  CHECK(Text(text).edit(1, 0, 2, 0, "").origins() == "1 3 4");
  CHECK(Text(text).edit(0, 1, 1, 1, "").origins() == "1 3 4");
  CHECK(Text(text).edit(2, 0, 2, 0, "x\n").origins() == "1 2 - 3 4");
  CHECK(Text(text).edit(1, 1, 1, 1, "\nx").origins() == "1 2 - 3 4");
  CHECK(Text("\n\n").edit(1, 0, 1, 0, "\n").origins() == "1 - 2 3");
}

TEST_CASE("a split line goes with its beginning, or with all of its text") {
  CHECK(Text("a\nfoo bar\nb").edit(1, 3, 1, 3, "\n  ").origins() == "1 2! - 3");
  CHECK(Text("a\n  foo\nb").edit(1, 2, 1, 2, "\n").origins() == "1 - 2! 3");
  CHECK(Text("a\n  foo\nb").edit(1, 2, 1, 2, "\n  ").origins() == "1 - 2 3");
  CHECK(Text("a\nfoo\nb").edit(1, 0, 1, 0, "\n").origins() == "1 - 2 3");
  CHECK(Text("a\nfoo\nb").edit(1, 3, 1, 3, "\n").origins() == "1 2 - 3");
  // Which of the two is the old one is ambiguous.
  CHECK(Text("a\nfoo\nb").edit(1, 1, 1, 1, "oo\nf").origins() == "1 - - 3");
}

TEST_CASE("joined lines are the one that is still there") {
  CHECK(Text("foo\nbar\nend").edit(0, 3, 1, 0, "").origins() == "1! 3");
  CHECK(Text("foo\n\nend").edit(0, 3, 1, 0, "").origins() == "1 3");
  CHECK(Text("\nbar\nend").edit(0, 0, 1, 0, "").origins() == "2 3");
  CHECK(Text("  \nbar\nend").edit(0, 2, 1, 0, "").origins() == "2! 3");
  CHECK(Text("foo\nfoobar\nend").edit(0, 3, 1, 3, "").origins() == "2 3");
}

TEST_CASE("a replaced block keeps its ends by what is left of them") {
  CHECK(Text("aa\nb\ncc\nd").edit(0, 1, 2, 1, "x\ny\nz").origins() == "1! - 3! 4");
  CHECK(Text("aa\nb\ncc\nd").edit(0, 1, 2, 1, "x\nb\nz").origins() == "1! 2 3! 4");
  CHECK(Text("a\nb\nb\nd").edit(0, 0, 3, 0, "x\nb\n").origins() == "- - 4");
  // Only one line's text changes, however much was sent.
  CHECK(Text("a\nb\nc\nd").edit(0, 0, 3, 0, "a\nB\nc\n").origins() == "1 2! 3 4");
}

TEST_CASE("a CR and an LF that meet or part move no other line") {
  CHECK(Text("a\rb").edit(1, 0, 1, 0, "\n").origins() == "1 2");
  CHECK(Text("a\nb").edit(0, 1, 0, 1, "\r").origins() == "1 2");
  CHECK(Text("a\rx\nb").edit(1, 0, 1, 1, "").origins() == "1 3");
  CHECK(Text("a\r\nb").edit(0, 1, 1, 0, "\r").origins() == "1 2");
  CHECK(Text("a\rb").edit(1, 0, 1, 0, "\nnew\r\n").origins() == "1 - 2");
}

TEST_CASE("undo brings back whose lines they were, and redo takes it away again") {
  Text text("x\nx\nx\nx\nend");
  text.edit(1, 0, 2, 0, "");
  text.edit(0, 1, 0, 1, "y");
  text.edit(1, 0, 3, 0, "");
  REQUIRE(text.origins() == "1! 5");
  text.edit(1, 0, 1, 0, "x\nx\n");
  CHECK(text.origins() == "1! 3 4 5");
  text.edit(0, 1, 0, 2, "");
  text.edit(1, 0, 1, 0, "x\n");
  CHECK(text.origins() == "1 2 3 4 5");
  text.edit(1, 0, 2, 0, "");
  CHECK(text.origins() == "1 3 4 5");
  text.edit(0, 1, 0, 1, "y");
  text.edit(1, 0, 3, 0, "");
  CHECK(text.origins() == "1! 5");
  // Another edit, and undone past it, as in editors that forget undone edits.
  text.edit(1, 0, 1, 0, "x\nx\n");
  text.edit(0, 0, 0, 0, "new\n");
  text.edit(0, 0, 1, 0, "");
  text.edit(0, 1, 0, 2, "");
  text.edit(1, 0, 1, 0, "x\n");
  CHECK(text.origins() == "1 2 3 4 5");
}

TEST_CASE("several edits are taken back at once, and in any order") {
  SECTION("typed one after the other, undone as one") {
    Text text("a\nb\nc");
    text.edit(1, 0, 2, 0, "");
    text.edit(0, 1, 0, 1, "\n").edit(1, 0, 1, 0, "n").edit(1, 1, 1, 1, "\n").edit(2, 0, 2, 0, "o");
    REQUIRE(text.text() == "a\nn\no\nc");
    text.edit(0, 1, 2, 1, "");
    text.edit(1, 0, 1, 0, "b\n");
    CHECK(text.origins() == "1 2 3");
  }
  SECTION("at several cursors, undone in the order in which they were made") {
    Text text("x\nx\nx\nx\nx\nx\nend");
    text.edit({change(5, 0, 6, 0, ""), change(3, 0, 4, 0, ""), change(0, 0, 1, 0, "")});
    REQUIRE(text.origins() == "2 3 5 7");
    text.edit({change(3, 0, 3, 0, "x\n"), change(2, 0, 2, 0, "x\n"), change(0, 0, 0, 0, "x\n")});
    CHECK(text.origins() == "1 2 3 4 5 6 7");
  }
}

TEST_CASE("a text that is the opened one again, line by line, is that, whatever led to it") {
  Text text("a\nfoo\nb");
  text.edit(1, 0, 1, 0, "foo\n");
  REQUIRE(text.origins() == "1 - 2 3");
  text.edit(2, 0, 3, 0, "");
  CHECK(text.origins() == "1 2 3");
}

TEST_CASE("deleted lines that come back by other edits are known where they are unmistakable") {
  Text text("a\n{\nfoo\n}\n{\nbar\n}\nz");
  text.edit(1, 0, 7, 0, "");
  REQUIRE(text.origins() == "1 8");
  SECTION("all of them") {
    text.edit(1, 0, 1, 0, "{\r\nfoo\r\n}\r\n{\r\nbar\r\n}\r\n");
    CHECK(text.origins() == "1 2 3 4 5 6 7 8");
  }
  SECTION("some: only words that stand once on either side") {
    text.edit(1, 0, 1, 0, "{\nbar\n}\n{\n");
    CHECK(text.origins() == "1 - 6 - - 8");
  }
  SECTION("not a line that was there before") {
    Text other("a\nfoo\nb");
    other.edit(1, 0, 1, 0, "foo\nnew\n");
    other.edit(3, 0, 4, 0, "");
    CHECK(other.origins() == "1 - - 3");
  }
}
