#include "server/export/speedscope_writer.h"

#include <map>
#include <vector>

#include <fmt/ranges.h>

#include "server/export/export_tables.h"
#include "server/protocol/json_text.h"

namespace gprof::lsp {
namespace {

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const FlameTree& tree, FrameNames& names, ExportOutput& output)
      : tree_(tree),
        names_(names),
        output_(output),
        unit_(export_unit(names.snapshot().profile())) {}

  void write();

 private:
  void write_frames();
  void write_samples();
  void write_weights();
  [[nodiscard]] Json describe(const FlameFrame& frame);
  void write_stack(std::uint32_t node, bool left_out);

  const FlameTree& tree_;
  FrameNames& names_;
  ExportOutput& output_;
  const ExportUnit unit_;
  // In the order of the list of frames.
  std::map<FlameFrame, std::size_t> numbers_;
  std::size_t left_out_number_ = 0;
  std::uint64_t total_ = 0;
};

void SpeedscopeWriter::write() {
  output_.print(R"({{"$schema":"https://www.speedscope.app/file-format-schema.json",)"
                R"("exporter":"gprof-lsp {}","activeProfileIndex":0,"name":{},)",
                GPROF_LSP_VERSION,
                json_text(names_.of({}) + " (" + std::string(basis_name(tree_.measured())) + ")"));
  write_frames();
  output_.print(R"(,"profiles":[{{"type":"sampled","name":{},"unit":"{}","startValue":0,)",
                json_text(names_.of({})), unit_.name == "samples" ? "none" : unit_.name);
  write_samples();
  write_weights();
  output_.print(R"(,"endValue":{}}}]}})"
                "\n",
                total_);
}

void SpeedscopeWriter::write_frames() {
  output_.write(R"("shared":{"frames":[)");
  std::vector<FlameFrame> frames;
  for (const FlameNode& node : tree_.nodes()) frames.push_back(node.frame);
  names_.prepare(std::move(frames));
  bool any_left_out = false;
  for (const FlameNode& node : tree_.nodes()) {
    any_left_out = any_left_out || node.left_out > 0;
    if (node.depth == 0 || !numbers_.try_emplace(node.frame, numbers_.size()).second) continue;
    output_.print("{}\n{}", numbers_.size() > 1 ? "," : "", json_text(describe(node.frame)));
  }
  left_out_number_ = numbers_.size();
  if (any_left_out) {
    output_.print("{}\n{}", left_out_number_ > 0 ? "," : "",
                  json_text(Json{{"name", left_out_name}}));
  }
  output_.write("]}");
}

Json SpeedscopeWriter::describe(const FlameFrame& frame) {
  Json json = {{"name", names_.with_module(frame)}};
  const auto& declared = names_.declaration(frame);
  if (declared && !names_.path(declared->file).empty()) {
    json["file"] = names_.path(declared->file);
    if (declared->line != 0) json["line"] = declared->line;
  }
  return json;
}

void SpeedscopeWriter::write_samples() {
  output_.write(R"("samples":[)");
  const char* separator = "\n";
  for (std::uint32_t i = 0; i < tree_.nodes().size(); ++i) {
    const FlameNode& node = tree_.node(i);
    for (const bool left_out : {false, true}) {
      if (!((left_out ? node.left_out : node.self) > 0)) continue;
      output_.write(separator);
      write_stack(i, left_out);
      separator = ",\n";
    }
  }
  output_.write("],");
}

void SpeedscopeWriter::write_stack(std::uint32_t node, bool left_out) {
  std::vector<std::size_t> stack;
  if (left_out) stack.push_back(left_out_number_);
  for (; tree_.node(node).depth > 0; node = tree_.node(node).parent) {
    stack.push_back(numbers_.at(tree_.node(node).frame));
  }
  output_.print("[{}]", fmt::join(stack.rbegin(), stack.rend(), ","));
}

void SpeedscopeWriter::write_weights() {
  output_.write(R"("weights":[)");
  WholeNumbers whole(unit_.per_tick);
  const char* separator = "";
  for (const FlameNode& node : tree_.nodes()) {
    for (const Ticks ticks : {node.self, node.left_out}) {
      if (!(ticks > 0)) continue;
      const std::uint64_t weight = whole.next(ticks);
      total_ += weight;
      output_.print("{}{}", separator, weight);
      separator = ",";
    }
  }
  output_.write("]");
}

}  // namespace

void write_speedscope(const FlameTree& tree, FrameNames& names, ExportOutput& output) {
  SpeedscopeWriter(tree, names, output).write();
}

}  // namespace gprof::lsp
