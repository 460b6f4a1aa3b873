#include "engine/import/gperftools.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/import/sample_threads.h"
#include "engine/import/text_tokens.h"
#include "engine/profile/profile_builder.h"
#include "engine/support/byte_reader.h"

namespace gprof {
namespace {

constexpr std::string_view heap_magic = "heap profile:";
constexpr std::string_view contention_magic = "--- contention";
constexpr std::size_t max_frames = 4096;

// The words of a CPU profile: 0, the number of header words that follow, the version, the
// microseconds between samples, 0; then the samples, each with its count, its number of frames and
// the frames; then 0, 1, 0, and the mappings as text.
struct WordFormat {
  std::size_t bytes = 8;
  ByteOrder order = ByteOrder::little;
};
constexpr std::size_t header_words = 5;
constexpr std::uint64_t max_period = 1'000'000'000;

std::uint64_t word_at(std::string_view bytes, std::size_t word, const WordFormat& format) {
  const auto* const place = reinterpret_cast<const std::byte*>(bytes.data()) + word * format.bytes;
  return format.bytes == 8 ? stored_integer<std::uint64_t>(place, format.order)
                           : stored_integer<std::uint32_t>(place, format.order);
}

std::optional<WordFormat> cpu_format(std::string_view start) {
  for (const std::size_t size : {std::size_t{8}, std::size_t{4}}) {
    if (start.size() < header_words * size) continue;
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
      const WordFormat format = {size, order};
      const std::uint64_t period = word_at(start, 3, format);
      const bool fits = word_at(start, 0, format) == 0 && word_at(start, 1, format) == 3 &&
                        word_at(start, 2, format) == 0 && period > 0 && period <= max_period &&
                        word_at(start, 4, format) == 0;
      if (fits) return format;
    }
  }
  return std::nullopt;
}

// A line of /proc/PID/maps.
struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  std::string_view path;
};

std::optional<Mapping> parse_mapping(std::string_view line) {
  const std::string_view range = take_word(line);
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto start = parse_number(range.substr(0, dash), 16);
  const auto end = parse_number(range.substr(dash + 1), 16);
  const std::string_view permissions = take_word(line);
  const auto offset = parse_number(take_word(line), 16);
  if (!start || !end || !offset || *start >= *end || permissions.size() < 3) return std::nullopt;
  static_cast<void>(take_word(line));  // the device
  static_cast<void>(take_word(line));  // the inode
  if (permissions[2] != 'x') return std::nullopt;
  return Mapping{*start, *end, *offset, trim(line)};
}

class GperftoolsProfile {
 public:
  GperftoolsProfile(std::string_view bytes, const std::string& path, const ImportTarget& target,
                    MemoryRoom& room)
      : bytes_(bytes),
        path_(path),
        target_(target),
        builder_(room),
        threads_(builder_, builder_.run({.path = path, .tool = "gperftools"})) {}

  Expected<Profile> read();

 private:
  using Addresses = std::vector<std::uint64_t>;

  Expected<void> read_cpu(const WordFormat& format);
  Expected<void> read_heap();
  Expected<void> read_contention();
  void read_mappings(std::string_view text);
  void add_metric(std::string_view name, std::string_view label, std::string_view unit,
                  MetricKind kind, std::uint32_t amounts_a_unit = 1);
  // `is_sampled`: whether the innermost address is a sampled instruction, not a return address.
  [[nodiscard]] Row stack_of(const Addresses& addresses, bool is_sampled);
  [[nodiscard]] Row place_at(std::uint64_t address, PlaceKind kind);
  void add(std::size_t metric, Row stack, double amount);
  [[nodiscard]] Error damage(std::string_view expected, std::string_view rest) const {
    return Error{ErrorCode::corrupt,
                 fmt::format("{} expected; the file is damaged: write it again", expected), path_,
                 bytes_.size() - rest.size()};
  }

  std::string_view bytes_;
  const std::string& path_;
  const ImportTarget& target_;
  ProfileBuilder builder_;
  SampleThreads threads_;
  std::vector<Mapping> mappings_;
  std::vector<Row> metrics_;
  bool has_samples_ = false;
};

void GperftoolsProfile::read_mappings(std::string_view text) {
  while (const auto line = take_line(text)) {
    if (const auto mapping = parse_mapping(*line)) mappings_.push_back(*mapping);
  }
  std::ranges::stable_sort(mappings_, {}, &Mapping::start);
}

void GperftoolsProfile::add_metric(std::string_view name, std::string_view label,
                                   std::string_view unit, MetricKind kind,
                                   std::uint32_t amounts_a_unit) {
  ProfileMetric metric;
  metric.metric = {
      std::string(name), std::string(label), std::string(unit), kind,
      kind == MetricKind::exact ? "exact: counted by gperftools" : "sampled by gperftools"};
  metric.amounts_a_unit = amounts_a_unit;
  metric.order = static_cast<std::uint32_t>(metrics_.size());
  metrics_.push_back(builder_.metric(std::move(metric)));
}

