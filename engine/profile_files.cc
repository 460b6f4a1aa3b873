#include "engine/profile_files.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/collected_profile.h"
#include "engine/gmon/entry_view.h"
#include "engine/gmon/live_reader.h"
#include "engine/gmon/reader.h"
#include "engine/import/callgrind.h"
#include "engine/import/converted_profile.h"
#include "engine/import/folded.h"
#include "engine/import/gperftools.h"
#include "engine/import/perf_data/perf_data.h"
#include "engine/import/perf_script.h"
#include "engine/import/pprof.h"
#include "engine/run_info.h"
#include "engine/support/byte_buffer.h"
#include "engine/support/digit_groups.h"
#include "engine/support/limits.h"
#include "engine/support/packed_file.h"

namespace gprof {
namespace {

// How much of a file is read to recognise its format.
constexpr std::uint64_t looked_at = 16384;

// Finds the lines of functions in the program's code.
class ProgramLines {
 public:
  explicit ProgramLines(const Program& program) : program_(program) {}

  std::vector<LineCode> of(SymbolIndex function, std::string_view file) {
    const Symbol& symbol = program_.symbols()[function];
    const auto unit = unit_of(symbol.address, file);
    std::vector<LineCode> lines;
    if (!unit) return lines;
    for (const LineExtent& extent : unit->extents()) {
      const AddressRange range = intersect(extent.range, {symbol.address, symbol.end});
      if (range.empty() || extent.line == 0) continue;
      lines.push_back({range, file_name(extent.file), extent.line});
    }
    return lines;
  }

 private:
  std::shared_ptr<const UnitLines> unit_of(Address address, std::string_view file) {
    const auto holds = [&](const std::shared_ptr<const UnitLines>& unit) {
      return unit->extent_at(address) != nullptr;
    };
    if (last_ && holds(last_)) return last_;
    const ProgramSources& sources = program_.sources();
    for (const FileId id : sources.files_named(last_part(file))) {
      for (const UnitIndex index : sources.units_of_file(id)) {
        auto unit = sources.unit(index);
        if (holds(unit)) return last_ = unit;
      }
    }
    return nullptr;
  }

  const std::string& file_name(FileId file) {
    const auto [place, is_new] = names_.try_emplace(file);
    if (is_new) place->second = last_part(program_.sources().path(file));
    return place->second;
  }

  const Program& program_;
  std::shared_ptr<const UnitLines> last_;
  std::map<FileId, std::string> names_;
};

using ImportReader = Expected<ImportedProfile> (*)(std::string_view, const std::string&,
                                                   const ImportTarget&, Warnings&,
                                                   std::optional<std::uint64_t> stored_size);

ProfileFile converted(ImportedProfile imported, FileTime modified) {
  ProfileFile profile;
  profile.metric = std::move(imported.metric);
  profile.process = imported.process;
  profile.thread = imported.thread;
  profile.raw = std::move(imported.raw);
  profile.sidecar = std::move(imported.sidecar);
  profile.own_modules = std::move(imported.own_modules);
  profile.external_names = std::move(imported.external_names);
  profile.inclusive = std::move(imported.inclusive);
  profile.threads = std::move(imported.threads);
  profile.modified = modified;
  return profile;
}

// All code is at one distance from its place in the file.
std::uint64_t code_bias_of(const Image& image) {
  for (const Section& section : image.sections()) {
    if (section.executable() && section.size > 0) return section.address.value - section.offset;
  }
  return 0;
}

ProfileFile converted_with_others(ImportedProfile imported, FileTime modified) {
  std::vector<ImportedProfile> others = std::move(imported.others);
  ProfileFile profile = converted(std::move(imported), modified);
  for (ImportedProfile& other : others) {
    profile.others.push_back(converted(std::move(other), modified));
  }
  return profile;
}

std::optional<FunctionDefinition> definition_of(const Program& program, SymbolIndex function) {
  const auto declared = program.sources().declaration(function);
  if (!declared || declared->file == no_file) return std::nullopt;
  return FunctionDefinition{program.sources().path(declared->file), declared->line};
}

// What the readers of other tools' files ask about the program.
class ProgramTarget {
 public:
  explicit ProgramTarget(const Program& program)
      : lines_(program),
        target_{program.symbols(),
                program.code(),
                program.image().path(),
                [this](SymbolIndex function, std::string_view name) {
                  return lines_.of(function, name);
                },
                program.identity().build_id_hex,
                code_bias_of(program.image()),
                program.debug_files().perf_caches,
                [&program](SymbolIndex function) { return definition_of(program, function); }} {}
  ProgramTarget(const ProgramTarget&) = delete;
  ProgramTarget& operator=(const ProgramTarget&) = delete;
  ~ProgramTarget() = default;

