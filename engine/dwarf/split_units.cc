#include "engine/dwarf/split_units.h"

#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/dwarf/package_index.h"
#include "engine/dwarf/source_path.h"

namespace gprof::dwarf {
namespace {

// Where a .dwo file may be: where it was made, or next to the program.
std::vector<std::string> candidates(const Unit& skeleton, const std::string& program_path) {
  const std::filesystem::path directory = std::filesystem::path(program_path).parent_path();
  const std::filesystem::path name(skeleton.split_file);
  return {joined_path(skeleton.compilation_directory, skeleton.split_file),
          (directory / name).string(), (directory / name.filename()).string()};
}

}  // namespace

Expected<SplitUnit> SplitUnits::find(const Unit& skeleton, std::optional<std::uint64_t> split_id) {
  if (split_id) {
    auto packaged = find_in_package(*split_id);
    if (packaged || packaged.error().code != ErrorCode::not_found) return packaged;
  }
  return find_in_file(skeleton, split_id);
}

void SplitUnits::open_package() {
  package_looked_for_ = true;
  auto image = Image::open(program_path_ + ".dwp");
  if (!image) return;
  auto index = find_section_bytes(**image, ".debug_cu_index");
  auto sections = load_sections(*image, SectionSet::split);
  if (index && sections && !index->empty()) package_ = Package{std::move(*sections), *index};
}

Expected<SplitUnit> SplitUnits::find_in_package(std::uint64_t split_id) {
  const std::lock_guard lock(mutex_);
  if (!package_looked_for_) open_package();
  if (!package_) return Error{ErrorCode::not_found, "there is no package", program_path_, {}};
  TRY_ASSIGN(auto share, package_share(package_->sections, package_->index, split_id));
  return unit_in(std::move(share), split_id);
}

Expected<SplitUnit> SplitUnits::find_in_file(const Unit& skeleton,
                                             std::optional<std::uint64_t> split_id) const {
  std::optional<Error> closest_miss;
  for (const std::string& path : candidates(skeleton, program_path_)) {
    auto image = Image::open(path);
    if (!image) {
      if (image.error().code != ErrorCode::not_found) closest_miss = image.error();
      continue;
    }
    auto sections = load_sections(*image, SectionSet::split);
    auto unit = sections ? unit_in(std::move(*sections), split_id)
                         : Expected<SplitUnit>(std::move(sections).error());
    if (unit) return unit;
    closest_miss = std::move(unit).error();
  }
  if (closest_miss) return *std::move(closest_miss);
  return Error{ErrorCode::not_found, "the .dwo file is not there", skeleton.split_file, {}};
}

Expected<SplitUnit> SplitUnits::unit_in(DwarfSections sections,
                                        std::optional<std::uint64_t> split_id) const {
  const std::string path = sections.path;
  sections.addr = program_.addr;
  sections.ranges = program_.ranges;
  sections.owners.insert(sections.owners.end(), program_.owners.begin(), program_.owners.end());
  Warnings damage;
  for (const UnitHeader& header : read_unit_headers(sections, damage)) {
    if (header.kind == UnitKind::type) continue;
    if (header.split_id && split_id && *header.split_id != *split_id) continue;
    return SplitUnit{std::move(sections), header};
  }
  if (!damage.empty()) return std::move(damage.front());
  return Error{ErrorCode::mismatch,
               "the split unit of the program is not in this file: it is of another build; rebuild "
               "the program",
               path,
               {}};
}

}  // namespace gprof::dwarf
