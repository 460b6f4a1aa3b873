#include "engine/matching.h"

#include <algorithm>

#include <elf.h>
#include <fmt/format.h>

#include "engine/support/hexadecimal.h"

namespace gprof {
namespace {

constexpr std::size_t most_looked_at = 256;
constexpr std::size_t most_calls_looked_at = 4096;
// Compilers call the collector in a function's prologue, or before it.
constexpr std::uint64_t longest_prologue = 1024;
constexpr std::size_t tolerated_part = 10;  // one in that many may disagree

Error mismatch(const Image& image, const std::string& profile_path, const std::string& why) {
  return Error{ErrorCode::mismatch,
               fmt::format("does not belong to {}: {}; run the program again, or name the "
                           "executable that wrote this profile",
                           image.path(), why),
               profile_path, std::nullopt};
}

bool overlaps_code(const Image& image, std::span<const AddressRange> covered) {
  const AddressRange code = image.code_range();
  const auto is_inside = [&](const AddressRange& range) { return !intersect(code, range).empty(); };
  // A histogram without bins covers nothing, and so says nothing.
  const auto is_elsewhere = [&](const AddressRange& range) {
    return !range.empty() && !is_inside(range);
  };
  return code.empty() || std::ranges::any_of(covered, is_inside) ||
         std::ranges::none_of(covered, is_elsewhere);
}

bool can_compare_build_ids(const Image& image, const RawProfile& raw) {
  return raw.build_id_prefix && !image.build_id().empty();
}

Expected<void> check_build_id(const Image& image, const RawProfile& raw,
                              const std::string& profile_path) {
  const auto expected =
      image.build_id().first(std::min(image.build_id().size(), raw.build_id_prefix->size()));
  const auto found = std::span(*raw.build_id_prefix).first(expected.size());
  if (std::ranges::equal(expected, found)) return {};
  return mismatch(image, profile_path,
                  fmt::format("it was written by the build {}…, this is {}…", hexadecimal(found),
                              hexadecimal(expected)));
}

struct LostCalls {
  std::size_t lost = 0;
  std::size_t looked_at = 0;
};

// Of an even selection of arcs, those that go to no function.
LostCalls count_lost_calls(const SymbolTable& symbols, const std::vector<RawArc>& arcs) {
  LostCalls result;
  result.looked_at = std::min(arcs.size(), most_calls_looked_at);
  for (std::size_t i = 0; i < result.looked_at; ++i) {
    if (!symbols.find(arcs[i * arcs.size() / result.looked_at].self_pc)) ++result.lost;
  }
  return result;
}

// Distinct, ascending, evenly spread.
std::vector<Address> some_counted_places(const std::vector<RawArc>& arcs) {
  std::vector<Address> places;
  places.reserve(arcs.size());
  for (const RawArc& arc : arcs) places.push_back(arc.self_pc);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (places.size() <= most_looked_at) return places;
  std::vector<Address> chosen;
  for (std::size_t i = 0; i < most_looked_at; ++i) {
    chosen.push_back(places[i * places.size() / most_looked_at]);
  }
  return chosen;
}

// None if the function does not show it.
std::optional<bool> agrees(const Program& program, Address self_pc) {
  const auto index = program.symbols().find(self_pc);
  if (!index) return std::nullopt;
  const Symbol& symbol = program.symbols()[*index];
  if (symbol.address == self_pc) return true;
  const AddressRange prologue = {symbol.address,
                                 std::min(symbol.end, symbol.address + longest_prologue)};
  const std::vector<Address> returns = program.code().counting_returns_in(prologue);
  if (returns.empty()) return std::nullopt;
  return std::binary_search(returns.begin(), returns.end(), self_pc);
}

Expected<void> check_functions(const Program& program, const RawProfile& raw,
                               const std::string& profile_path) {
  const Agreement found = agreement(program, raw);
  const std::size_t decidable = found.agreeing + found.disagreeing;
  if (found.disagreeing * tolerated_part <= decidable) return {};
  return Error{ErrorCode::mismatch,
               fmt::format("was written by another build of {}: {} of {} functions that it counts "
                           "calls of are elsewhere in this one; run the program again",
                           program.image().path(), found.disagreeing, decidable),
               profile_path, std::nullopt};
}

}  // namespace

Agreement agreement(const Program& program, const RawProfile& raw) {
  Agreement result;
  const std::uint16_t machine = program.image().machine();
  if (raw.format != GmonFormat::gnu || (machine != EM_X86_64 && machine != EM_386)) return result;
  for (const Address self_pc : some_counted_places(raw.arcs)) {
    const auto same = agrees(program, self_pc);
    if (same) ++(*same ? result.agreeing : result.disagreeing);
  }
  return result;
}

Expected<void> check_same_image(const Image& image, const RawProfile& raw,
                                std::span<const AddressRange> covered,
                                const std::string& profile_path) {
  if (can_compare_build_ids(image, raw)) {
    TRY(check_build_id(image, raw, profile_path));
  }
  if (overlaps_code(image, covered)) return {};
  const AddressRange code = image.code_range();
  return mismatch(
      image, profile_path,
      fmt::format("it covers the addresses 0x{:x} to 0x{:x}, the program's code is at 0x{:x} to "
                  "0x{:x}",
                  covered.front().low.value, covered.back().high.value, code.low.value,
                  code.high.value));
}

Expected<void> check_belongs_together(const Program& program, const RawProfile& raw,
                                      const std::string& profile_path, FileTime profile_modified) {
  const Image& image = program.image();
  std::vector<AddressRange> covered;
  covered.reserve(raw.histograms.size());
  for (const Histogram& histogram : raw.histograms) {
    covered.push_back({histogram.low, histogram.high});
  }
  TRY(check_same_image(image, raw, covered, profile_path));
  const auto [lost, looked_at] = count_lost_calls(program.symbols(), raw.arcs);
  if (lost * 2 > looked_at) {
    return mismatch(image, profile_path,
                    fmt::format("{} of {} calls go to addresses where the program has no function",
                                lost, looked_at));
  }
  if (!can_compare_build_ids(image, raw) && image.modified() > profile_modified) {
    return check_functions(program, raw, profile_path);
  }
  return {};
}

}  // namespace gprof
