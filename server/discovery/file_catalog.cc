#include "server/discovery/file_catalog.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <elf.h>

#include "engine/gmon/load_bias.h"
#include "engine/import/callgrind.h"
#include "engine/import/folded.h"
#include "engine/import/perf_data/perf_data.h"
#include "engine/import/pprof.h"
#include "engine/object/debug_file.h"
#include "engine/profile_files.h"
#include "engine/support/byte_reader.h"
#include "engine/support/limits.h"
#include "engine/support/packed_file.h"
#include "server/discovery/profile_names.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// The string at `offset` in the table; empty if out of range.
std::string text_at(const Image& image, const Section& strings, std::uint64_t offset) {
  const auto bytes = image.section_bytes(strings);
  if (!bytes || offset >= bytes->size()) return {};
  const std::string_view rest(reinterpret_cast<const char*>(bytes->data()) + offset,
                              bytes->size() - offset);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string() : std::string(rest.substr(0, end));
}

std::string shared_name_of(const Image& image) {
  const Section* dynamic = image.find_section(".dynamic");
  if (dynamic == nullptr || dynamic->link >= image.sections().size()) return {};
  const auto bytes = image.section_bytes(*dynamic);
  if (!bytes) return {};
  ByteReader reader(*bytes, image.byte_order(), image.path());
  for (;;) {
    const auto tag = reader.read_word(image.pointer_width(), "dynamic tag");
    const auto value = reader.read_word(image.pointer_width(), "dynamic value");
    if (!tag || !value || *tag == DT_NULL) return {};
    if (*tag == DT_SONAME) return text_at(image, image.sections()[dynamic->link], *value);
  }
}

BinaryFacts look_at_binary(const fs::path& path, const FileStamp& stamp) {
  BinaryFacts facts;
  facts.stamp = stamp;
  const auto image = Image::open(path);
  if (!image) {
    facts.was_read = image.error().code != ErrorCode::unreadable;
    return facts;
  }
  facts.readable = true;
  facts.is_program = (*image)->is_program();
  // Its debug file is not a copy of it. Code need not be in .text: the ESP32's is in .flash.text.
  const bool has_code = std::ranges::any_of((*image)->sections(), [](const Section& section) {
    return section.executable() && section.type != SHT_NOBITS && section.size > 0;
  });
  facts.has_lines = has_code && has_lines(**image);
  facts.build_id.assign((*image)->build_id().begin(), (*image)->build_id().end());
  facts.code = (*image)->code_range();
  facts.layout = layout_of(**image);
  if (!facts.is_program) facts.shared_name = shared_name_of(**image);
  return facts;
}

// Enough to recognise the format of a file.
constexpr std::uint64_t looked_at = 16384;

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A damaged or incomplete file must not replace what was shown before.
void look_at_callgrind(const InputFile& file, const fs::path& path, ProfileFacts& facts) {
  const auto program = [&]() -> Expected<std::string> {
    TRY(check_size(file, largest_profile, "a callgrind file"));
    TRY_ASSIGN(const auto bytes, file.read_all());
    return check_callgrind(text_of(bytes), file.path());
  }();
  facts.program = path.parent_path() / (program ? *program : std::string());
  if (!program) facts.identity = program.error();
}

// The first bytes of a build-id in hexadecimal digits.
std::optional<std::array<std::byte, 8>> prefix_of(std::string_view build_id) {
  std::array<std::byte, 8> prefix = {};
  if (build_id.size() < 2 * prefix.size()) return std::nullopt;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    std::uint8_t value = 0;
    const char* digits = build_id.data() + 2 * i;
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    if (error != std::errc() || end != digits + 2) return std::nullopt;
    prefix[i] = std::byte{value};
  }
  return prefix;
}

// The program that has most samples, by its build-id or else its path.
void look_at_recording(const InputFile& file, ProfileFacts& facts) {
  const auto program = [&]() -> Expected<std::optional<RecordedProgram>> {
    TRY_ASSIGN(auto bytes, perf_data::PerfBytes::with_streams(file));
    return program_of_perf_data(std::move(bytes));
  }();
  if (!program) {
    facts.identity = program.error();
    return;
  }
  if (!*program) {
    facts.identity = Error{ErrorCode::no_profile_data, "it holds no samples of a program",
                           file.path(), std::nullopt};
    return;
  }
  if (const auto prefix = prefix_of((*program)->build_id)) {
    facts.identity = GmonIdentity{*prefix, std::nullopt, {}, 0};
  } else {
    facts.program = (*program)->path;
  }
}

void look_at_pprof(const InputFile& file, const fs::path& path, ProfileFacts& facts) {
  // Of no program, until it is known.
  facts.program = path.parent_path() / "";
  const auto told = [&]() -> Expected<PprofProgram> {
    TRY(check_size(file, largest_profile, "a profile"));
    TRY_ASSIGN(const auto bytes, file.read_all());
    return check_pprof(text_of(bytes), file.path());
  }();
  if (!told) {
    // Other files have such names, too.
    if (told.error().code == ErrorCode::wrong_format) {
      facts.left_out = "not in pprof's format, despite its name";
    } else {
      facts.identity = told.error();
    }
    return;
  }
  if (told->is_export) {
    facts.left_out = "exported from another profile";
    return;
  }
  if (const auto prefix = prefix_of(told->build_id)) {
    GmonIdentity identity;
    identity.build_id_prefix = prefix;
    facts.identity = identity;
    facts.program.clear();
  } else {
    facts.program = path.parent_path() / told->path;
  }
}

