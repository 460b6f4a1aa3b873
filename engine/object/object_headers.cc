#include "engine/object/object_headers.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/object/elf_headers.h"
#include "engine/object/pe_headers.h"

namespace gprof {
namespace {

// As many bytes as the longest of the marks below.
constexpr std::uint64_t mark_size = 8;

struct ReadFormat {
  std::string_view mark;
  Expected<ObjectHeaders> (*read)(const ByteSource&) = nullptr;
};

constexpr std::array read_formats = {
    ReadFormat{"\x7f"
               "ELF",
               read_elf_headers},
    ReadFormat{"MZ", read_pe_headers},
};

struct KnownFormat {
  std::string_view mark;
  std::string_view advice;
};

constexpr std::array known_formats = {
    KnownFormat{"#!", "this is a script; give the ELF or PE program that it starts"},
    KnownFormat{"\xcf\xfa\xed\xfe", "this is a Mach-O file; only ELF and PE programs can be read"},
    KnownFormat{"\xce\xfa\xed\xfe", "this is a Mach-O file; only ELF and PE programs can be read"},
    KnownFormat{"\xfe\xed\xfa\xcf", "this is a Mach-O file; only ELF and PE programs can be read"},
    KnownFormat{"\xfe\xed\xfa\xce", "this is a Mach-O file; only ELF and PE programs can be read"},
    KnownFormat{"\xca\xfe\xba\xbe",
                "this is a Mach-O or Java class file; an ELF or PE program is needed"},
    KnownFormat{"!<arch>\n", "this is an archive; give the program that was linked from it"},
    KnownFormat{"!<thin>\n", "this is an archive; give the program that was linked from it"},
    KnownFormat{"BC\xc0\xde", "this is LLVM bitcode; give the linked program"},
    KnownFormat{"gmon", "this is profile data; give it as the profile, not as the program"},
};

const ReadFormat* format_of(std::string_view start) {
  const auto found = std::ranges::find_if(
      read_formats, [&](const ReadFormat& format) { return start.starts_with(format.mark); });
  return found == read_formats.end() ? nullptr : found;
}

// Names the kind of file from its first bytes.
Error not_a_program(const ByteSource& source, std::string_view start) {
  std::string message = "neither an ELF nor a PE file; give the program that was profiled";
  if (source.size() == 0) message = "the file is empty; an ELF or PE program is needed";
  for (const KnownFormat& format : known_formats) {
    if (start.starts_with(format.mark)) message = format.advice;
  }
  return Error{ErrorCode::wrong_format, std::move(message), source.name(), std::nullopt};
}

}  // namespace

bool may_be_image(std::string_view start) { return format_of(start) != nullptr; }

Expected<ObjectHeaders> read_object_headers(const ByteSource& source) {
  TRY_ASSIGN(const auto bytes, source.read_at(0, std::min(source.size(), mark_size)));
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const ReadFormat* format = format_of(start);
  return format != nullptr ? format->read(source) : not_a_program(source, start);
}

}  // namespace gprof
