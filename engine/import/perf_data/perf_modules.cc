#include "engine/import/perf_data/perf_modules.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <elf.h>

#include "engine/import/imported_profile.h"
#include "engine/import/perf_recording.h"
#include "engine/support/hexadecimal.h"
#include "engine/support/limits.h"

namespace gprof::perf_data {
PerfModules::PerfModules(const std::vector<PerfProcesses::File>& files, const BuildIds& build_ids,
                         const Image& program, FileTime recorded, ProfileBuilder& builder)
    : named_(files),
      build_ids_(build_ids),
      program_(program),
      recorded_(recorded),
      builder_(builder),
      files_(files.size()),
      is_program_(files.size()) {
  find_program(program);
  (void)add_module({ModuleKind::program, program.path(), program_build_});
}

std::string PerfModules::build_of(std::uint32_t file) const {
  if (!named_[file].build_id.empty()) return named_[file].build_id;
  const auto found = build_ids_.find(named_[file].path);
  return found == build_ids_.end() ? std::string() : found->second;
}

// By the build-id; by the path, or else the name, where one of the two has none.
void PerfModules::find_program(const Image& program) {
  const std::string wanted = hexadecimal(program.build_id());
  for (std::uint32_t i = 0; i < named_.size(); ++i) {
    const std::string build = build_of(i);
    const bool has_name = last_part(named_[i].path) == last_part(program.path());
    if (build.empty() || wanted.empty()) {
      is_program_[i] = has_name;
    } else {
      is_program_[i] = build == wanted;
      if (has_name && build != wanted) other_build_ = build;
    }
    if (!is_program_[i]) continue;
    has_program_ = true;
    files_[i].module = 0;
    if (!build.empty()) program_build_ = build;
  }
}

const Image* PerfModules::image_of(std::uint32_t file) {
  look_at(file);
  return is_program_[file] ? &program_ : files_[file].image.get();
}

void PerfModules::look_at(std::uint32_t number) {
  File& file = files_[number];
  if (file.is_looked_at) return;
  file.is_looked_at = true;
  const Image* image = &program_;
  if (!is_program_[number]) {
    const std::string& path = named_[number].path;
    if (!path.starts_with('/') || path.starts_with("//") || opened_ == most_named_modules) return;
    ++opened_;
    auto opened = Image::open(path);
    const std::string build = build_of(number);
    if (!opened || (!build.empty() && hexadecimal((*opened)->build_id()) != build)) return;
    file.image = *opened;
    // Where perf does not say which build it was, a file that is older than the recording is it.
    if (build.empty() && file.image->modified() <= recorded_) {
      file.build_id = hexadecimal(file.image->build_id());
    }
    image = file.image.get();
  }
  for (const Section& section : image->sections()) {
    if (section.executable()) file.parts.push_back({section.offset, section.address.value});
  }
  std::sort(file.parts.begin(), file.parts.end(),
            [](const Part& a, const Part& b) { return a.offset < b.offset; });
}

std::uint32_t PerfModules::add_module(ProfileModule module) {
  const bool is_of_system = module.kind == ModuleKind::kernel;
  const Row row = builder_.module(std::move(module));
  if (row == no_row) return RecordedFrame::nowhere;
  const auto next = static_cast<std::uint32_t>(modules_.size());
  const auto [known, is_new] = numbers_.try_emplace(row, next);
  if (is_new) {
    modules_.push_back(row);
    is_of_system_.push_back(is_of_system);
  }
  return known->second;
}

std::uint32_t PerfModules::module_of(std::uint32_t number) {
  File& file = files_[number];
  if (!file.module) {
    const std::string& known = file.build_id;
    file.module = add_module(
        {ModuleKind::library, named_[number].path, known.empty() ? build_of(number) : known});
  }
  return *file.module;
}

RecordedFrame PerfModules::frame_at(const PerfProcesses::Place& place) {
  look_at(place.file);
  const std::vector<Part>& parts = files_[place.file].parts;
  const auto after =
      std::upper_bound(parts.begin(), parts.end(), place.offset,
                       [](std::uint64_t offset, const Part& part) { return offset < part.offset; });
  std::uint64_t address = place.offset;
  if (after != parts.begin()) {
    const Part& part = *(after - 1);
    address = part.address + (place.offset - part.offset);
  }
  return {module_of(place.file), {address}};
}

RecordedFrame PerfModules::part_of_system(std::optional<std::uint32_t>& module,
                                          std::string_view name) {
  if (!module) module = add_module({ModuleKind::kernel, std::string(name)});
  return {*module, {}};
}

RecordedFrame PerfModules::kernel(std::uint64_t address, bool is_caller) {
  RecordedFrame frame = part_of_system(kernel_, "kernel");
  if (!kernel_symbols_) return frame;
  const auto function = kernel_symbols_->at(address - (is_caller ? 1 : 0));
  if (!function) return frame;
  frame.address = {function->address};
  const auto [known, is_new] = kernel_functions_.try_emplace(frame.address);
  if (is_new) known->second = {function->name, gprof::is_entry_of_system_calls(function->name)};
  return frame;
}

RecordedFrame PerfModules::guest() { return part_of_system(guest_, "guest"); }

const PerfModules::KernelFunction* PerfModules::kernel_function(const RecordedFrame& frame) const {
  if (!kernel_ || frame.module != *kernel_) return nullptr;
  const auto known = kernel_functions_.find(frame.address);
  return known == kernel_functions_.end() ? nullptr : &known->second;
}

bool PerfModules::is_entry_of_system_calls(const RecordedFrame& frame) const {
  const KernelFunction* function = kernel_function(frame);
  return function != nullptr && function->is_entry;
}

bool PerfModules::is_behind_system_call(const PerfProcesses::Place& place) {
  const Image* image = image_of(place.file);
  if (image == nullptr) return false;
  constexpr std::array x86 = {std::byte{0x0f}, std::byte{0x05}};
  constexpr std::array arm = {std::byte{0x01}, std::byte{0x00}, std::byte{0x00}, std::byte{0xd4}};
  const bool is_arm = image->machine() == EM_AARCH64;
  if (!is_arm && image->machine() != EM_X86_64) return false;
  const std::span<const std::byte> call =
      is_arm ? std::span<const std::byte>(arm) : std::span<const std::byte>(x86);
  const Address behind = frame_at(place).address;
  if (behind.value < call.size()) return false;
  std::vector<std::byte> own;
  return std::ranges::equal(image->bytes_in({behind - call.size(), behind}, own), call);
}

Row PerfModules::place_of(const RecordedFrame& frame) {
  Place place = {.kind = frame.kind};
  if (frame.module >= modules_.size()) return builder_.place(place);
  place.module = modules_[frame.module];
  if (!is_of_system_[frame.module]) {
    place.address = frame.address;
  } else if (const KernelFunction* function = kernel_function(frame)) {
    place.function = builder_.text(function->name);
  }
  return builder_.place(place);
}

bool PerfModules::is_of_system(std::uint32_t module) const {
  return module < is_of_system_.size() && is_of_system_[module];
}

}  // namespace gprof::perf_data