// NAME.folded is of the program NAME.
void look_at_folded(const InputFile& file, const fs::path& path, ProfileFacts& facts) {
  facts.program = path.parent_path() / fs::path(unpacked_name(path.string())).stem();
  const auto whole = [&]() -> Expected<void> {
    TRY(check_size(file, largest_profile, "folded stacks"));
    TRY_ASSIGN(const auto bytes, file.read_all());
    return check_folded(text_of(bytes), file.path());
  }();
  if (!whole) facts.identity = whole.error();
}

void look_into_profile(const fs::path& path, ProfileFacts& facts) {
  const auto file = open_unpacked(path);
  const std::string name(unpacked_name(path.filename().string()));
  if (!file) {
    facts.identity = file.error();
    return;
  }
  const auto start = file->read_at(0, std::min(looked_at, file->size()));
  if (!start) {
    facts.identity = start.error();
  } else if (perf_data::is_perf_data(text_of(*start))) {
    look_at_recording(*file, facts);
  } else if (is_pprof_name(path.filename().string()) || is_pprof_name(name)) {
    look_at_pprof(*file, path, facts);
  } else if (is_folded_name(name)) {
    look_at_folded(*file, path, facts);
  } else if (is_callgrind(text_of(*start))) {
    look_at_callgrind(*file, path, facts);
  } else {
    facts.identity = identify_gmon_file(*file);
  }
}

ProfileFacts look_at_profile(const fs::path& path, const FileStamp& stamp) {
  ProfileFacts facts;
  facts.stamp = stamp;
  look_into_profile(path, facts);
  facts.was_read = facts.identity || facts.identity.error().code != ErrorCode::unreadable;
  return facts;
}

template <typename Facts>
void keep_only(const std::set<fs::path>& paths, std::map<fs::path, Facts>& facts) {
  std::erase_if(facts, [&](const auto& entry) { return !paths.contains(entry.first); });
}

}  // namespace

Fit fit_of(const BinaryFacts& binary, const GmonIdentity& profile) {
  if (profile.build_id_prefix && !binary.build_id.empty()) {
    const auto& prefix = *profile.build_id_prefix;
    const bool same = binary.build_id.size() >= prefix.size() &&
                      std::equal(prefix.begin(), prefix.end(), binary.build_id.begin());
    return same ? Fit::build_id : Fit::none;
  }
  if (binary.layout.pointer_width != profile.layout.pointer_width ||
      binary.layout.byte_order != profile.layout.byte_order) {
    return Fit::none;
  }
  if (!profile.histogram_range) return Fit::overlaps;
  AddressRange sampled = *profile.histogram_range;
  const std::uint64_t bias = load_bias(sampled, binary.layout);
  sampled = {sampled.low - bias, sampled.high - bias};
  if (intersect(binary.code, sampled).empty()) return Fit::none;
  // glibc's collector samples from the start of the image to etext, rounded up: a few bytes past
  // the last instruction.
  const bool same_end = sampled.high >= binary.code.high - end_rounding &&
                        sampled.high <= binary.code.high + end_rounding;
  return sampled.low <= binary.code.low && same_end ? Fit::text_range : Fit::overlaps;
}

Fit fit_of(const fs::path& path, const BinaryFacts& binary, const ProfileFacts& profile) {
  if (profile.program.empty()) return fit_of(binary, *profile.identity);
  return fit_of(path, binary.stamp, file_stamp(profile.program), profile);
}

Fit fit_of(const fs::path& path, const FileStamp& stamp, const std::optional<FileStamp>& named,
           const ProfileFacts& profile) {
  if (named && named->device == stamp.device && named->inode == stamp.inode) {
    return Fit::text_range;
  }
  return path.filename() == profile.program.filename() ? Fit::overlaps : Fit::none;
}

template <typename Facts, typename Look>
const Facts* FileCatalog::seen(std::map<fs::path, Seen<Facts>>& known, const fs::path& path,
                               const Look& look_at) {
  Seen<Facts>& seen = known[path];
  if (seen.look == look_) return seen.is_there ? &seen.facts : nullptr;
  ++questions_;
  const auto stamp = file_stamp(path);
  const bool was_read = seen.look != 0 && seen.facts.was_read;
  const bool is_known = was_read && stamp && seen.facts.stamp == *stamp;
  if (stamp && !is_known) {
    Facts now = look_at(path, *stamp);
    if (now.was_read || !was_read) seen.facts = std::move(now);
  }
  seen.look = look_;
  seen.is_there = stamp.has_value();
  return seen.is_there ? &seen.facts : nullptr;
}

const BinaryFacts* FileCatalog::binary(const fs::path& path) {
  const BinaryFacts* facts = seen(binaries_, path, look_at_binary);
  return facts != nullptr && facts->readable ? facts : nullptr;
}

const ProfileFacts* FileCatalog::profile(const fs::path& path) {
  return seen(profiles_, path, look_at_profile);
}

const std::vector<SidecarModule>& FileCatalog::modules(const fs::path& profile) {
  const fs::path sidecar = sidecar_path(profile);
  const auto stamp = file_stamp(sidecar);
  if (!stamp) return no_modules_;
  auto found = runs_.find(profile);
  if (found == runs_.end() || found->second.stamp != *stamp) {
    RunModules run{*stamp, {}};
    if (auto read = read_sidecar_file(sidecar)) run.modules = std::move(read->modules);
    found = runs_.insert_or_assign(profile, std::move(run)).first;
  }
  return found->second.modules;
}

void FileCatalog::forget_all_but(const std::set<fs::path>& paths) {
  keep_only(paths, binaries_);
  keep_only(paths, profiles_);
  keep_only(paths, runs_);
}

void FileCatalog::forget_if_large() {
  constexpr std::size_t large = 20'000;
  if (binaries_.size() + profiles_.size() + runs_.size() > large) forget_all_but({});
}

}  // namespace gprof::lsp
