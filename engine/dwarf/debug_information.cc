#include "engine/dwarf/debug_information.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include <elf.h>
#include <fmt/format.h>

#include "engine/dwarf/code_filter.h"
#include "engine/dwarf/function_declarations.h"
#include "engine/dwarf/line_header.h"
#include "engine/dwarf/line_program.h"
#include "engine/dwarf/line_table_shares.h"
#include "engine/dwarf/named_code.h"
#include "engine/dwarf/source_files.h"
#include "engine/dwarf/stored_units.h"
#include "engine/dwarf/unit_files.h"
#include "engine/dwarf/unit_functions.h"
#include "engine/dwarf/unit_lookup.h"
#include "engine/dwarf/unit_records.h"
#include "engine/dwarf/unit_trees.h"
#include "engine/dwarf/warning_log.h"

namespace gprof {

using namespace dwarf;

struct DebugInformation::State {
  State(std::shared_ptr<const Image> program_image, DwarfSections program_sections,
        const std::string& program_path)
      : image(std::move(program_image)),
        sections(std::move(program_sections)),
        code(*image),
        warnings(image->path()),
        unit_files(sections, source_files, warnings),
        trees(sections, records, code, program_path, warnings) {}

  Expected<const UnitRecord*> record(UnitIndex unit) const;
  // Numbers the units of `records`.
  void number_units();
  void read_all_headers();
  // `files` numbers the files of the line table.
  Expected<std::vector<LineRow>> rows(const LineHeader& header, const std::vector<FileId>& files);

  std::shared_ptr<const Image> image;
  DwarfSections sections;
  CodeFilter code;
  std::vector<UnitRecord> records;
  std::vector<Unit> units;
  std::vector<std::size_t> record_of_unit;
  UnitLookup units_by_range;

  WarningLog warnings;
  SourceFiles source_files;
  UnitFiles unit_files;
  UnitTrees trees;
  FunctionDeclarations declarations;

