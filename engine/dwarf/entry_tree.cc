#include "engine/dwarf/entry_tree.h"

#include <utility>

#include <fmt/format.h>

#include "engine/dwarf/node_reader.h"

namespace gprof::dwarf {
namespace {

class EntryTreeReader {
 public:
  EntryTreeReader(DieReader& entries, FormValues& values, const CodeFilter& code, Language language)
      : entries_(entries), path_(values.sections().path), nodes_(values, code, tree_) {
    tree_.language = language;
  }

  Expected<DieTree> read();

 private:
  Expected<void> visit();
  Expected<void> read_node(DieNode& node);

  DieReader& entries_;
  const std::string& path_;
  DieTree tree_;
  NodeReader<FormValues, EntryAttribute> nodes_;
  // By depth: the node around the entries at that depth.
  std::vector<std::uint32_t> parents_;
};

Expected<DieTree> EntryTreeReader::read() {
  tree_.first_offset = entries_.header().offset;
  tree_.end_offset = entries_.header().end;
  parents_.assign(2, no_node);
  while (entries_.next()) {
    if (entries_.depth() == 0) continue;  // the unit itself
    TRY(visit());
  }
  if (entries_.damage()) return *entries_.damage();
  return std::move(tree_);
}

Expected<void> EntryTreeReader::visit() {
  const TagMeaning meaning = meaning_of(entries_.tag(), tree_.language);
  if (meaning.treatment == Treatment::skipped) {
    entries_.pass_over_children();
    return {};
  }
  const std::size_t depth = entries_.depth();
  if (depth >= deepest_nesting) {
    return Error{ErrorCode::corrupt,
                 fmt::format("the entries around {:#x} of .debug_info are nested deeper than any "
                             "compiler's",
                             entries_.offset()),
                 path_,
                 {}};
  }
  std::uint32_t parent_of_children = parents_[depth];
  if (meaning.treatment == Treatment::node) {
    DieNode node;
    node.offset = entries_.offset();
    node.parent = parents_[depth];
    node.kind = meaning.kind;
    TRY(read_node(node));
    parent_of_children = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes.push_back(node);
  }
  parents_.resize(depth + 1);
  parents_.push_back(parent_of_children);
  return {};
}

Expected<void> EntryTreeReader::read_node(DieNode& node) {
  nodes_.start(node);
  for (const EntryAttribute& attribute : entries_.attributes()) {
    nodes_.read(attribute.name, attribute, node);
  }
  return nodes_.finish(node);
}

}  // namespace

Expected<DieTree> read_entry_tree(DieReader& entries, FormValues& values, const CodeFilter& code,
                                  Language language) {
  return EntryTreeReader(entries, values, code, language).read();
}

}  // namespace gprof::dwarf
