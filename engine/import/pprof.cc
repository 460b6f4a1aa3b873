#include "engine/import/pprof.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/import/function_names.h"
#include "engine/import/pprof_file.h"
#include "engine/import/pprof_units.h"
#include "engine/import/sample_threads.h"
#include "engine/import/text_tokens.h"
#include "engine/profile/profile_builder.h"
#include "engine/support/decompress.h"
#include "engine/support/limits.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b\x08";
// Locations whose names are compared with the program's, to find where it was loaded.
constexpr std::size_t most_compared = 20'000;

struct Unpacked {
  std::vector<std::byte> own;  // empty if the file is not compressed
  std::string_view bytes;
};

Expected<Unpacked> unpack(std::string_view bytes, const std::string& path) {
  Unpacked unpacked;
  unpacked.bytes = bytes;
  if (!bytes.starts_with(gzip_magic)) return unpacked;
  auto all = decompress(Compression::gzip, std::as_bytes(std::span(bytes)), std::nullopt,
                        std::min(most_unpacked_bytes(bytes.size()), largest_profile));
  if (!all) {
    Error error = std::move(all).error();
    error.path = path;
    return error;
  }
  unpacked.own = *std::move(all);
  unpacked.bytes = {reinterpret_cast<const char*>(unpacked.own.data()), unpacked.own.size()};
  return unpacked;
}

Expected<PprofFile> parse(const Unpacked& unpacked, const std::string& path, MemoryRoom& room) {
  if (!PprofFile::begins(unpacked.bytes)) {
    return Error{ErrorCode::wrong_format,
                 "a profile in pprof's format expected, which names its sample types; it holds "
                 "something else",
                 path, std::nullopt};
  }
  auto file = PprofFile::parse(unpacked.bytes, path, room);
  if (!file) {
    Error error = std::move(file).error();
    if (unpacked.own.empty() || !error.offset) return error;
    // No byte of the file.
    error.message += fmt::format(" (at byte {} once unpacked)", *error.offset);
    error.offset.reset();
    return error;
  }
  if (!file->types().empty()) return file;
  return Error{ErrorCode::wrong_format,
               "a profile in pprof's format expected, which names its sample types; there is none",
               path, std::nullopt};
}

// What is told of a thread by labels, which each tool names in its own way.
struct ToldThread {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::string_view name;
};

std::uint32_t number_of(const PprofLabel& label) {
  const auto text = parse_number(label.text);
  const std::uint64_t number = text ? *text : static_cast<std::uint64_t>(label.number);
  return number <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(number)
                                                             : 0;
}

ToldThread thread_told_by(const PprofSample& sample) {
  ToldThread told;
  for (const PprofLabel& label : sample.labels) {
    constexpr std::size_t longest_key = 16;
    std::string key(label.key.substr(0, longest_key));
    std::erase_if(key, [](char letter) { return letter == '_' || letter == ' ' || letter == '-'; });
    const bool is_number = label.text.empty() || parse_number(label.text).has_value();
    if (key == "pid" || key == "processid") {
      told.process = number_of(label);
    } else if (key == "tid" || key == "threadid" || (key == "thread" && is_number)) {
      told.thread = number_of(label);
    } else if (key == "thread" || key == "threadname" || key == "comm") {
      told.name = label.text;
    }
  }
  return told;
}

// Adds the samples of a file to a profile. A place is an address where that is known to be in the
// program or in a library, else the names of functions.
class PprofProfile {
 public:
  PprofProfile(const PprofFile& file, MemoryRoom& room, const std::string& path,
               const ImportTarget& target)
      : file_(file),
        path_(path),
        target_(target),
        program_functions_(target.symbols),
        builder_(room),
        threads_(builder_, builder_.run({.path = path, .tool = "pprof"})),
        frames_(file.locations().size()) {}

  Expected<Profile> read(Warnings& warnings);

 private:
  // The places of a location, the innermost first, in the kind that they have as callers.
  using Frames = std::vector<Row>;

