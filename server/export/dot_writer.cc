#include "server/export/dot_writer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "server/features/cost_text.h"
#include "server/text/number_text.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

// More can neither be laid out nor read.
constexpr std::size_t most_nodes = 1'000;
constexpr std::size_t longest_name = 80;
constexpr double widest_pen = 5;

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : on_one_line(text)) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result;
}

std::string shortened(const std::string& name) {
  if (name.size() <= longest_name) return name;
  std::size_t end = longest_name;
  // Not within a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end) + "…";
}

// White to red, as hue, saturation and value.
std::string color_of(double heat) {
  constexpr double yellow = 0.16;
  return fmt::format("{:.3f} {:.3f} 1.000", yellow * (1 - heat), 0.08 + 0.72 * heat);
}

class DotWriter {
 public:
  DotWriter(double threshold, const ExportTables& tables, FrameNames& names, ExportOutput& output);

  void write();

 private:
  void choose_nodes();
  void write_node(std::uint32_t function, const char* indent);
  void write_clusters();
  void write_arcs();
  [[nodiscard]] double share(Ticks ticks) const { return whole_ > 0 ? ticks / whole_ : 0; }
  [[nodiscard]] double weight(const ExportFunction& function) const {
    return whole_ > 0 ? share(function.total) : call_share(function.calls);
  }
  [[nodiscard]] double weight(const ExportArc& arc) const {
    return whole_ > 0 ? share(arc.ticks) : call_share(arc.calls);
  }
  [[nodiscard]] double call_share(std::uint64_t calls) const {
    return all_calls_ > 0 ? static_cast<double>(calls) / static_cast<double>(all_calls_) : 0;
  }

  const double threshold_;
  const ExportTables& tables_;
  FrameNames& names_;
  ExportOutput& output_;
  const Ticks whole_;
  std::uint64_t all_calls_ = 0;
  std::vector<bool> chosen_;  // by function
};

DotWriter::DotWriter(double threshold, const ExportTables& tables, FrameNames& names,
                     ExportOutput& output)
    : threshold_(threshold),
      tables_(tables),
      names_(names),
      output_(output),
      whole_(tables.self_ticks()),
      chosen_(tables.functions().size()) {
  for (const ExportArc& arc : tables.arcs()) all_calls_ += arc.calls;
}

void DotWriter::choose_nodes() {
  const auto& functions = tables_.functions();
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (weight(functions[i]) > 0 && weight(functions[i]) >= threshold_) order.push_back(i);
  }
  // Without times the callers of what is called most matter, however rarely they run.
  for (const ExportArc& arc : tables_.arcs()) {
    if (whole_ > 0 || !(weight(arc) >= threshold_)) continue;
    order.push_back(arc.caller);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return weight(functions[a]) > weight(functions[b]);
  });
  order.resize(std::min(order.size(), most_nodes));
  for (const std::uint32_t function : order) chosen_[function] = true;
}

void DotWriter::write() {
  choose_nodes();
  output_.print("digraph \"gprof-lsp {}\" {{\n", escaped(names_.of({})));
  output_.print("  label=\"{}: total times {}{}\";\n", escaped(names_.of({})),
                basis_name(tables_.measured()),
                threshold_ > 0 ? ", from " + percent(threshold_) + " on" : "");
  output_.write(
      "  node [shape=box, style=filled, fontname=\"sans-serif\"];\n"
      "  edge [fontname=\"sans-serif\"];\n");
  for (std::uint32_t i = 0; i < chosen_.size(); ++i) {
    if (chosen_[i] && tables_.functions()[i].cycle == 0) write_node(i, "  ");
  }
  write_clusters();
  write_arcs();
  output_.write("}\n");
}

void DotWriter::write_node(std::uint32_t index, const char* indent) {
  const ExportFunction& function = tables_.functions()[index];
  const FunctionCosts& profile = tables_.snapshot().profile();
  std::string label = escaped(shortened(names_.with_module(function.frame)));
  if (whole_ > 0) {
    label += fmt::format("\\nself {} ({})\\ntotal {} ({})", time_text(profile, function.self),
                         percent(share(function.self)), time_text(profile, function.total),
                         percent(share(function.total)));
  }
  if (function.calls > 0 || function.recursive_calls > 0) {
    label += "\\n" + exact_count(function.calls);
    if (function.recursive_calls > 0) label += "+" + exact_count(function.recursive_calls);
    label += function.calls + function.recursive_calls == 1 ? " call" : " calls";
  }
  const double heat = whole_ > 0 ? std::sqrt(std::clamp(share(function.self), 0.0, 1.0))
                                 : std::sqrt(std::clamp(call_share(function.calls), 0.0, 1.0));
  output_.print("{}f{} [label=\"{}\", tooltip=\"{}\", fillcolor=\"{}\"];\n", indent, index, label,
                escaped(names_.with_module(function.frame)), color_of(heat));
}

void DotWriter::write_clusters() {
  std::map<CycleNumber, std::vector<std::uint32_t>> cycles;
  for (std::uint32_t i = 0; i < chosen_.size(); ++i) {
    const CycleNumber cycle = tables_.functions()[i].cycle;
    if (chosen_[i] && cycle != 0) cycles[cycle].push_back(i);
  }
  for (const auto& [cycle, members] : cycles) {
    output_.print("  subgraph cluster_{0} {{\n    label=\"cycle {0}\";\n", cycle);
    for (const std::uint32_t member : members) write_node(member, "    ");
    output_.write("  }\n");
  }
}

void DotWriter::write_arcs() {
  for (const ExportArc& arc : tables_.arcs()) {
    if (!chosen_[arc.caller] || !chosen_[arc.callee]) continue;
    // Estimates give no time to calls within a cycle.
    const bool in_cycle =
        tables_.functions()[arc.caller].cycle != 0 &&
        tables_.functions()[arc.caller].cycle == tables_.functions()[arc.callee].cycle;
    if (weight(arc) < threshold_ && !in_cycle && arc.caller != arc.callee) continue;
    std::string label = arc.calls > 0 ? short_count(arc.calls) + "×" : "";
    if (arc.ticks > 0) label += (label.empty() ? "" : "\\n") + percent(share(arc.ticks));
    output_.print("  f{} -> f{} [label=\"{}\", penwidth={:.2f}];\n", arc.caller, arc.callee, label,
                  1 + (widest_pen - 1) * std::clamp(weight(arc), 0.0, 1.0));
  }
}

}  // namespace

void write_dot(double threshold, const ExportTables& tables, FrameNames& names,
               ExportOutput& output) {
  DotWriter(threshold, tables, names, output).write();
}

}  // namespace gprof::lsp
