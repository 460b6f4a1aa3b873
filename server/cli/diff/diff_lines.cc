#include "server/cli/diff/diff_lines.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "engine/comparison/function_matches.h"
#include "engine/comparison/multiple_test.h"
#include "engine/support/digest.h"
#include "server/documents/align_lines.h"
#include "server/sources/build_texts.h"
#include "server/sources/source_text.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

using Lines = std::shared_ptr<const LineHashes>;

// The file below `directory` whose path shares the longest suffix with `path`, if any.
std::optional<fs::path> find_below(const fs::path& directory, const fs::path& path) {
  std::error_code error;
  fs::path end = path.relative_path();
  while (!end.empty()) {
    if (fs::is_regular_file(directory / end, error)) return directory / end;
    const fs::path first = *end.begin();
    const fs::path shorter = end.lexically_relative(first);
    if (shorter.empty() || shorter == "." || shorter == end) break;
    end = shorter;
  }
  return std::nullopt;
}

class SideTexts {
 public:
  // `believed`: a directory whose files are taken for the compiled ones; may be empty.
  // `fallback`: where to look for files no longer at their build path.
  SideTexts(const Program& program, fs::path believed, fs::path fallback,
            const std::shared_ptr<LineCache>& cache)
      : program_(program),
        believed_(std::move(believed)),
        fallback_(std::move(fallback)),
        texts_(program.identity().key(), cache) {}

  [[nodiscard]] Lines of(FileId file);

 private:
  [[nodiscard]] Lines believed(FileId file) const;

  const Program& program_;
  const fs::path believed_;
  const fs::path fallback_;
  BuildTexts texts_;
};

Lines SideTexts::believed(FileId file) const {
  const auto found = find_below(believed_, program_.sources().path(file));
  if (!found || program_.sources().has_conflicting_digests(file)) return nullptr;
  const auto source = read_source(*found);
  if (!source) return nullptr;
  const auto digest = program_.sources().digest(file);
  if (digest && *digest != md5(source->bytes)) return nullptr;
  const std::string_view text = source->text();
  return std::make_shared<const LineHashes>(hash_lines(text, LineTable(text)));
}

Lines SideTexts::of(FileId file) {
  if (!believed_.empty()) {
    if (Lines lines = believed(file)) return lines;
  }
  const ProgramSources& sources = program_.sources();
  BuildSource source;
  source.build_path = sources.path(file);
  source.digest = sources.digest(file);
  source.conflicting_digests = !source.digest && sources.has_conflicting_digests(file);
  source.executable_modified = program_.image().modified();
  source.file = source.build_path;
  std::error_code error;
  if (!fs::is_regular_file(source.file, error)) {
    if (const auto found = find_below(fallback_, source.build_path)) source.file = *found;
  }
  return texts_.of(source);
}

// The old file that became a new one; no_file if no candidate is the most likely.
FileId old_file_of(const std::string& path, const std::map<FileId, std::string>& old_paths) {
  FileId best = no_file;
  std::size_t longest = 0;
  bool alone = false;
  for (const auto& [file, old_path] : old_paths) {
    const std::size_t common = old_path == path ? ~std::size_t{0} : common_end(path, old_path);
    if (common == 0 || common < longest) continue;
    alone = common > longest;
    longest = common;
    best = file;
  }
  return alone ? best : no_file;
}

const std::vector<Ticks>* times_at(const LineTimes::File& file, LineNumber line) {
  const auto found = file.lines.find(line);
  return found == file.lines.end() ? nullptr : &found->second;
}

class LineComparer {
 public:
  LineComparer(const Comparison& comparison, const LineTimes& before, const LineTimes& after)
      : comparison_(comparison), before_(before), after_(after) {}

  void add(const std::string& file, const LineTimes::File& old_file,
           const LineTimes::File& new_file, const LineAlignment& alignment);
  void add_same(const std::string& file, const LineTimes::File& old_file,
                const LineTimes::File& new_file);
  [[nodiscard]] std::vector<ComparedLine> ranked();

 private:
  // The lines of one file.
  struct Family {
    FamilySide before;
    FamilySide after;
    std::vector<std::size_t> belongs_to;
  };
  [[nodiscard]] Family new_family() const {
    return {{before_.rates(), {}, before_.errors()}, {after_.rates(), {}, after_.errors()}, {}};
  }
  void compare(const Family& family);
  void add_line(Family& family, const std::string& file, const LineTimes::File& old_file,
                LineNumber before, const LineTimes::File& new_file, LineNumber after);

  const Comparison& comparison_;
  const LineTimes& before_;
  const LineTimes& after_;
  std::vector<ComparedLine> lines_;
};

void LineComparer::add_line(Family& family, const std::string& file,
                            const LineTimes::File& old_file, LineNumber before,
                            const LineTimes::File& new_file, LineNumber after) {
  const auto* old_times = times_at(old_file, before);
  const auto* new_times = times_at(new_file, after);
  if (old_times == nullptr && new_times == nullptr) return;
  auto padded = [](const std::vector<Ticks>* times, std::size_t runs) {
    std::vector<Ticks> all = times == nullptr ? std::vector<Ticks>() : *times;
    all.resize(runs);
    return all;
  };
  lines_.push_back({file, before, after, {}});
  family.before.figures.push_back(padded(old_times, before_.rates().size()));
  family.after.figures.push_back(padded(new_times, after_.rates().size()));
  const FunctionCost* function = new_file.costs ? new_file.costs->function_at(after) : nullptr;
  const auto place = function != nullptr ? comparison_.place_of(function->symbols) : std::nullopt;
  family.belongs_to.push_back(place.value_or(no_figure));
}

