#include "engine/code/machine_code.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include <elf.h>

#include "engine/code/branch_reader.h"
#include "engine/code/import_table.h"
#include "engine/object/code_ranges.h"
#include "engine/object/raw_symbols.h"

namespace gprof {
namespace {

CodeFormat format_of(const Image& image, Architecture architecture) {
  CodeFormat format;
  format.architecture = architecture;
  format.byte_order = code_byte_order(image);
  format.wide = image.pointer_width() == PointerWidth::eight || image.machine() == EM_X86_64;
  format.data_base = data_base_of(image, architecture);
  return format;
}

}  // namespace

// Idle readers, by architecture. Thread contract: any thread.
class ReaderPool {
 public:
  std::unique_ptr<BranchReader> take(const CodeFormat& format, std::span<const std::byte> bytes,
                                     Address start) {
    if (auto reader = take_idle(format.architecture)) {
      reader->restart(bytes, start);
      return reader;
    }
    return std::make_unique<BranchReader>(format, bytes, start);
  }

  void give_back(Architecture architecture, std::unique_ptr<BranchReader> reader) {
    // A Thumb disassembler remembers conditions from one instruction to the next.
    if (architecture == Architecture::thumb) return;
    const std::lock_guard lock(mutex_);
    idle_.emplace_back(architecture, std::move(reader));
  }

 private:
  std::unique_ptr<BranchReader> take_idle(Architecture architecture) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(idle_, architecture, &Idle::first);
    if (found == idle_.end()) return nullptr;
    auto reader = std::move(found->second);
    idle_.erase(found);
    return reader;
  }

  using Idle = std::pair<Architecture, std::unique_ptr<BranchReader>>;
  std::mutex mutex_;
  std::vector<Idle> idle_;
};

struct MachineCode::State {
  explicit State(std::shared_ptr<const Image> from)
      : image(std::move(from)), architecture(architecture_of(*image)) {}

  // Reads what needs the whole image, on the first query.
  void prepare() {
    std::call_once(prepared, [this] {
      format = format_of(*image, *architecture);
      code_sections = code_ranges(*image);
      regions = std::make_unique<CodeRegions>(*image);
      imports = std::make_unique<ImportTable>(*image, format);
      find_counting_functions();
    });
  }

  void find_counting_functions() {
    if (given_counting_functions) {
      counting_functions = given_counting_functions();
    } else {
      counting_functions = counting_functions_in(*image, SHT_SYMTAB);
      const auto dynamic = counting_functions_in(*image, SHT_DYNSYM);
      counting_functions.insert(counting_functions.end(), dynamic.begin(), dynamic.end());
    }
    std::sort(counting_functions.begin(), counting_functions.end());
  }

  // Calls `visit` with every branch in the range; it returns whether to continue.
  template <typename Visit>
  void visit_branches(AddressRange range, const Visit& visit) {
    auto section = std::ranges::upper_bound(code_sections, range.low, {}, &AddressRange::high);
    for (; section != code_sections.end() && section->low < range.high; ++section) {
      const AddressRange part = intersect(*section, range);
      if (!part.empty() && !visit_section_part(part, visit)) return;
    }
  }

  template <typename Visit>
  bool visit_section_part(AddressRange part, const Visit& visit) {
    std::vector<std::byte> own;
    const auto bytes = image->bytes_in(part, own);
    for (const CodeRegions::Region& region : regions->parts_of(part)) {
      const std::uint64_t offset = region.range.low - part.low;
      if (!region.architecture || offset >= bytes.size()) continue;
      const std::uint64_t size = std::min(region.range.size(), bytes.size() - offset);
      CodeFormat region_format = format;
      region_format.architecture = *region.architecture;
      auto reader = readers.take(region_format, bytes.subspan(offset, size), region.range.low);
      bool go_on = true;
      for (auto branch = reader->next(); branch && go_on; branch = reader->next()) {
        go_on = visit(*branch);
      }
      readers.give_back(*region.architecture, std::move(reader));
      if (!go_on) return false;
    }
    return true;
  }

  [[nodiscard]] CallInstruction describe_call(const Branch& branch) const {
    CallInstruction call;
    call.address = branch.address;
    call.return_address = branch.return_address;
    call.target = branch.target;
    call.is_jump = branch.kind == Branch::Kind::jump;
    if (branch.target) call.import_name = imports->name_of_stub(*branch.target);
    if (branch.slot) {
      call.import_name = imports->name_of_slot(*branch.slot);
      if (call.import_name.empty()) call.target = imports->target_of_slot(*branch.slot);
    }
    return call;
  }

