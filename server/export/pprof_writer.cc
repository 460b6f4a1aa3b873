#include "server/export/pprof_writer.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "engine/import/pprof_fields.h"
#include "server/export/export_tables.h"
#include "server/export/gzip_output.h"
#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

// Location of one stack level.
struct PprofLocation {
  FlameFrame frame;
  Address address;
  bool is_exact = false;  // an instruction, not the whole function

  friend auto operator<=>(const PprofLocation&, const PprofLocation&) = default;
};

class PprofWriter {
 public:
  PprofWriter(const FlameTree& tree, const std::vector<ThreadStacks>& threads, FrameNames& names,
              ExportOutput& output)
      : tree_(tree),
        threads_(threads),
        names_(names),
        snapshot_(names.snapshot()),
        in_seconds_(export_unit(snapshot_.profile()).name != "samples"),
        nanoseconds_(in_seconds_ ? nanoseconds_a_second / snapshot_.profile().ticks_per_second()
                                 : 1),
        counts_(1),
        gzip_(output) {}

  Expected<void> write();

 private:
  void write_head();
  void write_value_type(std::uint32_t field, std::string_view type, std::string_view unit);
  void write_mapping(std::uint64_t id, std::string_view file, AddressRange range);
  void prepare_places();
  void write_stacks();
  void write_tree();
  // `thread`: whose the sample is; null if unknown.
  void write_sample(Ticks ticks, const RecordedThread* thread = nullptr);
  void write_labels(const RecordedThread& thread, protozero::pbf_writer& writer) const;
  void write_sample_of_threads(std::size_t stack, Ticks ticks);
  void write_samples_without_stack();
  [[nodiscard]] std::uint64_t location(const PprofLocation& place);
  [[nodiscard]] std::uint64_t function(const FlameFrame& frame);
  [[nodiscard]] std::uint64_t mapping(const FlameFrame& frame);
  [[nodiscard]] LineNumber line_of(const PprofLocation& place);
  [[nodiscard]] std::int64_t string(std::string_view text);
  [[nodiscard]] PprofLocation entry_of(const FlameFrame& frame) const;
  // Writes a nested message, filled by `fill`.
  template <typename Fill>
  void put(std::uint32_t field, const Fill& fill);
  void flush();

  const FlameTree& tree_;
  const std::vector<ThreadStacks>& threads_;
  FrameNames& names_;
  const Snapshot& snapshot_;
  const bool in_seconds_;
  WholeNumbers nanoseconds_;
  WholeNumbers counts_;
  GzipOutput gzip_;
  std::string buffer_;
  std::unordered_map<std::string, std::int64_t> strings_;
  std::map<PprofLocation, std::uint64_t> locations_;
  std::map<FlameFrame, std::uint64_t> functions_;
  std::map<std::string, std::uint64_t> mappings_;   // by the module's name
  std::vector<std::uint64_t> locations_of_sample_;  // innermost first
  // Strings of labels.
  std::int64_t process_key_ = 0;
  std::int64_t thread_key_ = 0;
  std::int64_t name_key_ = 0;
  std::map<std::string, std::int64_t> thread_names_;
};

template <typename Fill>
void PprofWriter::put(std::uint32_t field, const Fill& fill) {
  std::string message;
  protozero::pbf_writer writer(message);
  fill(writer);
  protozero::pbf_writer(buffer_).add_message(field, message);
  constexpr std::size_t enough = std::size_t{1} << 15U;
  if (buffer_.size() >= enough) flush();
}

void PprofWriter::flush() {
  gzip_.write(buffer_);
  buffer_.clear();
}

// Strings are written before what refers to them; the format lets them be interspersed.
std::int64_t PprofWriter::string(std::string_view text) {
  const auto next = static_cast<std::int64_t>(strings_.size());
  const auto [known, is_new] = strings_.try_emplace(std::string(text), next);
  if (is_new) {
    protozero::pbf_writer(buffer_).add_string(pprof::profile_field::string_table, text.data(),
                                              text.size());
  }
  return known->second;
}

void PprofWriter::write_value_type(std::uint32_t field, std::string_view type,
                                   std::string_view unit) {
  const std::int64_t type_number = string(type);
  const std::int64_t unit_number = string(unit);
  put(field, [&](protozero::pbf_writer& writer) {
    writer.add_int64(pprof::value_type_field::type, type_number);
    writer.add_int64(pprof::value_type_field::unit, unit_number);
  });
}

