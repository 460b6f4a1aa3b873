#include "engine/object/image.h"

#include <algorithm>
#include <map>
#include <mutex>

#include <elf.h>
#include <fmt/format.h>

#include "engine/object/byte_source.h"
#include "engine/object/object_headers.h"
#include "engine/support/byte_reader.h"
#include "engine/support/decompress.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

constexpr std::uint32_t zlib_method = 1;  // ELFCOMPRESS_ZLIB
constexpr std::uint32_t zstd_method = 2;  // ELFCOMPRESS_ZSTD, unknown to older elf.h
constexpr std::string_view legacy_prefix = ".zdebug_";

// Smaller sections are read whole at once, larger ones once an eighth of them was asked for. Code
// is asked for function by function: a few megabytes are faster to read as a whole.
constexpr std::uint64_t large_section = std::uint64_t{256} << 10;
constexpr std::uint64_t large_code = std::uint64_t{4} << 20;
constexpr std::uint64_t much_of_a_section = 8;

// How a section's bytes are packed.
struct Packing {
  Compression compression = Compression::zlib;
  std::uint64_t size = 0;  // unpacked
  std::span<const std::byte> packed;
};

// The header before the bytes of a SHF_COMPRESSED section.
Expected<Packing> read_compression_header(std::span<const std::byte> bytes,
                                          const ObjectHeaders& headers, const std::string& name) {
  ByteReader reader(bytes, headers.byte_order, name);
  TRY_ASSIGN(const auto method, reader.read_u32("compression method"));
  if (headers.pointer_width == PointerWidth::eight) {
    TRY(reader.read_u32("compression header"));
  }
  TRY_ASSIGN(const auto size, reader.read_word(headers.pointer_width, "uncompressed size"));
  TRY(reader.read_word(headers.pointer_width, "uncompressed alignment"));
  if (method != zlib_method && method != zstd_method) {
    return Error{ErrorCode::unsupported,
                 fmt::format("compression method 1 (zlib) or 2 (zstd) expected, {} found; "
                             "decompress the file with objcopy --decompress-debug-sections",
                             method),
                 name, std::nullopt};
  }
  return Packing{method == zlib_method ? Compression::zlib : Compression::zstd, size,
                 bytes.subspan(reader.offset())};
}

// The header of a .zdebug_ section: "ZLIB" and the size, big-endian in every file.
Expected<Packing> read_legacy_header(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader reader(bytes, ByteOrder::big, name);
  static constexpr std::uint32_t magic = 0x5a4c4942;
  TRY_ASSIGN(const auto found, reader.read_u32("ZLIB mark"));
  TRY_ASSIGN(const auto size, reader.read_u64("uncompressed size"));
  if (found != magic) return reader.error(ErrorCode::corrupt, "a ZLIB mark is expected");
  return Packing{Compression::zlib, size, bytes.subspan(reader.offset())};
}

}  // namespace

bool Section::allocated() const { return (flags & SHF_ALLOC) != 0; }
bool Section::executable() const { return (flags & SHF_EXECINSTR) != 0; }

struct Image::State {
  explicit State(ByteSource from) : source(std::move(from)) {}

  [[nodiscard]] Expected<ByteBuffer> load(const Section& section);
  [[nodiscard]] Expected<std::vector<std::byte>> unpack(const Packing& packing);
  [[nodiscard]] bool has_parts(const Section& section) const;
  // None if the whole section is to be read or has been.
  [[nodiscard]] std::optional<std::vector<std::byte>> read_part(const Section& section,
                                                                std::uint64_t offset,
                                                                std::uint64_t size);

  ByteSource source;
  ObjectHeaders headers;
  std::vector<std::size_t> code_sections;  // indices, by ascending address
  // Which sections have a name in the file that differs from the one presented.
  std::vector<bool> legacy_compressed;

  std::mutex mutex;  // guards the members below
  std::map<std::size_t, Expected<ByteBuffer>> loaded;
  std::map<std::size_t, std::uint64_t> read_in_parts;  // bytes, by section
  std::uint64_t unpacking_budget = 0;  // bytes that compressed sections may still yield
};

Image::Image(std::unique_ptr<State> state) : state_(std::move(state)) {
  State& s = *state_;
  s.legacy_compressed.resize(s.headers.sections.size());
  for (Section& section : s.headers.sections) {
    if (section.name.starts_with(legacy_prefix)) {
      s.legacy_compressed[section.index] = true;
      section.name = ".debug_" + section.name.substr(legacy_prefix.size());
    }
    if (section.allocated() && section.executable() && section.size > 0) {
      s.code_sections.push_back(section.index);
    }
  }
  std::ranges::stable_sort(s.code_sections, {},
                           [&s](std::size_t index) { return s.headers.sections[index].address; });
  s.unpacking_budget = most_unpacked_bytes(s.source.size());
}