  [[nodiscard]] bool counts(const Branch& branch) const {
    const CallInstruction call = describe_call(branch);
    if (is_counting_function(call.import_name)) return true;
    return call.target && std::binary_search(counting_functions.begin(), counting_functions.end(),
                                             call.target->value);
  }

  std::shared_ptr<const Image> image;
  std::optional<Architecture> architecture;
  std::once_flag prepared;
  CodeFormat format;
  std::vector<AddressRange> code_sections;
  std::unique_ptr<CodeRegions> regions;
  std::unique_ptr<ImportTable> imports;
  CountingFunctions given_counting_functions;
  std::vector<std::uint64_t> counting_functions;  // ascending
  ReaderPool readers;
};

MachineCode::MachineCode(std::shared_ptr<const Image> image)
    : state_(std::make_unique<State>(std::move(image))) {}

MachineCode::MachineCode(std::shared_ptr<const Image> image, CountingFunctions counting_functions)
    : MachineCode(std::move(image)) {
  state_->given_counting_functions = std::move(counting_functions);
}

MachineCode::~MachineCode() = default;

bool MachineCode::knows_architecture() const { return state_->architecture.has_value(); }

std::vector<CallInstruction> MachineCode::calls_in(AddressRange range) const {
  std::vector<CallInstruction> calls;
  if (!knows_architecture()) return calls;
  state_->prepare();
  state_->visit_branches(range, [&](const Branch& branch) {
    const bool stays =
        branch.kind == Branch::Kind::jump && branch.target && range.contains(*branch.target);
    if (!stays) calls.push_back(state_->describe_call(branch));
    return true;
  });
  return calls;
}

std::optional<bool> MachineCode::counts_its_calls(AddressRange range) const {
  if (!knows_architecture()) return std::nullopt;
  state_->prepare();
  bool found = false;
  state_->visit_branches(range, [&](const Branch& branch) {
    found = branch.kind == Branch::Kind::call && state_->counts(branch);
    return !found;
  });
  return found;
}

std::vector<Address> MachineCode::counting_returns_in(AddressRange range) const {
  std::vector<Address> returns;
  if (!knows_architecture()) return returns;
  state_->prepare();
  state_->visit_branches(range, [&](const Branch& branch) {
    if (branch.kind == Branch::Kind::call && state_->counts(branch)) {
      returns.push_back(branch.return_address);
    }
    return true;
  });
  return returns;
}

std::vector<std::uint64_t> MachineCode::counting_functions() const {
  if (!knows_architecture()) return {};
  state_->prepare();
  return state_->counting_functions;
}

std::vector<std::uint64_t> counting_functions_in(const Image& image, std::uint32_t table_type) {
  std::vector<std::uint64_t> addresses;
  const Section* table = find_symbol_section(image, table_type);
  if (table == nullptr) return addresses;
  const auto read = read_raw_symbols(image, *table);
  if (!read) return addresses;
  for (const RawSymbol& symbol : *read) {
    const bool has_code = symbol.is_function() || symbol.type == STT_NOTYPE;
    if (!symbol.is_defined() || !has_code) continue;
    if (!is_counting_function(linkage_name(image, symbol.name))) continue;
    const bool thumb = image.machine() == EM_ARM;
    addresses.push_back(symbol.value & ~std::uint64_t{thumb ? 1U : 0U});
  }
  return addresses;
}

bool is_counting_function(std::string_view linkage_name) {
  // Called for every function of a program: the first two letters decide nearly all cases.
  if (linkage_name.size() < 6) return false;
  const char first = linkage_name[0];
  const char second = linkage_name[1];
  if (first != 'm' && first != '.' && first != '_') return false;
  if (first == '_' && second != 'm' && second != '_' && second != 'g') return false;
  static constexpr std::array names = {
      std::string_view("mcount"),          std::string_view("_mcount"),
      std::string_view("__mcount"),        std::string_view("___mcount"),
      std::string_view(".mcount"),         std::string_view("._mcount"),
      std::string_view("__fentry__"),      std::string_view("_mcount_nc"),
      std::string_view("__gnu_mcount_nc"), std::string_view("__cyg_profile_func_enter"),
      std::string_view("_gprof_mcount"),   std::string_view("__mcount_internal"),
  };
  const std::string_view name = linkage_name.substr(0, linkage_name.find('@'));
  return std::ranges::find(names, name) != names.end();
}

}  // namespace gprof
