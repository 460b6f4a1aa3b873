#include "server/discovery/library_profiles.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "server/discovery/profile_names.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

struct LibraryProfile {
  fs::path path;
  std::string shared_name;
  fs::path library;  // where it was when the program ran; empty if unknown
};

LibraryProfile describe_profile(const fs::path& run, const std::string& name, std::string_view part,
                                FileCatalog& catalog) {
  LibraryProfile profile{run.parent_path() / name, std::string(part), {}};
  for (const SidecarModule& module : catalog.modules(run)) {
    if (module.file != name) continue;
    profile.shared_name = module.soname;
    profile.library = module.path;
  }
  return profile;
}

std::vector<LibraryProfile> profiles_beside(const fs::path& run, DirectoryListings& listings,
                                            FileCatalog& catalog) {
  const std::string run_name = run.filename().string();
  const std::string prefix = run_name + ".";
  const std::vector<std::string>& names = listings.of(run.parent_path());
  std::vector<LibraryProfile> found;
  for (auto name = std::lower_bound(names.begin(), names.end(), prefix);
       name != names.end() && name->starts_with(prefix); ++name) {
    const std::string_view part = library_part(*name, run_name);
    if (part.empty() || !begins_like_gmon(run.parent_path() / *name)) continue;
    found.push_back(describe_profile(run, *name, part, catalog));
  }
  return found;
}

bool is_called(const fs::path& path, const BinaryFacts& facts, const LibraryProfile& profile) {
  return path == profile.library || path.filename().string() == profile.shared_name ||
         facts.shared_name == profile.shared_name;
}

class LibraryFinder {
 public:
  LibraryFinder(const fs::path& executable, const LibrarySearch& search, FileCatalog& catalog)
      : executable_(executable), search_(search), catalog_(catalog) {}

  // Empty if none fits.
  fs::path find(const LibraryProfile& profile) {
    best_.clear();
    best_fit_ = Fit::none;
    const ProfileFacts* facts = catalog_.profile(profile.path);
    // Damage is reported when the file is read; any library with that name will do.
    const GmonIdentity* identity =
        facts != nullptr && facts->program.empty() && facts->identity ? &*facts->identity : nullptr;
    for (const fs::path& path : search_.named) consider(path, profile, identity);
    consider(profile.library, profile, identity);
    consider(executable_.parent_path() / profile.shared_name, profile, identity);
    if (best_fit_ >= Fit::text_range) return best_;
    for (const fs::path& path : search_.workspace()) consider(path, profile, identity);
    return best_;
  }

 private:
  // Among equals the first one is kept.
  void consider(const fs::path& path, const LibraryProfile& profile, const GmonIdentity* identity) {
    if (path.empty()) return;
    const BinaryFacts* facts = catalog_.binary(path);
    if (facts == nullptr || facts->is_program || !is_called(path, *facts, profile)) return;
    const Fit fit = identity != nullptr ? fit_of(*facts, *identity) : Fit::overlaps;
    if (fit <= best_fit_) return;
    best_ = path;
    best_fit_ = fit;
  }

  const fs::path& executable_;
  const LibrarySearch& search_;
  FileCatalog& catalog_;
  fs::path best_;
  Fit best_fit_ = Fit::none;
};

}  // namespace

std::vector<PlannedProgram> libraries_of(const PlannedProgram& program, const LibrarySearch& search,
                                         FileCatalog& catalog, Warnings& warnings) {
  std::vector<PlannedProgram> libraries;
  LibraryFinder finder(program.executable, search, catalog);
  for (const fs::path& run : program.profiles) {
    for (const LibraryProfile& profile : profiles_beside(run, search.listings, catalog)) {
      const fs::path library = finder.find(profile);
      if (library.empty()) {
        warnings.push_back(Error{
            ErrorCode::not_found,
            fmt::format("no shared library {} was found that fits this profile: name it in the "
                        "libraries of the setting gprof.programs",
                        profile.shared_name),
            profile.path.string(), std::nullopt});
        continue;
      }
      auto known = std::find_if(libraries.begin(), libraries.end(),
                                [&](const PlannedProgram& p) { return p.executable == library; });
      if (known == libraries.end()) {
        known = libraries.insert(
            libraries.end(), PlannedProgram{library, {}, {}, program.path_map, program.executable});
      }
      known->profiles.push_back(profile.path);
      known->candidates.push_back(profile.path);
    }
  }
  return libraries;
}

}  // namespace gprof::lsp
