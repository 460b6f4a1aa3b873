// Prints what the writer of hovers makes of names of every shape: of each sample the name as it is
// to be seen, whether it is made up, where it stands, and Markdown that holds it. A null character
// ends each of the four.
#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "server/text/markup_writer.h"
#include "server/text/shown_text.h"
#include "tests/support/hostile_text.h"

namespace {

using gprof::lsp::MarkupKind;
using gprof::lsp::MarkupWriter;

constexpr std::array<std::string_view, 40> names = {
    "main",
    "db_bench",
    "__libc_start_main",
    "_",
    "__",
    "a__b_",
    "operator*",
    "operator**",
    "int* f(char**, int*)",
    "operator<<",
    "operator<=>",
    "operator<",
    "operator[]",
    "operator()",
    "operator|",
    "operator||",
    "operator&&",
    "operator&",
    "operator~",
    "operator\"\"_s",
    "operator`",
    "Iter::~Iter",
    "~T~U~",
    "std::vector<int, std::allocator<int> >::push_back",
    "std::map<std::string, std::vector<T*>>::operator[](K&&)",
    "f(void (*)(int), int (&)[3])",
    "main::{lambda(int, auto:1)#1}::operator()",
    "(anonymous namespace)::f[abi:cxx11]",
    "<alloc::vec::Vec<T> as core::ops::Drop>::drop::{{closure}}",
    "_D3std5array__T8AppenderTAyaZ",
    "pack__dwarf_pack___elabb",
    "memcpy@GLIBC_2.14",
    "user@host.example",
    "f.constprop.0",
    "<script>alert(1)</script>",
    "&amp; &lt;b&gt; &#35;",
    "C:\\source\\a_b\\",
    "https://e.example/a_b?c=*d*",
    "# 1. - + = > not a block",
    "größe名🔥",
};

std::string name_of_parts(std::mt19937& random) {
  static constexpr std::array<std::string_view, 30> parts = {
      "std", "::", "vector",   "<",  ">",  "operator", "*",      "&",  "[]", "(",
      ")",   "~",  "_",        "__", "{",  "}",        "lambda", "#",  "1",  ",",
      " ",   "|",  "[abi:x1]", "`",  "``", "'",        "@",      "\\", ".",  "a_b"};
  return gprof::test::text_of_parts(parts, random);
}

void add(std::string& samples, const std::string& name, bool made_up = true) {
  const std::string shown = gprof::lsp::on_one_line(name);
  if (shown.find_first_not_of(' ') == std::string::npos) return;
  MarkupWriter out(MarkupKind::markdown);
  const std::string target = "file:///a%20b/(c).cc#L1";
  auto keep = [&](const char* where) {
    for (const std::string& field :
         {shown, std::string(made_up ? "1" : ""), std::string(where), out.take()}) {
      samples += field;
      samples += '\0';
    }
  };
  out.code_title(name, "cpp");
  keep("title");
  out.composed_paragraph("Calls of " + out.link(name, "") + " end.");
  keep("name");
  out.composed_paragraph("Calls of " + out.link(name, target) + " end.");
  keep("link");
  out.table({"Caller", "Calls"}, {{out.link(name, target), "1"}, {out.link(name, ""), "2"}});
  keep("cell");
  out.footnote(out.link(name, "") + ". CPU time.");
  keep("footnote");
  out.paragraph("Calls of " + name + " end.");
  keep("words");
}

}  // namespace

int main() {
  std::string samples;
  for (const std::string_view name : names) add(samples, std::string(name), false);
  std::mt19937 random(1982);
  for (int i = 0; i < 400; ++i) add(samples, name_of_parts(random));
  for (int i = 0; i < 200; ++i) add(samples, gprof::test::hostile_text(random));
  return std::fwrite(samples.data(), 1, samples.size(), stdout) == samples.size() ? 0 : 1;
}
