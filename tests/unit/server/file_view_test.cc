#include "server/features/file_view.h"

#include <catch2/catch.hpp>

using namespace gprof::lsp;

TEST_CASE("the last component of a qualified name") {
  CHECK(last_component("main") == "main");
  CHECK(last_component("ns::box<int>::grow") == "grow");
  CHECK(last_component("ns::twice<std::pair<int, long> >") == "twice");
  CHECK(last_component("ns::box::~box") == "~box");
  CHECK(last_component("ns::functor::operator()") == "operator()");
  CHECK(last_component("operator<<") == "operator<<");
  CHECK(last_component("(anonymous namespace)::run") == "run");
  CHECK(last_component("pack.inner") == "inner");
  CHECK(last_component("scaled [.constprop.0]") == "scaled");
  CHECK(last_component("<a::Circle as a::Shape>::area") == "area");
  CHECK(last_component("a::total::<a::Circle>") == "total");
  CHECK(last_component("").empty());
}

TEST_CASE("short names keep one scope and no template arguments") {
  CHECK(short_name("init_block") == "init_block");
  CHECK(short_name("geo::Square::area") == "Square::area");
  CHECK(short_name("std::vector<int, std::allocator<int> >::push_back") == "vector::push_back");
  CHECK(short_name("ns::twice<long>") == "ns::twice");
  CHECK(short_name("std::shared_ptr<std::vector<int> >::operator=") == "shared_ptr::operator=");
  CHECK(short_name("ns::box<std::less<int> >::operator<") == "box::operator<");
  CHECK(short_name("ns::scaled [.constprop.0]") == "ns::scaled");
  CHECK(short_name("a") == "a");
  CHECK(short_name("<a::Circle as a::Shape>::area") == "Circle::area");
  CHECK(short_name("<&a::List<T> as a::Shape<T>>::area") == "List::area");
}

TEST_CASE("a word is found as a word of its own") {
  CHECK(find_word("int area(area_t x)", "area") == 4);
  CHECK(find_word("subarea + area2", "area") == std::string_view::npos);
  CHECK(find_word("  SUBROUTINE Solve(n)", "solve") == 13);
  CHECK(find_word("x = a.operator()(1)", "operator()") == 6);
  CHECK(find_word("struct box { ~box(); }", "~box") == 13);
  CHECK(find_word("", "x") == std::string_view::npos);
  CHECK(find_word("abc", "") == std::string_view::npos);
}

TEST_CASE("the identifier under the cursor, or just before it") {
  CHECK(word_at("t += same(i);", 5) == "same");
  CHECK(word_at("t += same(i);", 7) == "same");
  CHECK(word_at("t += same(i);", 9) == "same");
  CHECK(word_at("t += same(i);", 3).empty());
  CHECK(word_at("abc", 99) == "abc");
}

