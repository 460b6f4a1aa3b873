// Writes sidecars.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "engine/gmon/sidecar.h"
#include "engine/gmon/sidecar_format.h"
#include "engine/support/byte_writer.h"

namespace gprof {
namespace {

using namespace sidecar_format;

constexpr std::uint64_t largest_u32 = std::numeric_limits<std::uint32_t>::max();

Error refusal(std::string message) {
  return Error{ErrorCode::invalid_argument, std::move(message), {}, std::nullopt};
}

// As it stands in the file beside no module; 0: a frame.
std::uint32_t mark_of(const SidecarPlace& frame) {
  if (!frame.is_mark()) return 0;
  return frame.group_length() != 0 ? frame.group_length() : mark_left_out;
}

// Indices of the entries in the order that `before` makes of them.
template <typename Entry, typename Before>
std::vector<std::size_t> order_of(const std::vector<Entry>& entries, Before before) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return before(entries[a], entries[b]); });
  return order;
}

class SidecarWriter {
 public:
  explicit SidecarWriter(const Sidecar& sidecar) : sidecar_(sidecar) {}

  Expected<std::vector<std::byte>> write();

 private:
  [[nodiscard]] Expected<void> check() const;
  [[nodiscard]] bool known(const SidecarPlace& place) const {
    return place.module == no_module || place.module < sidecar_.modules.size();
  }
  Expected<void> add_texts();
  Expected<std::uint32_t> add_text(const std::string& text);

  void begin_section(SectionKind kind, std::uint32_t entry_size, std::uint64_t count);
  void end_section();
  void write_strings();
  void write_process();
  void write_modules();
  void write_arcs();
  void write_threads();
  void write_samples();
  void write_stacks();

  const Sidecar& sidecar_;
  std::string strings_ = std::string(1, '\0');
  std::vector<std::uint32_t> name_offsets_;
  std::map<std::string, std::uint32_t> text_offsets_;  // of the modules' texts
  ByteWriter writer_{ByteOrder::little, PointerWidth::eight};
};

Expected<void> SidecarWriter::check() const {
  const auto unknown = [](std::string_view what) {
    return refusal(fmt::format("{} names a module that the sidecar does not have", what));
  };
  for (const SidecarArc& arc : sidecar_.arcs) {
    if (!known(arc.from) || !known(arc.self) || !known(arc.behind) || !known(arc.through)) {
      return unknown("an arc");
    }
    if (arc.through_name != 0 && arc.through_name >= sidecar_.names.size()) {
      return refusal("an arc has a name that the sidecar does not have");
    }
  }
  for (const SidecarSample& sample : sidecar_.samples) {
    if (!known(sample.place)) return unknown("a sample");
  }
  for (const SidecarStack& stack : sidecar_.stacks) {
    if (stack.frames.empty() || stack.frames.size() > largest_u32) {
      return refusal("a stack of at least one frame expected");
    }
    if (!std::all_of(stack.frames.begin(), stack.frames.end(),
                     [&](const SidecarPlace& frame) { return frame.is_mark() || known(frame); })) {
      return unknown("a stack");
    }
  }
  if (!sidecar_.names.empty() && !sidecar_.names.front().empty()) {
    return refusal("the first of the sidecar's names has to be the empty one");
  }
  return {};
}

Expected<std::uint32_t> SidecarWriter::add_text(const std::string& text) {
  if (text.find('\0') != std::string::npos)
    return refusal("a text of the sidecar holds a zero byte");
  if (strings_.size() + text.size() >= largest_u32) {
    return refusal("the texts of the sidecar take more than 4 GiB");
  }
  const auto offset = static_cast<std::uint32_t>(strings_.size());
  strings_ += text;
  strings_ += '\0';
  return offset;
}

// Names in their order, so that arcs sorted by the number of the name are sorted by its offset.
Expected<void> SidecarWriter::add_texts() {
  std::vector<bool> used(std::max<std::size_t>(1, sidecar_.names.size()));
  for (const SidecarArc& arc : sidecar_.arcs) used[arc.through_name] = true;
  name_offsets_.resize(used.size());
  for (std::size_t i = 1; i < used.size(); ++i) {
    if (!used[i]) continue;
    auto offset = add_text(sidecar_.names[i]);
    if (!offset) return offset.error();
    name_offsets_[i] = *offset;
  }
  text_offsets_[""] = 0;
  for (const SidecarModule& module : sidecar_.modules) {
    for (const std::string* text : {&module.path, &module.soname, &module.build_id, &module.file}) {
      if (text_offsets_.contains(*text)) continue;
      auto offset = add_text(*text);
      if (!offset) return offset.error();
      text_offsets_[*text] = *offset;
    }
  }
  return {};
}

void SidecarWriter::begin_section(SectionKind kind, std::uint32_t entry_size, std::uint64_t count) {
  writer_.put(static_cast<std::uint32_t>(kind), 4);
  writer_.put(entry_size, 4);
  writer_.put(count, 8);
  writer_.reserve(writer_.size() + entry_size * count + section_alignment);
}

void SidecarWriter::end_section() {
  while (writer_.size() % section_alignment != 0) writer_.put(0, 1);
}

void SidecarWriter::write_strings() {
  begin_section(SectionKind::strings, string_size, strings_.size());
  writer_.put_text(strings_, strings_.size());
  end_section();
}