void PprofWriter::write_head() {
  (void)string("");  // required first by the format
  const FunctionCosts& profile = snapshot_.profile();
  const std::string unit = in_seconds_ ? "nanoseconds" : "count";
  const std::string type = in_seconds_ ? "cpu" : well_formed(profile.dimension());
  if (tree_.measured()) write_value_type(pprof::profile_field::sample_type, "samples", "count");
  write_value_type(pprof::profile_field::sample_type, type, unit);
  write_value_type(pprof::profile_field::period_type, type, unit);
  const std::int64_t default_type = string(type);
  const std::int64_t comment = string(
      tree_.measured() ? "gprof-lsp: stacks as they were sampled"
                       : "gprof-lsp: estimated stacks: the profile has none; time is shared out by "
                         "numbers of calls, as gprof does");
  const std::string part = selection_text(snapshot_.selection(), snapshot_.dimensions());
  const std::int64_t part_comment =
      part.empty() ? 0 : string(well_formed("part of the profile: " + part));
  protozero::pbf_writer writer(buffer_);
  writer.add_int64(pprof::profile_field::time_nanos, snapshot_.profile_modified());
  writer.add_int64(pprof::profile_field::period, static_cast<std::int64_t>(nanoseconds_.next(1)));
  writer.add_int64(pprof::profile_field::comment, comment);
  if (!part.empty()) writer.add_int64(pprof::profile_field::comment, part_comment);
  writer.add_int64(pprof::profile_field::default_sample_type, default_type);
}

// pprof takes the first one for the program.
void PprofWriter::write_mapping(std::uint64_t id, std::string_view file, AddressRange range) {
  const std::int64_t file_name = string(well_formed(std::string(file)));
  const std::int64_t build_id =
      string(id == 1 ? snapshot_.program()->identity().build_id_hex : std::string());
  put(pprof::profile_field::mapping, [&](protozero::pbf_writer& writer) {
    writer.add_uint64(pprof::mapping_field::id, id);
    writer.add_uint64(pprof::mapping_field::memory_start, range.low.value);
    writer.add_uint64(pprof::mapping_field::memory_limit, range.high.value);
    writer.add_int64(pprof::mapping_field::filename, file_name);
    writer.add_int64(pprof::mapping_field::build_id, build_id);
    // pprof has nothing to look up.
    writer.add_bool(pprof::mapping_field::has_functions, true);
    writer.add_bool(pprof::mapping_field::has_filenames, true);
    writer.add_bool(pprof::mapping_field::has_line_numbers, true);
  });
}

std::uint64_t PprofWriter::mapping(const FlameFrame& frame) {
  constexpr std::uint64_t own = 1;
  if (frame.kind == FlameFrameKind::function) return own;
  if (frame.kind != FlameFrameKind::module) return 0;
  const auto [known, is_new] =
      mappings_.try_emplace(names_.module_of(frame), own + 1 + mappings_.size());
  if (is_new) write_mapping(known->second, known->first, {});
  return known->second;
}

std::uint64_t PprofWriter::function(const FlameFrame& frame) {
  const auto [known, is_new] = functions_.try_emplace(frame, functions_.size() + 1);
  if (!is_new) return known->second;
  const std::uint64_t id = known->second;
  const std::int64_t name = string(names_.of(frame));
  const std::string linkage_name = names_.linkage_name(frame);
  const std::int64_t system_name = linkage_name.empty() ? name : string(linkage_name);
  const std::int64_t file = string(names_.path_of(frame));
  const auto& declared = names_.declaration(frame);
  put(pprof::profile_field::function, [&](protozero::pbf_writer& writer) {
    writer.add_uint64(pprof::function_field::id, id);
    writer.add_int64(pprof::function_field::name, name);
    writer.add_int64(pprof::function_field::system_name, system_name);
    writer.add_int64(pprof::function_field::filename, file);
    writer.add_int64(pprof::function_field::start_line, declared ? declared->line : 0);
  });
  return id;
}

LineNumber PprofWriter::line_of(const PprofLocation& place) {
  const auto& declared = names_.declaration(place.frame);
  if (place.is_exact && place.frame.kind == FlameFrameKind::function) {
    const auto exact = snapshot_.sources().location_in_function(place.address);
    // The function's file is the only one that can be named.
    if (exact && declared && exact->file == declared->file) return exact->line;
  }
  return declared ? declared->line : 0;
}

std::uint64_t PprofWriter::location(const PprofLocation& place) {
  const auto [known, is_new] = locations_.try_emplace(place, locations_.size() + 1);
  if (!is_new) return known->second;
  const std::uint64_t id = known->second;
  const std::uint64_t function_id = function(place.frame);
  const std::uint64_t mapping_id = mapping(place.frame);
  const LineNumber line = line_of(place);
  put(pprof::profile_field::location, [&](protozero::pbf_writer& writer) {
    writer.add_uint64(pprof::location_field::id, id);
    if (mapping_id != 0) writer.add_uint64(pprof::location_field::mapping_id, mapping_id);
    if (mapping_id != 0) writer.add_uint64(pprof::location_field::address, place.address.value);
    std::string message;
    protozero::pbf_writer line_writer(message);
    line_writer.add_uint64(pprof::line_field::function_id, function_id);
    if (line != 0) line_writer.add_int64(pprof::line_field::line, line);
    writer.add_message(pprof::location_field::line, message);
  });
  return id;
}

PprofLocation PprofWriter::entry_of(const FlameFrame& frame) const {
  const bool is_function = frame.kind == FlameFrameKind::function;
  return {frame, is_function ? snapshot_.symbols()[frame.number].address : Address{}, false};
}

