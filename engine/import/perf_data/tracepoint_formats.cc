#include "engine/import/perf_data/tracepoint_formats.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/dwarf/byte_cursor.h"
#include "engine/import/imported_profile.h"
#include "engine/import/text_tokens.h"

namespace gprof::perf_data {
namespace {

constexpr std::string_view tracing_magic = "\x17\x08\x44tracing";
// Of a system that has more, the others are not read.
constexpr std::size_t most_formats = 4096;
constexpr std::size_t most_fields = 256;

// The value of `name:value;` in the line; empty if it is not there.
std::string_view value_of(std::string_view line, std::string_view name) {
  const std::size_t begin = line.find(name);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = line.substr(begin + name.size());
  return trim(rest.substr(0, rest.find(';')));
}

std::uint32_t small_number(std::string_view text) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(parse_number(text).value_or(most), most));
}

// `field:pid_t prev_pid; offset:24; size:4; signed:1;`
void add_field(TracepointFormat& format, std::string_view line) {
  std::string_view name = value_of(line, "field:");
  name = name.substr(0, name.find('['));
  const std::size_t blank = name.find_last_of(" \t*");
  if (blank != std::string_view::npos) name.remove_prefix(blank + 1);
  if (name.empty() || format.fields.size() == most_fields) return;
  format.fields.try_emplace(std::string(name),
                            TracepointField{small_number(value_of(line, "offset:")),
                                            small_number(value_of(line, "size:"))});
}

class TracingDataReader {
 public:
  TracingDataReader(std::span<const std::byte> bytes, ByteOrder order, std::string_view system)
      : bytes_(bytes), cursor_(bytes, order), system_(system) {}

  std::vector<TracepointFormat> read() {
    cursor_.skip(tracing_magic.size());
    (void)cursor_.string();  // the version
    cursor_.skip(2 + 4);     // the order of bytes, and the sizes of a long and of a page
    for (int header = 0; header < 2; ++header) {
      (void)cursor_.string();
      (void)text();
    }
    std::uint64_t of_tracer = cursor_.fixed(4);
    while (of_tracer-- > 0 && !cursor_.ended_early()) (void)text();
    std::uint64_t systems = cursor_.fixed(4);
    while (systems-- > 0 && !cursor_.ended_early()) read_system();
    return std::move(formats_);
  }

 private:
  void read_system() {
    const bool is_wanted = cursor_.string() == system_;
    std::uint64_t count = cursor_.fixed(4);
    while (count-- > 0 && !cursor_.ended_early()) {
      const std::string_view format = text();
      if (!is_wanted || cursor_.ended_early() || formats_.size() == most_formats) continue;
      if (auto parsed = parse_tracepoint_format(format)) formats_.push_back(*std::move(parsed));
    }
  }

  // With its size before it.
  std::string_view text() {
    const std::uint64_t size = cursor_.fixed(8);
    const auto begin = static_cast<std::size_t>(cursor_.position());
    cursor_.skip(size);
    if (cursor_.ended_early()) return {};
    return {reinterpret_cast<const char*>(bytes_.data()) + begin, static_cast<std::size_t>(size)};
  }

  std::span<const std::byte> bytes_;
  dwarf::ByteCursor cursor_;
  std::string_view system_;
  std::vector<TracepointFormat> formats_;
};

}  // namespace

std::optional<TracepointFormat> parse_tracepoint_format(std::string_view text) {
  TracepointFormat format;
  std::optional<std::uint64_t> id;
  while (const auto line = take_line(text)) {
    if (line->starts_with("name:")) {
      format.name = value_of(*line, "name:");
    } else if (line->starts_with("ID:")) {
      id = parse_number(value_of(*line, "ID:"));
    } else if (trim(*line).starts_with("field:")) {
      add_field(format, *line);
    }
  }
  if (format.name.empty() || !id) return std::nullopt;
  format.id = *id;
  return format;
}

std::vector<TracepointFormat> formats_in_tracing_data(std::span<const std::byte> bytes,
                                                      std::string_view system) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(tracing_magic)) return {};
  const std::size_t version_end = text.find('\0', tracing_magic.size());
  if (version_end == std::string_view::npos || version_end + 1 >= bytes.size()) return {};
  const ByteOrder order =
      bytes[version_end + 1] == std::byte{0} ? ByteOrder::little : ByteOrder::big;
  return TracingDataReader(bytes, order, system).read();
}

}  // namespace gprof::perf_data
