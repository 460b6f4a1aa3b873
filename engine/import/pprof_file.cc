#include "engine/import/pprof_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "engine/import/pprof_fields.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

// Longer stacks are cut.
constexpr std::size_t most_locations = 4096;
constexpr std::size_t most_labels = 64;

namespace profile_field = pprof::profile_field;

constexpr std::uint32_t varint(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::varint);
}
constexpr std::uint32_t bytes(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::length_delimited);
}

std::string_view view_of(pbf_reader& reader) {
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

// An element of a list of numbers, which may be packed.
template <typename Visit>
void each_number(pbf_reader& reader, const Visit& visit) {
  if (reader.wire_type() == pbf_wire_type::varint) return visit(reader.get_uint64());
  for (const std::uint64_t number : reader.get_packed_uint64()) visit(number);
}

template <typename List>
auto find_id(const List& list, std::uint64_t id) -> decltype(&list.front()) {
  // They are mostly numbered from 1.
  if (id - 1 < list.size() && list[id - 1].id == id) return &list[id - 1];
  const auto found = std::ranges::lower_bound(list, id, {}, &List::value_type::id);
  return found != list.end() && found->id == id ? &*found : nullptr;
}

}  // namespace

// Of references to strings the numbers are read first, for the strings come last in many files.
class PprofFile::Reader {
 public:
  Reader(PprofFile& file, MemoryRoom& room) : file_(file), room_(room) {}

  // False, and what was read is not to be used, if there is no room for all of it.
  [[nodiscard]] bool read(std::string_view data);
  // Of the message that is read.
  [[nodiscard]] const char* at() const { return at_; }

 private:
  struct Numbers {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint64_t third = 0;
  };
  [[nodiscard]] static Numbers type_of(pbf_reader message);
  void take(pbf_reader& profile);
  // Adds to a list. A list that grows has room for twice as many.
  template <typename List, typename Element>
  void add(List& list, Element element) {
    if (room_.take(2 * sizeof element)) list.push_back(std::move(element));
  }
  void take_mapping(pbf_reader message);
  void take_location(pbf_reader message);
  void take_line(pbf_reader message);
  void take_function(pbf_reader message);
  void resolve();
  [[nodiscard]] std::string_view string(std::uint64_t number) const { return file_.string(number); }

  PprofFile& file_;
  MemoryRoom& room_;
  const char* at_ = nullptr;
  std::vector<Numbers> types_;
  std::vector<Numbers> mappings_;
  std::vector<Numbers> functions_;
  Numbers period_type_;
  std::uint64_t default_type_ = 0;
};

PprofFile::Reader::Numbers PprofFile::Reader::type_of(pbf_reader message) {
  Numbers numbers;
  while (message.next()) {
    if (message.tag_and_type() == varint(pprof::value_type_field::type)) {
      numbers.first = message.get_uint64();
    } else if (message.tag_and_type() == varint(pprof::value_type_field::unit)) {
      numbers.second = message.get_uint64();
    } else {
      message.skip();
    }
  }
  return numbers;
}

void PprofFile::Reader::take_mapping(pbf_reader message) {
  PprofMapping mapping;
  Numbers numbers;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case varint(pprof::mapping_field::id):
        mapping.id = message.get_uint64();
        break;
      case varint(pprof::mapping_field::memory_start):
        mapping.start = message.get_uint64();
        break;
      case varint(pprof::mapping_field::memory_limit):
        mapping.limit = message.get_uint64();
        break;
      case varint(pprof::mapping_field::file_offset):
        mapping.offset = message.get_uint64();
        break;
      case varint(pprof::mapping_field::filename):
        numbers.first = message.get_uint64();
        break;
      case varint(pprof::mapping_field::build_id):
        numbers.second = message.get_uint64();
        break;
      default:
        message.skip();
    }
  }
  add(file_.mappings_, mapping);
  add(mappings_, numbers);
}

void PprofFile::Reader::take_line(pbf_reader message) {
  PprofLine line;
  while (message.next()) {
    if (message.tag_and_type() == varint(pprof::line_field::function_id)) {
      line.function = message.get_uint64();
    } else if (message.tag_and_type() == varint(pprof::line_field::line)) {
      line.line = message.get_uint64();
    } else {
      message.skip();
    }
  }
  add(file_.lines_, line);
}

void PprofFile::Reader::take_location(pbf_reader message) {
  PprofLocation location;
  location.first_line = file_.lines_.size();
  while (message.next()) {
    switch (message.tag_and_type()) {
      case varint(pprof::location_field::id):
        location.id = message.get_uint64();
        break;
      case varint(pprof::location_field::mapping_id):
        location.mapping = message.get_uint64();
        break;
      case varint(pprof::location_field::address):
        location.address = message.get_uint64();
        break;
      case bytes(pprof::location_field::line):
        take_line(message.get_message());
        break;
      default:
        message.skip();
    }
  }
  location.line_count = file_.lines_.size() - location.first_line;
  add(file_.locations_, location);
}

