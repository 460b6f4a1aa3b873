#include "server/report_documents/measured_report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/callgraph/external_callees.h"
#include "engine/object/demangle.h"
#include "engine/report/text_output.h"
#include "server/features/external_names.h"
#include "server/features/shown_name.h"
#include "server/sources/source_text.h"
#include "server/text/number_text.h"
#include "server/text/source_names.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t max_entries = 10'000;
constexpr std::size_t max_sources = 1'000;

struct Neighbour {
  std::string name;
  std::optional<SymbolIndex> symbol;  // none: of a library, or not known
  Ticks self = 0;
  Ticks children = 0;

  [[nodiscard]] Ticks total() const { return self + children; }
};

class MeasuredPages {
 public:
  MeasuredPages(const LoadedProgram& program, bool demangle, std::size_t max_bytes)
      : program_(program),
        snapshot_(*program.snapshot),
        profile_(snapshot_.profile()),
        demangle_(demangle),
        decimals_(profile_.ticks_per_second() > 100 ? 3U : 2U),
        out_(
            [this, max_bytes](std::string_view piece) {
              text_ += piece;
              return text_.size() <= max_bytes;
            },
            &parts_.ranges) {}

  void add_call_graph();
  void add_sources(const std::string& file);
  [[nodiscard]] ReportText take() {
    out_.flush();
    return report_text(std::move(text_), std::move(parts_), false);
  }

 private:
  [[nodiscard]] std::string name_of(SymbolIndex symbol) const {
    return demangle_ ? shown_name(snapshot_.sources(), symbol).name
                     : std::string(snapshot_.symbols()[symbol].name);
  }
  [[nodiscard]] Ticks whole() const { return profile_.program_ticks(); }

  void number_functions();
  void add_heading(std::string_view what);
  void add_entry(SymbolIndex symbol);
  void add_neighbours(std::vector<Neighbour> neighbours, bool callers);
  void add_name(const std::string& name, std::optional<SymbolIndex> symbol);
  void add_time(Ticks ticks, std::size_t width);
  [[nodiscard]] std::vector<Neighbour> neighbours(SymbolIndex symbol, bool callers) const;
  void add_library_calls(SymbolIndex symbol, std::vector<Neighbour>& callees) const;
  void add_source(FileId file, const std::filesystem::path& path, const FileCosts& costs);

  const LoadedProgram& program_;
  const Snapshot& snapshot_;
  const FunctionCosts& profile_;
  const bool demangle_;
  const unsigned decimals_;
  std::string text_;
  ReportRanges parts_;
  TextOutput out_;
  std::vector<SymbolIndex> entries_;    // most time first
  std::vector<std::uint32_t> numbers_;  // by symbol, from 1; 0: it has no entry
};

void MeasuredPages::number_functions() {
  const CallGraph& graph = snapshot_.graph();
  for (SymbolIndex symbol = 0; symbol < snapshot_.symbols().size(); ++symbol) {
    if (graph.node(symbol).total() > 0) entries_.push_back(symbol);
  }
  std::ranges::stable_sort(entries_, [&](SymbolIndex a, SymbolIndex b) {
    const GraphNode& x = graph.node(a);
    const GraphNode& y = graph.node(b);
    return x.total() != y.total() ? x.total() > y.total() : x.self > y.self;
  });
  entries_.resize(std::min(entries_.size(), max_entries));
  numbers_.assign(snapshot_.symbols().size(), 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    numbers_[entries_[i]] = static_cast<std::uint32_t>(i + 1);
  }
}

void MeasuredPages::add_heading(std::string_view what) {
  out_.append(RangeKind::heading, what);
  out_ += fmt::format(" of {}, measured from stacks that were {}. Calls were not counted.\n\n",
                      program_.name, snapshot_.cost_metric().origin);
}

void MeasuredPages::add_time(Ticks ticks, std::size_t width) {
  out_ += fmt::format("{:{}.{}f}", profile_.seconds(ticks), width, decimals_);
}

void MeasuredPages::add_name(const std::string& name, std::optional<SymbolIndex> symbol) {
  if (!symbol) {
    out_ += name;
    return;
  }
  out_.append(RangeKind::function, name, snapshot_.symbols()[*symbol].address.value);
  if (const std::uint32_t number = numbers_[*symbol]; number != 0) {
    out_ += ' ';
    out_.append(RangeKind::reference, fmt::format("[{}]", number), number);
  }
}

std::vector<Neighbour> MeasuredPages::neighbours(SymbolIndex symbol, bool callers) const {
  const CallGraph& graph = snapshot_.graph();
  std::vector<Neighbour> found;
  for (const ArcIndex index : callers ? graph.callers(symbol) : graph.callees(symbol)) {
    const GraphArc& arc = graph.arc(index);
    const SymbolIndex other = callers ? arc.caller : arc.callee;
    if (other == symbol) continue;
    if (other == no_symbol) {
      found.push_back({"<spontaneous>", std::nullopt, arc.self_share, arc.children_share});
    } else {
      found.push_back({name_of(other), other, arc.self_share, arc.children_share});
    }
  }
  return found;
}

void MeasuredPages::add_library_calls(SymbolIndex symbol, std::vector<Neighbour>& callees) const {
  const Symbol& code = snapshot_.symbols()[symbol];
  const AddressRange range{code.address, code.end};
  const auto calls = snapshot_.measured().external_calls_at(std::span(&range, 1));
  for (const ExternalCallee& callee :
       external_callees(snapshot_.symbols(), snapshot_.code(), snapshot_.stacks(), calls)) {
    const std::string function = callee.code.function.empty() ? "code"
                                 : demangle_ ? as_written(demangle(callee.code.function).name)
                                             : std::string(callee.code.function);
    callees.push_back({fmt::format("{} [{}]", function,
                                   callee.code.module.empty() ? "unknown library"
                                                              : library_name(callee.code.module)),
                       std::nullopt, callee.ticks, 0});
  }
}

