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

#include "engine/import/named_places.h"
#include "engine/import/pprof_file.h"
#include "engine/import/pprof_units.h"
#include "engine/import/stack_metrics.h"
#include "engine/import/text_tokens.h"
#include "engine/object/decompress.h"
#include "engine/support/limits.h"

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

Expected<PprofFile> parse(const Unpacked& unpacked, const std::string& path, ImportRoom& room) {
  if (!PprofFile::begins(unpacked.bytes)) {
    return Error{ErrorCode::wrong_format,
                 "a profile in pprof's format expected, which begins with its sample types; it "
                 "holds something else",
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

ToldThread thread_of(const PprofSample& sample) {
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

class PprofImport {
 public:
  PprofImport(const PprofFile& file, ImportRoom& room, const std::string& path,
              const ImportTarget& target)
      : file_(file),
        room_(room),
        path_(path),
        target_(target),
        places_(target, room, file.types().size()),
        resolved_(file.locations().size()) {}

  Expected<ImportedProfile> read(Warnings& warnings);

 private:
  // In place of a module: the stack goes on, but is not told.
  static constexpr std::uint32_t missing = stack_marks::left_out;

  [[nodiscard]] bool has_own_build_id(const PprofMapping& mapping) const {
    return !target_.build_id.empty() && mapping.build_id == target_.build_id;
  }
  void find_own_mapping();
  void find_bias();
  [[nodiscard]] NamedPlace name_of(const PprofLine& line) const;
  // The function that the code is of, into which others may have been inlined.
  [[nodiscard]] NamedPlace outer_name(const PprofLocation& location) const;
  [[nodiscard]] ModuleAddress place_of(std::uint64_t id);
  [[nodiscard]] ModuleAddress resolve(const PprofLocation& location);
  [[nodiscard]] std::optional<Address> named_address(const PprofLocation& location);
  [[nodiscard]] ModuleAddress elsewhere(const PprofLocation& location, const PprofMapping* mapping);
  void take(const PprofSample& sample);
  void warn(Warnings& warnings) const;

  const PprofFile& file_;
  ImportRoom& room_;
  const std::string& path_;
  const ImportTarget& target_;
  NamedPlaces places_;
  std::vector<std::optional<ModuleAddress>> resolved_;  // by location
  std::vector<PprofMetric> metrics_;
  std::optional<StackMetrics> stacks_;
  const PprofMapping* own_ = nullptr;
  std::optional<std::uint64_t> bias_;  // none: addresses say nothing
  bool other_build_ = false;
  bool has_negative_ = false;
  std::vector<ModuleAddress> frames_;
};

void PprofImport::find_own_mapping() {
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

// Addresses are of the process, or link-time addresses already: what the names say counts.
void PprofImport::find_bias() {
  if (own_ == nullptr) return;
  const std::array<std::uint64_t, 2> candidates = {own_->start - own_->offset - target_.code_bias,
                                                   0};
  std::array<std::size_t, 2> votes = {};
  std::size_t compared = 0;
  for (const PprofLocation& location : file_.locations()) {
    if (location.mapping != own_->id || location.address == 0) continue;
    if (location.line_count == 0) continue;
    const NamedPlace name = outer_name(location);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (places_.is_at(name, {location.address - candidates[i]})) ++votes[i];
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

NamedPlace PprofImport::name_of(const PprofLine& line) const {
  NamedPlace place;
  constexpr std::uint64_t most = std::numeric_limits<LineNumber>::max();
  place.line = static_cast<LineNumber>(line.line <= most ? line.line : 0);
  const PprofFunction* function = file_.function(line.function);
  if (function == nullptr) return place;
  place.name = function->name.empty() ? function->system_name : function->name;
  place.linkage_name = function->system_name;
  place.file = function->file;
  return place;
}

NamedPlace PprofImport::outer_name(const PprofLocation& location) const {
  if (location.line_count == 0) return {};
  return name_of(file_.lines()[location.first_line + location.line_count - 1]);
}

// Of a line that was inlined the code is that of the function around it.
std::optional<Address> PprofImport::named_address(const PprofLocation& location) {
  const auto function = places_.find(outer_name(location));
  if (!function) return std::nullopt;
  constexpr std::size_t most_inlined = 16;
  for (std::size_t i = 0; i < std::min(location.line_count, most_inlined); ++i) {
    const NamedPlace line = name_of(file_.lines()[location.first_line + i]);
    if (const auto address = places_.line_in(*function, line.file, line.line)) return address;
  }
  return target_.symbols[*function].address;
}

ModuleAddress PprofImport::elsewhere(const PprofLocation& location, const PprofMapping* mapping) {
  const NamedPlace name = outer_name(location);
  const std::string_view text = name.linkage_name.empty() ? name.name : name.linkage_name;
  const std::string_view module = mapping != nullptr ? mapping->file : std::string_view();
  const std::string_view shown = last_part(module);
  // A module's name stands for functions of it that are not known.
  const bool is_module = text.size() == shown.size() + 2 && text.starts_with('[') &&
                         text.substr(1, shown.size()) == shown;
  if (!text.empty() && !is_module) {
    if (text == "[truncated]" || text == "[no stack]" || text == "[left out]") return {missing, {}};
    if (text == "[unknown]") return {};
    return places_.external(module.empty() ? "other code" : module, text);
  }
  if (mapping == nullptr || module.empty()) return {};
  const bool has_address = location.address >= mapping->start && mapping->limit > mapping->start;
  const std::uint32_t number = places_.module_of(module, mapping->build_id);
  if (number == no_module || !has_address) return {number, {}};
  // Where the file has it: as most libraries are linked.
  return {number, {location.address - mapping->start + mapping->offset}};
}

ModuleAddress PprofImport::resolve(const PprofLocation& location) {
  const PprofMapping* mapping = file_.mapping(location.mapping);
  if (mapping != nullptr && mapping != own_ && !mapping->file.empty()) {
    const bool other = last_part(mapping->file) != last_part(target_.path);
    if (other && !has_own_build_id(*mapping)) return elsewhere(location, mapping);
  }
  if (mapping != nullptr && mapping == own_ && bias_ && location.address != 0) {
    return {0, {location.address - *bias_}};
  }
  if (const auto address = named_address(location)) return {0, *address};
  return elsewhere(location, mapping == own_ ? nullptr : mapping);
}

ModuleAddress PprofImport::place_of(std::uint64_t id) {
  const PprofLocation* location = file_.location(id);
  if (location == nullptr) return {};
  auto& place = resolved_[static_cast<std::size_t>(location - file_.locations().data())];
  if (!place) place = resolve(*location);
  return *place;
}

void PprofImport::take(const PprofSample& sample) {
  frames_.clear();
  for (const std::uint64_t id : sample.locations) {
    ModuleAddress place = place_of(id);
    if (place.module == missing) continue;
    // Callers are told by their call instructions, stacks hold return addresses.
    const bool is_caller = !frames_.empty() && place.module != no_module;
    if (is_caller && place.address.value != 0) place.address = place.address + 1;
    frames_.push_back(place);
  }
  const ToldThread told = thread_of(sample);
  const bool has_thread = told.process != 0 || told.thread != 0 || !told.name.empty();
  const std::uint32_t thread =
      has_thread ? stacks_->thread_of(told.process, told.thread, told.name) : no_thread;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (metrics_[i].type >= sample.values.size()) continue;
    const std::int64_t value = sample.values[metrics_[i].type];
    has_negative_ = has_negative_ || value < 0;
    if (value <= 0) continue;
    stacks_->add(i, frames_, static_cast<std::uint64_t>(value) / metrics_[i].divisor, thread);
  }
}

void PprofImport::warn(Warnings& warnings) const {
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
  if (stacks_->left_out_samples() > 0) {
    add(fmt::format("{} values of samples are left out: the file {}", stacks_->left_out_samples(),
                    short_of_room_text()));
  } else if (room_.was_short()) {
    add(short_of_room_text());
  }
  if (stacks_->has_left_out_threads()) {
    add("holds samples of more threads than are told apart");
  }
  if (other_build_) {
    add(fmt::format("is of another build of {}: code is found by the names of functions",
                    target_.path));
  }
  const std::uint64_t unplaced = stacks_->unplaced(target_.symbols);
  if (unplaced > 0) {
    add(unplaced_samples_text(unplaced, stacks_->stacks(), target_.path));
  }
}

Expected<ImportedProfile> PprofImport::read(Warnings& warnings) {
  std::vector<std::uint64_t> common(file_.types().size());
  file_.for_each_sample([&](const PprofSample& sample) {
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
      if (sample.values[i] <= 0) continue;
      common[i] = std::gcd(common[i], static_cast<std::uint64_t>(sample.values[i]));
    }
  });
  metrics_ = pprof_metrics(file_, common);
  std::vector<StackMetric> metrics;
  for (const PprofMetric& metric : metrics_) metrics.push_back(metric.metric);
  stacks_.emplace(std::move(metrics), room_);
  find_own_mapping();
  find_bias();
  file_.for_each_sample([this](const PprofSample& sample) { take(sample); });
  if (!stacks_->is_of_program()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("none of its {} samples is of {}; name the program that was recorded",
                             stacks_->stacks(), target_.path),
                 path_, std::nullopt};
  }
  warn(warnings);
  return stacks_->take(places_, target_.symbols);
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
  ImportRoom room(bytes.size());
  TRY_ASSIGN(const auto file, parse(unpacked, path, room));
  PprofProgram program;
  program.is_export = file.has_comment("gprof-lsp: ");
  if (file.mappings().empty()) return program;
  program.path = file.mappings().front().file;
  program.build_id = file.mappings().front().build_id;
  return program;
}

Expected<ImportedProfile> read_pprof(std::string_view bytes, const std::string& path,
                                     const ImportTarget& target, Warnings& warnings) {
  TRY_ASSIGN(const auto unpacked, unpack(bytes, path));
  ImportRoom room(bytes.size());
  TRY_ASSIGN(const auto file, parse(unpacked, path, room));
  return PprofImport(file, room, path, target).read(warnings);
}

}  // namespace gprof