  std::once_flag headers_read;
  std::vector<std::vector<UnitIndex>> units_of_file;  // by FileId
  std::once_flag rows_looked_at;
  UnitLookup units_by_rows;
};

namespace {

Error no_debug_information(const std::string& path) {
  return Error{ErrorCode::no_debug_information,
               "no DWARF debug information: compile with -g, or install the debug file of this "
               "program",
               path,
               {}};
}

// Parts in another file, which is not read.
void warn_of_supplementary_file(const Image& image, WarningLog& warnings) {
  if (image.find_section(".gnu_debugaltlink") == nullptr) return;
  warnings.add({ErrorCode::unsupported,
                "parts of the debug information are in a supplementary file (made by dwz -m), "
                "which is not read: some functions have no names; build without dwz -m",
                image.path(),
                {}});
}

Expected<LineHeader> line_header_of(const DwarfSections& sections, const UnitRecord& record) {
  return read_line_header(sections, *record.summary.line_offset, record.header,
                          record.summary.bases);
}

}  // namespace

Expected<const UnitRecord*> DebugInformation::State::record(UnitIndex unit) const {
  if (unit < units.size()) return &records[record_of_unit[unit]];
  return Error{ErrorCode::invalid_argument,
               fmt::format("there is no unit {}: the program has {}", unit, units.size()),
               image->path(),
               {}};
}

Expected<std::vector<LineRow>> DebugInformation::State::rows(const LineHeader& header,
                                                             const std::vector<FileId>& files) {
  auto result = run_line_program(header, files, sections, code);
  if (!result) warnings.add(result.error());
  return result;
}

void DebugInformation::State::number_units() {
  for (std::size_t i = 0; i < records.size(); ++i) {
    const UnitSummary& summary = records[i].summary;
    if (summary.is_partial) continue;
    const auto unit = static_cast<UnitIndex>(units.size());
    for (const AddressRange& range : summary.unit.ranges) units_by_range.add(range, unit);
    units.push_back(summary.unit);
    record_of_unit.push_back(i);
  }
  units_by_range.sort();
}

void DebugInformation::State::read_all_headers() {
  std::call_once(headers_read, [this] {
    for (UnitIndex unit = 0; unit < units.size(); ++unit) {
      const auto table = unit_files.of(records[record_of_unit[unit]]);
      if (!table) continue;
      for (const FileId file : **table) {
        if (file >= units_of_file.size()) units_of_file.resize(file + 1);
        auto& holders = units_of_file[file];
        if (holders.empty() || holders.back() != unit) holders.push_back(unit);
      }
    }
  });
}

DebugInformation::DebugInformation(std::unique_ptr<State> state) : state_(std::move(state)) {}

DebugInformation::~DebugInformation() = default;

Expected<std::unique_ptr<DebugInformation>> DebugInformation::open(
    std::shared_ptr<const Image> image, const std::string& program_path) {
  if (image->file_type() == ET_REL) {
    return Error{ErrorCode::unsupported,
                 "an object file that is not linked yet: expected a program or a shared library",
                 image->path(),
                 {}};
  }
  TRY_ASSIGN(auto sections, load_sections(image, SectionSet::plain));
  if (sections.info.empty() || sections.abbrev.empty()) {
    return no_debug_information(image->path());
  }
  auto state = std::make_unique<State>(std::move(image), std::move(sections), program_path);
  Warnings damage;
  state->records = read_unit_records(state->sections, state->code, damage);
  bound_line_tables(state->records, state->sections, damage);
  state->number_units();
  if (state->units.empty()) {
    if (!damage.empty()) return std::move(damage.front());
    return no_debug_information(state->image->path());
  }
  for (const Error& warning : damage) state->warnings.add(warning);
  warn_of_supplementary_file(*state->image, state->warnings);
  return std::unique_ptr<DebugInformation>(new DebugInformation(std::move(state)));
}

Expected<std::unique_ptr<DebugInformation>> DebugInformation::restore(
    std::shared_ptr<const Image> image, const std::string& program_path) {
  TRY_ASSIGN(auto sections, load_sections_of_known_units(image));
  auto state = std::make_unique<State>(std::move(image), std::move(sections), program_path);
  warn_of_supplementary_file(*state->image, state->warnings);
  return std::unique_ptr<DebugInformation>(new DebugInformation(std::move(state)));
}

bool DebugInformation::restore_units(SnapshotFileReader& index) {
  index.list(state_->records, [&](UnitRecord& record) {
    exchange_unit(record, index);
    const DwarfSections& sections = state_->sections;
    if (!is_sound(record, sections.info_size(), sections.abbrev.size())) index.fail();
  });
  const auto out_of_order = [](const UnitRecord& a, const UnitRecord& b) {
    return a.header.end > b.header.offset;
  };
  const auto& records = state_->records;
  if (std::adjacent_find(records.begin(), records.end(), out_of_order) != records.end()) {
    index.fail();
  }
  if (!index.good()) return false;
  state_->number_units();
  state_->source_files.restore(index);
  for (const std::size_t number : state_->record_of_unit) {
    state_->unit_files.restore(state_->records[number], index);
  }
  return index.good() && !state_->units.empty();
}

void DebugInformation::store_units(SnapshotFileWriter& index) const {
  state_->read_all_headers();
  index.list(state_->records, [&](const UnitRecord& record) { exchange_unit(record, index); });
  state_->source_files.store(index);
  for (const std::size_t number : state_->record_of_unit) {
    state_->unit_files.store(state_->records[number], index);
  }
}

std::span<const Unit> DebugInformation::units() const { return state_->units; }

std::vector<FileId> DebugInformation::files(UnitIndex unit) const {
  const auto record = state_->record(unit);
  if (!record) return {};
  const auto table = state_->unit_files.of(**record);
  if (!table) return {};
  std::vector<FileId> files = **table;
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  if (!files.empty() && files.front() == no_file) files.erase(files.begin());
  return files;
}

Expected<std::vector<LineRow>> DebugInformation::rows(UnitIndex unit) const {
  TRY_ASSIGN(const UnitRecord* record, state_->record(unit));
  if (!record->summary.unit.has_lines) return std::vector<LineRow>{};
  TRY_ASSIGN(const auto files, state_->unit_files.of(*record));
  TRY_ASSIGN(const auto header, line_header_of(state_->sections, *record));
  return state_->rows(header, *files);
}

Expected<WrittenRows> DebugInformation::written_rows(UnitIndex unit) const {
  TRY_ASSIGN(const UnitRecord* record, state_->record(unit));
  WrittenRows result;
  if (!record->summary.unit.has_lines) return result;
  TRY_ASSIGN(const auto header, line_header_of(state_->sections, *record));
  std::vector<FileId> numbers(header.files.size());
  std::iota(numbers.begin(), numbers.end(), FileId{1});
  TRY_ASSIGN(result.rows, state_->rows(header, numbers));
  result.paths.resize(numbers.size());
  for (const LineRow& row : result.rows) {
    if (row.file == no_file || !result.paths[row.file - 1].empty()) continue;
    result.paths[row.file - 1] =
        written_path(header, row.file - 1, record->summary.unit.compilation_directory);
  }
  return result;
}

Expected<UnitFunctions> DebugInformation::functions(UnitIndex unit) const {
  TRY_ASSIGN(const UnitRecord* record, state_->record(unit));
  const auto tree = state_->trees.of_unit(unit, *record);
  auto functions = tree ? collect_functions(**tree, state_->trees, state_->unit_files)
                        : Expected<UnitFunctions>(tree.error());
  if (tree && !functions) state_->warnings.add(functions.error());
  state_->declarations.add(unit, functions ? *functions : UnitFunctions());
  return functions;
}

Expected<UnitCode> DebugInformation::named_code(UnitIndex unit) const {
  TRY_ASSIGN(const UnitRecord* record, state_->record(unit));
  TRY_ASSIGN(const auto tree, state_->trees.of_unit(unit, *record));
  return collect_named_code(*tree, state_->trees);
}

std::string DebugInformation::path(FileId file) const { return state_->source_files.path(file); }

std::optional<SourceDigest> DebugInformation::digest(FileId file) const {
  state_->read_all_headers();
  return state_->source_files.digest(file);
}

bool DebugInformation::has_conflicting_digests(FileId file) const {
  state_->read_all_headers();
  return state_->source_files.has_conflicting_digests(file);
}

std::vector<FileId> DebugInformation::all_files() const {
  state_->read_all_headers();
  std::vector<FileId> files(state_->source_files.size());
  std::iota(files.begin(), files.end(), FileId{1});
  return files;
}

std::optional<FileId> DebugInformation::find_file(std::string_view canonical_path) const {
  if (const auto known = state_->source_files.find(canonical_path)) return known;
  state_->read_all_headers();
  return state_->source_files.find(canonical_path);
}

std::vector<UnitIndex> DebugInformation::units_of_file(FileId file) const {
  if (file == no_file) return {};
  state_->read_all_headers();
  return file < state_->units_of_file.size() ? state_->units_of_file[file]
                                             : std::vector<UnitIndex>{};
}

std::optional<UnitIndex> DebugInformation::unit_at(Address address) const {
  if (const auto unit = state_->units_by_range.find(address)) return unit;
  std::call_once(state_->rows_looked_at, [this] {
    for (UnitIndex unit = 0; unit < state_->units.size(); ++unit) {
      if (!state_->units[unit].ranges.empty()) continue;
      const auto unit_rows = rows(unit);
      if (!unit_rows) continue;
      for (const AddressRange& range : covered_ranges(*unit_rows)) {
        state_->units_by_rows.add(range, unit);
      }
    }
    state_->units_by_rows.sort();
  });
  return state_->units_by_rows.find(address);
}

std::optional<Declaration> DebugInformation::declaration_at(Address address) const {
  const auto unit = unit_at(address);
  if (!unit) return std::nullopt;
  if (!state_->declarations.has(*unit)) (void)functions(*unit);
  return state_->declarations.find(*unit, address);
}

std::uint64_t DebugInformation::unit_reads() const { return state_->trees.reads(); }

Warnings DebugInformation::warnings() const { return state_->warnings.all(); }

const std::shared_ptr<const Image>& DebugInformation::image() const { return state_->image; }

}  // namespace gprof
