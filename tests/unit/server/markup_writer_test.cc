#include "server/text/markup_writer.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/hostile_text.h"
#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::lsp;

TEST_CASE("names cannot break out of Markdown") {
  MarkupWriter out(MarkupKind::markdown);
  out.paragraph("a*b_c[d](e)|f<g>");
  out.table({"Caller", "Calls"}, {{out.link("operator|", "file:///a.c#L1"), "1,000"}});
  CHECK(out.take() ==
        "a\\*b_c\\[d\\](e)|f\\<g>\n\n"
        "| Caller     | Calls |\n|:-----------|------:|\n"
        "| [operator\\|](file:///a.c#L1) | 1,000 |");
}

TEST_CASE("tables are aligned where targets of links and fences of code are concealed") {
  MarkupWriter out(MarkupKind::markdown);
  out.table({"Caller", "Calls"}, {{out.link("main", "file:///a(1).c#L1"), "1,000"},
                                  {out.link("size[]*`", "file:///b.c#L1"), "2"},
                                  {out.link("größe", ""), "30"}});
  CHECK(out.take() ==
        "| Caller     | Calls |\n"
        "|:-----------|------:|\n"
        "| [main](file:///a%281%29.c#L1)       | 1,000 |\n"
        "| [`` size[]*` ``](file:///b.c#L1) |     2 |\n"
        "| größe      |    30 |");
}

TEST_CASE("a name of kilobytes does not widen every row of a table") {
  MarkupWriter out(MarkupKind::markdown);
  out.table({"Caller", "Calls"}, {{std::string(5'000, 'x'), "1"}, {"main", "2"}});
  CHECK(out.take().size() < 6'000);
}

TEST_CASE("plain text aligns its tables and shows no markup") {
  MarkupWriter out(MarkupKind::plaintext);
  out.code_title("f(int)", "cpp");
  out.table({"Caller", "Calls"}, {{out.link("main", "file:///a.c#L1"), "1,000"}, {"größe", "2"}});
  CHECK(out.take() == "f(int)\n\nCaller  Calls\nmain    1,000\ngröße       2");
}

namespace {

// The text with a space for each escaped character.
std::string unescaped_part(std::string_view text) {
  std::string rest;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      rest += ' ';
    } else {
      rest += text[i];
    }
  }
  return rest;
}

// Without what stands in code, which ends with as many backquotes as it began with.
std::string without_code(std::string_view text) {
  std::string rest;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of('`', i), text.size());
    const std::string fence(end - i, '`');
    if (fence.empty() || (i > 0 && text[i - 1] == '\\')) {
      rest += text[i++];
      continue;
    }
    const std::size_t closing = text.find(fence, end);
    if (closing == std::string_view::npos) return rest + std::string(text.substr(i));
    i = closing + fence.size();
  }
  return rest;
}

bool makes_anything_live(std::string_view escaped) {
  const std::string rest = unescaped_part(without_code(escaped));
  return rest.find_first_of("`*[]~\n\r") != std::string::npos || rest.starts_with('#') ||
         rest.find("<i") != std::string::npos || rest.find("&lt;") != std::string::npos ||
         rest.find("://") != std::string::npos || rest.find("www.") != std::string::npos;
}

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

}  // namespace

TEST_CASE("a fence is longer than any run of backquotes in it") {
  for (const auto& [code, shown] : std::vector<std::pair<std::string, std::string>>{
           {"f(int)", "```cpp\nf(int)\n```"},
           {"operator*(T**)", "```cpp\noperator*(T**)\n```"},
           {"a`b", "```cpp\na`b\n```"},
           {"```", "````cpp\n```\n````"},
           {"a\n\n![x](https://e.example)", "```cpp\na?\?![x](https://e.example)\n```"}}) {
    MarkupWriter out(MarkupKind::markdown);
    out.code_title(code, "cpp");
    CHECK(out.take() == shown);
    out.code_title(code, "c\n```");
    CHECK(out.take() == shown.substr(0, shown.find("cpp")) + shown.substr(shown.find('\n')));
  }
}

TEST_CASE("property: names make nothing live in Markdown") {
  std::mt19937 random(test_seed(1982));
  for (int i = 0; i < 2000; ++i) {
    const std::string name = test::hostile_text(random);
    CAPTURE(i, name);
    MarkupWriter out(MarkupKind::markdown);
    out.paragraph(name);
    CHECK_FALSE(makes_anything_live(out.take()));
    CHECK_FALSE(makes_anything_live(out.link(name, "")));
    // Exactly one row, with two cells.
    out.table({"Caller", "Calls"}, {{out.link(name, ""), "1"}});
    const std::string table = out.take();
    CHECK(lines_in(table) == 3);
    // A bar is one of the name's exactly if a backslash stands before it, in code as well.
    std::string row = table.substr(table.rfind('\n') + 1);
    for (std::size_t at = 0; (at = row.find("\\|", at)) != std::string::npos;) row.erase(at, 2);
    CHECK(std::count(row.begin(), row.end(), '|') == 3);
    out.code_title(name, "cpp");
    const std::string title = out.take();
    CHECK(lines_in(title) == 3);
    const std::string fence(title.find("cpp"), '`');
    CHECK(title.find(fence, fence.size()) == title.size() - fence.size());
  }
}

TEST_CASE("property: names stay on their line of plain text") {
  std::mt19937 random(test_seed(4));
  for (int i = 0; i < 2000; ++i) {
    const std::string name = test::hostile_text(random);
    CAPTURE(i, name);
    MarkupWriter out(MarkupKind::plaintext);
    out.code_title("f", "cpp");
    out.table({"Caller", "Calls"}, {{out.link(name, "file:///a.c#L1"), "1"}});
    out.paragraph(name + ".");
    out.footnote(out.link(name, "") + ".");
    CHECK(lines_in(out.take()) == 8);
  }
}