void SidecarWriter::write_process() {
  const SidecarProcess& process = sidecar_.process;
  begin_section(SectionKind::process, process_size, 1);
  writer_.put(process.process, 4);
  writer_.put(process.parent_process, 4);
  writer_.put(process.start_time, 8);
  writer_.put(process.end_time, 8);
  writer_.put(static_cast<std::uint32_t>(process.ending), 4);
  writer_.put(static_cast<std::uint32_t>(process.exit_status), 4);
  writer_.put(process.requested_rate, 4);
  writer_.put(static_cast<std::uint32_t>(process.sample_source), 4);
  writer_.put(process.flags, 4);
  writer_.put(process.image_number, 4);
  for (const std::uint64_t value :
       {process.cpu_time, process.signals, process.samples, process.calls, process.lost_calls,
        process.lost_samples, process.lost_stacks, process.price_picoseconds,
        process.sampling.covered_time, process.sampling.sampling_time,
        process.sampling.excess_variance, process.sampling.tick_samples,
        process.sampling.tick_period}) {
    writer_.put(value, 8);
  }
  writer_.put(process.recorded_process, 4);
  writer_.put(0, 4);
  end_section();
}

void SidecarWriter::write_modules() {
  begin_section(SectionKind::modules, module_size, sidecar_.modules.size());
  for (const SidecarModule& module : sidecar_.modules) {
    writer_.put(module.bias, 8);
    writer_.put(module.text.low.value, 8);
    writer_.put(module.text.high.value, 8);
    writer_.put(module.flags, 4);
    for (const std::string* text : {&module.path, &module.soname, &module.build_id, &module.file}) {
      writer_.put(text_offsets_[*text], 4);
    }
    writer_.put(0, 4);
  }
  end_section();
}

void SidecarWriter::write_arcs() {
  begin_section(SectionKind::arcs, arc_size, sidecar_.arcs.size());
  const auto before = [](const SidecarArc& a, const SidecarArc& b) {
    return compare_places(a, b) < 0;
  };
  for (const std::size_t index : order_of(sidecar_.arcs, before)) {
    const SidecarArc& arc = sidecar_.arcs[index];
    writer_.put(arc.from.module, 4);
    writer_.put(arc.self.module, 4);
    writer_.put(arc.from.address.value, 8);
    writer_.put(arc.self.address.value, 8);
    writer_.put(arc.behind.module, 4);
    writer_.put(arc.flags, 4);
    writer_.put(arc.behind.address.value, 8);
    writer_.put(arc.through.module, 4);
    writer_.put(name_offsets_[arc.through_name], 4);
    writer_.put(arc.through.address.value, 8);
    writer_.put(arc.count, 8);
  }
  end_section();
}

void SidecarWriter::write_threads() {
  begin_section(SectionKind::threads, thread_size, sidecar_.threads.size());
  for (const SidecarThread& thread : sidecar_.threads) {
    writer_.put(thread.thread, 4);
    writer_.put(thread.ended ? 1 : 0, 4);
    writer_.put(thread.calls, 8);
    writer_.put(thread.samples, 8);
    writer_.put(thread.signals, 8);
    writer_.put(thread.cpu_time, 8);
  }
  end_section();
}

void SidecarWriter::write_samples() {
  begin_section(SectionKind::samples, sample_size, sidecar_.samples.size());
  const auto before = [](const SidecarSample& a, const SidecarSample& b) {
    return a.place < b.place;
  };
  for (const std::size_t index : order_of(sidecar_.samples, before)) {
    const SidecarSample& sample = sidecar_.samples[index];
    writer_.put(sample.place.module, 4);
    writer_.put(0, 4);
    writer_.put(sample.place.address.value, 8);
    writer_.put(sample.count, 8);
    writer_.put(sample.excess_variance, 8);
  }
  end_section();
}

void SidecarWriter::write_stacks() {
  std::uint64_t size = 0;
  for (const SidecarStack& stack : sidecar_.stacks) {
    size += stack_size + frame_size * stack.frames.size();
  }
  begin_section(SectionKind::stacks, stack_unit, size / stack_unit);
  const auto before = [](const SidecarStack& a, const SidecarStack& b) {
    return a.count != b.count ? a.count > b.count : a.frames < b.frames;
  };
  for (const std::size_t index : order_of(sidecar_.stacks, before)) {
    const SidecarStack& stack = sidecar_.stacks[index];
    writer_.put(stack.count, 8);
    writer_.put(stack.frames.size(), 4);
    writer_.put(stack.truncated ? 1 : 0, 4);
    for (const SidecarPlace& frame : stack.frames) {
      writer_.put(frame.is_mark() ? no_module : frame.module, 4);
      writer_.put(mark_of(frame), 4);
      writer_.put(frame.address.value, 8);
    }
  }
  end_section();
}

Expected<std::vector<std::byte>> SidecarWriter::write() {
  if (auto fits = check(); !fits) return fits.error();
  if (auto done = add_texts(); !done) return done.error();
  write_strings();
  write_process();
  write_modules();
  write_arcs();
  write_threads();
  write_samples();
  write_stacks();
  const std::vector<std::byte> sections = writer_.take();
  writer_.put_text(magic, magic.size());
  writer_.put(version, 4);
  writer_.put(header_size, 4);
  writer_.put(header_size + sections.size(), 8);
  writer_.put(checksum(sections), 4);
  writer_.put(sidecar_.machine, 4);
  writer_.put(sidecar_.process.process_start, 8);
  writer_.put(sidecar_.process.process, 4);
  writer_.put(static_cast<std::uint32_t>(sidecar_.process.ending), 4);
  writer_.put(sidecar_.process.start_time, 8);
  writer_.put(sidecar_.process.end_time, 8);
  std::vector<std::byte> file = writer_.take();
  file.insert(file.end(), sections.begin(), sections.end());
  return file;
}

}  // namespace

Expected<std::vector<std::byte>> write_sidecar(const Sidecar& sidecar) {
  return SidecarWriter(sidecar).write();
}

}  // namespace gprof
