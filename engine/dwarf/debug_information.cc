#include "engine/dwarf/debug_information.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include <elf.h>
#include <fmt/format.h>

#include "engine/dwarf/code_filter.h"
#include "engine/dwarf/die_graph.h"
#include "engine/dwarf/die_tree.h"
#include "engine/dwarf/entry_tree.h"
#include "engine/dwarf/line_header.h"
#include "engine/dwarf/line_program.h"
#include "engine/dwarf/line_table_shares.h"
#include "engine/dwarf/named_code.h"
#include "engine/dwarf/source_files.h"
#include "engine/dwarf/split_units.h"
#include "engine/dwarf/stored_units.h"
#include "engine/dwarf/tree_cache.h"
#include "engine/dwarf/unit_functions.h"
#include "engine/dwarf/unit_lookup.h"
#include "engine/dwarf/unit_records.h"
#include "engine/dwarf/warning_log.h"
#include "engine/support/stored_checks.h"

namespace gprof {

using namespace dwarf;

struct DebugInformation::State {
  State(std::shared_ptr<const Image> program_image, DwarfSections program_sections,
        const std::string& program_path)
      : image(std::move(program_image)),
        sections(std::move(program_sections)),
        code(*image),
        split_units(program_path, sections),
        warnings(image->path()) {}

  using FileTable = std::shared_ptr<const std::vector<FileId>>;

  const UnitRecord& record(UnitIndex unit) const { return records[record_of_unit[unit]]; }
  Expected<FileTable> file_table(const UnitRecord& record);
  Expected<std::vector<LineRow>> rows(UnitIndex unit);
  Expected<WrittenRows> written_rows(UnitIndex unit);
  // What reads entries: libdwarf, or the quick reader, whose trees have no files.
  enum class Reader : std::uint8_t { libdwarf, quick };
  struct CodeTree {
    DieTree tree;
    bool is_split = false;
  };
  Expected<DieTree> quick_tree(const DwarfSections& unit_sections, const UnitHeader& header,
                               const UnitSummary& summary, bool split) const;
  Expected<DieTree> read_tree(const UnitRecord& record, Reader reader);
  Expected<DieTree> read_split_tree(const UnitRecord& record, Reader reader);
  Expected<CodeTree> code_tree(UnitIndex unit, Reader reader);
  TreeSource trees_beside(const CodeTree& tree, Reader reader);
  std::shared_ptr<const DieTree> tree_at(std::uint64_t offset, Reader reader);
  Expected<UnitFunctions> functions(UnitIndex unit);
  Expected<UnitCode> named_code(UnitIndex unit);
  // Numbers the units of `records`.
  void number_units();
  void read_all_headers();
  void look_at_rows();

  std::shared_ptr<const Image> image;
  DwarfSections sections;
  CodeFilter code;
  std::vector<UnitRecord> records;
  std::vector<Unit> units;
  std::vector<std::size_t> record_of_unit;
  UnitLookup units_by_range;

  SourceFiles source_files;
  SplitUnits split_units;
  TreeCache trees;
  TreeCache quick_trees;
  WarningLog warnings;

