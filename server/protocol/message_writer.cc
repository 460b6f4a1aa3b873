#include "server/protocol/message_writer.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "server/protocol/json_text.h"
#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

// Whether it needs no escaping between quotes.
bool is_plain(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == '"' || byte == '\\') return false;
    if (byte < 0x80) {
      ++i;
      continue;
    }
    const Utf8Character character = utf8_character(text, i);
    if (!character.valid) return false;
    i += character.size;
  }
  return true;
}

}  // namespace

void MessageWriter::write(std::string_view text) {
  if (!is_plain(text)) {
    text_ += json_text(Json(text));
    return;
  }
  text_ += '"';
  text_ += text;
  text_ += '"';
}

void MessageWriter::write(double number) {
  if (!std::isfinite(number)) return write(Nothing());
  const std::size_t begin = text_.size();
  fmt::format_to(std::back_inserter(text_), "{}", number);
  if (text_.find_first_of(".e", begin) == std::string::npos) text_ += ".0";
}

void MessageWriter::write_any(const AnyValue& value) {
  if (const auto* flag = value.boolean()) return write(*flag);
  if (const auto* whole = value.integer()) return write(*whole);
  if (const auto number = value.number()) return write(*number);
  if (const auto* text = value.string()) return write(std::string_view(*text));
  if (const auto* array = value.array()) return write(*array);
  const auto* members = value.object();
  if (members == nullptr) return write(Nothing());
  text_ += '{';
  for (const auto& [name, member] : *members) {
    write(std::string_view(name));
    text_ += ':';
    write(member);
    text_ += ',';
  }
  close('}');
}

void MessageWriter::write_integer(std::int64_t number) {
  const fmt::format_int text(number);
  text_.append(text.data(), text.size());
}

void MessageWriter::write_integer(std::uint64_t number) {
  const fmt::format_int text(number);
  text_.append(text.data(), text.size());
}

void MessageWriter::write_name(std::string_view name) {
  text_ += '"';
  text_ += name;
  text_ += "\":";
}

}  // namespace gprof::lsp
