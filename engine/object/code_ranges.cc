#include "engine/object/code_ranges.h"

#include <algorithm>

#include <elf.h>

namespace gprof {
namespace {

bool holds_code(const Section& section) {
  return section.allocated() && section.executable() && section.type != SHT_NOBITS &&
         section.size > 0;
}

}  // namespace

std::vector<AddressRange> code_ranges(const Image& image) {
  std::vector<AddressRange> ranges;
  for (const Section& section : image.sections()) {
    if (holds_code(section)) ranges.push_back(section.range());
  }
  std::ranges::sort(ranges);
  Address covered_to;
  for (AddressRange& range : ranges) {
    range.low = std::max(range.low, covered_to);
    covered_to = std::max(covered_to, range.high);
  }
  std::erase_if(ranges, [](const AddressRange& range) { return range.empty(); });
  return ranges;
}

ReportedCode::ReportedCode(const Image& image) : sections_(image.sections().size()) {
  if (const Section* text = image.find_section(".text")) {
    is_text_ = true;
    ranges_.push_back(text->range());
    sections_[text->index] = true;
    return;
  }
  ranges_ = code_ranges(image);
  for (const Section& section : image.sections()) sections_[section.index] = holds_code(section);
}

bool ReportedCode::has_section(std::size_t index) const {
  return index < sections_.size() && sections_[index];
}

Address ReportedCode::end_after(Address start) const {
  if (is_text_) return ranges_.front().high;
  const auto range = std::ranges::upper_bound(ranges_, start, {}, &AddressRange::high);
  return range != ranges_.end() && range->contains(start) ? range->high : start;
}

}  // namespace gprof
