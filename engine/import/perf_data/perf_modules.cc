#include "engine/import/perf_data/perf_modules.h"

#include <algorithm>
#include <utility>

#include "engine/import/imported_profile.h"
#include "engine/support/hexadecimal.h"
#include "engine/support/limits.h"

namespace gprof::perf_data {
namespace {

enum ModuleKind : std::uint8_t { other_code = 0, c_library, loader, of_system };

// Loaders: ld-linux-x86-64.so.2, ld-2.31.so
ModuleKind kind_of_file(std::string_view path) {
  if (is_c_library_file(path)) return c_library;
  const std::string_view name = last_part(path);
  const bool is_loader = name.starts_with("ld-linux") || name.starts_with("ld-2") ||
                         name.starts_with("ld.so") || name.starts_with("ld64.so");
  return is_loader ? loader : other_code;
}

}  // namespace

PerfModules::PerfModules(const std::vector<PerfProcesses::File>& files, const BuildIds& build_ids,
                         const Image& program, FileTime recorded, ImportRoom& room,
                         std::size_t events)
    : named_(files),
      build_ids_(build_ids),
      program_(program),
      recorded_(recorded),
      room_(room),
      events_(events),
      files_(files.size()),
      is_program_(files.size()) {
  SidecarModule& own = modules_.emplace_back();
  own.path = program.path();
  own.flags = module_flags::main;
  kinds_.push_back(kind_of_file(own.path));
  find_program(program);
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
  modules_.front().build_id = program_build_;
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

std::uint32_t PerfModules::add_module(std::string path, std::string build_id) {
  const auto next = static_cast<std::uint32_t>(modules_.size());
  const auto known = numbers_.find({path, build_id});
  if (known != numbers_.end()) return known->second;
  const std::size_t bytes = sizeof(SidecarModule) + path.size() + build_id.size();
  if (!room_.take((1 + events_) * bytes)) return no_module;
  numbers_.emplace(std::pair(path, build_id), next);
  kinds_.push_back(kind_of_file(path));
  SidecarModule& module = modules_.emplace_back();
  module.path = std::move(path);
  module.build_id = std::move(build_id);
  return next;
}

std::uint32_t PerfModules::module_of(std::uint32_t number) {
  File& file = files_[number];
  if (!file.module) {
    const std::string& known = file.build_id;
    file.module = add_module(named_[number].path, known.empty() ? build_of(number) : known);
  }
  return *file.module;
}

ModuleAddress PerfModules::address_of(const PerfProcesses::Place& place) {
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

ModuleAddress PerfModules::part_of_system(std::optional<std::uint32_t>& module,
                                          std::string_view name) {
  if (!module) {
    module = add_module(std::string(name), {});
    if (*module < kinds_.size()) kinds_[*module] = of_system;
  }
  return {*module, {}};
}

ModuleAddress PerfModules::kernel(std::uint64_t address, bool is_caller) {
  ModuleAddress place = part_of_system(kernel_, "kernel");
  if (!kernel_symbols_) return place;
  const auto function = kernel_symbols_->at(address - (is_caller ? 1 : 0));
  if (!function) return place;
  place.address = {function->address};
  names_.try_emplace(place, function->name);
  // It is looked up before the call.
  if (is_caller) place.address = place.address + 1;
  return place;
}

std::shared_ptr<const ExternalNames> PerfModules::take_names() {
  if (names_.empty()) return nullptr;
  return std::make_shared<const ExternalNames>(std::move(names_));
}

ModuleAddress PerfModules::guest() { return part_of_system(guest_, "guest"); }

bool PerfModules::is_of_system(std::uint32_t module) const {
  return module < kinds_.size() && kinds_[module] == of_system;
}

bool PerfModules::is_c_library(std::uint32_t module) const {
  return module < kinds_.size() && kinds_[module] == c_library;
}

bool PerfModules::is_loader(std::uint32_t module) const {
  return module < kinds_.size() && kinds_[module] == loader;
}

}  // namespace gprof::perf_data