void PprofFile::Reader::take_function(pbf_reader message) {
  PprofFunction function;
  Numbers numbers;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case varint(pprof::function_field::id):
        function.id = message.get_uint64();
        break;
      case varint(pprof::function_field::name):
        numbers.first = message.get_uint64();
        break;
      case varint(pprof::function_field::system_name):
        numbers.second = message.get_uint64();
        break;
      case varint(pprof::function_field::filename):
        numbers.third = message.get_uint64();
        break;
      case varint(pprof::function_field::start_line):
        function.start_line = message.get_uint64();
        break;
      default:
        message.skip();
    }
  }
  add(file_.functions_, function);
  add(functions_, numbers);
}

void PprofFile::take_label(std::string_view label_bytes, PprofSample& sample) const {
  pbf_reader message(label_bytes.data(), label_bytes.size());
  PprofLabel label;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case varint(pprof::label_field::key):
        label.key = string(message.get_uint64());
        break;
      case varint(pprof::label_field::str):
        label.text = string(message.get_uint64());
        break;
      case varint(pprof::label_field::num):
        label.number = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  if (sample.labels.size() < most_labels) sample.labels.push_back(label);
}

void PprofFile::take_sample(std::string_view sample_bytes, PprofSample& sample) const {
  pbf_reader message(sample_bytes.data(), sample_bytes.size());
  sample.locations.clear();
  sample.values.clear();
  sample.labels.clear();
  while (message.next()) {
    switch (message.tag_and_type()) {
      case varint(pprof::sample_field::location_id):
      case bytes(pprof::sample_field::location_id):
        each_number(message, [&](std::uint64_t id) {
          if (sample.locations.size() < most_locations) sample.locations.push_back(id);
        });
        break;
      case varint(pprof::sample_field::value):
      case bytes(pprof::sample_field::value):
        each_number(message, [&](std::uint64_t value) {
          if (sample.values.size() == types_.size()) return;
          sample.values.push_back(static_cast<std::int64_t>(value));
        });
        break;
      case bytes(pprof::sample_field::label):
        take_label(view_of(message), sample);
        break;
      default:
        message.skip();
    }
  }
}

void PprofFile::Reader::take(pbf_reader& profile) {
  switch (profile.tag_and_type()) {
    case bytes(profile_field::sample_type):
      add(types_, type_of(profile.get_message()));
      break;
    case bytes(profile_field::sample):
      add(file_.samples_, view_of(profile));
      break;
    case bytes(profile_field::mapping):
      take_mapping(profile.get_message());
      break;
    case bytes(profile_field::location):
      take_location(profile.get_message());
      break;
    case bytes(profile_field::function):
      take_function(profile.get_message());
      break;
    case bytes(profile_field::string_table):
      add(file_.strings_, view_of(profile).substr(0, longest_shared_name));
      break;
    case bytes(profile_field::period_type):
      period_type_ = type_of(profile.get_message());
      break;
    case varint(profile_field::period):
      file_.period_ = profile.get_int64();
      break;
    case varint(profile_field::comment):
    case bytes(profile_field::comment):
      each_number(profile, [this](std::uint64_t text) { add(file_.comments_, text); });
      break;
    case varint(profile_field::default_sample_type):
      default_type_ = profile.get_uint64();
      break;
    default:
      profile.skip();
  }
}

bool PprofFile::Reader::read(std::string_view data) {
  pbf_reader profile(data.data(), data.size());
  while (true) {
    at_ = profile.data().data();
    if (!profile.next()) break;
    take(profile);
    // The room may have ended inside the message.
    if (room_.was_short()) return false;
  }
  resolve();
  // What is damaged in them is told now.
  PprofSample sample;
  for (const std::string_view message : file_.samples_) {
    at_ = message.data();
    file_.take_sample(message, sample);
  }
  return true;
}

void PprofFile::Reader::resolve() {
  const auto type = [&](const Numbers& numbers) {
    return PprofType{string(numbers.first), string(numbers.second)};
  };
  const std::size_t taken = std::min(types_.size(), most_types);
  for (std::size_t i = 0; i < taken; ++i) file_.types_.push_back(type(types_[i]));
  file_.types_left_out_ = types_.size() - taken;
  file_.period_type_ = type(period_type_);
  file_.default_type_ = string(default_type_);
  for (std::size_t i = 0; i < mappings_.size(); ++i) {
    file_.mappings_[i].file = string(mappings_[i].first);
    file_.mappings_[i].build_id = string(mappings_[i].second);
    add(file_.mapping_order_, i);
  }
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    file_.functions_[i].name = string(functions_[i].first);
    file_.functions_[i].system_name = string(functions_[i].second);
    file_.functions_[i].file = string(functions_[i].third);
  }
  std::ranges::stable_sort(file_.mapping_order_, {},
                           [&](std::size_t i) { return file_.mappings_[i].id; });
  std::ranges::stable_sort(file_.functions_, {}, &PprofFunction::id);
  std::ranges::stable_sort(file_.locations_, {}, &PprofLocation::id);
}