Row GperftoolsProfile::place_at(std::uint64_t address, PlaceKind kind) {
  Place place;
  place.kind = kind;
  // A return address may be the end of its mapping.
  const std::uint64_t looked_up = kind == PlaceKind::call ? address - 1 : address;
  const auto after = std::ranges::upper_bound(mappings_, looked_up, {}, &Mapping::start);
  if (after == mappings_.begin() || looked_up >= (after - 1)->end) return builder_.place(place);
  const Mapping& mapping = *(after - 1);
  const bool is_program = last_part(mapping.path) == last_part(target_.path);
  if (mapping.path.empty()) return builder_.place(place);
  place.module = builder_.module({.kind = is_program ? ModuleKind::program : ModuleKind::library,
                                  .path = is_program ? target_.path : std::string(mapping.path)});
  // Most libraries are linked at their offsets in the file.
  place.address = {address - mapping.start + mapping.offset + (is_program ? target_.code_bias : 0)};
  return builder_.place(place);
}

Row GperftoolsProfile::stack_of(const Addresses& addresses, bool is_sampled) {
  std::vector<Row> places;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const bool is_sample = i == 0 && is_sampled;
    places.push_back(place_at(addresses[i], is_sample ? PlaceKind::sampled : PlaceKind::call));
  }
  if (places.empty()) places.push_back(builder_.place({}));
  return std::ranges::find(places, no_row) == places.end() ? builder_.stack(places) : no_row;
}

void GperftoolsProfile::add(std::size_t metric, Row stack, double amount) {
  constexpr double max_amount = 9e15;
  if (!(amount > 0)) return;
  has_samples_ = true;
  builder_.cost(metrics_[metric], stack, threads_.unknown(), no_time_slice,
                static_cast<std::uint64_t>(std::llround(std::min(amount, max_amount))));
}

Expected<void> GperftoolsProfile::read_cpu(const WordFormat& format) {
  const std::size_t words = bytes_.size() / format.bytes;
  const auto rest_at = [&](std::size_t word) {
    return bytes_.substr(std::min(bytes_.size(), word * format.bytes));
  };
  // Samples come before the mappings that they need.
  std::vector<std::pair<std::uint64_t, Addresses>> samples;
  std::size_t at = header_words;
  while (true) {
    if (words - at < 3) return damage("a sample, or the end of the samples,", rest_at(at));
    const std::uint64_t count = word_at(bytes_, at, format);
    const std::uint64_t depth = word_at(bytes_, at + 1, format);
    if (depth == 0 || depth > words - at - 2) return damage("a number of frames", rest_at(at + 1));
    const bool is_end = count == 0 && depth == 1 && word_at(bytes_, at + 2, format) == 0;
    Addresses addresses;
    for (std::size_t i = 0; i < std::min<std::uint64_t>(depth, max_frames); ++i) {
      addresses.push_back(word_at(bytes_, at + 2 + i, format));
    }
    at += 2 + static_cast<std::size_t>(depth);
    if (is_end) break;
    // The signal's context and the unwinder may both give the innermost frame.
    if (addresses.size() > 1 && addresses[0] == addresses[1]) addresses.erase(addresses.begin());
    samples.emplace_back(count, std::move(addresses));
  }
  read_mappings(rest_at(at));
  constexpr std::uint64_t microseconds = 1'000'000;
  const std::uint64_t period = word_at(bytes_, 3, format);
  const auto rate =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (microseconds + period / 2) / period));
  add_metric("cpu", "CPU time", "seconds", MetricKind::sampled, rate);
  for (const auto& [count, addresses] : samples) {
    add(0, stack_of(addresses, true), static_cast<double>(count));
  }
  return {};
}

// The frames behind an `@`.
std::vector<std::uint64_t> parse_addresses(std::string_view text) {
  std::vector<std::uint64_t> addresses;
  for (std::string_view word = take_word(text); !word.empty() && addresses.size() < max_frames;
       word = take_word(text)) {
    if (word.starts_with("0x")) word.remove_prefix(2);
    if (const auto address = parse_number(word, 16)) addresses.push_back(*address);
  }
  return addresses;
}

// "3: 4096 [ 10: 8192] @ …": objects and bytes in use, and all that were allocated.
struct HeapLine {
  double objects = 0;
  double bytes = 0;
  double all_objects = 0;
  double all_bytes = 0;
  std::string_view behind;  // the @
};

std::optional<HeapLine> parse_heap_line(std::string_view line) {
  const std::size_t end = line.find('@');
  if (end == std::string_view::npos) return std::nullopt;
  std::string numbers(line.substr(0, end));
  for (char& letter : numbers) {
    if (letter == ':' || letter == '[' || letter == ']') letter = ' ';
  }
  std::string_view rest = numbers;
  HeapLine parsed;
  for (double* const value :
       {&parsed.objects, &parsed.bytes, &parsed.all_objects, &parsed.all_bytes}) {
    const auto number = parse_number(take_word(rest));
    if (!number) return std::nullopt;
    *value = static_cast<double>(*number);
  }
  parsed.behind = line.substr(end + 1);
  return parsed;
}