namespace {

using gprof::FunctionCost;
using gprof::LineNumber;

std::shared_ptr<const LineHashes> lines_of(std::string_view text) {
  return std::make_shared<const LineHashes>(hash_lines(text, LineTable(text)));
}

std::shared_ptr<const Document> open(std::string text) {
  return std::make_shared<const Document>(std::move(text), "c", 1, PositionEncoding::utf8);
}

std::shared_ptr<const Document> replace_line(const std::shared_ptr<const Document>& document,
                                             LineNumber line, std::string text) {
  const ContentChange change = {Range{{line - 1, 0}, {line, 0}}, std::move(text)};
  return document->edited(std::span(&change, 1), document->version() + 1);
}

FileView view_of(const std::shared_ptr<const LineHashes>& build,
                 std::shared_ptr<const Document> text, BuildAlignments& alignments) {
  return FileView({}, nullptr, std::move(text), build, alignments);
}

FunctionCost function(std::string name, LineNumber line) {
  FunctionCost cost;
  cost.name = std::move(name);
  cost.declaration.line = line;
  return cost;
}

// "LINE:COLUMN", from 1 and 0, and "+SIZE" of the name; "-" for none.
std::string place(const FileView& view, const std::string& name, LineNumber line) {
  const auto range = name_range(view, function(name, line));
  CHECK(view.is_trusted(function(name, line)) == range.has_value());
  if (!range) return "-";
  return std::to_string(range->start.line + 1) + ":" + std::to_string(range->start.character) +
         "+" + std::to_string(range->end.character - range->start.character);
}

// Lines 1 to 9; line 3 declares `area`, line 7 `DEFINE` makes a function with another name.
constexpr std::string_view shapes =
    "#include <x.h>\n"
    "\n"
    "int area(int a) {\n"
    "  return a * a;\n"
    "}\n"
    "\n"
    "DEFINE(int, 4)\n"
    "int last(void) { return area(1); }\n";

std::string changed_shapes(std::string_view from, std::string_view to) {
  std::string text(shapes);
  text.replace(text.find(from), from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("a text is in step with its build, changed, or not known") {
  BuildAlignments alignments;
  const auto build = lines_of(shapes);
  const auto document = open(std::string(shapes));
  const FileView same = view_of(build, document, alignments);
  CHECK(same.source_state == SourceState::in_step);
  CHECK(same.is_current(3));
  CHECK_FALSE(same.is_current(0));
  CHECK_FALSE(same.is_current(10));
  CHECK(same.lines_changed_since_build() == 0);

  const FileView edited = view_of(build, replace_line(document, 4, "  return 0;\n"), alignments);
  CHECK(edited.source_state == SourceState::in_step);
  CHECK_FALSE(edited.is_current(4));
  CHECK(edited.is_current(5));
  CHECK(edited.lines_changed_since_build() == 1);

  const FileView older = view_of(build, open(changed_shapes("a * a", "a + a")), alignments);
  CHECK(older.source_state == SourceState::changed);
  CHECK_FALSE(older.is_current(4));
  CHECK(older.is_current(5));
  CHECK(older.lines_changed_since_build() == 1);

  const FileView unknown = view_of(nullptr, document, alignments);
  CHECK(unknown.source_state == SourceState::stale);
  CHECK_FALSE(unknown.is_current(3));
  CHECK(unknown.lines_changed_since_build() == 0);

  // An editor that adds the missing line end to a file's last line has changed nothing.
  const FileView ended =
      view_of(lines_of(shapes.substr(0, shapes.size() - 1)), document, alignments);
  CHECK(ended.source_state == SourceState::in_step);
}

TEST_CASE("a changed text that is what was compiled once more is in step") {
  BuildAlignments alignments;
  const auto build = lines_of(shapes);
  auto document = open(changed_shapes("a * a", "a + a"));
  CHECK(view_of(build, document, alignments).source_state == SourceState::changed);
  document = replace_line(document, 4, "  return a * a;\n");
  CHECK(view_of(build, document, alignments).source_state == SourceState::in_step);
  CHECK(view_of(build, document, alignments).lines_changed_since_build() == 0);
  // Saved like this and edited further: the saved text is what was compiled.
  document = replace_line(document->saved(), 4, "  return 1;\n");
  const FileView view = view_of(build, document, alignments);
  CHECK(view.source_state == SourceState::in_step);
  CHECK_FALSE(view.is_current(4));
}

TEST_CASE("lines of the build that are gone count as changed") {
  BuildAlignments alignments;
  const FileView view =
      view_of(lines_of(shapes), open(changed_shapes("  return a * a;\n}\n\n", "")), alignments);
  CHECK(view.source_state == SourceState::changed);
  CHECK(view.lines_changed_since_build() == 3);
  CHECK(place(view, "last", 8) == "5:4+4");
}

TEST_CASE("a function is found where its name stands") {
  BuildAlignments alignments;
  const auto build = lines_of(shapes);
  const FileView same = view_of(build, open(std::string(shapes)), alignments);
  CHECK(place(same, "area", 3) == "3:4+4");
  CHECK(place(same, "ns::area<int>", 3) == "3:4+4");
  // The line is the build's, so what it made is there, whatever its name.
  CHECK(place(same, "made_by_macro", 7) == "7:0+0");
  CHECK(place(same, "main::{lambda(int)#1}::operator()", 4) == "4:2+0");
  CHECK(place(same, "area", 99) == "-");
  CHECK(place(same, "area", 0) == "-");
}

TEST_CASE("in a stale file a function is found on its own line, by its name, or not at all") {
  BuildAlignments alignments;
  const FileView view = view_of(nullptr, open(std::string(shapes)), alignments);
  CHECK(place(view, "area", 3) == "3:4+4");
  CHECK(place(view, "area", 4) == "-");
  CHECK(place(view, "made_by_macro", 7) == "-");
  CHECK(place(view, "area", 99) == "-");
}

TEST_CASE("a function whose declaration was changed is looked for around its place") {
  BuildAlignments alignments;
  const auto build = lines_of(shapes);
  const auto placed = [&](std::string_view from, std::string_view to, const std::string& name,
                          LineNumber line) {
    return place(view_of(build, open(changed_shapes(from, to)), alignments), name, line);
  };
  CHECK(placed("int area(int a)", "long area(long a)", "area", 3) == "3:5+4");
  CHECK(placed("int area(int a) {", "static inline long\narea(long a)\n{", "area", 3) == "4:0+4");
  CHECK(placed("int area(int a) {", "// area is squared\nlong area(long a) {", "area", 3) ==
        "4:5+4");
  // Renamed or gone.
  CHECK(placed("int area(int a) {", "int surface(int a) {", "area", 3) == "-");
  CHECK(placed("int area(int a) {\n  return a * a;\n}\n", "", "area", 3) == "-");
  // A caller is not the function, and of two it is ambiguous.
  CHECK(placed("int area(int a) {", "int other(void) {\n  area(1);", "area", 3) == "-");
  CHECK(placed("int area(int a) {", "int area(int a) {}\nint x;\nlong area(long a) {", "area", 3) ==
        "-");
  // A changed line that never had the name: what it makes now is unknown.
  CHECK(placed("DEFINE(int, 4)", "DEFINE(int, 5)", "made_by_macro", 7) == "-");
}

TEST_CASE("a function that an edit changes keeps its place while its name stands there") {
  BuildAlignments alignments;
  const auto build = lines_of(shapes);
  auto document = open(std::string(shapes));
  document = replace_line(document, 1, "\n\n\n");
  CHECK(place(view_of(build, document, alignments), "area", 3) == "5:4+4");
  document = replace_line(document, 5, "long  area(long a) {\n");
  CHECK(place(view_of(build, document, alignments), "area", 3) == "5:6+4");
  document = replace_line(document, 5, "long  are(long a) {\n");
  CHECK(place(view_of(build, document, alignments), "area", 3) == "-");
}

TEST_CASE("a text that has nothing in common with the build shows no function") {
  BuildAlignments alignments;
  std::string other;
  for (int i = 0; i < 3000; ++i) other += "line " + std::to_string(i) + "\n";
  other += "int area(int b) {\n";
  const FileView view = view_of(lines_of(shapes), open(other), alignments);
  CHECK(view.source_state == SourceState::changed);
  CHECK(place(view, "area", 3) == "-");
  CHECK(view.lines_changed_since_build() >= 8);
}