  [[nodiscard]] bool has_own_build_id(const PprofMapping& mapping) const {
    return !target_.build_id.empty() && mapping.build_id == target_.build_id;
  }
  void find_own_mapping();
  void find_bias();
  void add_metrics();
  [[nodiscard]] const PprofFunction* outer_function(const PprofLocation& location) const;
  [[nodiscard]] bool is_at(const PprofFunction& function, Address address);
  [[nodiscard]] const Frames& frames_of(std::size_t location);
  [[nodiscard]] Frames read_frames(const PprofLocation& location);
  [[nodiscard]] const PprofMapping* other_mapping(const PprofLocation& location) const;
  [[nodiscard]] std::optional<Place> place_in(const PprofLocation& location);
  [[nodiscard]] Place named(Place place, const PprofLine& line);
  [[nodiscard]] Row as_innermost(Row place);
  void take(const PprofSample& sample);
  void warn(Warnings& warnings) const;

  const PprofFile& file_;
  const std::string& path_;
  const ImportTarget& target_;
  NamedFunctions program_functions_;
  ProfileBuilder builder_;
  SampleThreads threads_;
  std::vector<std::optional<Frames>> frames_;  // by location
  std::vector<PprofMetric> metrics_;
  std::vector<Row> metric_rows_;
  Row unknown_place_ = no_row;
  const PprofMapping* own_ = nullptr;
  std::optional<std::uint64_t> bias_;  // none: addresses say nothing
  bool other_build_ = false;
  bool has_negative_ = false;
  std::vector<Row> stack_;
};

void PprofProfile::find_own_mapping() {
  for (const PprofMapping& mapping : file_.mappings()) {
    if (has_own_build_id(mapping)) own_ = &mapping;
    if (own_ != nullptr) return;
  }
  for (const PprofMapping& mapping : file_.mappings()) {
    if (last_part(mapping.file) != last_part(target_.path)) continue;
    own_ = &mapping;
    other_build_ = !mapping.build_id.empty() && !target_.build_id.empty();
    return;
  }
  // The first is the program's, if it says nothing else.
  if (!file_.mappings().empty() && file_.mappings().front().file.empty()) {
    own_ = &file_.mappings().front();
  }
}

// The function that the location's code belongs to, after inlining. Null if the file has none.
const PprofFunction* PprofProfile::outer_function(const PprofLocation& location) const {
  if (location.line_count == 0) return nullptr;
  return file_.function(file_.lines()[location.first_line + location.line_count - 1].function);
}

bool PprofProfile::is_at(const PprofFunction& function, Address address) {
  const auto symbol = target_.symbols.find(address);
  if (!symbol) return false;
  const auto is_one = [&](std::string_view name) {
    return !name.empty() && std::ranges::binary_search(program_functions_.find(name), *symbol);
  };
  return is_one(function.system_name) || is_one(function.name);
}

// Addresses are of the process, or link-time addresses already: what the names say counts.
void PprofProfile::find_bias() {
  if (own_ == nullptr) return;
  const std::array<std::uint64_t, 2> candidates = {own_->start - own_->offset - target_.code_bias,
                                                   0};
  std::array<std::size_t, 2> votes = {};
  std::size_t compared = 0;
  for (const PprofLocation& location : file_.locations()) {
    if (location.mapping != own_->id || location.address == 0) continue;
    if (location.line_count == 0) continue;
    const PprofFunction* const function = outer_function(location);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (function != nullptr && is_at(*function, {location.address - candidates[i]})) ++votes[i];
    }
    if (++compared == most_compared) break;
  }
  const std::size_t best = votes[1] > votes[0] ? 1 : 0;
  if (votes[best] > compared / 2) {
    bias_ = candidates[best];
  } else if (compared == 0 && !other_build_) {
    bias_ = own_->limit > own_->start ? candidates[0] : 0;
  }
}

void PprofProfile::add_metrics() {
  std::vector<std::uint64_t> common(file_.types().size());
  file_.for_each_sample([&](const PprofSample& sample) {
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
      if (sample.values[i] <= 0) continue;
      common[i] = std::gcd(common[i], static_cast<std::uint64_t>(sample.values[i]));
    }
  });
  metrics_ = pprof_metrics(file_, common);
  for (std::uint32_t i = 0; i < metrics_.size(); ++i) {
    metric_rows_.push_back(builder_.metric(
        {.metric = metrics_[i].metric, .amounts_a_unit = metrics_[i].amounts_a_unit, .order = i}));
  }
}

