#include "tests/support/made_up_profile.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "engine/gmon/sidecar.h"
#include "tests/support/elf_builder.h"
#include "tests/support/files.h"
#include "tests/support/gmon_builder.h"
#include "tests/support/process.h"

namespace gprof::test {
namespace {

constexpr std::uint64_t first_entry = 0x1000;
constexpr std::uint64_t function_bytes = 0x40;
constexpr std::uint64_t call_offset = 8;

constexpr std::string_view library_build = "\x1a\x2b\x3c";
constexpr const char* library_build_id = "1a2b3c";

bool is_library(std::string_view frame) { return frame.starts_with('/'); }

// A function of "/lib/NAME:function"; empty for "/lib/NAME".
std::string_view function_of(std::string_view frame) {
  const std::size_t colon = frame.find(':');
  return colon == std::string_view::npos ? "" : frame.substr(colon + 1);
}

std::string_view library_of(std::string_view frame) { return frame.substr(0, frame.find(':')); }

// Functions of libraries follow one another as those of programs do.
std::vector<std::byte> image_of(const std::vector<std::string>& functions,
                                std::string_view build_id) {
  ElfBuilder elf(PointerWidth::eight, ByteOrder::little, EM_X86_64);
  const std::vector<std::byte> code(function_bytes * functions.size(), std::byte{0x90});
  const std::uint32_t text = elf.add_text(first_entry, code);
  if (!build_id.empty()) elf.add_build_id(build_id);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    elf.add_symbol(functions[i], first_entry + function_bytes * i, function_bytes, STB_GLOBAL,
                   STT_FUNC, text);
  }
  return elf.build();
}

}  // namespace

SymbolIndex MadeUpProfile::symbol(std::string_view function) const {
  const auto found = std::find(functions_.begin(), functions_.end(), function);
  REQUIRE(found != functions_.end());
  return static_cast<SymbolIndex>(found - functions_.begin());
}

Address MadeUpProfile::entry(std::string_view function) const {
  return {first_entry + function_bytes * symbol(function)};
}

MadeUpProfile& MadeUpProfile::self(std::string_view function, std::uint16_t ticks) {
  self_.resize(functions_.size());
  self_[symbol(function)] = static_cast<std::uint16_t>(self_[symbol(function)] + ticks);
  return *this;
}

MadeUpProfile& MadeUpProfile::calls(std::string_view caller, std::string_view callee,
                                    std::uint64_t count) {
  calls_.push_back({std::string(caller), std::string(callee), count});
  return *this;
}

MadeUpProfile& MadeUpProfile::stack(std::uint64_t count, const std::vector<std::string>& frames,
                                    bool truncated) {
  stacks_.push_back({count, frames, truncated});
  if (!is_library(frames.back())) self(frames.back(), static_cast<std::uint16_t>(count));
  return *this;
}

MadeUpProfile& MadeUpProfile::lost(std::string_view function, std::uint16_t ticks) {
  lost_ += ticks;
  return self(function, ticks);
}

std::vector<std::byte> MadeUpProfile::executable() const { return image_of(functions_, ""); }

std::vector<std::string> MadeUpProfile::library_frames() const {
  std::vector<std::string> named;
  const auto add = [&](const std::vector<std::string>& frames) {
    for (const std::string& frame : frames) {
      if (!function_of(frame).empty()) named.push_back(frame);
    }
  };
  for (const Stack& stack : stacks_) add(stack.frames);
  for (const Wait& wait : waits_) add(wait.frames);
  return named;
}

std::vector<std::string> MadeUpProfile::functions_of(std::string_view library) const {
  std::vector<std::string> functions;
  for (const std::string& frame : library_frames()) {
    if (library_of(frame) != library) continue;
    const std::string function(function_of(frame));
    if (std::find(functions.begin(), functions.end(), function) == functions.end()) {
      functions.push_back(function);
    }
  }
  return functions;
}

