// Identifies what wrote a gmon file, without knowing its executable.
#include <algorithm>
#include <utility>

#include "engine/gmon/beginning.h"
#include "engine/gmon/format_readers.h"

namespace gprof {
namespace {

// Most common first: a file that fits several is taken for the first.
constexpr std::array<GmonLayout, 4> layouts = {{
    {PointerWidth::eight, ByteOrder::little},
    {PointerWidth::four, ByteOrder::little},
    {PointerWidth::eight, ByteOrder::big},
    {PointerWidth::four, ByteOrder::big},
}};

// What is to be identified: a file whose records are scanned, or all of its bytes.
struct SeenBytes {
  std::span<const std::byte> beginning;  // the size of any header, or everything
  std::uint64_t size = 0;                // of the file
  const std::string& path;
  const InputFile* file = nullptr;  // null if all bytes are available
};

Expected<EncodedProfile> look_at_gnu(const SeenBytes& seen, const GmonLayout& layout,
                                     std::uint64_t& bytes_read) {
  if (seen.file != nullptr) return look_at_gnu_gmon(*seen.file, layout, bytes_read);
  return read_gnu_gmon(seen.beginning, seen.path, layout);
}

std::optional<GmonIdentity> identity_of_gnu(const Expected<EncodedProfile>& profile,
                                            const GmonLayout& layout) {
  if (!profile) return std::nullopt;
  GmonIdentity identity{profile->decoded.build_id_prefix, std::nullopt, layout, 0};
  if (!profile->histograms.empty()) {
    AddressRange covered = profile->histograms.front().range;
    for (const StoredHistogram& histogram : profile->histograms) {
      covered.low = std::min(covered.low, histogram.range.low);
      covered.high = std::max(covered.high, histogram.range.high);
    }
    identity.histogram_range = covered;
  }
  return identity;
}

// Stricter than the reader, because there is no magic: requires bins, and whole arcs up to the end.
std::optional<GmonIdentity> identify_bsd(const SeenBytes& seen, const GmonLayout& layout) {
  ByteReader reader(seen.beginning, layout.byte_order, seen.path);
  const auto header = read_bsd_header(reader, seen.size, layout, GmonFormatChoice::automatic);
  if (!header || header->bin_count == 0) return std::nullopt;
  const std::uint64_t arcs = seen.size - reader.offset() - header->bins_size();
  if (arcs % arc_size(layout, static_cast<std::uint64_t>(layout.pointer_width)) != 0) {
    return std::nullopt;
  }
  return GmonIdentity{std::nullopt, header->range, layout, 0};
}

Expected<GmonIdentity> identify(const SeenBytes& seen) {
  const bool gnu = has_gnu_magic(seen.beginning);
  std::optional<GmonIdentity> fitting;
  // The most common layout gives the most useful message.
  std::optional<Error> damage;
  std::uint64_t bytes_read = 0;
  for (const GmonLayout& layout : layouts) {
    std::optional<GmonIdentity> identity;
    if (gnu) {
      const auto profile = look_at_gnu(seen, layout, bytes_read);
      if (!profile && !damage) damage = with_advice(profile.error());
      identity = identity_of_gnu(profile, layout);
    } else {
      identity = identify_bsd(seen, layout);
    }
    if (!identity) continue;
    // A histogram is better evidence than a file too empty to contradict any layout.
    if (!fitting || (!fitting->histogram_range && identity->histogram_range)) fitting = identity;
  }
  if (fitting) {
    fitting->bytes_read = bytes_read;
    return *fitting;
  }
  if (damage) return *std::move(damage);
  return Error{ErrorCode::wrong_format,
               "a GNU, BSD or 4.4BSD gmon file expected; it fits none of them in any byte order "
               "and pointer width",
               seen.path, std::nullopt};
}

// A BSD file's header states the combined size of header and bins, which the reader checks against
// the whole file.
bool announces_more(std::span<const std::byte> bytes, const std::string& path,
                    const GmonLayout& layout, std::uint64_t most_bytes) {
  ByteReader reader(bytes, layout.byte_order, path);
  const auto low = reader.read_address(layout.pointer_width, "the histogram's low address");
  const auto high = reader.read_address(layout.pointer_width, "the histogram's high address");
  const auto size = reader.read_u32("the size of header and histogram");
  if (!low || !high || !size) return true;
  return *size > bytes.size() && *size <= most_bytes && *low < *high;
}

}  // namespace

std::optional<Error> fault_of_beginning(std::span<const std::byte> bytes, const std::string& path,
                                        GmonFormatChoice choice, std::uint64_t most_bytes) {
  const bool gnu = has_gnu_magic(bytes);
  std::optional<Error> fault;
  for (const GmonLayout& layout : layouts) {
    if (!gnu && choice != GmonFormatChoice::gnu &&
        announces_more(bytes, path, layout, most_bytes)) {
      return std::nullopt;
    }
    auto read = read_stored_gmon(bytes, path, layout, choice);
    if (read || read.error().code == ErrorCode::truncated) return std::nullopt;
    if (!fault) fault = std::move(read).error();
  }
  return fault;
}

Expected<GmonIdentity> identify_gmon(std::span<const std::byte> bytes, const std::string& path) {
  return identify({bytes, bytes.size(), path, nullptr});
}

Expected<GmonIdentity> identify_gmon_file(const InputFile& file) {
  TRY(check_gmon_size(file));
  TRY_ASSIGN(const auto beginning, file.read_at(0, std::min(bsd_header_size, file.size())));
  return identify({beginning, file.size(), file.path(), &file});
}

}  // namespace gprof