Image::~Image() = default;

Expected<std::shared_ptr<const Image>> Image::open(const std::filesystem::path& path, FileUse use) {
  TRY_ASSIGN(auto file, InputFile::open(path, use));
  return from_source(ByteSource(std::move(file)));
}

Expected<std::shared_ptr<const Image>> Image::from_bytes(std::vector<std::byte> bytes,
                                                         std::string name) {
  return from_source(ByteSource(std::move(bytes), std::move(name)));
}

Expected<std::shared_ptr<const Image>> Image::from_source(ByteSource source) {
  TRY_ASSIGN(auto headers, read_object_headers(source));
  auto state = std::make_unique<State>(std::move(source));
  state->headers = std::move(headers);
  return std::shared_ptr<const Image>(new Image(std::move(state)));
}

const std::string& Image::path() const { return state_->source.name(); }
std::uint64_t Image::file_size() const { return state_->source.size(); }
std::optional<FileStamp> Image::stamp() const { return state_->source.stamp(); }
FileTime Image::modified() const { return stamp().value_or(FileStamp{}).modified; }
ObjectFormat Image::format() const { return state_->headers.format; }
PointerWidth Image::pointer_width() const { return state_->headers.pointer_width; }
ByteOrder Image::byte_order() const { return state_->headers.byte_order; }
std::uint16_t Image::machine() const { return state_->headers.machine; }
std::uint16_t Image::file_type() const { return state_->headers.file_type; }
std::uint32_t Image::processor_flags() const { return state_->headers.processor_flags; }
bool Image::is_program() const { return state_->headers.is_program; }
Address Image::entry() const { return state_->headers.entry; }
std::span<const std::byte> Image::build_id() const { return state_->headers.build_id; }
std::span<const Section> Image::sections() const { return state_->headers.sections; }

std::optional<DebugLink> Image::debug_link() const {
  const Section* section = find_section(".gnu_debuglink");
  if (section == nullptr) return std::nullopt;
  const auto bytes = section_bytes(*section);
  if (!bytes) return std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const std::size_t length = text.find('\0');
  if (length == std::string_view::npos || length == 0) return std::nullopt;
  ByteReader reader(*bytes, byte_order(), path());
  // The checksum follows at the next multiple of four after the name's end.
  if (!reader.read_bytes((length + 4) / 4 * 4, "debug link name")) return std::nullopt;
  const auto crc = reader.read_u32("debug link checksum");
  if (!crc) return std::nullopt;
  return DebugLink{std::string(text.substr(0, length)), *crc};
}

bool Image::prefixes_names() const { return format() == ObjectFormat::pe && machine() == EM_386; }

const Section* Image::find_section(std::string_view name) const {
  const auto& sections = state_->headers.sections;
  const auto found = std::ranges::find(sections, name, &Section::name);
  return found == sections.end() ? nullptr : &*found;
}

const Section* Image::code_section_at(Address address) const {
  const State& s = *state_;
  const auto after = std::ranges::upper_bound(
      s.code_sections, address, {},
      [&s](std::size_t index) { return s.headers.sections[index].address; });
  if (after == s.code_sections.begin()) return nullptr;
  const Section& section = s.headers.sections[*std::prev(after)];
  return address - section.address < section.size ? &section : nullptr;
}

AddressRange Image::code_range() const {
  AddressRange range;
  for (const std::size_t index : state_->code_sections) {
    const AddressRange part = state_->headers.sections[index].range();
    if (range.empty()) {
      range = part;
    } else {
      range.high = std::max(range.high, part.high);
    }
  }
  return range;
}

Expected<std::vector<std::byte>> Image::State::unpack(const Packing& packing) {
  if (packing.size > unpacking_budget) {
    return Error{ErrorCode::unsupported,
                 fmt::format("{} bytes are announced, where the compressed sections of a file of "
                             "{} bytes may have {} together, of which {} are left; decompress the "
                             "file with objcopy --decompress-debug-sections if it can be trusted",
                             packing.size, source.size(), most_unpacked_bytes(source.size()),
                             unpacking_budget),
                 source.name(), std::nullopt};
  }
  auto bytes = decompress(packing.compression, packing.packed, packing.size);
  if (bytes) unpacking_budget -= packing.size;
  return bytes;
}