void MadeUpProfile::write_libraries(const std::filesystem::path& directory) const {
  for (const std::string& frame : library_frames()) {
    const std::filesystem::path library(library_of(frame));
    write_file(directory / library.filename(),
               image_of(functions_of(library.string()), library_build));
  }
}

std::vector<std::byte> MadeUpProfile::gmon() const {
  GmonDescription description;
  description.layout = {PointerWidth::eight, ByteOrder::little};
  HistogramRecord histogram;
  histogram.low = first_entry;
  histogram.high = first_entry + function_bytes * functions_.size();
  histogram.bins.resize(function_bytes / 2 * functions_.size());
  for (std::size_t i = 0; i < self_.size(); ++i) histogram.bins[i * function_bytes / 2] = self_[i];
  description.histograms.push_back(histogram);
  for (const Call& call : calls_) {
    const std::uint64_t from = call.caller == "?" ? 0 : entry(call.caller).value + call_offset;
    description.arcs.push_back({from, entry(call.callee).value, call.count});
  }
  return build_gmon(description);
}

MadeUpProfile& MadeUpProfile::thread(std::uint32_t number, std::string_view name) {
  threads_.push_back({number, std::string(name)});
  return *this;
}

MadeUpProfile& MadeUpProfile::stack_of(std::size_t thread, std::uint32_t slice, std::uint64_t count,
                                       const std::vector<std::string>& frames) {
  stack(count, frames);
  stacks_.back().thread = static_cast<std::uint32_t>(thread);
  stacks_.back().slice = slice;
  return *this;
}

MadeUpProfile& MadeUpProfile::calls_of(std::size_t thread, std::string_view caller,
                                       std::string_view callee, std::uint64_t count) {
  calls(caller, callee, count);
  calls_.back().thread = static_cast<std::uint32_t>(thread);
  return *this;
}

MadeUpProfile& MadeUpProfile::in_kernel(std::uint64_t count) {
  stacks_.back().kernel_count = count;
  return *this;
}

MadeUpProfile& MadeUpProfile::wait_of(std::size_t thread, std::uint32_t slice, WaitKind kind,
                                      std::string_view function, std::uint64_t milliseconds,
                                      const std::vector<std::string>& frames) {
  waits_.push_back({static_cast<std::uint32_t>(thread), slice, kind, std::string(function),
                    milliseconds, frames});
  return *this;
}

MadeUpProfile& MadeUpProfile::held_by(std::uint64_t milliseconds,
                                      const std::vector<std::string>& frames) {
  waits_.back().holders.push_back({milliseconds, frames});
  return *this;
}

// Equal waits become one, and what each was a part of it.
void MadeUpProfile::add_waits(Sidecar& sidecar, const PlaceOf& place_of) const {
  constexpr std::uint64_t millisecond = 1'000'000;
  const auto stack_of = [&](const std::vector<std::string>& names) {
    std::vector<ModuleAddress> frames;
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      frames.push_back(place_of(*name, false));
    }
    // The last byte of the call that blocks.
    frames.front().address = frames.front().address - 1;
    auto& stacks = sidecar.wait_stacks;
    const auto known = std::ranges::find(stacks, frames, &SidecarStack::frames);
    const auto number = static_cast<std::uint32_t>(known - stacks.begin());
    if (known == stacks.end()) stacks.push_back({0, false, frames});
    return number;
  };
  for (const Wait& made : waits_) {
    auto name = std::ranges::find(sidecar.names, made.function) - sidecar.names.begin();
    if (static_cast<std::size_t>(name) == sidecar.names.size()) {
      sidecar.names.push_back(made.function);
    }
    const std::uint64_t time = made.milliseconds * millisecond;
    SidecarWait wait{stack_of(made.frames),           made.kind, 1, time, time,
                     static_cast<std::uint32_t>(name)};
    sidecar.wait_stacks[wait.stack].count += time;
    auto whole = std::ranges::find_if(sidecar.waits, [&](const SidecarWait& known) {
      return known.stack == wait.stack && known.kind == wait.kind &&
             known.function == wait.function;
    });
    const auto number = static_cast<std::uint32_t>(whole - sidecar.waits.begin());
    if (whole == sidecar.waits.end()) {
      sidecar.waits.push_back(wait);
    } else {
      whole->times += 1;
      whole->total += time;
      whole->longest = std::max(whole->longest, time);
    }
    auto part = std::ranges::find_if(sidecar.wait_parts, [&](const SidecarPart& known) {
      return known.whole == number && known.thread == made.thread && known.slice == made.slice;
    });
    if (part == sidecar.wait_parts.end()) {
      sidecar.wait_parts.push_back({number, made.thread, made.slice, time, 1});
    } else {
      part->count += time;
      part->excess_variance += 1;
    }
    for (const Holder& holder : made.holders) {
      sidecar.wait_holders.push_back(
          {number, stack_of(holder.frames), 1, holder.milliseconds * millisecond});
    }
    sidecar.slices = std::max(sidecar.slices, made.slice + 1);
  }
  sidecar.process.end_time = sidecar.process.start_time + sidecar.slices * sidecar.slice_width;
}