// Null if the location is in the program or in no mapping.
const PprofMapping* PprofProfile::other_mapping(const PprofLocation& location) const {
  const PprofMapping* const mapping = file_.mapping(location.mapping);
  if (mapping == nullptr || mapping == own_ || mapping->file.empty()) return nullptr;
  const bool is_other = last_part(mapping->file) != last_part(target_.path);
  return is_other && !has_own_build_id(*mapping) ? mapping : nullptr;
}

// The place of a location as a caller, without names. None if there is no room for its module.
std::optional<Place> PprofProfile::place_in(const PprofLocation& location) {
  Place place;
  place.kind = PlaceKind::call;
  const PprofMapping* const mapping = other_mapping(location);
  if (mapping != nullptr) {
    place.module = builder_.module({.kind = ModuleKind::library,
                                    .path = std::string(mapping->file),
                                    .build_id = std::string(mapping->build_id)});
    if (place.module == no_row) return std::nullopt;
    const bool has_address = location.address >= mapping->start && mapping->limit > mapping->start;
    // Most libraries are linked at their offsets in the file. pprof holds the last byte of a call,
    // a Place the return address.
    if (has_address) place.address = {location.address - mapping->start + mapping->offset + 1};
    return place;
  }
  const PprofMapping* const own = file_.mapping(location.mapping);
  if (own == nullptr || own != own_ || !bias_ || location.address == 0) return place;
  place.module = builder_.module(
      {.kind = ModuleKind::program, .path = target_.path, .build_id = target_.build_id});
  place.address = {location.address - *bias_ + 1};
  return place;
}

Place PprofProfile::named(Place place, const PprofLine& line) {
  const auto line_number = [](std::uint64_t number) {
    constexpr std::uint64_t most = std::numeric_limits<LineNumber>::max();
    return static_cast<LineNumber>(number <= most ? number : 0);
  };
  place.line = line_number(line.line);
  const PprofFunction* const function = file_.function(line.function);
  if (function == nullptr) return place;
  const auto text = [&](std::string_view told) {
    return told.empty() ? no_row : builder_.text(told);
  };
  place.function = text(function->name.empty() ? function->system_name : function->name);
  place.linkage_name = text(function->system_name);
  place.file = text(function->file);
  place.start_line = line_number(function->start_line);
  return place;
}

PprofProfile::Frames PprofProfile::read_frames(const PprofLocation& location) {
  const auto place = place_in(location);
  const PprofFunction* const outer = outer_function(location);
  const std::string_view name = outer == nullptr             ? std::string_view()
                                : outer->system_name.empty() ? outer->name
                                                             : outer->system_name;
  if (name == "[truncated]" || name == "[left out]") {
    return {builder_.place({.kind = PlaceKind::left_out})};
  }
  const PprofMapping* const mapping = other_mapping(location);
  // A module's name stands for functions of it that are not known.
  const std::string_view shown = mapping == nullptr ? std::string_view() : last_part(mapping->file);
  const bool is_module = name.size() == shown.size() + 2 && name.starts_with('[') &&
                         name.substr(1, shown.size()) == shown;
  if (!place || name == "[unknown]" || name == "[no stack]") {
    return {builder_.place({.kind = PlaceKind::call})};
  }
  // The program's debug information says more about an address than these names.
  const bool is_own = place->module != no_row && mapping == nullptr;
  if (name.empty() || is_module || is_own) return {builder_.place(*place)};
  Frames frames;
  // Samples may repeat a location that has any number of lines.
  constexpr std::size_t max_inlined = 16;
  const std::size_t outermost = location.line_count - 1;
  for (std::size_t i = 0; i < std::min(outermost, max_inlined); ++i) {
    Place line = named(Place(), file_.lines()[location.first_line + i]);
    line.kind = PlaceKind::inlined;
    frames.push_back(builder_.place(line));
  }
  frames.push_back(builder_.place(named(*place, file_.lines()[location.first_line + outermost])));
  return frames;
}

const PprofProfile::Frames& PprofProfile::frames_of(std::size_t location) {
  std::optional<Frames>& known = frames_[location];
  if (!known) known = read_frames(file_.locations()[location]);
  return *known;
}

