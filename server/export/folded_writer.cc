#include "server/export/folded_writer.h"

#include <algorithm>
#include <vector>

#include "server/export/export_tables.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {

void write_folded(const FlameTree& tree, FrameNames& names, ExportOutput& output) {
  WholeNumbers whole(export_unit(names.snapshot().profile()).per_tick);
  // The ends of the path's names, by depth: the text of a node begins with its parent's.
  std::string path;
  std::vector<std::size_t> ends = {0};
  const auto write = [&](std::string_view more, Ticks ticks) {
    if (!(ticks > 0)) return;
    const std::uint64_t amount = whole.next(ticks);
    if (amount > 0) output.print("{}{} {}\n", path, more, amount);
  };
  for (const FlameNode& node : tree.nodes()) {
    if (output.failed()) return;
    if (node.depth == 0) {
      if (node.left_out > 0) write(left_out_name, node.left_out);
      continue;
    }
    path.resize(ends[node.depth - 1]);
    if (node.depth > 1) path += ';';
    std::string name = on_one_line(names.with_module(node.frame));
    std::replace(name.begin(), name.end(), ';', ':');
    path += name;
    ends.resize(node.depth);
    ends.push_back(path.size());
    write("", node.self);
    write(std::string(";") + left_out_name, node.left_out);
  }
}

}  // namespace gprof::lsp