// Equal arcs and stacks become one, and what each was of its parts; samples are those of the
// stacks.
void MadeUpProfile::add_parts(Sidecar& sidecar) const {
  // A thread may have a stack several times in a slice.
  const auto add = [](std::vector<SidecarPart>& parts, const SidecarPart& part) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const SidecarPart& known) {
      return known.whole == part.whole && known.thread == part.thread && known.slice == part.slice;
    });
    if (same == parts.end()) {
      parts.push_back(part);
    } else {
      same->count += part.count;
      same->kernel_count += part.kernel_count;
    }
  };
  sidecar.process.flags = process_flags::marks_kernel_time;
  sidecar.process.start_time = 1'000'000'000;
  sidecar.process.process = 77;
  sidecar.slice_width = 100'000'000;
  for (const Thread& thread : threads_) {
    SidecarThread& made = sidecar.threads.emplace_back();
    made.thread = thread.number;
    made.name = thread.name;
  }
  std::map<std::pair<ModuleAddress, ModuleAddress>, std::size_t> arcs;
  std::vector<SidecarArc> each_arc = std::exchange(sidecar.arcs, {});
  std::stable_sort(each_arc.begin(), each_arc.end(), [](const SidecarArc& a, const SidecarArc& b) {
    return compare_places(a, b) < 0;
  });
  for (const SidecarArc& arc : each_arc) {
    const auto [known, is_new] = arcs.try_emplace({arc.from, arc.self}, sidecar.arcs.size());
    if (is_new) sidecar.arcs.push_back({arc});
    if (!is_new) sidecar.arcs[known->second].count += arc.count;
  }
  for (const Call& call : calls_) {
    ModuleAddress from;
    if (call.caller != "?") from = {0, entry(call.caller) + call_offset};
    const auto whole = arcs.at({from, {0, entry(call.callee)}});
    add(sidecar.arc_parts,
        {static_cast<std::uint32_t>(whole), call.thread, no_slice, call.count, 0});
  }
  std::map<ModuleAddress, std::uint64_t> samples;
  for (const SidecarStack& stack : sidecar.stacks) samples[stack.frames.front()] += stack.count;
  std::map<ModuleAddress, std::uint32_t> places;
  for (const auto& [place, count] : samples) {
    places[place] = static_cast<std::uint32_t>(sidecar.samples.size());
    sidecar.samples.push_back({place, count, 0});
    sidecar.process.samples += count;
  }
  std::vector<SidecarStack> each_stack = std::exchange(sidecar.stacks, {});
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    const auto& frames = each_stack[i].frames;
    auto whole = std::find_if(sidecar.stacks.begin(), sidecar.stacks.end(),
                              [&](const SidecarStack& known) { return known.frames == frames; });
    if (whole == sidecar.stacks.end()) {
      sidecar.stacks.push_back({0, each_stack[i].truncated, frames});
      whole = sidecar.stacks.end() - 1;
    }
    whole->count += stacks_[i].count;
    const auto number = static_cast<std::uint32_t>(whole - sidecar.stacks.begin());
    const Stack& made = stacks_[i];
    add(sidecar.stack_parts, {number, made.thread, made.slice, made.count, 0});
    const auto kernel = static_cast<std::uint32_t>(made.kernel_count);
    sidecar.samples[places.at(frames.front())].kernel_count += kernel;
    add(sidecar.sample_parts,
        {places.at(frames.front()), made.thread, made.slice, made.count, 0, kernel});
    if (made.slice != no_slice) sidecar.slices = std::max(sidecar.slices, made.slice + 1);
  }
  sidecar.process.end_time = sidecar.process.start_time + sidecar.slices * sidecar.slice_width;
}