  std::mutex file_tables_mutex;
  // By the offset of the line table and the compilation directory, which units may share.
  std::map<std::pair<std::uint64_t, std::string>, FileTable> file_tables;
  std::once_flag headers_read;
  std::vector<std::vector<UnitIndex>> units_of_file;  // by FileId
  std::once_flag rows_looked_at;
  UnitLookup units_by_rows;
};

namespace {

// The unit's file numbers as FileIds. Precondition: the unit has a line table.
Expected<std::vector<FileId>> read_file_table(const DwarfSections& sections,
                                              const UnitRecord& record, SourceFiles& files) {
  TRY_ASSIGN(auto header, read_line_header(sections, *record.summary.line_offset, record.header,
                                           record.summary.bases));
  auto numbers = files.numbers_of(file_paths(header, record.summary.unit.compilation_directory));
  std::vector<std::optional<SourceDigest>> digests;
  digests.reserve(header.files.size());
  for (const LineHeader::File& file : header.files) digests.push_back(file.digest);
  files.add_digests(numbers, digests);
  return numbers;
}

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

}  // namespace

Expected<DebugInformation::State::FileTable> DebugInformation::State::file_table(
    const UnitRecord& record) {
  if (!record.summary.unit.has_lines) return std::make_shared<const std::vector<FileId>>();
  std::pair key(*record.summary.line_offset, record.summary.unit.compilation_directory);
  {
    const std::lock_guard lock(file_tables_mutex);
    const auto known = file_tables.find(key);
    if (known != file_tables.end()) return known->second;
  }
  auto read = read_file_table(sections, record, source_files);
  if (!read) {
    warnings.add(read.error());
    return std::move(read).error();
  }
  auto table = std::make_shared<const std::vector<FileId>>(std::move(*read));
  const std::lock_guard lock(file_tables_mutex);
  file_tables.emplace(std::move(key), table);
  return table;
}

Expected<std::vector<LineRow>> DebugInformation::State::rows(UnitIndex unit) {
  const UnitRecord& unit_record = record(unit);
  const UnitSummary& summary = unit_record.summary;
  if (!summary.unit.has_lines) return std::vector<LineRow>{};
  TRY_ASSIGN(auto files, file_table(unit_record));
  TRY_ASSIGN(auto header,
             read_line_header(sections, *summary.line_offset, unit_record.header, summary.bases));
  auto result = run_line_program(header, *files, sections, code);
  if (!result) warnings.add(result.error());
  return result;
}

Expected<WrittenRows> DebugInformation::State::written_rows(UnitIndex unit) {
  const UnitRecord& unit_record = record(unit);
  const UnitSummary& summary = unit_record.summary;
  WrittenRows result;
  if (!summary.unit.has_lines) return result;
  TRY_ASSIGN(auto header,
             read_line_header(sections, *summary.line_offset, unit_record.header, summary.bases));
  std::vector<FileId> numbers(header.files.size());
  std::iota(numbers.begin(), numbers.end(), FileId{1});
  auto rows = run_line_program(header, numbers, sections, code);
  if (!rows) {
    warnings.add(rows.error());
    return std::move(rows).error();
  }
  result.rows = std::move(*rows);
  result.paths.resize(numbers.size());
  for (const LineRow& row : result.rows) {
    if (row.file == no_file || !result.paths[row.file - 1].empty()) continue;
    result.paths[row.file - 1] =
        written_path(header, row.file - 1, summary.unit.compilation_directory);
  }
  return result;
}

Expected<DieTree> DebugInformation::State::quick_tree(const DwarfSections& unit_sections,
                                                      const UnitHeader& header,
                                                      const UnitSummary& summary,
                                                      bool split) const {
  DieReader entries(unit_sections, header);
  FormValues values(unit_sections, header);
  values.set_bases(summary.bases);
  values.set_split(split);
  auto tree = read_entry_tree(entries, values, code, summary.unit.language);
  if (tree) tree->owners = unit_sections.owners;
  return tree;
}

Expected<DieTree> DebugInformation::State::read_tree(const UnitRecord& unit_record, Reader reader) {
  if (reader == Reader::quick) {
    return quick_tree(sections, unit_record.header, unit_record.summary, false);
  }
  TRY_ASSIGN(auto handle, LibdwarfUnit::open(sections, unit_record.header));
  UnitValues values(sections, handle);
  values.set_bases(unit_record.summary.bases);
  auto tree = read_die_tree(handle, values, code, unit_record.summary.unit.language);
  if (!tree) return tree;
  tree->owners = sections.owners;
  // Without its line table, a unit loses where its functions are declared, not the functions.
  if (auto files = file_table(unit_record)) tree->files = **files;
  return tree;
}

Expected<DieTree> DebugInformation::State::read_split_tree(const UnitRecord& unit_record,
                                                           Reader reader) {
  const UnitSummary& skeleton = unit_record.summary;
  TRY_ASSIGN(auto found, split_units.find(skeleton.unit, skeleton.split_id));
  TRY_ASSIGN(auto handle, LibdwarfUnit::open(found.sections, found.header));
  UnitValues values(found.sections, handle);
  values.set_split(true);
  TRY_ASSIGN(auto summary, read_unit_summary(handle, values, code, &skeleton.bases));
  if (summary.split_id && skeleton.split_id && *summary.split_id != *skeleton.split_id) {
    return Error{ErrorCode::mismatch,
                 fmt::format("the split unit's id is {:#018x}, the program expects {:#018x}: it is "
                             "of another build; rebuild the program",
                             *summary.split_id, *skeleton.split_id),
                 found.sections.path,
                 {}};
  }
  if (reader == Reader::quick) return quick_tree(found.sections, found.header, summary, true);
  auto tree = read_die_tree(handle, values, code, summary.unit.language);
  if (!tree) return tree;
  tree->owners = found.sections.owners;
  // Split units use the file numbers of the skeleton's line table.
  if (auto files = file_table(unit_record)) tree->files = **files;
  return tree;
}

std::shared_ptr<const DieTree> DebugInformation::State::tree_at(std::uint64_t offset,
                                                                Reader reader) {
  const UnitRecord* unit_record = record_at(records, offset);
  if (unit_record == nullptr) return nullptr;
  TreeCache& known = reader == Reader::quick ? quick_trees : trees;
  if (auto kept = known.find(unit_record->header.offset)) return kept;
  auto read = read_tree(*unit_record, reader);
  DieTree tree;
  if (read) {
    tree = std::move(*read);
  } else {
    // Cached without entries, so that the next reference does not read it again.
    warnings.add(read.error());
    tree.first_offset = unit_record->header.offset;
    tree.end_offset = unit_record->header.end;
  }
  auto shared = std::make_shared<const DieTree>(std::move(tree));
  known.keep(unit_record->header.offset, shared);
  return shared;
}

Expected<DebugInformation::State::CodeTree> DebugInformation::State::code_tree(UnitIndex unit,
                                                                               Reader reader) {
  const UnitRecord& unit_record = record(unit);
  if (!unit_record.summary.unit.split_file.empty()) {
    auto tree = read_split_tree(unit_record, reader);
    if (tree) return CodeTree{std::move(*tree), true};
    if (tree.error().code == ErrorCode::not_found) {
      warnings.add_missing_split_file(unit, unit_record.summary.unit.split_file);
    } else {
      warnings.add(tree.error());
    }
    // The skeleton may still know the inlined calls (Clang's -fsplit-dwarf-inlining).
  }
  auto tree = read_tree(unit_record, reader);
  if (tree) return CodeTree{std::move(*tree), false};
  warnings.add(tree.error());
  return std::move(tree).error();
}

// Split units refer to no others.
TreeSource DebugInformation::State::trees_beside(const CodeTree& tree, Reader reader) {
  if (tree.is_split) return [](std::uint64_t) { return nullptr; };
  return [this, reader](std::uint64_t offset) { return tree_at(offset, reader); };
}

Expected<UnitFunctions> DebugInformation::State::functions(UnitIndex unit) {
  TRY_ASSIGN(auto tree, code_tree(unit, Reader::libdwarf));
  auto result = collect_functions(tree.tree, trees_beside(tree, Reader::libdwarf));
  if (!result) warnings.add(result.error());
  return result;
}

Expected<UnitCode> DebugInformation::State::named_code(UnitIndex unit) {
  TRY_ASSIGN(auto tree, code_tree(unit, Reader::quick));
  auto result = collect_named_code(tree.tree, trees_beside(tree, Reader::quick));
  if (tree.is_split) copy_names(result);
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
      const auto table = file_table(record(unit));
      if (!table) continue;
      for (const FileId file : **table) {
        if (file >= units_of_file.size()) units_of_file.resize(file + 1);
        auto& holders = units_of_file[file];
        if (holders.empty() || holders.back() != unit) holders.push_back(unit);
      }
    }
  });
}

