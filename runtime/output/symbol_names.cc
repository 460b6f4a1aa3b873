#include "runtime/output/symbol_names.h"

#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/uio.h>

#include "runtime/output/array_order.h"
#include "runtime/system/loader.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

// Copies up to `size` bytes of this process; returns how many could be read.
std::size_t read_memory(void* to, std::uint64_t from, std::size_t size) {
  iovec local = {to, size};
  iovec remote = {reinterpret_cast<void*>(from), size};
  const sys::Result result = sys::call(__NR_process_vm_readv, sys::call(__NR_getpid),
                                       sys::word(&local), 1, sys::word(&remote), 1);
  if (!sys::failed(result)) return static_cast<std::size_t>(result);
  if (result == -EFAULT) return 0;
  // Not allowed or not available: read directly; the loader's tables are readable while loaded.
  std::memcpy(to, reinterpret_cast<const void*>(from), size);
  return size;
}

template <typename Value>
bool read_value(Value* value, std::uint64_t from) {
  return read_memory(value, from, sizeof *value) == sizeof *value;
}

struct DynamicTables {
  std::uint64_t symbols = 0;
  std::uint64_t strings = 0;
  std::uint64_t string_size = 0;
  std::uint64_t hash = 0;
  std::uint64_t gnu_hash = 0;
};

// If the loader has relocated the section's pointers they lie in the module; otherwise they are
// link-time addresses.
std::uint64_t pointer(const Elf64_Dyn& entry, std::uint64_t bias, std::uint64_t low,
                      std::uint64_t high) {
  const std::uint64_t value = entry.d_un.d_ptr;
  return value >= low && value < high ? value : value + bias;
}

DynamicTables read_dynamic_section(const link_map& module, std::uint64_t low, std::uint64_t high) {
  constexpr std::size_t most_entries = 1024;
  DynamicTables tables;
  const auto section = reinterpret_cast<std::uint64_t>(module.l_ld);
  for (std::size_t i = 0; i < most_entries; ++i) {
    Elf64_Dyn entry = {};
    if (!read_value(&entry, section + i * sizeof entry) || entry.d_tag == DT_NULL) break;
    const std::uint64_t address = pointer(entry, module.l_addr, low, high);
    if (entry.d_tag == DT_SYMTAB) tables.symbols = address;
    if (entry.d_tag == DT_STRTAB) tables.strings = address;
    if (entry.d_tag == DT_STRSZ) tables.string_size = entry.d_un.d_val;
    if (entry.d_tag == DT_HASH) tables.hash = address;
    if (entry.d_tag == DT_GNU_HASH) tables.gnu_hash = address;
  }
  return tables;
}

// The GNU hash table gives the number of symbols only as the end of its last chain.
std::uint64_t count_by_gnu_hash(std::uint64_t table) {
  struct {
    std::uint32_t buckets;
    std::uint32_t first_symbol;
    std::uint32_t bloom_words;
    std::uint32_t bloom_shift;
  } header = {};
  if (!read_value(&header, table)) return 0;
  const std::uint64_t buckets =
      table + sizeof header + std::uint64_t{header.bloom_words} * sizeof(std::uint64_t);
  std::uint32_t last = 0;
  constexpr std::size_t block_size = 256;
  std::uint32_t block[block_size];
  for (std::uint64_t i = 0; i < header.buckets; i += block_size) {
    const auto part =
        static_cast<std::size_t>(smaller<std::uint64_t>(header.buckets - i, block_size));
    const std::size_t size = part * sizeof block[0];
    if (read_memory(block, buckets + i * sizeof block[0], size) != size) return 0;
    for (std::size_t j = 0; j < part; ++j) last = larger(last, block[j]);
  }
  if (last < header.first_symbol) return header.first_symbol;
  const std::uint64_t chains = buckets + std::uint64_t{header.buckets} * sizeof block[0];
  std::uint32_t hash = 0;
  do {
    const std::uint64_t index = last - header.first_symbol;
    if (!read_value(&hash, chains + index * sizeof hash)) return 0;
    ++last;
  } while ((hash & 1) == 0);
  return last;
}

std::uint64_t count_symbols(const DynamicTables& tables) {
  if (tables.hash != 0) {
    std::uint32_t counts[2] = {};  // of buckets, of symbols
    if (read_value(&counts, tables.hash)) return counts[1];
  }
  return tables.gnu_hash != 0 ? count_by_gnu_hash(tables.gnu_hash) : 0;
}

bool is_function(const Elf64_Sym& symbol) {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
         symbol.st_size != 0;
}

// Never reads beyond the page in which the text ends: the next may not be mapped.
void read_text(char* to, std::size_t size, std::uint64_t from) {
  constexpr std::uint64_t smallest_page = 4096;
  std::size_t length = 0;
  while (length + 1 < size) {
    const std::uint64_t at = from + length;
    const auto part = static_cast<std::size_t>(
        smaller<std::uint64_t>(size - 1 - length, smallest_page - at % smallest_page));
    const std::size_t got = read_memory(to + length, at, part);
    for (const std::size_t end = length + got; length < end; ++length) {
      if (to[length] == '\0') return;
    }
    if (got < part) break;
  }
  to[length] = '\0';
}

std::size_t leading_underscores(const char* name) {
  std::size_t count = 0;
  while (name[count] == '_') ++count;
  return count;
}

}  // namespace

void SymbolNames::read_module(std::uint64_t address) {
  functions_.shrink(0);
  module_low_ = address;
  module_high_ = address + 1;
  struct dl_find_object found = {};
  if (!ask_loader(address, &found)) {
    return;
  }
  module_low_ = reinterpret_cast<std::uint64_t>(found.dlfo_map_start);
  module_high_ = reinterpret_cast<std::uint64_t>(found.dlfo_map_end);
  link_map module = {};
  if (found.dlfo_link_map == nullptr ||
      !read_value(&module, reinterpret_cast<std::uint64_t>(found.dlfo_link_map)) ||
      module.l_ld == nullptr) {
    return;
  }
  const DynamicTables tables = read_dynamic_section(module, module_low_, module_high_);
  if (tables.symbols == 0 || tables.strings == 0) return;
  const std::uint64_t count = count_symbols(tables);
  constexpr std::size_t block_size = 64;
  Elf64_Sym block[block_size];
  for (std::uint64_t i = 0; i < count; i += block_size) {
    const auto part = static_cast<std::size_t>(smaller<std::uint64_t>(count - i, block_size));
    const std::size_t size = part * sizeof block[0];
    if (read_memory(block, tables.symbols + i * sizeof block[0], size) != size) return;
    for (std::size_t j = 0; j < part; ++j) {
      const Elf64_Sym& symbol = block[j];
      if (!is_function(symbol) || symbol.st_name >= tables.string_size) continue;
      const std::uint64_t low = symbol.st_value + module.l_addr;
      functions_.append({low, low + symbol.st_size, tables.strings + symbol.st_name});
    }
  }
}

const char* SymbolNames::name_of(std::uint64_t address) {
  if (address < module_low_ || address >= module_high_) read_module(address);
  name_[0] = '\0';
  for (const Function& function : functions_) {
    if (address < function.low || address >= function.high) continue;
    read_text(candidate_, sizeof candidate_, function.name);
    if (candidate_[0] == '\0') continue;
    if (name_[0] == '\0' || leading_underscores(candidate_) < leading_underscores(name_)) {
      std::memcpy(name_, candidate_, sizeof name_);
    }
  }
  return name_;
}

}  // namespace gprof_runtime
