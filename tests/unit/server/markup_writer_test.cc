#include "server/features/markup_writer.h"

#include <catch2/catch.hpp>

using namespace gprof::lsp;

TEST_CASE("names cannot break out of Markdown") {
  MarkupWriter out(MarkupKind::markdown);
  out.paragraph("a*b_c[d](e)|f<g>");
  out.table({"Caller", "Calls"}, {{out.link("operator|", "file:///a.c#L1"), "1,000"}});
  CHECK(out.take() ==
        "a\\*b\\_c\\[d\\](e)\\|f\\<g\\>\n\n"
        "| Caller | Calls |\n|:---|---:|\n| [operator\\|](file:///a.c#L1) | 1,000 |");
}

TEST_CASE("plain text aligns its tables and shows no markup") {
  MarkupWriter out(MarkupKind::plaintext);
  out.heading("f(int)");
  out.table({"Caller", "Calls"}, {{out.link("main", "file:///a.c#L1"), "1,000"}, {"größe", "2"}});
  CHECK(out.take() == "f(int)\n\nCaller  Calls\nmain    1,000\ngröße       2");
}