// protozero tells of damage by exceptions, which end here.
Expected<PprofFile> PprofFile::parse(std::string_view data, const std::string& path,
                                     MemoryRoom& room) {
  PprofFile file;
  Reader reader(file, room);
  try {
    if (!reader.read(data)) {
      return Error{ErrorCode::unsupported,
                   "expands to more than is accepted of a file of its size; write it again with "
                   "fewer samples, locations or names",
                   path, std::nullopt};
    }
  } catch (const protozero::exception& exception) {
    const bool is_short =
        dynamic_cast<const protozero::end_of_buffer_exception*>(&exception) != nullptr;
    return Error{ErrorCode::corrupt,
                 fmt::format("a message of pprof's format expected, but {}; the file is damaged or "
                             "incomplete: write it again",
                             is_short ? "the file ends in it" : exception.what()),
                 path, static_cast<std::uint64_t>(reader.at() - data.data())};
  }
  return file;
}

namespace {

bool is_sample_type(pbf_reader profile) {
  if (profile.tag_and_type() != bytes(profile_field::sample_type)) return false;
  pbf_reader type = profile.get_message();
  while (type.next()) {
    if (type.tag_and_type() != varint(pprof::value_type_field::type) &&
        type.tag_and_type() != varint(pprof::value_type_field::unit))
      return false;
    type.skip();
  }
  return true;
}

bool is_first_string(pbf_reader profile) {
  return profile.tag_and_type() == bytes(profile_field::string_table) && view_of(profile).empty();
}

// Those that later versions add have any type.
bool has_right_type(const pbf_reader& profile) {
  constexpr std::uint32_t last_message = 6;  // of samples, mappings, locations, functions, strings
  constexpr std::uint32_t last_field = 15;
  const bool is_number = profile.has_wire_type(pbf_wire_type::varint);
  const bool is_piece = profile.has_wire_type(pbf_wire_type::length_delimited);
  switch (const auto tag = profile.tag()) {
    case profile_field::period_type:
      return is_piece;
    case profile_field::comment:
      return is_piece || is_number;
    default:
      if (tag > last_field) return true;
      return tag <= last_message ? is_piece : is_number;
  }
}

}  // namespace

// Fields come in any order: Go writes the time of a profile first, or what its period counts.
bool PprofFile::begins(std::string_view start) {
  bool has_sign = false;
  bool is_first = true;
  try {
    pbf_reader profile(start.data(), start.size());
    while (profile.next()) {
      if (!has_right_type(profile)) return false;
      has_sign = has_sign || is_sample_type(profile) || (is_first && is_first_string(profile));
      is_first = false;
      profile.skip();
    }
  } catch (const protozero::end_of_buffer_exception&) {
    // Only the start was given.
    return has_sign;
  } catch (const protozero::exception&) {
    return false;
  }
  return has_sign;
}

void PprofFile::for_each_sample(const std::function<void(const PprofSample&)>& visit) const {
  PprofSample sample;
  for (const std::string_view message : samples_) {
    take_sample(message, sample);
    visit(sample);
  }
}

bool PprofFile::has_comment(std::string_view start) const {
  return std::ranges::any_of(comments_,
                             [&](std::uint64_t text) { return string(text).starts_with(start); });
}

std::size_t PprofFile::default_type() const {
  const auto named = std::ranges::find(types_, default_type_, &PprofType::type);
  if (!default_type_.empty() && named != types_.end()) {
    return static_cast<std::size_t>(named - types_.begin());
  }
  return types_.empty() ? 0 : types_.size() - 1;
}

const PprofLocation* PprofFile::location(std::uint64_t id) const { return find_id(locations_, id); }

const PprofFunction* PprofFile::function(std::uint64_t id) const { return find_id(functions_, id); }

const PprofMapping* PprofFile::mapping(std::uint64_t id) const {
  const auto found = std::ranges::lower_bound(mapping_order_, id, {},
                                              [&](std::size_t i) { return mappings_[i].id; });
  if (id == 0 || found == mapping_order_.end() || mappings_[*found].id != id) return nullptr;
  return &mappings_[*found];
}

}  // namespace gprof