void DebugInformation::State::look_at_rows() {
  std::call_once(rows_looked_at, [this] {
    for (UnitIndex unit = 0; unit < units.size(); ++unit) {
      if (!units[unit].ranges.empty() || !units[unit].has_lines) continue;
      const auto unit_rows = rows(unit);
      if (!unit_rows) continue;
      for (const AddressRange& range : covered_ranges(*unit_rows)) units_by_rows.add(range, unit);
    }
    units_by_rows.sort();
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
    auto table = std::make_shared<std::vector<FileId>>();
    index.array(*table);
    if (!all_below(*table, state_->source_files.size() + 1)) index.fail();
    const UnitSummary& summary = state_->records[number].summary;
    if (!summary.unit.has_lines) continue;
    state_->file_tables.emplace(std::pair(*summary.line_offset, summary.unit.compilation_directory),
                                std::move(table));
  }
  return index.good() && !state_->units.empty();
}

void DebugInformation::store_units(SnapshotFileWriter& index) const {
  state_->read_all_headers();
  index.list(state_->records, [&](const UnitRecord& record) { exchange_unit(record, index); });
  state_->source_files.store(index);
  for (const std::size_t record : state_->record_of_unit) {
    const auto table = state_->file_table(state_->records[record]);
    index.array(table ? **table : std::vector<FileId>());
  }
}

std::span<const Unit> DebugInformation::units() const { return state_->units; }

std::vector<FileId> DebugInformation::files(UnitIndex unit) const {
  if (unit >= state_->units.size()) return {};
  const auto table = state_->file_table(state_->record(unit));
  if (!table) return {};
  std::vector<FileId> files = **table;
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  if (!files.empty() && files.front() == no_file) files.erase(files.begin());
  return files;
}

namespace {

Error no_such_unit(UnitIndex unit, std::size_t count, const std::string& path) {
  return Error{ErrorCode::invalid_argument,
               fmt::format("there is no unit {}: the program has {}", unit, count),
               path,
               {}};
}

}  // namespace

Expected<std::vector<LineRow>> DebugInformation::rows(UnitIndex unit) const {
  const std::size_t count = state_->units.size();
  if (unit >= count) return no_such_unit(unit, count, state_->image->path());
  return state_->rows(unit);
}

Expected<WrittenRows> DebugInformation::written_rows(UnitIndex unit) const {
  const std::size_t count = state_->units.size();
  if (unit >= count) return no_such_unit(unit, count, state_->image->path());
  return state_->written_rows(unit);
}

Expected<UnitCode> DebugInformation::named_code(UnitIndex unit) const {
  const std::size_t count = state_->units.size();
  if (unit >= count) return no_such_unit(unit, count, state_->image->path());
  return state_->named_code(unit);
}

Expected<UnitFunctions> DebugInformation::functions(UnitIndex unit) const {
  const std::size_t count = state_->units.size();
  if (unit >= count) return no_such_unit(unit, count, state_->image->path());
  return state_->functions(unit);
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
  state_->look_at_rows();
  return state_->units_by_rows.find(address);
}

Warnings DebugInformation::warnings() const { return state_->warnings.all(); }

const std::shared_ptr<const Image>& DebugInformation::image() const { return state_->image; }

}  // namespace gprof