Expected<ByteBuffer> Image::State::load(const Section& section) {
  auto bytes = source.read_buffer(section.offset, section.size);
  if (!bytes) {
    Error error = std::move(bytes).error();
    error.message = fmt::format("section {}: {}", section.name, error.message);
    return error;
  }
  if (source.written_since()) {
    return Error{ErrorCode::unreadable,
                 fmt::format("section {} cannot be read any more: the file was written anew since "
                             "it was opened; load it again",
                             section.name),
                 source.name(), section.offset};
  }
  const bool compressed = (section.flags & SHF_COMPRESSED) != 0;
  if (!compressed && !legacy_compressed[section.index]) return bytes;
  const auto packing = compressed ? read_compression_header(bytes->bytes(), headers, source.name())
                                  : read_legacy_header(bytes->bytes(), source.name());
  auto unpacked = packing ? unpack(*packing) : Expected<std::vector<std::byte>>(packing.error());
  if (unpacked) return ByteBuffer(std::move(*unpacked));
  Error error = std::move(unpacked).error();
  error.message = fmt::format("compressed section {}: {}", section.name, error.message);
  error.path = source.name();
  error.offset = section.offset;
  return error;
}

Expected<std::span<const std::byte>> Image::section_bytes(const Section& section) const {
  State& s = *state_;
  if (section.type == SHT_NOBITS || section.type == SHT_NULL || section.size == 0) {
    return std::span<const std::byte>();
  }
  if (section.index >= s.headers.sections.size()) {
    return Error{ErrorCode::invalid_argument, "a section of another file is asked for", path(),
                 std::nullopt};
  }
  // The caller may have changed its copy; the file's own header is the one that was checked.
  const Section& own = s.headers.sections[section.index];
  const bool plain = (own.flags & SHF_COMPRESSED) == 0 && !s.legacy_compressed[own.index];
  if (plain && !s.source.descriptor() && s.source.holds(own.offset, own.size)) {
    return s.source.memory().subspan(own.offset, own.size);
  }
  const std::scoped_lock lock(s.mutex);
  auto found = s.loaded.find(own.index);
  if (found == s.loaded.end()) found = s.loaded.emplace(own.index, s.load(own)).first;
  if (!found->second) return found->second.error();
  return std::as_const(*found->second).bytes();
}

const Section* Image::section_at(Address address) const {
  if (const Section* code = code_section_at(address)) return code;
  const auto found = std::ranges::find_if(sections(), [&](const Section& section) {
    return section.allocated() && section.type != SHT_NOBITS && (section.flags & SHF_TLS) == 0 &&
           address >= section.address && address - section.address < section.size;
  });
  return found == sections().end() ? nullptr : &*found;
}

bool Image::State::has_parts(const Section& section) const {
  const bool packed = (section.flags & SHF_COMPRESSED) != 0 || legacy_compressed[section.index];
  const std::uint64_t large = section.allocated() ? large_code : large_section;
  return source.descriptor() && !packed && section.size >= large;
}

bool Image::has_parts(const Section& section) const { return state_->has_parts(section); }

std::optional<std::vector<std::byte>> Image::State::read_part(const Section& section,
                                                              std::uint64_t offset,
                                                              std::uint64_t size) {
  const bool inside = offset <= section.size && size <= section.size - offset;
  if (!inside || !has_parts(section)) return std::nullopt;
  {
    const std::scoped_lock lock(mutex);
    std::uint64_t& read = read_in_parts[section.index];
    read += size;
    if (loaded.contains(section.index) || read > section.size / much_of_a_section) {
      return std::nullopt;
    }
  }
  auto bytes = source.read_at(section.offset + offset, size);
  if (!bytes || source.written_since()) return std::nullopt;
  return std::move(*bytes);
}

Expected<std::span<const std::byte>> Image::section_part(const Section& section,
                                                         std::uint64_t offset, std::uint64_t size,
                                                         std::vector<std::byte>& own) const {
  if (auto part = state_->read_part(section, offset, size)) {
    own = std::move(*part);
    return std::span<const std::byte>(own);
  }
  TRY_ASSIGN(const auto bytes, section_bytes(section));
  if (offset > bytes.size() || size > bytes.size() - offset) {
    return Error{ErrorCode::truncated,
                 fmt::format("{} bytes expected at {:#x} of section {}, which has {:#x}", size,
                             offset, section.name, bytes.size()),
                 path(), section.offset};
  }
  return bytes.subspan(offset, size);
}

std::span<const std::byte> Image::bytes_in(AddressRange range, std::vector<std::byte>& own) const {
  const Section* section = range.empty() ? nullptr : section_at(range.low);
  if (section == nullptr || section->type == SHT_NOBITS) return {};
  const std::uint64_t offset = range.low - section->address;
  const std::uint64_t size = std::min(range.size(), section->size - offset);
  const auto part = section_part(*section, offset, size, own);
  return part ? *part : std::span<const std::byte>();
}

}  // namespace gprof
