#include "engine/analysis/external_functions.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "engine/analysis/collected_samples.h"
#include "engine/support/file_access.h"
#include "engine/support/hexadecimal.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

// By module: where samples and stacks are in its code. Empty for those that are not read.
std::vector<std::vector<Address>> sampled_places(std::span<const Sidecar* const> sidecars,
                                                 const std::vector<bool>& own_modules) {
  const Sidecar& sidecar = *sidecars.front();
  std::vector<std::vector<Address>> places(sidecar.modules.size());
  std::vector<bool> wanted(sidecar.modules.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& path = sidecar.modules[i].path;
    const bool own = i < own_modules.size() && own_modules[i];
    // Others are no files, but perf keeps a copy of the vdso.
    const bool can_be_read =
        path.starts_with('/') || (path == "[vdso]" && !sidecar.modules[i].build_id.empty());
    wanted[i] = !own && can_be_read && !is_collector(file_name_of(path));
  }
  const auto add = [&](const ModuleAddress& place, bool innermost) {
    if (place.module >= wanted.size() || !wanted[place.module]) return;
    places[place.module].push_back(code_address(place.address, innermost));
  };
  const auto add_stacks = [&](const std::vector<SidecarStack>& stacks) {
    for (const SidecarStack& stack : stacks) {
      bool innermost = true;
      for (const ModuleAddress& place : stack.frames) {
        add(place, innermost);
        innermost = false;
      }
    }
  };
  for (const Sidecar* one : sidecars) {
    for (const SidecarSample& sample : one->samples) add(sample.place, true);
    add_stacks(one->stacks);
    add_stacks(one->wait_stacks);
  }
  for (std::vector<Address>& of_module : places) {
    std::sort(of_module.begin(), of_module.end());
    of_module.erase(std::unique(of_module.begin(), of_module.end()), of_module.end());
  }
  return places;
}

// Whether the file is the one that was loaded.
bool is_of_recording(const Image& image, const SidecarModule& module,
                     const SidecarProcess& process) {
  if (hexadecimal(image.build_id()) != module.build_id) return false;
  if (!module.build_id.empty()) return true;
  return process.end_time != 0 && image.modified() <= static_cast<FileTime>(process.end_time);
}

// Where it is gone or of another build, a copy of it. Null if there is none.
std::shared_ptr<const Image> image_of(const SidecarModule& module, const SidecarProcess& process,
                                      const DebugFileSearch& debug_files) {
  if (module.path.starts_with('/')) {
    const auto image = Image::open(module.path);
    if (image && is_of_recording(**image, module, process)) return *image;
  }
  if (module.build_id.empty()) return nullptr;
  return find_image_of_build(module.build_id, module.path, debug_files);
}

// The modules that are the same build of one file, by whatever paths.
struct ModulesOfFile {
  std::vector<std::uint32_t> modules;
  std::uint64_t size = 0;  // of the file; 0: there is none
};

std::vector<ModulesOfFile> by_file(const Sidecar& sidecar,
                                   const std::vector<std::vector<Address>>& places) {
  std::vector<ModulesOfFile> files;
  // Device, inode, path of what is no file, and build-id.
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::string_view, std::string_view>,
           std::size_t>
      known;
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    if (places[i].empty()) continue;
    const SidecarModule& module = sidecar.modules[i];
    const bool can_be_there = module.path.starts_with('/') && check_file_access(module.path);
    const auto stamp = can_be_there ? file_stamp(module.path) : std::nullopt;
    const std::string_view path = stamp ? std::string_view() : module.path;
    const FileStamp file = stamp.value_or(FileStamp{});
    const auto [place, is_new] =
        known.try_emplace({file.device, file.inode, path, module.build_id}, files.size());
    if (is_new) files.push_back({{}, file.size});
    files[place->second].modules.push_back(i);
  }
  return files;
}

}  // namespace

Address code_address(Address place, bool innermost) {
  return innermost || place.value == 0 ? place : place - 1;
}

ExternalFunctions::ExternalFunctions(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                                     const DebugFileSearch& debug_files,
                                     std::shared_ptr<const ExternalNames> told)
    : ExternalFunctions(std::array<const Sidecar*, 1>{&sidecar}, own_modules, debug_files,
                        std::move(told)) {}

ExternalFunctions::ExternalFunctions(std::span<const Sidecar* const> sidecars,
                                     const std::vector<bool>& own_modules,
                                     const DebugFileSearch& debug_files,
                                     std::shared_ptr<const ExternalNames> told)
    : told_(std::move(told)) {
  const Sidecar& sidecar = *sidecars.front();
  std::vector<std::vector<Address>> places = sampled_places(sidecars, own_modules);
  modules_.resize(places.size());
  std::size_t opened = 0;
  std::uint64_t bytes = 0;
  for (const ModulesOfFile& file : by_file(sidecar, places)) {
    const bool is_too_much = bytes + file.size > max_named_module_bytes;
    if (opened == most_named_modules || is_too_much) continue;
    ++opened;
    bytes += file.size;
    const SidecarModule& module = sidecar.modules[file.modules.front()];
    looked_in_.push_back(module.path);
    for (const auto& place : places_of_build(module.build_id, debug_files)) {
      looked_in_.push_back(place.string());
    }
    const auto image = image_of(module, sidecar.process, debug_files);
    if (image == nullptr) continue;
    Warnings of_no_interest;
    const auto debug_image =
        find_debug_file(*image, debug_files, of_no_interest, DebugFileUse::names);
    std::vector<Address> all;
    for (const std::uint32_t number : file.modules) {
      all.insert(all.end(), places[number].begin(), places[number].end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    NamesAtAddresses names(*image, debug_image.get(), all);
    const auto named = std::make_shared<const File>(File{std::move(all), std::move(names)});
    for (const std::uint32_t number : file.modules) modules_[number] = named;
  }
}

std::string_view ExternalFunctions::name_at(std::uint32_t module, Address code) const {
  if (told_ != nullptr) {
    const auto found = told_->find({module, code});
    if (found != told_->end()) return found->second;
  }
  if (module >= modules_.size() || modules_[module] == nullptr) return {};
  const std::vector<Address>& places = modules_[module]->places;
  const auto found = std::ranges::lower_bound(places, code);
  if (found == places.end() || *found != code) return {};
  return modules_[module]->names.at(static_cast<std::size_t>(found - places.begin()));
}

}  // namespace gprof
