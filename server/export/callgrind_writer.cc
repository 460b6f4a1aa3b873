#include "server/export/callgrind_writer.h"

#include <unordered_map>

#include "server/export/export_lines.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

constexpr const char* unknown_file = "???";

// "(3) name" for a name's first use, "(3)" later.
class NameNumbers {
 public:
  std::string of(const std::string& name) {
    const auto [known, is_new] = numbers_.try_emplace(name, numbers_.size() + 1);
    if (!is_new) return fmt::format("({})", known->second);
    return fmt::format("({}) {}", known->second, on_one_line(name));
  }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
};

class CallgrindWriter {
 public:
  CallgrindWriter(const ExportTables& tables, FrameNames& names, ExportOutput& output)
      : tables_(tables),
        snapshot_(tables.snapshot()),
        names_(names),
        output_(output),
        unit_(export_unit(snapshot_.profile())),
        has_blocks_(!snapshot_.profile().blocks().empty()),
        self_(unit_.per_tick),
        inclusive_(unit_.per_tick) {}

  void write();

 private:
  void write_header();
  void write_function(const ExportFunction& function);
  void write_lines(const ExportFunction& function);
  void write_calls(const ExportFunction& function, const ExportArc& arc);
  void enter_object(const FlameFrame& frame);
  void enter_file(const std::string& path);
  [[nodiscard]] std::string object_of(const FlameFrame& frame) const;
  [[nodiscard]] const std::string& file_of(const FlameFrame& frame);
  [[nodiscard]] const std::string& file_of(FileId file, const FlameFrame& holder);
  [[nodiscard]] LineNumber line_of(const FlameFrame& frame);

  const ExportTables& tables_;
  const Snapshot& snapshot_;
  FrameNames& names_;
  ExportOutput& output_;
  const ExportUnit unit_;
  const bool has_blocks_;
  WholeNumbers self_;
  WholeNumbers inclusive_;
  NameNumbers objects_;
  NameNumbers files_;
  NameNumbers functions_;
  std::string object_;         // currently being written
  std::string function_file_;  // of the current function
  std::string file_;           // of its current lines
  std::uint64_t time_ = 0;     // written
  std::uint64_t executions_ = 0;
};

void CallgrindWriter::write() {
  write_header();
  names_.prepare(tables_.frames());
  for (const std::uint32_t i : tables_.by_address()) {
    if (output_.failed()) return;
    const ExportFunction& function = tables_.functions()[i];
    write_function(function);
    for (const ExportArc& arc : tables_.arcs_of(i)) write_calls(function, arc);
  }
  output_.print("\ntotals: {}", time_);
  if (has_blocks_) output_.print(" {}", executions_);
  output_.write("\n");
}

void CallgrindWriter::write_header() {
  output_.print("# callgrind format\nversion: 1\ncreator: gprof-lsp {}\ncmd: {}\n",
                GPROF_LSP_VERSION, on_one_line(snapshot_.image().path()));
  for (const std::string& profile : snapshot_.profile_paths()) {
    output_.print("desc: Profile: {}\n", on_one_line(profile));
  }
  if (const Selection& selection = snapshot_.selection(); !selection.is_all()) {
    output_.print("desc: Part of the profile: {}\n",
                  on_one_line(selection_text(selection, snapshot_.dimensions())));
  }
  output_.print("desc: Inclusive costs: {}\n",
                tables_.measured() ? "measured, from sampled stacks"
                                   : "estimated, by numbers of calls, as gprof does");
  output_.write("positions: line\n");
  const bool in_time = unit_.name != "samples";
  output_.print("event: {} : {}\n", in_time ? "us" : "Samples",
                in_time ? "CPU time in microseconds, sampled" : "Samples");
  if (has_blocks_) output_.write("event: Bb : Executions of basic blocks\n");
  output_.print("events: {}{}\n", in_time ? "us" : "Samples", has_blocks_ ? " Bb" : "");
}

std::string CallgrindWriter::object_of(const FlameFrame& frame) const {
  if (frame.kind != FlameFrameKind::module) return snapshot_.image().path();
  return names_.module_of(frame);
}

const std::string& CallgrindWriter::file_of(const FlameFrame& frame) {
  static const std::string unknown = unknown_file;
  const std::string& path = names_.path_of(frame);
  return path.empty() ? unknown : path;
}

const std::string& CallgrindWriter::file_of(FileId file, const FlameFrame& holder) {
  const std::string& path = names_.path(file);
  return file == no_file || path.empty() ? file_of(holder) : path;
}

LineNumber CallgrindWriter::line_of(const FlameFrame& frame) {
  const auto& declared = names_.declaration(frame);
  return declared ? declared->line : 0;
}

void CallgrindWriter::write_function(const ExportFunction& function) {
  output_.write("\n");
  enter_object(function.frame);
  function_file_ = file_ = file_of(function.frame);
  output_.print("fl={}\nfn={}\n", files_.of(file_), functions_.of(names_.of(function.frame)));
  if (function.symbols.empty()) {
    const std::uint64_t cost = self_.next(function.self);
    output_.print("0 {}\n", cost);
    time_ += cost;
  } else {
    write_lines(function);
  }
}

void CallgrindWriter::enter_object(const FlameFrame& frame) {
  std::string object = object_of(frame);
  if (object == object_) return;
  object_ = std::move(object);
  output_.print("ob={}\n", objects_.of(object_));
}

void CallgrindWriter::enter_file(const std::string& path) {
  if (path == file_) return;
  file_ = path;
  output_.print("{}={}\n", path == function_file_ ? "fe" : "fi", files_.of(path));
}

void CallgrindWriter::write_lines(const ExportFunction& function) {
  const std::vector<ExportLine> lines = function_lines(snapshot_, function.symbols);
  // Readers expect a cost for every function and every named file.
  if (lines.empty()) output_.print("{} 0\n", line_of(function.frame));
  for (const ExportLine& line : lines) {
    enter_file(file_of(line.file, function.frame));
    const std::uint64_t cost = self_.next(line.self);
    const LineNumber number = line.line != 0 ? line.line : line_of(function.frame);
    output_.print("{} {}", number, cost);
    if (has_blocks_) output_.print(" {}", line.executions.value_or(0));
    output_.write("\n");
    time_ += cost;
    executions_ += line.executions.value_or(0);
  }
}

void CallgrindWriter::write_calls(const ExportFunction& function, const ExportArc& arc) {
  const FlameFrame& callee = tables_.functions()[arc.callee].frame;
  for (const ExportCallSite& site : call_sites(tables_, arc)) {
    enter_file(file_of(site.file, function.frame));
    if (object_of(callee) != object_) output_.print("cob={}\n", objects_.of(object_of(callee)));
    output_.print("cfi={}\ncfn={}\ncalls={} {}\n{} {}\n", files_.of(file_of(callee)),
                  functions_.of(names_.of(callee)), site.calls, line_of(callee), site.line,
                  inclusive_.next(site.ticks));
  }
}

}  // namespace

void write_callgrind(const ExportTables& tables, FrameNames& names, ExportOutput& output) {
  CallgrindWriter(tables, names, output).write();
}

}  // namespace gprof::lsp