  [[nodiscard]] const ImportTarget& target() const { return target_; }

 private:
  ProgramLines lines_;
  ImportTarget target_;
};

Expected<ProfileFile> import_file(const InputFile& file, ImportReader read, const Program& program,
                                  Warnings& warnings) {
  TRY_ASSIGN(const auto bytes, file.read_all());
  const ProgramTarget target(program);
  const std::string_view text =
      without_byte_order_mark({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  TRY_ASSIGN(auto imported, read(text, file.path(), target.target(), warnings, file.stored_size()));
  return converted_with_others(std::move(imported), file.modified());
}

// Reads a file with a reader that makes a Profile, and converts the result.
template <ProfileReader read>
Expected<ImportedProfile> read_and_convert(std::string_view text, const std::string& path,
                                           const ImportTarget& target, Warnings& warnings,
                                           std::optional<std::uint64_t> stored_size) {
  return read_converted(read, text, path, target, warnings, stored_size);
}

// In blocks: the text of a recording has gigabytes.
Expected<ProfileFile> import_perf_script(const InputFile& file, const Program& program,
                                         Warnings& warnings) {
  const ProgramTarget target(program);
  MemoryRoom room(file.stored_size());
  TRY_ASSIGN(const Profile profile,
             read_perf_script(TextBlocks(file), file.path(), target.target(), room, warnings));
  TRY_ASSIGN(auto imported,
             converted_profile(profile, target.target(), file.path(), room, warnings));
  return converted_with_others(std::move(imported), file.modified());
}

// In parts: recordings with copies of stacks have gigabytes.
Expected<ProfileFile> import_recording(const InputFile& file, const Program& program,
                                       Warnings& warnings) {
  const ProgramTarget target(program);
  TRY_ASSIGN(auto bytes, perf_data::PerfBytes::with_streams(file));
  MemoryRoom room(file.stored_size() + bytes.total_size() - file.size());
  TRY_ASSIGN(const Profile profile,
             read_perf_data(std::move(bytes), target.target(), program.image(), room, warnings));
  TRY_ASSIGN(auto imported,
             converted_profile(profile, target.target(), file.path(), room, warnings));
  return converted_with_others(std::move(imported), file.modified());
}

enum class ProfileKind : std::uint8_t {
  gmon,
  live,
  callgrind,
  perf_script,
  perf_data,
  pprof,
  gperftools,
  folded
};

ProfileKind kind_of(std::string_view start) {
  start = without_byte_order_mark(start);
  if (start.starts_with(characters_of(gprof_formats::live_magic))) return ProfileKind::live;
  if (perf_data::is_perf_data(start)) return ProfileKind::perf_data;
  if (is_callgrind(start)) return ProfileKind::callgrind;
  if (is_perf_script(start)) return ProfileKind::perf_script;
  if (is_pprof(start)) return ProfileKind::pprof;
  if (is_gperftools(start)) return ProfileKind::gperftools;
  return is_folded(start) ? ProfileKind::folded : ProfileKind::gmon;
}

struct OpenedProfile {
  InputFile file;
  ProfileKind kind;

  static Expected<OpenedProfile> open(const std::filesystem::path& path) {
    TRY_ASSIGN(auto file, open_unpacked(perf_data::file_of_perf_folder(path)));
    if (file.size() == 0) {
      return Error{
          ErrorCode::truncated,
          "is empty: what writes it has not ended yet, or it failed; run the program again",
          file.path(), std::nullopt};
    }
    TRY_ASSIGN(const auto start, file.read_at(0, std::min(looked_at, file.size())));
    const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
    if (text.starts_with("PERFFILE")) {
      return Error{
          ErrorCode::unsupported,
          "a recording of perf before Linux 3.5, which is not supported; print it with that "
          "`perf script`, whose text can be read",
          file.path(), 0};
    }
    ProfileKind kind = kind_of(text);
    // Where the content says nothing: BSD's gmon files begin with any numbers.
    if (kind == ProfileKind::gmon && !text.starts_with("gmon") && is_pprof_name(file.path())) {
      kind = ProfileKind::pprof;
    }
    // gzip is part of pprof's format: its reader unpacks the file within a tighter bound.
    if (kind == ProfileKind::pprof && file.stored_size() != file.size()) {
      TRY_ASSIGN(auto packed, InputFile::open(path));
      TRY_ASSIGN(const auto magic, packed.read_at(0, std::min<std::uint64_t>(3, packed.size())));
      if (is_pprof({reinterpret_cast<const char*>(magic.data()), magic.size()})) {
        file = std::move(packed);
      }
    }
    // Live files and perf.data are read in parts.
    if (kind == ProfileKind::perf_script) {
      TRY(check_size(file, TextBlocks::max_file_size, "a text of `perf script`"));
    } else if (kind != ProfileKind::live && kind != ProfileKind::perf_data) {
      TRY(check_size(file, largest_profile, "a profile"));
    }
    return OpenedProfile{std::move(file), kind};
  }
};

constexpr std::string_view supported_formats =
    "supported are gmon files, perf.data, texts of `perf script`, callgrind's, pprof's and "
    "gperftools' files, and folded stacks";

// Fails for a text. BSD's gmon files have no magic number, so anything else would pass for one;
// they begin with addresses.
Expected<void> check_is_no_text(std::string_view start, const std::string& path) {
  constexpr std::size_t looked_at_for_text = 512;
  start = start.substr(0, looked_at_for_text);
  // A gmon file that was cut within its magic is one.
  if (start.starts_with("gmon") || std::string_view("gmon").starts_with(start)) return {};
  const auto is_control = [](char byte) {
    const auto code = static_cast<unsigned char>(byte);
    return code < ' ' && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f';
  };
  const auto zeros = std::ranges::count(start, '\0');
  const auto controls = std::ranges::count_if(start, is_control);
  // In such a text nearly every other byte is zero. A byte order mark alone says too little: an
  // address may begin with the same two bytes.
  const bool has_mark = start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff");
  const bool are_enough =
      2 * zeros + 2 >= std::ssize(start) || (has_mark && 3 * zeros >= std::ssize(start));
  const bool is_utf16 =
      zeros > 0 && controls == zeros && are_enough && 2 * zeros <= std::ssize(start);
  if (is_utf16) {
    return Error{ErrorCode::wrong_format,
                 "is a text in UTF-16, but UTF-8 is expected; convert it, as with `iconv -f "
                 "UTF-16LE -t UTF-8`",
                 path, 0};
  }
  if (controls > 0) return {};
  return Error{ErrorCode::wrong_format,
               fmt::format("not a profile: this text is in no known format; {}", supported_formats),
               path, 0};
}

Expected<ProfileFile> gmon_profile_of(const InputFile& file, const GmonLayout& layout,
                                      Warnings& warnings) {
  ByteBuffer buffer = ByteBuffer::of_size(static_cast<std::size_t>(file.size()));
  if (buffer.bytes().size() != file.size()) {
    return Error{ErrorCode::unreadable, "there is not enough memory to read it", file.path(), {}};
  }
  TRY(file.read_into(0, buffer.bytes()));
  TRY(check_is_no_text(
      {reinterpret_cast<const char*>(buffer.bytes().data()), buffer.bytes().size()}, file.path()));
  ProfileFile profile;
  profile.modified = file.modified();
  auto raw = read_gmon(buffer.bytes(), file.path(), layout);
  if (!raw) {
    Error error = std::move(raw).error();
    // Files that are recognised as something else have an offset.
    const bool is_unknown = error.code == ErrorCode::wrong_format && !error.offset;
    if (is_unknown) error.message += fmt::format("; {}", supported_formats);
    return error;
  }
  profile.raw = *std::move(raw);
  profile.metric = sampled_metric(profile.raw.dimension, profile.raw.rate);
  profile.sidecar = sidecar_of(file.path(), profile.raw, warnings);
  if (profile.sidecar) profile.own_modules = modules_of_file(*profile.sidecar, file.path());
  profile.from_c_library =
      !profile.sidecar && !profile.raw.build_id_prefix && profile.raw.format == GmonFormat::gnu;
  return profile;
}

bool is_the_program(const SidecarModule& module, const ProgramIdentity& program) {
  if (!module.build_id.empty() && !program.build_id_hex.empty() &&
      module.build_id == program.build_id_hex) {
    return true;
  }
  std::error_code ignored;
  return module.path == program.path ||
         (!module.path.empty() && std::filesystem::equivalent(module.path, program.path, ignored));
}

Error of_another_program(const CollectedProfile& collected, const std::string& path,
                         const Program& program) {
  return Error{ErrorCode::mismatch,
               fmt::format("holds the counts of {}, which {} took no part in; name the executable "
                           "that is running",
                           collected.sidecar.modules.front().path, program.image().path()),
               path, std::nullopt};
}

}  // namespace

Expected<ProfileFile> profile_of_live(const LiveCounters& live, const std::string& path,
                                      const Program& program, Warnings& warnings, FileTime now) {
  CollectRequest request;
  request.end_time = static_cast<std::uint64_t>(std::max<FileTime>(now, 0));
  auto collected = collect_profile(live, request);
  if (!collected) {
    Error error = std::move(collected).error();
    if (error.path.empty()) error.path = path;
    return error;
  }
  const std::vector<SidecarModule>& modules = collected->sidecar.modules;
  const auto found = std::find_if(
      collected->modules.begin(), collected->modules.end(),
      [&](const auto& file) { return is_the_program(modules[file.module], program.identity()); });
  if (found == collected->modules.end()) return of_another_program(*collected, path, program);
  ProfileFile profile;
  profile.own_modules.resize(modules.size());
  profile.own_modules[found->module] = true;
  profile.raw = std::move(found->profile);
  profile.metric = sampled_metric(profile.raw.dimension, profile.raw.rate);
  constexpr std::uint64_t latest = std::numeric_limits<FileTime>::max();
  profile.modified = static_cast<FileTime>(std::min(live.start_time, latest));
  profile.sidecar = std::move(collected->sidecar);
  profile.from_live_counters = true;
  for (const Warnings* more : {&live.warnings, &std::as_const(collected->warnings)}) {
    for (Error warning : *more) {
      if (warning.path.empty()) warning.path = path;
      warnings.push_back(std::move(warning));
    }
  }
  return profile;
}

bool is_imported_profile(const std::filesystem::path& path) {
  const auto opened = OpenedProfile::open(path);
  return opened && opened->kind != ProfileKind::gmon && opened->kind != ProfileKind::live;
}

Metric sampled_metric(const std::string& dimension, double rate) {
  const bool of_time = dimension == "seconds";
  const bool is_whole = rate >= 1 && rate < 1e9 && std::floor(rate) == rate;
  const std::string times =
      is_whole ? digit_groups(static_cast<std::uint64_t>(rate)) : fmt::format("{:g}", rate);
  const std::string origin =
      rate > 0 ? fmt::format("sampled {} times per {}", times, of_time ? "CPU second" : "unit")
               : "not sampled";
  return {std::string(cpu_metric), of_time ? "CPU time" : "Samples", dimension, MetricKind::sampled,
          origin};
}

GmonLayout layout_of(const Image& image) {
  GmonLayout layout{image.pointer_width(), image.byte_order()};
  if (image.format() != ObjectFormat::pe) return layout;
  // Collectors sample from their own start to etext, both of them in .text.
  const Section* text = image.find_section(".text");
  layout.movable_code = text != nullptr ? text->range() : image.code_range();
  return layout;
}

namespace {

Expected<ProfileFile> read_opened(const OpenedProfile& opened, const Program& program,
                                  Warnings& warnings) {
  const InputFile& file = opened.file;
  switch (opened.kind) {
    case ProfileKind::live: {
      TRY_ASSIGN(auto live, read_live_counters_file(file.path()));
      return profile_of_live(live, file.path(), program, warnings);
    }
    case ProfileKind::callgrind:
      return import_file(file, read_callgrind, program, warnings);
    case ProfileKind::perf_script:
      return import_perf_script(file, program, warnings);
    case ProfileKind::perf_data:
      return import_recording(file, program, warnings);
    case ProfileKind::pprof:
      return import_file(file, read_and_convert<read_pprof>, program, warnings);
    case ProfileKind::gperftools:
      return import_file(file, read_and_convert<read_gperftools>, program, warnings);
    case ProfileKind::folded:
      return import_file(file, read_and_convert<read_folded>, program, warnings);
    case ProfileKind::gmon:
      break;
  }
  return gmon_profile_of(file, layout_of(program.image()), warnings);
}

}  // namespace

Expected<ProfileFile> read_profile_file(const std::filesystem::path& path, const Program& program,
                                        Warnings& warnings) {
  TRY_ASSIGN(auto opened, OpenedProfile::open(path));
  auto profile = read_opened(opened, program, warnings);
  if (profile || opened.file.descriptor() >= 0) return profile;
  // The offset is in the unpacked bytes, not in the file.
  Error error = std::move(profile).error();
  if (error.offset) error.message += fmt::format(" (at byte {} once unpacked)", *error.offset);
  error.offset.reset();
  return error;
}

Expected<std::optional<ProfileFile>> read_gmon_profile(const std::filesystem::path& path,
                                                       const GmonLayout& layout,
                                                       Warnings& warnings) {
  TRY_ASSIGN(const auto opened, OpenedProfile::open(path));
  if (opened.kind != ProfileKind::gmon) return std::optional<ProfileFile>();
  TRY_ASSIGN(auto profile, gmon_profile_of(opened.file, layout, warnings));
  return std::optional(std::move(profile));
}

}  // namespace gprof
