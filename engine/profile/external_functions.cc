#include "engine/profile/external_functions.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "engine/profile/collected_samples.h"
#include "engine/support/hexadecimal.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

// By module: where samples and stacks are in its code. Empty for those that are not read.
std::vector<std::vector<Address>> sampled_places(const Sidecar& sidecar,
                                                 const std::vector<bool>& own_modules) {
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
  for (const SidecarSample& sample : sidecar.samples) add(sample.place, true);
  for (const auto* stacks : {&sidecar.stacks, &sidecar.wait_stacks}) {
    for (const SidecarStack& stack : *stacks) {
      bool innermost = true;
      for (const ModuleAddress& place : stack.frames) {
        add(place, innermost);
        innermost = false;
      }
    }
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

}  // namespace

Address code_address(Address place, bool innermost) {
  return innermost || place.value == 0 ? place : place - 1;
}

ExternalFunctions::ExternalFunctions(const Sidecar& sidecar, const std::vector<bool>& own_modules,
                                     const DebugFileSearch& debug_files,
                                     std::shared_ptr<const ExternalNames> told)
    : told_(std::move(told)) {
  std::vector<std::vector<Address>> places = sampled_places(sidecar, own_modules);
  modules_.resize(places.size());
  std::size_t opened = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].empty() || opened == most_named_modules) continue;
    ++opened;
    const auto image = image_of(sidecar.modules[i], sidecar.process, debug_files);
    if (image == nullptr) continue;
    Warnings of_no_interest;
    const auto debug_image =
        find_debug_file(*image, debug_files, of_no_interest, DebugFileUse::names);
    modules_[i].places = std::move(places[i]);
    modules_[i].names.emplace(*image, debug_image.get(), modules_[i].places);
  }
}

std::string_view ExternalFunctions::name_at(std::uint32_t module, Address code) const {
  if (told_ != nullptr) {
    const auto found = told_->find({module, code});
    if (found != told_->end()) return found->second;
  }
  if (module >= modules_.size() || !modules_[module].names) return {};
  const std::vector<Address>& places = modules_[module].places;
  const auto found = std::ranges::lower_bound(places, code);
  if (found == places.end() || *found != code) return {};
  return modules_[module].names->at(static_cast<std::size_t>(found - places.begin()));
}

}  // namespace gprof
