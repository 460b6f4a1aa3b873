#include "server/transport/framing.h"

#include <algorithm>
#include <charconv>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

constexpr std::string_view length_field = "content-length";
constexpr std::string_view type_field = "content-type";
// The field's name, the longest number and the line ends.
constexpr std::size_t longest_length_line = 48;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The characters that RFC 9110 allows.
bool is_field_name(std::string_view name) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
           others.find(c) != std::string_view::npos;
  });
}

struct Fields {
  std::optional<std::uint64_t> length;
  std::string problem;   // empty if the header is sound
  std::string unusable;  // a sound header of a message that cannot be used
};

void read_length(std::string_view value, Fields& fields) {
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (error != std::errc() || end != value.data() + value.size()) {
    fields.problem =
        fmt::format("Content-Length must be a number of bytes, not \"{}\"", value.substr(0, 40));
  } else if (fields.length && *fields.length != length) {
    fields.problem = "the header holds two different Content-Length fields";
  } else {
    fields.length = length;
  }
}

void read_type(std::string_view value, Fields& fields) {
  const std::string type = lower_case(value);
  const std::size_t charset = type.find("charset=");
  if (charset == std::string::npos) return;
  std::string_view name = std::string_view(type).substr(charset + 8);
  name = trimmed(name.substr(0, name.find(';')));
  // `utf8` is the spelling of older versions of the protocol.
  if (name != "utf-8" && name != "utf8" && name != "\"utf-8\"") {
    fields.unusable = fmt::format("Content-Type asks for the charset {}: only utf-8 is known",
                                  name.substr(0, 40));
  }
}

Fields read_fields(std::string_view header) {
  Fields fields;
  while (!header.empty()) {
    const std::size_t end = header.find('\n');
    std::string_view line = header.substr(0, end);
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_field_name(trimmed(line.substr(0, colon)))) {
      fields.problem = "a header field must have the form \"Name: value\"";
      return fields;
    }
    const std::string name = lower_case(trimmed(line.substr(0, colon)));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == length_field) read_length(value, fields);
    if (name == type_field) read_type(value, fields);
  }
  if (!fields.length && fields.problem.empty()) {
    fields.problem = "the header holds no Content-Length field";
  }
  return fields;
}

// Length of the suffix of `text` that may begin the length field.
std::size_t possible_field(std::string_view text) {
  std::size_t length = std::min(text.size(), length_field.size());
  for (; length > 0; --length) {
    const std::string_view ending = text.substr(text.size() - length);
    if (std::equal(ending.begin(), ending.end(), length_field.begin(),
                   [](char a, char b) { return lower(a) == b; })) {
      break;
    }
  }
  return length;
}

}  // namespace

void FrameDecoder::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    switch (state_) {
      case State::header:
        take_header(bytes);
        break;
      case State::body:
        take_body(bytes);
        break;
      case State::skipped_body:
        take_skipped(bytes);
        break;
      case State::lost:
        take_until_header(bytes);
        break;
      case State::refused:
        return;
    }
  }
}

std::optional<Frame> FrameDecoder::next() {
  if (frames_.empty()) return std::nullopt;
  Frame frame = std::move(frames_.front());
  frames_.pop_front();
  return frame;
}

std::optional<FramingProblem> FrameDecoder::end_of_stream() const {
  switch (state_) {
    case State::header:
      if (header_.empty()) return std::nullopt;
      return FramingProblem{"the stream ended within a header"};
    case State::body:
    case State::skipped_body:
      return FramingProblem{
          fmt::format("the stream ended {} bytes before the end of a message", missing_)};
    case State::lost:
    case State::refused:
      break;
  }
  return std::nullopt;
}

// For a strict decoder: whether the last line of header_, as received so far, may be a client's.
bool FrameDecoder::may_be_header() const {
  const std::size_t line_end = header_.rfind('\n', header_.size() - 2);
  const bool is_first = line_end == std::string::npos || header_.size() < 2;
  const std::string_view line = std::string_view(header_).substr(is_first ? 0 : line_end + 1);
  if (line == "\r" || line == "\n" || line == "\r\n") return !is_first;
  const std::string_view name = line.substr(0, line.find(':'));
  const bool has_value = name.size() < line.size();
  const auto may_be = [&](std::string_view field) {
    const std::string_view known = field.substr(0, std::min(field.size(), name.size()));
    return lower_case(name) == known && (!has_value || name.size() == field.size());
  };
  if (may_be(type_field)) return true;
  return may_be(length_field) &&
         (!has_value || line.substr(name.size() + 1).find_first_not_of("0123456789 \t\r\n") ==
                            std::string_view::npos);
}

