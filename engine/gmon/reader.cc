#include "engine/gmon/reader.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "engine/gmon/encoded_profile.h"
#include "engine/gmon/format_readers.h"
#include "engine/gmon/load_bias.h"
#include "engine/support/input_file.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

constexpr std::size_t smallest_file = gnu_magic.size();

// The kind of program that the bytes begin; empty if it is none. No BSD profile begins with "MZ":
// its first word is an address that its collector rounded to a multiple of two.
std::string_view program_kind(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x7f"
                       "ELF")) {
    return "an ELF";
  }
  return text.starts_with("MZ") ? "a Windows (PE)" : std::string_view();
}

// Text that old compilers' libraries left next to gmon.out.
bool is_bb_out(std::span<const std::byte> bytes) {
  constexpr std::string_view start = "Basic block profiling finished";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with(start);
}

Expected<EncodedProfile> read_chosen(StoredBytes bytes, const std::string& path,
                                     const GmonLayout& layout, GmonFormatChoice choice) {
  const bool gnu = has_gnu_magic(bytes);
  if (choice == GmonFormatChoice::gnu && !gnu) {
    return Error{ErrorCode::wrong_format,
                 "a GNU gmon file expected, which begins with \"gmon\"; let the format be found "
                 "automatically, or name a BSD one",
                 path, 0};
  }
  if (choice == GmonFormatChoice::gnu || (choice == GmonFormatChoice::automatic && gnu)) {
    return read_gnu_gmon(bytes, path, layout);
  }
  TRY_ASSIGN(auto profile, read_bsd_gmon(bytes, path, layout, choice));
  return EncodedProfile{std::move(profile), layout, {}, {}};
}

}  // namespace

Error with_advice(Error error) {
  if (error.code != ErrorCode::truncated) return error;
  error.message +=
      "; the program was ended or the disk was full while the file was written, or the file "
      "belongs to another executable: run the program again";
  return error;
}

Expected<void> check_gmon_size(const InputFile& file) {
  return check_size(file, largest_profile, "a gmon file");
}

Expected<EncodedProfile> read_stored_gmon(StoredBytes bytes, const std::string& path,
                                          const GmonLayout& layout, GmonFormatChoice choice) {
  if (bytes.size() < smallest_file) {
    return Error{ErrorCode::truncated,
                 fmt::format("the file is too short ({} bytes) to be a gmon file; the program did "
                             "not finish writing it: run it again",
                             bytes.size()),
                 path, std::nullopt};
  }
  if (const auto kind = program_kind(bytes); !kind.empty()) {
    return Error{ErrorCode::wrong_format,
                 fmt::format("a profile expected, {} file found; name the executable first, then "
                             "its profiles",
                             kind),
                 path, 0};
  }
  if (is_bb_out(bytes)) {
    return Error{
        ErrorCode::wrong_format,
        "a profile expected, the text of a bb.out file found; convert it with the Perl "
        "script that comes with gprof's source (the manual, section 3), and name what that "
        "writes beside gmon.out",
        path, 0};
  }
  auto profile = read_chosen(bytes, path, layout, choice);
  if (!profile) return with_advice(std::move(profile).error());
  place_at_link_address(*profile);
  return profile;
}

Expected<RawProfile> read_gmon(std::span<const std::byte> bytes, const std::string& path,
                               const GmonLayout& layout, GmonFormatChoice choice) {
  TRY_ASSIGN(auto stored, read_stored_gmon(bytes, path, layout, choice));
  return decode(std::move(stored));
}

Expected<EncodedProfile> read_stored_gmon_file(const std::filesystem::path& path,
                                               const GmonLayout& layout, GmonFormatChoice choice,
                                               std::vector<std::byte>& buffer) {
  TRY_ASSIGN(auto file, InputFile::open(path));
  TRY(check_gmon_size(file));
  buffer.resize(file.size());
  TRY(file.read_into(0, buffer));
  return read_stored_gmon(buffer, file.path(), layout, choice);
}

Expected<RawProfile> read_gmon_file(const std::filesystem::path& path, const GmonLayout& layout,
                                    GmonFormatChoice choice) {
  std::vector<std::byte> bytes;
  TRY_ASSIGN(auto stored, read_stored_gmon_file(path, layout, choice, bytes));
  return decode(std::move(stored));
}

}  // namespace gprof
