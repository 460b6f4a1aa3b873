#include "engine/import/perf_data/perf_chain.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/import/perf_data/perf_format.h"
#include "engine/import/perf_data/perf_unwinder.h"
#include "engine/support/hash_seed.h"

namespace gprof::perf_data {
namespace {

constexpr std::size_t max_chain = 4096;

}  // namespace

KnownStacks::Hash KnownStacks::hash_of(std::span<const RecordedFrame> frames, ChainEnd end) {
  static const std::uint64_t low_seed = hash_seed();
  static const std::uint64_t high_seed = mixed_hash(1, 2, low_seed);
  Hash hash = {frames.size(), static_cast<std::uint64_t>(end)};
  for (const RecordedFrame& frame : frames) {
    const std::uint64_t what =
        std::uint64_t{frame.module} << 8U | static_cast<std::uint64_t>(frame.kind);
    hash.low = mixed_hash(hash.low ^ what, frame.address.value, low_seed);
    hash.high = mixed_hash(hash.high ^ what, frame.address.value, high_seed);
  }
  return hash;
}

Row KnownStacks::find(const Hash& hash) const {
  const Row place = places_.find(hash.low, [&](Row row) { return known_[row].hash == hash; });
  return place == no_row ? no_row : known_[place].stack;
}

void KnownStacks::add(const Hash& hash, Row stack) {
  places_.add(hash.low, static_cast<Row>(known_.size()));
  known_.push_back({hash, stack});
}

PerfChains::Part PerfChains::part_of(std::uint16_t mode) {
  switch (mode & misc::mode_mask) {
    case misc::kernel:
    case misc::hypervisor:
      return Part::kernel;
    case misc::guest_kernel:
    case misc::guest_user:
      return Part::guest;
    default:
      return Part::user;
  }
}

void PerfChains::add(std::uint64_t address, Part part, const PerfSampleRecord& record,
                     PlaceKind kind) {
  if (part == Part::user) return add_user(address, record, kind);
  RecordedFrame frame =
      part == Part::kernel ? modules_.kernel(address, !frames_.empty()) : modules_.guest();
  if (modules_.is_entry_of_system_calls(frame)) is_in_system_call_ = true;
  // What has no name is one thing.
  if (frames_.empty() || frame.address.value != 0 || frames_.back() != frame) {
    frames_.push_back(frame);
  }
}

// User code below the kernel's frames was either interrupted at that address, or the address is
// behind the instruction that made a system call.
void PerfChains::add_user(std::uint64_t address, const PerfSampleRecord& record, PlaceKind kind) {
  const auto place = processes_.find(record.process, address, record.time);
  const bool is_below_system = !frames_.empty() && modules_.is_of_system(frames_.back().module);
  if (kind == PlaceKind::call && is_below_system) {
    const bool is_behind = is_in_system_call_ || (place && modules_.is_behind_system_call(*place));
    kind = is_behind ? PlaceKind::call : PlaceKind::interrupted;
  }
  RecordedFrame frame = place ? modules_.frame_at(*place) : RecordedFrame();
  frame.kind = kind;
  frames_.push_back(frame);
}

void PerfChains::add_chain(const PerfSampleRecord& record, Part part, bool with_user) {
  for (std::size_t i = 0; i < record.chain.size(); ++i) {
    const std::uint64_t address = record.chain[i];
    if (address < chain_mark::first) {
      if (part != Part::user || with_user) add(address, part, record);
      continue;
    }
    const bool is_of_kernel = address == chain_mark::kernel || address == chain_mark::hypervisor;
    const bool is_of_guest = address == chain_mark::guest || address == chain_mark::guest_kernel ||
                             address == chain_mark::guest_user;
    part = is_of_kernel ? Part::kernel : is_of_guest ? Part::guest : Part::user;
  }
}

// Of calls: the last one is where the code has come to, each comes from its caller.
void PerfChains::add_branches(const PerfSampleRecord& record) {
  constexpr std::size_t words = 3;
  if (frames_.empty()) {
    add(record.ip, Part::user, record);
  } else if (record.branches.size() >= words) {
    add(record.branches[1], Part::user, record, PlaceKind::interrupted);
  }
  for (std::size_t i = 0; i + words <= record.branches.size(); i += words) {
    // Frames have the address behind the call.
    add(record.branches[i] + 1, Part::user, record);
  }
}

void PerfChains::take_stack(RecordedSample& sample, ChainEnd end) {
  if (!frames_.empty()) frames_.front().kind = PlaceKind::sampled;
  sample.has_places = !frames_.empty();
  sample.is_of_program =
      std::ranges::find(frames_, RecordedFrame::program, &RecordedFrame::module) != frames_.end();
  const KnownStacks::Hash hash = KnownStacks::hash_of(frames_, end);
  sample.stack = known_stacks_.find(hash);
  if (sample.stack != no_row) return;
  places_.clear();
  for (const RecordedFrame& frame : frames_) places_.push_back(modules_.place_of(frame));
  sample.stack = recording_.add_stack(places_, end);
  if (sample.stack == no_row || !recording_.room().take(KnownStacks::bytes_of_stack)) return;
  known_stacks_.add(hash, sample.stack);
}

void PerfChains::take(const PerfSampleRecord& record, std::uint16_t mode, const PerfAttr& attr,
                      RecordedSample& sample) {
  frames_.clear();
  is_in_system_call_ = false;
  const Part part = part_of(mode);
  const bool has_branches =
      (attr.branch_type & branch_bit::call_stack) != 0 && record.branches.size() > 0;
  const bool has_stack = unwinder_ != nullptr && record.registers_abi != 0 && !record.stack.empty();
  if (record.has_chain) add_chain(record, part, !has_branches && !has_stack);
  sample.is_chain = record.has_chain || has_stack;
  ChainEnd end = ChainEnd::open;
  if (has_stack) {
    recording_.note_copies_of_stacks();
    if (frames_.empty() && part != Part::user) add(record.ip, part, record);
    const std::size_t user = frames_.size();
    end = unwinder_->walk(record, attr, frames_);
    // The address is behind the instruction that made the system call.
    if (is_in_system_call_ && user > 0 && user < frames_.size()) {
      frames_[user].kind = PlaceKind::call;
    }
  } else {
    if (has_branches) add_branches(record);
    if (frames_.empty()) add(record.ip, part, record);
  }
  if (frames_.size() > max_chain) {
    frames_.resize(max_chain);
    end = ChainEnd::cut;
  }
  take_stack(sample, end);
}

}  // namespace gprof::perf_data
