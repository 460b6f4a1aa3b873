#include "runtime/output/output_names.h"

#include <cstring>

#include <fcntl.h>

#include "runtime/output/write_profile.h"
#include "runtime/storage/live_file.h"
#include "runtime/storage/process_facts.h"
#include "runtime/system/environment.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

constexpr const char* usual_name = "gmon.out";
constexpr const char* sidecar_suffix = "gpx";

using Suffix = Text<sizeof(ModuleRecord::soname) + 16>;

void add_suffix(FixedText& to, const Module& module, std::uint32_t number) {
  // A soname is free text; only its last path component can be part of a file name.
  const char* name = last_component(module.record->soname);
  to.add(*name != '\0' ? name : "library");
  if (number != 0) to.add(".").add(std::uint64_t{number});
}

bool is_taken(const ModuleTable& modules, const char* suffix, std::uint32_t but) {
  if (std::strcmp(suffix, sidecar_suffix) == 0) return true;
  for (std::uint32_t i = 1; i < modules.size(); ++i) {
    if (i == but || modules[i].has_file == 0) continue;
    Suffix other;
    add_suffix(other, modules[i], modules[i].file_number);
    if (std::strcmp(other.c_str(), suffix) == 0) return true;
  }
  return false;
}

bool is_first_of_name(const ModuleTable& modules, std::uint32_t module) {
  Suffix own;
  add_suffix(own, modules[module], 0);
  if (std::strcmp(own.c_str(), sidecar_suffix) == 0) return false;
  for (std::uint32_t i = 1; i < module; ++i) {
    if (modules[i].has_file == 0) continue;
    Suffix other;
    add_suffix(other, modules[i], 0);
    if (std::strcmp(other.c_str(), own.c_str()) == 0) return false;
  }
  return true;
}

std::uint64_t process_number() { return static_cast<std::uint64_t>(sys::call(__NR_getpid)); }

bool is_profiled_here(std::uint64_t process) {
  const char* directory = settings().output_directory;
  if (*directory == '\0') directory = live::start_directory();
  Text<4096 + 64> path;
  if (*directory != '\0') path.add(directory).add("/");
  path.add("gmon.live.").add(process);
  return !sys::failed(sys::call(__NR_faccessat, AT_FDCWD, sys::word(path.c_str()), 0));
}

// Whether an ancestor of this process (perhaps with a shell in between) is profiled in the same
// directory and will write there.
bool ancestor_is_profiled() {
  constexpr int most_generations = 32;
  auto ancestor = static_cast<std::uint32_t>(sys::call(__NR_getppid));
  for (int i = 0; i < most_generations && ancestor > 1; ++i) {
    if (is_profiled_here(ancestor)) return true;
    ancestor = parent_of(ancestor);
  }
  return false;
}

bool usual_name_is_taken(bool forked, unsigned image_number) {
  if (forked || image_number > 0) return true;
  const std::uint32_t recorded = settings().recorded_process;
  return recorded != 0 ? recorded != process_number() : ancestor_is_profiled();
}

}  // namespace

const char* last_component(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

void number_library_files(ModuleTable& modules) {
  // Start with those that keep their soname, so that no numbered name collides with them.
  for (std::uint32_t i = 1; i < modules.size(); ++i) modules[i].file_number = 0;
  for (std::uint32_t i = 1; i < modules.size(); ++i) {
    if (modules[i].has_file == 0 || is_first_of_name(modules, i)) continue;
    std::uint32_t number = 1;
    bool taken = true;
    while (taken) {
      Suffix suffix;
      add_suffix(suffix, modules[i], ++number);
      taken = is_taken(modules, suffix.c_str(), i);
    }
    modules[i].file_number = number;
  }
}

void add_gmon_name(FixedText& to, const char* name, const ModuleTable& modules,
                   std::uint32_t module) {
  to.add(name);
  if (module == 0) return;
  to.add(".");
  add_suffix(to, modules[module], modules[module].file_number);
}

void add_sidecar_name(FixedText& to, const char* name) {
  to.add(name).add(".").add(sidecar_suffix);
}

void choose_output_name(bool forked, unsigned image_number) {
  LiveHeader* header = live::header();
  if (header == nullptr) return;
  const char* prefix = settings().name_prefix;
  const bool has_prefix = *prefix != '\0';
  Text<64> suffix;
  if (has_prefix || usual_name_is_taken(forked, image_number))
    suffix.add(".").add(process_number());
  if (image_number > 0) suffix.add(".").add(std::uint64_t{image_number});
  // If the name is too long, the suffix, which distinguishes processes, is kept.
  for (char& character : header->name) character = '\0';
  FixedText base(header->name, sizeof header->name - suffix.size());
  base.add(has_prefix ? prefix : usual_name);
  if (base.cut()) report_problem("the profile's name is too long and was cut", prefix, 0);
  FixedText whole(header->name + base.size(), sizeof header->name - base.size());
  whole.add(suffix.c_str());
}

}  // namespace gprof_runtime
