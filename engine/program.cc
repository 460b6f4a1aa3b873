#include "engine/program.h"

#include <elf.h>
#include <fmt/format.h>

#include "engine/support/hexadecimal.h"
#include "engine/support/parallel.h"

namespace gprof {
namespace {

// The debug information and its origin. Its absence is not a failure.
std::unique_ptr<DebugInformation> open_debug_information(
    const std::shared_ptr<const Image>& image, const std::shared_ptr<const Image>& debug_image,
    Warnings& warnings) {
  auto opened = DebugInformation::open(debug_image ? debug_image : image, image->path());
  if (opened) return std::move(*opened);
  warnings.push_back(std::move(opened).error());
  return nullptr;
}

bool is_unchanged(const Image& image) { return file_stamp(image.path()) == image.stamp(); }

// Collectors' functions are symbols of the program, or only in its dynamic table.
std::vector<std::uint64_t> find_counting_functions(const SymbolTable& symbols, const Image& image) {
  std::vector<std::uint64_t> addresses = counting_functions_in(image, SHT_DYNSYM);
  symbols.visit_names([&](SymbolIndex symbol, std::string_view name) {
    if (is_counting_function(name)) addresses.push_back(symbols[symbol].address.value);
  });
  return addresses;
}

}  // namespace

ProgramIdentity identity_of(const Image& image) {
  ProgramIdentity identity;
  identity.build_id_hex = hexadecimal(image.build_id());
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(image.path(), failed);
  identity.path = failed ? image.path() : absolute.lexically_normal().string();
  identity.stamp = image.stamp().value_or(FileStamp{});
  return identity;
}

std::string ProgramIdentity::key() const {
  if (!build_id_hex.empty()) return "build-id:" + build_id_hex;
  return fmt::format("file:{}:{}:{}", path, stamp.size, stamp.modified);
}

Program::Program(Parts parts)
    : image_(std::move(parts.image)),
      debug_image_(std::move(parts.debug_image)),
      symbols_(std::move(parts.symbols)),
      code_(image_,
            [this, known = std::move(parts.counting_functions)] {
              return known ? *known : find_counting_functions(symbols_, *image_);
            }),
      debug_information_(std::move(parts.debug_information)),
      sources_(symbols_, debug_information_.get()),
      debug_files_(parts.debug_files.on_disk()),
      identity_(identity_of(*image_)),
      origin_(std::move(parts.origin)),
      warnings_(std::move(parts.warnings)) {}

Expected<std::shared_ptr<const Program>> Program::open(const std::filesystem::path& executable,
                                                       const DebugFileSearch& debug_files,
                                                       const Step& step) {
  const auto begin = [&](std::string_view name, double share) {
    return step ? step(name, share) : Expected<void>();
  };
  Parts parts;
  parts.debug_files = debug_files;
  TRY(begin("Opening the executable", 0.0));
  const DebugFileSource* source = debug_files.source.get();
  parts.origin = ProgramOrigin{version_of(executable.string()), file_time_now(), source != nullptr};
  TRY_ASSIGN(auto image, Image::open(executable));
  parts.image = std::move(image);
  parts.debug_image = find_debug_file(*parts.image, debug_files, parts.warnings);
  if (source != nullptr && source->gave_up()) parts.origin.reset();

  TRY(begin("Reading symbols", 0.2));
  // Units and symbols have nothing to do with each other.
  Warnings of_debug_information;
  Expected<SymbolTable> symbols = SymbolTable();
  run_beside(
      [&] { symbols = SymbolTable::build(parts.image, parts.debug_image, SymbolPolicy::full); },
      [&] {
        parts.debug_information =
            open_debug_information(parts.image, parts.debug_image, of_debug_information);
      },
      parts.image->file_size() >= bytes_worth_a_thread);
  if (!symbols) return std::move(symbols).error();
  parts.symbols = std::move(*symbols);
  parts.warnings.insert(parts.warnings.end(), of_debug_information.begin(),
                        of_debug_information.end());
  return std::shared_ptr<const Program>(new Program(std::move(parts)));
}

std::shared_ptr<Program> Program::restore(std::shared_ptr<const Image> image,
                                          const DebugFileSearch& debug_files,
                                          SnapshotFileReader& index) {
  Parts parts;
  parts.image = std::move(image);
  parts.debug_files = debug_files;
  parts.debug_image = find_debug_file(*parts.image, debug_files, parts.warnings);
  parts.symbols = SymbolTable::restore(index, parts.image);
  index.array(parts.counting_functions.emplace());
  exchange_warnings(parts.warnings, index);
  bool has_debug_information = false;
  index.number(has_debug_information);
  if (!index.good() || parts.symbols.size() == 0) return nullptr;
  if (has_debug_information) {
    auto restored = DebugInformation::restore(parts.debug_image ? parts.debug_image : parts.image,
                                              parts.image->path());
    if (!restored) return nullptr;
    parts.debug_information = std::move(*restored);
  }
  return std::shared_ptr<Program>(new Program(std::move(parts)));
}

bool Program::restore_units(SnapshotFileReader& index) {
  return debug_information_ == nullptr || debug_information_->restore_units(index);
}

void Program::store(SnapshotFileWriter& index) const {
  symbols_.store(index);
  index.array(code_.counting_functions());
  exchange_warnings(warnings_, index);
  index.number(debug_information_ != nullptr);
}

void Program::store_units(SnapshotFileWriter& index) const {
  if (debug_information_) debug_information_->store_units(index);
}

Warnings Program::warnings() const {
  Warnings all = warnings_;
  const Warnings more = debug_warnings();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Warnings Program::debug_warnings() const {
  return debug_information_ ? debug_information_->warnings() : Warnings();
}

bool Program::is_current(const std::filesystem::path& executable,
                         const DebugFileSearch& debug_files) const {
  if (executable.string() != image_->path() || debug_files != debug_files_) return false;
  if (!is_unchanged(*image_)) return false;
  if (debug_image_) return is_unchanged(*debug_image_);
  if (debug_information_) return true;
  Warnings told_before;
  return find_debug_file(*image_, debug_files_, told_before) == nullptr;
}

}  // namespace gprof
