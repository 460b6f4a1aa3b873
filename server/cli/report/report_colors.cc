#include "server/cli/report/report_colors.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

namespace gprof::lsp {
namespace {

constexpr double warm_percentage = 10;

// Reads one line field by field.
class Fields {
 public:
  explicit Fields(std::string_view line) : line_(line) {}

  // The next field, without the blanks around it; empty at the end.
  std::string_view next() {
    start_ = std::min(line_.find_first_not_of(' ', end_), line_.size());
    end_ = std::min(line_.find(' ', start_), line_.size());
    return line_.substr(start_, end_ - start_);
  }
  // Of the field returned by next().
  [[nodiscard]] std::size_t start() const { return start_; }
  [[nodiscard]] std::size_t end() const { return end_; }

 private:
  std::string_view line_;
  std::size_t start_ = 0;
  std::size_t end_ = 0;
};

// "12.34"; nothing for a whole number.
std::optional<double> decimal(std::string_view field) {
  double number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  const bool whole = field.find('.') == std::string_view::npos;
  if (error != std::errc() || end != field.data() + field.size() || whole) return std::nullopt;
  return number;
}

// "3" or "3+2".
bool is_call_count(std::string_view field) {
  return !field.empty() && field.find_first_not_of("0123456789+") == std::string_view::npos;
}

bool is_heading(std::string_view line) {
  if (line.starts_with("*** File ") || line.starts_with("File `")) return true;
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line == "Flat profile:" || line == "flat profile:" || line == "Call graph" ||
         line.starts_with("Call graph (") || line.starts_with("call graph profile:") ||
         line == "Index by function name" || line == "Execution Summary:" ||
         (line.starts_with("Top ") && line.ends_with(" Lines:"));
}

// One of the column heading lines.
bool is_column_head(std::string_view line) {
  Fields fields(line);
  const std::string_view first = fields.next();
  const std::string_view second = fields.next();
  const std::string_view third = fields.next();
  if (first == "%") return second == "cumulative";
  if (first == "time") return second == third && line.starts_with(" time ");
  if (first == "index") return second == "%time" || (second == "%" && third == "time");
  if (first == "Line") return second == "Count";
  return line.starts_with("    ") && first.starts_with("called/");
}

class Painter {
 public:
  explicit Painter(std::string_view text) { painted_.reserve(text.size() + text.size() / 4); }

  void add_line(std::string_view line);
  std::string take() && { return std::move(painted_); }
  void add(std::string_view text) { painted_ += text; }

 private:
  enum class Section : std::uint8_t { other, flat_profile, call_graph };

  void paint(std::string_view color, std::string_view text);
  void begin_section(std::string_view heading);
  void add_flat_row(std::string_view line);
  void add_primary_line(std::string_view line);

  std::string painted_;
  Section section_ = Section::other;
};

void Painter::paint(std::string_view color, std::string_view text) {
  if (text.empty()) return;
  painted_ += color;
  painted_ += text;
  painted_ += color_off;
}

void Painter::begin_section(std::string_view heading) {
  const auto names = [heading](std::string_view what) {
    return heading.find(what) != std::string_view::npos;
  };
  if (names("lat profile")) {
    section_ = Section::flat_profile;
  } else if (names("all graph")) {
    section_ = Section::call_graph;
  } else {
    section_ = Section::other;
  }
}

void Painter::add_line(std::string_view line) {
  if (is_heading(line)) {
    begin_section(line);
    return paint(color_bold, line);
  }
  if (is_column_head(line)) {
    // BSD's layout has no headings: the columns distinguish the reports.
    if (line.starts_with("index ")) section_ = Section::call_graph;
    if (line.starts_with("  %")) section_ = Section::flat_profile;
    return paint(color_dim, line);
  }
  if (section_ == Section::call_graph && line.starts_with('[')) return add_primary_line(line);
  if (section_ == Section::flat_profile) return add_flat_row(line);
  add(line);
}

void Painter::add_flat_row(std::string_view line) {
  Fields fields(line);
  const auto percentage = decimal(fields.next());
  // The start of a row is followed by at least two columns of seconds.
  const std::size_t start = fields.start();
  const std::size_t end = fields.end();
  const bool is_row = percentage && decimal(fields.next()) && decimal(fields.next());
  if (!is_row || *percentage < warm_percentage) return add(line);
  add(line.substr(0, start));
  paint(color_warm, line.substr(start, end - start));
  add(line.substr(end));
}

// "[7]     12.5    0.03    0.04       2+1       name <cycle 1> [7]"
void Painter::add_primary_line(std::string_view line) {
  Fields fields(line);
  fields.next();
  const auto percentage = decimal(fields.next());
  const std::size_t start = fields.start();
  const std::size_t end = fields.end();
  fields.next();
  fields.next();
  // The calls may be missing.
  if (is_call_count(fields.next())) fields.next();
  const std::size_t name = std::max(fields.start(), end);
  const bool is_warm = percentage && *percentage >= warm_percentage;
  add(line.substr(0, start));
  if (is_warm) {
    paint(color_warm, line.substr(start, end - start));
  } else {
    add(line.substr(start, end - start));
  }
  add(line.substr(end, name - end));
  paint(color_bold, line.substr(name));
}

}  // namespace

std::string colored_report(std::string_view text) {
  Painter painter(text);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    // The form feed between reports is on a line of its own, except for the last.
    if (line.starts_with('\f')) {
      painter.add("\f");
      line.remove_prefix(1);
    }
    painter.add_line(line);
    if (end < text.size()) painter.add("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(painter).take();
}

}  // namespace gprof::lsp