// The bytes between samples: "heap_v2/524288"; 0 if every allocation was counted.
double sampling_distance(std::string_view header) {
  const std::size_t mark = header.find("_v2/");
  if (mark == std::string_view::npos) return 0;
  std::string_view text = header.substr(mark + 4);
  return static_cast<double>(parse_number(take_word(text)).value_or(0));
}

// An allocation is sampled with the probability 1 - exp(-size / distance).
double scale_of(double objects, double bytes, double distance) {
  if (distance <= 1 || objects <= 0 || bytes <= 0) return 1;
  return 1 / (1 - std::exp(-(bytes / objects) / distance));
}

Expected<void> GperftoolsProfile::read_heap() {
  std::string_view rest = bytes_;
  std::string_view header = *take_line(rest);
  const auto total = parse_heap_line(header.substr(heap_magic.size()));
  if (!total) return damage("a heap profile's totals", bytes_);
  const double distance = sampling_distance(total->behind);
  const MetricKind kind = distance > 1 ? MetricKind::sampled : MetricKind::exact;
  add_metric("inuse_space", "Bytes in use", "bytes", kind);
  add_metric("inuse_objects", "Objects in use", "objects", kind);
  add_metric("alloc_space", "Allocated bytes", "bytes", kind);
  add_metric("alloc_objects", "Allocations", "objects", kind);
  std::vector<HeapLine> lines;
  while (const auto line = take_line(rest)) {
    if (trim(*line).starts_with("MAPPED_LIBRARIES:")) break;
    if (trim(*line).empty()) continue;
    const auto parsed = parse_heap_line(*line);
    if (!parsed) return damage("numbers of objects and bytes, and a stack,", rest);
    lines.push_back(*parsed);
  }
  read_mappings(rest);
  for (const HeapLine& line : lines) {
    const Row stack = stack_of(parse_addresses(line.behind), false);
    const double in_use = scale_of(line.objects, line.bytes, distance);
    const double all = scale_of(line.all_objects, line.all_bytes, distance);
    add(0, stack, line.bytes * in_use);
    add(1, stack, line.objects * in_use);
    add(2, stack, line.all_bytes * all);
    add(3, stack, line.all_objects * all);
  }
  return {};
}

Expected<void> GperftoolsProfile::read_contention() {
  std::string_view rest = bytes_;
  static_cast<void>(take_line(rest));  // the magic
  double cycles_a_second = 1e9;
  double period = 1;
  struct Contended {
    double cycles = 0;
    double count = 0;
    std::string_view addresses;
  };
  std::vector<Contended> lines;
  while (const auto line = take_line(rest)) {
    std::string_view text = trim(*line);
    if (text.starts_with("MAPPED_LIBRARIES:") || text.starts_with("---")) break;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      const std::string_view key = trim(text.substr(0, equals));
      const auto value = parse_number(trim(text.substr(equals + 1)));
      if (key == "cycles/second" && value) cycles_a_second = static_cast<double>(*value);
      if (key == "sampling period" && value) period = static_cast<double>(*value);
      continue;
    }
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos) continue;
    std::string_view numbers = text.substr(0, at);
    const auto cycles = parse_number(take_word(numbers));
    const auto count = parse_number(take_word(numbers));
    if (!cycles || !count) return damage("cycles, a count and a stack", rest);
    lines.push_back(
        {static_cast<double>(*cycles), static_cast<double>(*count), text.substr(at + 1)});
  }
  read_mappings(rest);
  constexpr std::uint32_t nanoseconds = 1'000'000'000;
  const MetricKind kind = period > 1 ? MetricKind::sampled : MetricKind::exact;
  add_metric("delay", "Waiting for locks", "seconds", kind, nanoseconds);
  add_metric("contentions", "Contended locks", "contentions", kind);
  for (const Contended& line : lines) {
    const Row stack = stack_of(parse_addresses(line.addresses), false);
    const double seconds = cycles_a_second > 0 ? line.cycles / cycles_a_second : 0;
    add(0, stack, seconds * period * nanoseconds);
    add(1, stack, line.count * period);
  }
  return {};
}

Expected<Profile> GperftoolsProfile::read() {
  const auto format = cpu_format(bytes_);
  if (format) {
    TRY(read_cpu(*format));
  } else if (bytes_.starts_with(heap_magic)) {
    TRY(read_heap());
  } else {
    TRY(read_contention());
  }
  if (!has_samples_) {
    return Error{ErrorCode::no_profile_data,
                 "holds no samples: let the program run for longer, and end normally", path_,
                 std::nullopt};
  }
  return builder_.finish();
}

}  // namespace

bool is_gperftools(std::string_view start) {
  return cpu_format(start).has_value() || start.starts_with(heap_magic) ||
         start.starts_with(contention_magic);
}

Expected<Profile> read_gperftools(std::string_view bytes, const std::string& path,
                                  const ImportTarget& target, MemoryRoom& room,
                                  Warnings& /*warnings*/) {
  return GperftoolsProfile(bytes, path, target, room).read();
}

}  // namespace gprof