void LineComparer::add(const std::string& file, const LineTimes::File& old_file,
                       const LineTimes::File& new_file, const LineAlignment& alignment) {
  Family family = new_family();
  for (const AlignedLines& same : alignment.stretches()) {
    for (LineNumber i = 0; i < same.count; ++i) {
      add_line(family, file, old_file, same.there + i, new_file, same.here + i);
    }
  }
  compare(family);
}

void LineComparer::add_same(const std::string& file, const LineTimes::File& old_file,
                            const LineTimes::File& new_file) {
  std::set<LineNumber> lines;
  for (const auto& [line, times] : old_file.lines) lines.insert(line);
  for (const auto& [line, times] : new_file.lines) lines.insert(line);
  Family family = new_family();
  for (const LineNumber line : lines) add_line(family, file, old_file, line, new_file, line);
  compare(family);
}

// They are the last ones of all lines.
void LineComparer::compare(const Family& family) {
  const auto changes = compare_under(comparison_.conditions(), family.belongs_to, family.before,
                                     family.after, family_level);
  const std::size_t first = lines_.size() - changes.size();
  for (std::size_t i = 0; i < changes.size(); ++i) lines_[first + i].self = changes[i];
}

std::vector<ComparedLine> LineComparer::ranked() {
  auto group = [](const TimeChange& change) {
    if (!change.significant) return 2;
    return change.difference() > 0 ? 0 : 1;
  };
  std::stable_sort(lines_.begin(), lines_.end(), [&](const ComparedLine& a, const ComparedLine& b) {
    const int group_a = group(a.self);
    const int group_b = group(b.self);
    if (group_a != group_b) return group_a < group_b;
    if (group_a == 2) return a.self.probability < b.self.probability;
    return std::abs(a.self.difference()) > std::abs(b.self.difference());
  });
  return std::move(lines_);
}

std::set<FileId> files_with_samples(const Snapshot& run) {
  std::set<FileId> files;
  const auto symbols = run.symbols().symbols();
  for (SymbolIndex i = 0; i < symbols.size(); ++i) {
    if (!(run.profile().self(i) > 0)) continue;
    const auto declared = run.sources().declaration(i);
    if (declared && declared->file != no_file) files.insert(declared->file);
  }
  return files;
}

}  // namespace

void LineTimes::add(const Snapshot& run) {
  if (!run.profile().has_samples() || !(run.profile().ticks_per_second() > 0)) return;
  const std::size_t number = rates_.size();
  rates_.push_back(run.profile().ticks_per_second());
  errors_.push_back(run.profile().errors());
  for (const FileId file : files_with_samples(run)) {
    File& lines = files_[file];
    lines.costs = run.source_index().costs(file);
    for (const LineCost& line : lines.costs->lines) {
      if (!(line.self > 0)) continue;
      std::vector<Ticks>& times = lines.lines[line.line];
      times.resize(number + 1);
      times[number] = line.self;
    }
  }
}

LineComparison compare_lines(const Comparison& comparison, const LineTimes& before,
                             const LineTimes& after, const DiffOptions& options,
                             const std::shared_ptr<LineCache>& cache) {
  LineComparison result;
  const Program& old_program = comparison.program_before();
  const Program& new_program = comparison.program_after();
  const fs::path root = options.source_root.empty() ? fs::path(".") : fs::path(options.source_root);
  SideTexts old_texts(old_program, options.old_source, {}, cache);
  SideTexts new_texts(new_program, {}, root, cache);
  std::map<FileId, std::string> old_paths;
  for (const auto& [file, times] : before.files()) {
    old_paths.emplace(file, old_program.sources().path(file));
  }
  LineComparer comparer(comparison, before, after);
  std::size_t unknown = 0;
  for (const auto& [file, times] : after.files()) {
    const std::string path = new_program.sources().path(file);
    const FileId old_file = old_file_of(path, old_paths);
    if (old_file == no_file) continue;
    const LineTimes::File& old_times = before.files().at(old_file);
    const auto digest = new_program.sources().digest(file);
    if (digest && digest == old_program.sources().digest(old_file)) {
      comparer.add_same(path, old_times, times);
      continue;
    }
    const Lines old_lines = old_texts.of(old_file);
    const Lines new_lines = new_texts.of(file);
    if (!old_lines || !new_lines) {
      ++unknown;
      continue;
    }
    comparer.add(path, old_times, times, align_sure_lines(*old_lines, *new_lines));
  }
  if (unknown > 0) {
    result.remarks.push_back(fmt::format(
        "the lines of {} {} are not compared: the text that was compiled is not known on both "
        "sides; --old-source=DIR names the old ones",
        unknown, unknown == 1 ? "file" : "files"));
  }
  result.lines = comparer.ranked();
  return result;
}

}  // namespace gprof::lsp