// A header ends with an empty line. Line ends without CR, which some clients write, are accepted.
void FrameDecoder::take_header(std::string_view& bytes) {
  for (std::size_t taken = 0; taken < bytes.size();) {
    const char c = bytes[taken++];
    header_ += c;
    if (framing_ == Framing::strict && !may_be_header()) {
      return refuse("what came is no header of the protocol");
    }
    const bool empty_line = c == '\n' && (header_.ends_with("\n\r\n") || header_.ends_with("\n\n"));
    const bool stray_line_end = header_ == "\n" || header_ == "\r\n";
    if (stray_line_end) header_.clear();  // between messages: harmless
    if (empty_line || header_.size() > largest_header) {
      bytes.remove_prefix(taken);
      if (empty_line) {
        finish_header(std::exchange(header_, {}));
      } else {
        lose(fmt::format("a header is longer than {} bytes", largest_header));
      }
      return;
    }
  }
  bytes = {};
}

void FrameDecoder::finish_header(std::string_view header) {
  Fields fields = read_fields(header);
  if (!fields.problem.empty()) {
    if (framing_ == Framing::strict) return refuse(fields.problem);
    // A sound header may follow garbage directly, with or without a line end in between.
    const std::string letters = lower_case(header);
    const std::size_t place = letters.find(length_field);
    const bool only_one = place == letters.rfind(length_field);
    if (place == std::string::npos || place == 0 || !only_one) return lose(fields.problem);
    Fields behind = read_fields(header.substr(place));
    if (!behind.problem.empty()) return lose(fields.problem);
    frames_.push_back(FramingProblem{fields.problem});
    fields = std::move(behind);
  }
  missing_ = *fields.length;
  std::string unusable = fields.unusable;
  if (missing_ > limit_) {
    unusable =
        fmt::format("a message of {} bytes is too large: the limit is {} bytes", missing_, limit_);
  }
  if (!unusable.empty()) {
    frames_.push_back(FramingProblem{std::move(unusable)});
    state_ = missing_ > 0 ? State::skipped_body : State::header;
  } else if (missing_ == 0) {
    frames_.push_back(std::string());
  } else {
    state_ = State::body;
  }
}

void FrameDecoder::take_body(std::string_view& bytes) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(missing_, bytes.size()));
  try {
    body_.append(bytes.substr(0, size));
  } catch (const std::bad_alloc&) {
    body_ = {};
    frames_.push_back(FramingProblem{
        fmt::format("not enough memory for a message: {} bytes of it have yet to come", missing_)});
    state_ = State::skipped_body;
    return;
  }
  bytes.remove_prefix(size);
  missing_ -= size;
  if (missing_ == 0) {
    frames_.push_back(std::exchange(body_, {}));
    begin_header();
  }
}

void FrameDecoder::take_skipped(std::string_view& bytes) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(missing_, bytes.size()));
  bytes.remove_prefix(size);
  missing_ -= size;
  if (missing_ == 0) begin_header();
}

// Searches only for the field's name: it may follow the rest of a body, which ends without a line
// end.
void FrameDecoder::take_until_header(std::string_view& bytes) {
  for (std::size_t taken = 0; taken < bytes.size();) {
    header_ += bytes[taken++];
    header_.erase(0, header_.size() - possible_field(header_));
    if (header_.size() == length_field.size()) {
      bytes.remove_prefix(taken);
      state_ = State::header;
      return;
    }
  }
  bytes = {};
}

void FrameDecoder::refuse(std::string problem) {
  refusal_ = FramingProblem{std::move(problem)};
  header_.clear();
  state_ = State::refused;
}

void FrameDecoder::lose(std::string problem) {
  if (framing_ == Framing::strict) return refuse(std::move(problem));
  frames_.push_back(FramingProblem{std::move(problem)});
  // The next header may begin within what was taken for this one.
  const std::size_t place = lower_case(header_).rfind(length_field);
  if (place != std::string::npos && header_.size() - place < longest_length_line) {
    header_.erase(0, place);
    state_ = State::header;
    return;
  }
  header_.erase(0, header_.size() - possible_field(header_));
  state_ = State::lost;
}

void FrameDecoder::begin_header() {
  header_.clear();
  state_ = State::header;
}

std::string framed(std::string_view body) {
  std::string message = fmt::format("Content-Length: {}\r\n\r\n", body.size());
  message += body;
  return message;
}

}  // namespace gprof::lsp