// Frames have the kind of callers; the innermost was sampled, and its address is the instruction's.
Row PprofProfile::as_innermost(Row row) {
  if (row == no_row || builder_.place_at(row).kind != PlaceKind::call) return row;
  Place place = builder_.place_at(row);
  place.address = lookup_address(place);
  place.kind = PlaceKind::sampled;
  return builder_.place(place);
}

void PprofProfile::take(const PprofSample& sample) {
  stack_.clear();
  // Functions inlined into the sampled one come before it.
  bool is_innermost = true;
  for (const std::uint64_t id : sample.locations) {
    const PprofLocation* const location = file_.location(id);
    if (location == nullptr) {
      stack_.push_back(unknown_place_);
      is_innermost = false;
      continue;
    }
    const Frames& frames = frames_of(static_cast<std::size_t>(location - file_.locations().data()));
    for (const Row frame : frames) {
      stack_.push_back(is_innermost ? as_innermost(frame) : frame);
      is_innermost =
          is_innermost && frame != no_row && builder_.place_at(frame).kind == PlaceKind::inlined;
    }
  }
  if (stack_.empty()) stack_.push_back(unknown_place_);
  const bool has_room = std::ranges::find(stack_, no_row) == stack_.end();
  const Row stack = has_room ? builder_.stack(stack_) : no_row;
  const ToldThread told = thread_told_by(sample);
  const Row thread = threads_.find_or_add(told.process, told.thread, told.name);
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (metrics_[i].type >= sample.values.size() || metric_rows_[i] == no_row) continue;
    const std::int64_t value = sample.values[metrics_[i].type];
    has_negative_ = has_negative_ || value < 0;
    if (value <= 0) continue;
    const std::uint64_t amount = static_cast<std::uint64_t>(value) / metrics_[i].divisor;
    builder_.cost(metric_rows_[i], stack, thread, no_time_slice, amount,
                  saturating_multiply(amount, metrics_[i].amounts_a_sample - 1));
  }
}

void PprofProfile::warn(Warnings& warnings) const {
  const auto add = [&](std::string message) {
    warnings.push_back(Error{ErrorCode::mismatch, std::move(message), path_, std::nullopt});
  };
  if (file_.types_left_out() > 0) {
    add(fmt::format("holds more than {} sample types: {} are not shown", PprofFile::most_types,
                    file_.types_left_out()));
  }
  if (has_negative_) {
    add("holds negative values, as differences have: they are not shown; compare profiles with "
        "`gprof-lsp diff`");
  }
  if (auto warning = threads_.warning(path_)) warnings.push_back(*std::move(warning));
  if (other_build_) {
    add(fmt::format("is of another build of {}: code is found by the names of functions",
                    target_.path));
  }
}

Expected<Profile> PprofProfile::read(Warnings& warnings) {
  unknown_place_ = builder_.place({});
  add_metrics();
  find_own_mapping();
  find_bias();
  file_.for_each_sample([this](const PprofSample& sample) { take(sample); });
  warn(warnings);
  return builder_.finish();
}

}  // namespace

bool is_pprof(std::string_view start) {
  return start.starts_with(gzip_magic) || PprofFile::begins(start);
}

bool is_pprof_name(std::string_view name) {
  return name.ends_with(".pb.gz") || name.ends_with(".pprof");
}

Expected<PprofProgram> check_pprof(std::string_view bytes, const std::string& path) {
  TRY_ASSIGN(const auto unpacked, unpack(bytes, path));
  MemoryRoom room(bytes.size());
  TRY_ASSIGN(const auto file, parse(unpacked, path, room));
  PprofProgram program;
  program.is_export = file.has_comment("gprof-lsp: ");
  if (file.mappings().empty()) return program;
  program.path = file.mappings().front().file;
  program.build_id = file.mappings().front().build_id;
  return program;
}

Expected<Profile> read_pprof(std::string_view bytes, const std::string& path,
                             const ImportTarget& target, MemoryRoom& room, Warnings& warnings) {
  TRY_ASSIGN(const auto unpacked, unpack(bytes, path));
  TRY_ASSIGN(const auto file, parse(unpacked, path, room));
  return PprofProfile(file, room, path, target).read(warnings);
}

}  // namespace gprof
