#include "engine/source/program_sources.h"

namespace gprof {
namespace {

// Limit of the unit cache: enough for the files open in an editor.
constexpr std::size_t unit_cache_bytes = std::size_t{12} << 20;

// Cached places of each kind.
constexpr std::size_t most_remembered = 65536;

// The cached result of `find` for the key.
template <typename Key, typename Value, typename Find>
Value remembered(std::mutex& mutex, std::unordered_map<Key, Value>& known, const Key& key,
                 const Find& find) {
  {
    const std::lock_guard lock(mutex);
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
  }
  Value value = find();
  const std::lock_guard lock(mutex);
  if (known.size() >= most_remembered) known.clear();
  known.emplace(key, value);
  return value;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace

ProgramSources::ProgramSources(const SymbolTable& symbols,
                               const DebugInformation* debug_information)
    : symbols_(symbols), debug_information_(debug_information) {
  if (debug_information_ != nullptr) units_.emplace(*debug_information_, unit_cache_bytes);
}

std::vector<FileId> ProgramSources::all_files() const {
  return debug_information_ == nullptr ? std::vector<FileId>() : debug_information_->all_files();
}

std::optional<FileId> ProgramSources::find_file(std::string_view canonical_path) const {
  if (debug_information_ == nullptr) return std::nullopt;
  return debug_information_->find_file(canonical_path);
}

std::vector<FileId> ProgramSources::files_named(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  if (files_by_name_.empty()) {
    for (const FileId file : all_files()) {
      files_by_name_[std::string(base_name(path(file)))].push_back(file);
    }
  }
  const auto found = files_by_name_.find(std::string(name));
  return found == files_by_name_.end() ? std::vector<FileId>() : found->second;
}

std::string ProgramSources::path(FileId file) const {
  return debug_information_ == nullptr ? std::string() : debug_information_->path(file);
}

std::optional<SourceDigest> ProgramSources::digest(FileId file) const {
  if (debug_information_ == nullptr) return std::nullopt;
  return debug_information_->digest(file);
}

bool ProgramSources::has_conflicting_digests(FileId file) const {
  return debug_information_ != nullptr && debug_information_->has_conflicting_digests(file);
}

std::vector<UnitIndex> ProgramSources::units_of_file(FileId file) const {
  return debug_information_ == nullptr ? std::vector<UnitIndex>()
                                       : debug_information_->units_of_file(file);
}

std::shared_ptr<const UnitLines> ProgramSources::unit(UnitIndex index) const {
  if (units_) return units_->unit(index);
  return std::make_shared<const UnitLines>(std::vector<LineExtent>(), UnitFunctions());
}

std::optional<UnitIndex> ProgramSources::unit_index_at(Address address) const {
  if (debug_information_ == nullptr) return std::nullopt;
  return debug_information_->unit_at(address);
}

std::shared_ptr<const UnitLines> ProgramSources::unit_at(Address address) const {
  const auto index = unit_index_at(address);
  return index ? unit(*index) : nullptr;
}

std::optional<Declaration> ProgramSources::declaration(SymbolIndex symbol) const {
  if (debug_information_ == nullptr) return std::nullopt;
  return remembered(mutex_, declarations_, symbol, [&] { return find_declaration(symbol); });
}

std::optional<Declaration> ProgramSources::find_declaration(SymbolIndex symbol) const {
  const Address entry = symbols_[symbols_[symbol].clone_of].address;
  const auto declared = debug_information_->declaration_at(entry);
  if (declared && declared->line != 0 && declared->file != no_file) return declared;
  const auto holder = unit_at(entry);
  const LineExtent* extent = holder ? holder->extent_at(entry) : nullptr;
  if (extent == nullptr) return std::nullopt;
  return Declaration{extent->file, extent->line, 0};
}

DemangledName ProgramSources::name(SymbolIndex index) const {
  const Symbol& symbol = symbols_[index];
  Language language = Language::unknown;
  if (debug_information_ != nullptr) {
    const auto unit = debug_information_->unit_at(symbol.address);
    if (unit) language = debug_information_->units()[*unit].language;
  }
  return demangle(symbol.name, language);
}

std::optional<SourceLocation> ProgramSources::location_in_function(Address call) const {
  if (debug_information_ == nullptr) return std::nullopt;
  return remembered(mutex_, locations_, call.value,
                    [&] { return find_location_in_function(call); });
}

std::optional<SourceLocation> ProgramSources::find_location_in_function(Address call) const {
  const std::vector<SourceLocation> locations = locations_of_call(call);
  if (locations.empty()) return std::nullopt;
  return locations.back();
}

std::vector<SourceLocation> ProgramSources::locations_of_call(Address call) const {
  if (debug_information_ == nullptr) return {};
  const auto unit_index = debug_information_->unit_at(call);
  if (!unit_index) return {};
  const auto holder = unit(*unit_index);
  const LineExtent* extent = holder->extent_at(call);
  if (extent == nullptr) return {};
  std::vector<SourceLocation> locations = {{extent->file, extent->line}};
  const Subprogram* function = holder->subprogram_at(call);
  if (function == nullptr || function->declaration.file == no_file) return locations;
  const auto& inlined_calls = holder->functions().inlined_calls;
  auto inlined = holder->inlined_call_at(call);
  while (inlined) {
    const InlinedCall& chain = inlined_calls[*inlined];
    if (chain.call_site.line == 0) break;
    locations.push_back({chain.call_site.file, chain.call_site.line});
    inlined = chain.parent;
  }
  return locations;
}

}  // namespace gprof
