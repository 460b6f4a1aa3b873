#include "engine/import/perf_data/kernel_symbols.h"

#include <algorithm>
#include <charconv>
#include <span>

#include <elf.h>

#include "engine/support/hexadecimal.h"
#include "engine/support/input_file.h"

namespace gprof::perf_data {
namespace {

// Of a kernel with all its modules, ten times over.
constexpr std::size_t largest_text = std::size_t{128} << 20;
constexpr std::size_t largest_notes = 65536;

// Empty if it cannot be read. Build-ids alone choose among these files.
std::string text_in(const std::filesystem::path& path, std::size_t most_bytes) {
  auto text = read_unsized_file(path, most_bytes, FileUse::debug_file);
  return text ? *std::move(text) : std::string();
}

std::uint32_t number_at(std::string_view bytes, std::size_t place) {
  std::uint32_t value = 0;
  std::copy_n(bytes.data() + place, sizeof value, reinterpret_cast<char*>(&value));
  return value;
}

}  // namespace

std::string running_kernel_build_id() {
  const std::string notes = text_in("/sys/kernel/notes", largest_notes);
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  constexpr std::size_t header = 12;
  for (std::size_t place = 0; place + header <= notes.size();) {
    const std::size_t name_size = number_at(notes, place);
    const std::size_t size = number_at(notes, place + 4);
    const std::size_t name = place + header;
    const std::size_t content = name + padded(name_size);
    if (name_size > notes.size() || size > notes.size() || content + size > notes.size()) break;
    const bool is_gnu =
        std::string_view(notes).substr(name, name_size) == std::string_view("GNU\0", 4);
    if (number_at(notes, place + 8) == NT_GNU_BUILD_ID && is_gnu) {
      return hexadecimal(std::as_bytes(std::span(notes).subspan(content, size)));
    }
    place = content + padded(size);
  }
  return {};
}

KernelSymbols::KernelSymbols(std::string text) : text_(std::move(text)) {
  const std::string_view all = text_;
  for (std::size_t place = 0; place < all.size();) {
    const std::size_t end = std::min(all.find('\n', place), all.size());
    add(all.substr(place, end - place), place);
    place = end + 1;
  }
  std::stable_sort(symbols_.begin(), symbols_.end(),
                   [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
}

// ADDRESS KIND NAME, and [MODULE] behind a tab.
void KernelSymbols::add(std::string_view line, std::size_t place) {
  std::uint64_t address = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), address, 16);
  const auto digits = static_cast<std::size_t>(end - line.data());
  if (error != std::errc() || address == 0 || line.size() < digits + 4) return;
  if (line.find('\t') != std::string_view::npos) return;
  const std::string_view name = line.substr(digits + 3);
  if (name == "_etext") end_ = address;
  if (std::string_view("tTwW").find(line[digits + 1]) == std::string_view::npos) return;
  symbols_.push_back({address, static_cast<std::uint32_t>(place + digits + 3),
                      static_cast<std::uint32_t>(name.size())});
}

std::optional<KernelSymbols> KernelSymbols::find(
    std::string_view build_id, const std::vector<std::filesystem::path>& folders) {
  if (build_id.empty()) return std::nullopt;
  std::string text;
  for (const std::filesystem::path& cache : folders) {
    if (text.empty())
      text = text_in(cache / "[kernel.kallsyms]" / build_id / "kallsyms", largest_text);
  }
  if (text.empty() && running_kernel_build_id() == build_id) {
    text = text_in("/proc/kallsyms", largest_text);
  }
  KernelSymbols symbols(std::move(text));
  if (symbols.symbols_.empty()) return std::nullopt;
  return symbols;
}

void KernelSymbols::move_to(const KernelBase& base) {
  for (const Symbol& symbol : symbols_) {
    if (name_of(symbol) != base.symbol) continue;
    bias_ = base.address - symbol.address;
    return;
  }
}

std::optional<KernelSymbols::Function> KernelSymbols::at(std::uint64_t address) const {
  const std::uint64_t wanted = address - bias_;
  if (end_ != 0 && wanted >= end_) return std::nullopt;
  auto after = std::upper_bound(
      symbols_.begin(), symbols_.end(), wanted,
      [](std::uint64_t place, const Symbol& symbol) { return place < symbol.address; });
  if (after == symbols_.begin()) return std::nullopt;
  // Of several names the first one.
  const std::uint64_t begin = (after - 1)->address;
  while (after - 1 != symbols_.begin() && (after - 2)->address == begin) --after;
  return Function{begin + bias_, name_of(*(after - 1))};
}

}  // namespace gprof::perf_data
