#include "engine/dwarf/unit_trees.h"

#include <utility>

#include <fmt/format.h>

namespace gprof::dwarf {

Expected<UnitTrees::Tree> UnitTrees::of_unit(UnitIndex unit, const UnitRecord& record) {
  if (!record.summary.unit.split_file.empty()) {
    auto tree = read_split(record);
    if (tree) return tree;
    if (tree.error().code == ErrorCode::not_found) {
      warnings_.add_missing_split_file(unit, record.summary.unit.split_file);
    } else {
      warnings_.add(tree.error());
    }
    // The skeleton may still know the inlined calls (Clang's -fsplit-dwarf-inlining).
  }
  {
    const std::lock_guard lock(mutex_);
    const auto kept = kept_.find(record.header.offset);
    if (kept != kept_.end()) return kept->second;
  }
  return read(record);
}

UnitTrees::Tree UnitTrees::at(std::uint64_t offset) {
  const UnitRecord* record = record_at(records_, offset);
  if (record == nullptr) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto kept = kept_.find(record->header.offset);
    if (kept != kept_.end()) return kept->second ? *kept->second : nullptr;
  }
  auto tree = read(*record);
  const std::lock_guard lock(mutex_);
  if (node_count_ > most_nodes) {
    kept_.clear();
    node_count_ = 0;
  }
  // A damaged one too, so that the next reference does not read it again.
  if (tree) node_count_ += (*tree)->nodes.size();
  kept_.insert_or_assign(record->header.offset, tree);
  return tree ? *tree : nullptr;
}

Expected<UnitTrees::Tree> UnitTrees::read(const UnitRecord& record) {
  FormValues values(sections_, record.header);
  values.set_bases(record.summary.bases);
  auto tree = read_entries(values, record.summary.unit.language, record, false);
  if (!tree) warnings_.add(tree.error());
  return tree;
}

Expected<UnitTrees::Tree> UnitTrees::read_split(const UnitRecord& record) {
  const UnitSummary& skeleton = record.summary;
  TRY_ASSIGN(auto found, split_units_.find(skeleton.unit, skeleton.split_id));
  FormValues values(found.sections, found.header);
  values.set_split(true);
  TRY_ASSIGN(auto summary, read_unit_summary(values, code_, &skeleton.bases));
  if (summary.split_id && skeleton.split_id && *summary.split_id != *skeleton.split_id) {
    return Error{ErrorCode::mismatch,
                 fmt::format("the split unit's id is {:#018x}, the program expects {:#018x}: it is "
                             "of another build; rebuild the program",
                             *summary.split_id, *skeleton.split_id),
                 found.sections.path,
                 {}};
  }
  return read_entries(values, summary.unit.language, record, true);
}

Expected<UnitTrees::Tree> UnitTrees::read_entries(FormValues& values, Language language,
                                                  const UnitRecord& record, bool is_split) {
  ++reads_;
  TRY_ASSIGN(auto tree, read_die_tree(values, code_, language));
  tree.is_split = is_split;
  tree.record = &record;
  return std::make_shared<const DieTree>(std::move(tree));
}

}  // namespace gprof::dwarf