void MeasuredPages::add_neighbours(std::vector<Neighbour> neighbours, bool callers) {
  // The hottest are next to the function that the entry is about.
  std::ranges::stable_sort(neighbours, [&](const Neighbour& a, const Neighbour& b) {
    return callers ? a.total() < b.total() : a.total() > b.total();
  });
  for (const Neighbour& neighbour : neighbours) {
    out_.append_blanks(14);
    add_time(neighbour.self, 9);
    add_time(neighbour.children, 10);
    out_ += "      ";
    add_name(neighbour.name, neighbour.symbol);
    out_ += '\n';
  }
}

void MeasuredPages::add_entry(SymbolIndex symbol) {
  const GraphNode& node = snapshot_.graph().node(symbol);
  const std::uint32_t number = numbers_[symbol];
  {
    const TextOutput::Mark entry(out_, RangeKind::entry);
    add_neighbours(neighbours(symbol, true), true);
    out_ += fmt::format("{:<7}", fmt::format("[{}]", number));
    const double share = whole() > 0 ? node.total() / whole() : 0;
    out_.append(RangeKind::share, fmt::format("{:6.1f}", share * 100),
                static_cast<std::uint64_t>(std::llround(share * 10'000)));
    out_ += ' ';
    add_time(node.self, 9);
    add_time(node.children, 10);
    out_ += "  ";
    {
      const TextOutput::Mark name(out_, RangeKind::entry_name, number);
      add_name(name_of(symbol), symbol);
    }
    out_ += '\n';
    std::vector<Neighbour> callees = neighbours(symbol, false);
    add_library_calls(symbol, callees);
    add_neighbours(std::move(callees), false);
  }
  out_ += "-----------------------------------------------\n";
}

void MeasuredPages::add_call_graph() {
  number_functions();
  const TextOutput::Mark section(out_, RangeKind::section);
  add_heading("Call graph");
  out_.append(RangeKind::column_names, "index   % time     self  children  name");
  out_ += "\n\n";
  for (const SymbolIndex symbol : entries_) {
    if (out_.stopped()) break;
    add_entry(symbol);
  }
}

void MeasuredPages::add_source(FileId file, const std::filesystem::path& path,
                               const FileCosts& costs) {
  const auto source = read_source(path);
  if (!source) return;
  const TextOutput::Mark section(out_, RangeKind::source);
  out_ += "*** ";
  parts_.files.push_back(snapshot_.sources().path(file));
  out_.append(RangeKind::file, path.string(), parts_.files.size() - 1);
  out_ += ":\n";
  out_.append(RangeKind::column_names, "    self     total");
  out_ += '\n';
  std::string_view text = source->text();
  auto cost = costs.lines.begin();
  for (LineNumber line = 1; !text.empty(); ++line) {
    while (cost != costs.lines.end() && cost->line < line) ++cost;
    const bool has_cost = cost != costs.lines.end() && cost->line == line;
    const auto add = [&](Ticks ticks, std::size_t width) {
      if (ticks > 0) {
        add_time(ticks, width);
      } else {
        out_.append_blanks(width);
      }
    };
    add(has_cost ? cost->self : 0, 8);
    add(has_cost ? cost->measured_total.value_or(0) : 0, 10);
    out_ += "  |";
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out_ += text.substr(0, end);
    text.remove_prefix(end);
  }
  if (!source->text().ends_with('\n')) out_ += '\n';
  out_ += '\n';
}

// Those in the workspace, the hottest first.
void MeasuredPages::add_sources(const std::string& wanted) {
  struct Source {
    FileId file = no_file;
    std::filesystem::path path;
    std::shared_ptr<const FileCosts> costs;
    Ticks heat = 0;  // of its hottest line
  };
  std::vector<Source> sources;
  for (const FileId file : snapshot_.sources().all_files()) {
    const auto path = program_.paths->workspace_path(file);
    if (!path || (!wanted.empty() && *path != wanted)) continue;
    Source source{file, *path, snapshot_.source_index().costs(file)};
    for (const LineCost& line : source.costs->lines) {
      source.heat = std::max({source.heat, line.self, line.measured_total.value_or(0)});
    }
    if (source.heat > 0) sources.push_back(std::move(source));
  }
  std::ranges::stable_sort(sources, std::greater(), &Source::heat);
  sources.resize(std::min(sources.size(), max_sources));
  const TextOutput::Mark section(out_, RangeKind::section);
  add_heading("Seconds of each line");
  for (const Source& source : sources) {
    if (out_.stopped()) break;
    add_source(source.file, source.path, *source.costs);
  }
}

}  // namespace

bool has_measured_times_alone(const LoadedProgram& program) {
  return !program.snapshot->profile().has_arcs() && program.snapshot->measured().known();
}

bool is_measured_report(const LoadedProgram& program, const ReportAddress& address) {
  const bool is_measured = address.page == ReportPage::call_graph ||
                           address.page == ReportPage::annotated_source ||
                           address.page == ReportPage::everything;
  return is_measured && address.options == ReportAddress().options &&
         has_measured_times_alone(program);
}

ReportText measured_report(const LoadedProgram& program, const ReportAddress& address,
                           bool demangle, std::size_t max_bytes) {
  MeasuredPages pages(program, demangle, max_bytes);
  if (address.page == ReportPage::annotated_source) {
    pages.add_sources(address.file);
  } else {
    pages.add_call_graph();
  }
  return pages.take();
}

}  // namespace gprof::lsp
