#include "engine/import/perf_data/perf_chain.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/import/perf_data/perf_format.h"
#include "engine/import/perf_data/perf_unwinder.h"

namespace gprof::perf_data {

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

void PerfChains::add(std::uint64_t address, Part part, const PerfSampleRecord& record) {
  if (part == Part::user) {
    const auto place = processes_.find(record.process, address, record.time);
    frames_.push_back(place ? modules_.address_of(*place) : ModuleAddress{no_module, {address}});
    return;
  }
  const ModuleAddress frame =
      part == Part::kernel ? modules_.kernel(address, !frames_.empty()) : modules_.guest();
  // What has no name is one thing.
  if (frames_.empty() || frame.address.value != 0 || frames_.back() != frame) {
    frames_.push_back(frame);
  }
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
    add(record.branches[1], Part::user, record);
  }
  for (std::size_t i = 0; i + words <= record.branches.size(); i += words) {
    // Frames have the address behind the call.
    add(record.branches[i] + 1, Part::user, record);
  }
}

// Addresses that are nowhere, where libraries use the frame pointer for something else.
void PerfChains::drop_garbage() {
  while (frames_.size() > 1 && frames_.back().module == no_module) frames_.pop_back();
}

bool PerfChains::is_outermost(const ModuleAddress& frame) const {
  constexpr std::array<std::string_view, 9> names = {
      "_start", "__libc_start_main", "main",   "start_thread",          "__clone",
      "clone",  "__clone3",          "clone3", "__libc_start_call_main"};
  if (frame.module != 0) return false;
  const auto symbol = symbols_.find(frame.address);
  return symbol && std::find(names.begin(), names.end(), symbols_[*symbol].name) != names.end();
}

bool PerfChains::is_complete() const {
  if (frames_.empty()) return false;
  const auto is_of_system = [&](const ModuleAddress& frame) {
    return modules_.is_of_system(frame.module);
  };
  const auto user = std::find_if_not(frames_.begin(), frames_.end(), is_of_system);
  // Of a thread of the kernel, or before there is a program.
  if (user == frames_.end() || modules_.is_loader(user->module)) return true;
  const ModuleAddress& last = frames_.back();
  if (modules_.is_c_library(last.module)) return user->module != last.module;
  return is_outermost(last);
}

void PerfChains::take(const PerfSampleRecord& record, std::uint16_t mode, const PerfAttr& attr,
                      PerfEvent::Sample& sample) {
  frames_.clear();
  const Part part = part_of(mode);
  const bool has_branches =
      (attr.branch_type & branch_bit::call_stack) != 0 && record.branches.size() > 0;
  const bool has_stack = unwinder_ != nullptr && record.registers_abi != 0 && !record.stack.empty();
  if (record.has_chain) add_chain(record, part, !has_branches && !has_stack);
  sample.is_chain = record.has_chain;
  if (has_stack) {
    if (frames_.empty() && part != Part::user) add(record.ip, part, record);
    const bool is_whole = unwinder_->walk(record, attr, frames_);
    drop_garbage();
    sample.is_chain = true;
    sample.is_complete = is_whole || is_complete();
  } else {
    if (has_branches) add_branches(record);
    if (frames_.empty()) add(record.ip, part, record);
    drop_garbage();
    sample.is_complete = is_complete();
  }
  sample.frames = frames_;
}

}  // namespace gprof::perf_data