std::vector<std::byte> MadeUpProfile::sidecar(const std::filesystem::path& directory) const {
  Sidecar sidecar;
  sidecar.machine = EM_X86_64;
  sidecar.process.lost_stacks = lost_;
  sidecar.modules.push_back({});
  sidecar.modules.back().path = (directory / "program").string();
  sidecar.modules.back().file = "gmon.out";
  const auto place_of = [&](const std::string& frame, bool innermost) -> ModuleAddress {
    if (!is_library(frame)) {
      return {0, entry(frame) + (innermost ? 0 : call_offset)};
    }
    const std::filesystem::path library(library_of(frame));
    const std::string function(function_of(frame));
    const std::string path = function.empty() ? frame : (directory / library.filename()).string();
    auto module = std::find_if(sidecar.modules.begin(), sidecar.modules.end(),
                               [&](const SidecarModule& known) { return known.path == path; });
    if (module == sidecar.modules.end()) {
      sidecar.modules.push_back({});
      sidecar.modules.back().path = path;
      if (!function.empty()) sidecar.modules.back().build_id = library_build_id;
      module = sidecar.modules.end() - 1;
    }
    const auto number = static_cast<std::uint32_t>(module - sidecar.modules.begin());
    if (function.empty()) return {number, Address{0x500}};
    const auto functions = functions_of(library.string());
    const auto place = std::find(functions.begin(), functions.end(), function) - functions.begin();
    return {number, Address{first_entry + function_bytes * static_cast<std::uint64_t>(place) +
                            call_offset}};
  };
  for (const Call& call : calls_) {
    SidecarArc arc;
    if (call.caller != "?") arc.from = {0, entry(call.caller) + call_offset};
    arc.self = {0, entry(call.callee)};
    arc.count = call.count;
    sidecar.arcs.push_back(arc);
  }
  for (const Stack& stack : stacks_) {
    SidecarStack& made = sidecar.stacks.emplace_back();
    made.count = stack.count;
    made.truncated = stack.truncated;
    for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame) {
      made.frames.push_back(place_of(*frame, frame == stack.frames.rbegin()));
    }
  }
  if (!threads_.empty()) add_parts(sidecar);
  if (!waits_.empty()) add_waits(sidecar, place_of);
  auto bytes = write_sidecar(sidecar);
  REQUIRE(bytes);
  return *bytes;
}

std::shared_ptr<const Snapshot> MadeUpProfile::snapshot() const {
  const auto directory = fresh_directory(directory_);
  write_file(directory / "program", executable());
  write_file(directory / "gmon.out", gmon());
  if (!stacks_.empty()) {
    write_libraries(directory);
    write_file(directory / "gmon.out.gpx", sidecar(directory));
  }
  AnalysisRequest request;
  request.executable = directory / "program";
  request.profiles = {directory / "gmon.out"};
  auto snapshot = analyse(request);
  INFO((snapshot ? "" : describe(snapshot.error())));
  REQUIRE(snapshot);
  CHECK((*snapshot)->measured().known() == !stacks_.empty());
  return *snapshot;
}

}  // namespace gprof::test