// Under the keys that pprof's own readers of thread names use.
void PprofWriter::write_labels(const RecordedThread& thread, protozero::pbf_writer& writer) const {
  const auto write_label = [&](std::int64_t key, std::int64_t text, std::int64_t number) {
    std::string message;
    protozero::pbf_writer label(message);
    label.add_int64(pprof::label_field::key, key);
    if (text != 0) label.add_int64(pprof::label_field::str, text);
    if (text == 0) label.add_int64(pprof::label_field::num, number);
    writer.add_message(pprof::sample_field::label, message);
  };
  write_label(process_key_, 0, thread.process);
  write_label(thread_key_, 0, thread.thread);
  if (!thread.name.empty()) write_label(name_key_, thread_names_.at(thread.name), 0);
}

void PprofWriter::write_sample(Ticks ticks, const RecordedThread* thread) {
  std::vector<std::int64_t> values;
  if (tree_.measured()) values.push_back(static_cast<std::int64_t>(counts_.next(ticks)));
  values.push_back(static_cast<std::int64_t>(nanoseconds_.next(ticks)));
  put(pprof::profile_field::sample, [&](protozero::pbf_writer& writer) {
    writer.add_packed_uint64(pprof::sample_field::location_id, locations_of_sample_.begin(),
                             locations_of_sample_.end());
    writer.add_packed_int64(pprof::sample_field::value, values.begin(), values.end());
    if (thread != nullptr) write_labels(*thread, writer);
  });
}

// The share of each thread, then what no thread is known of.
void PprofWriter::write_sample_of_threads(std::size_t stack, Ticks ticks) {
  // Below the rounding error of sums of fractional ticks.
  constexpr Ticks least_rest = 1e-9;
  Ticks rest = ticks;
  for (const ThreadStacks& one : threads_) {
    const Ticks own = one.of(stack);
    if (!(own > 0)) continue;
    write_sample(own, &one.thread);
    rest -= own;
  }
  if (rest > least_rest * ticks) write_sample(rest);
}

// In address order: debug information is only fast to read in this order.
void PprofWriter::prepare_places() {
  const StackSamples& stacks = snapshot_.stacks();
  std::set<PprofLocation> places;
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    if (!(stacks[i].count > 0)) continue;
    for (const StackFrame& place : stacks[i].frames) {
      places.insert({flame_frame(snapshot_.symbols(), stacks, place), place.place, true});
    }
  }
  for (const PprofLocation& place : places) (void)location(place);
}

void PprofWriter::write_stacks() {
  const StackSamples& stacks = snapshot_.stacks();
  prepare_places();
  if (!threads_.empty()) {
    process_key_ = string("pid");
    thread_key_ = string("thread_id");
    name_key_ = string("thread");
    for (const ThreadStacks& one : threads_) {
      thread_names_.emplace(one.thread.name, string(well_formed(one.thread.name)));
    }
  }
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const SampledStack stack = stacks[i];
    if (!(stack.count > 0)) continue;
    locations_of_sample_.clear();
    for (const StackFrame& place : stack.frames) {
      const FlameFrame frame = flame_frame(snapshot_.symbols(), stacks, place);
      locations_of_sample_.push_back(location({frame, place.place, true}));
    }
    if (stack.truncated) {
      locations_of_sample_.push_back(location(entry_of({FlameFrameKind::truncated, 0})));
    }
    write_sample_of_threads(i, stack.count);
  }
  write_samples_without_stack();
}

void PprofWriter::write_samples_without_stack() {
  for (const auto& [symbol, ticks] :
       samples_without_stack(snapshot_.profile(), snapshot_.stacks())) {
    locations_of_sample_ = {location(entry_of(flame_frame(snapshot_.symbols(), symbol))),
                            location(entry_of({FlameFrameKind::no_stack, 0}))};
    write_sample(ticks);
  }
}

void PprofWriter::write_tree() {
  std::vector<FlameFrame> frames;
  for (const FlameNode& node : tree_.nodes()) frames.push_back(node.frame);
  names_.prepare(std::move(frames));
  for (const FlameNode& node : tree_.nodes()) {
    locations_of_sample_.clear();
    for (const FlameNode* at = &node; at->depth > 0; at = &tree_.node(at->parent)) {
      locations_of_sample_.push_back(location(entry_of(at->frame)));
    }
    // What was left out below a node is shown as its self value.
    if (node.self + node.left_out > 0) write_sample(node.self + node.left_out);
  }
}

Expected<void> PprofWriter::write() {
  write_head();
  const auto symbols = snapshot_.symbols().symbols();
  const AddressRange code =
      symbols.empty() ? AddressRange{} : AddressRange{symbols.front().address, symbols.back().end};
  write_mapping(1, snapshot_.image().path(), code);
  if (tree_.measured()) {
    write_stacks();
  } else {
    write_tree();
  }
  flush();
  return gzip_.finish();
}

}  // namespace

Expected<void> write_pprof(const FlameTree& tree, const std::vector<ThreadStacks>& threads,
                           FrameNames& names, ExportOutput& output) {
  return PprofWriter(tree, threads, names, output).write();
}

}  // namespace gprof::lsp
