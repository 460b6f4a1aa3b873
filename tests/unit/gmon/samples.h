// Small gmon files of every format, byte order and pointer width for the tests of this folder.
#pragma once

#include <vector>

#include "tests/support/gmon_builder.h"

namespace gprof::test {

inline const std::vector<GmonLayout>& all_layouts() {
  static const std::vector<GmonLayout> layouts = {{PointerWidth::eight, ByteOrder::little},
                                                  {PointerWidth::four, ByteOrder::little},
                                                  {PointerWidth::eight, ByteOrder::big},
                                                  {PointerWidth::four, ByteOrder::big}};
  return layouts;
}

// Two bins, three arcs (two of them with the same addresses), two blocks if the format has any.
inline GmonDescription sample(GmonFormat format, const GmonLayout& layout,
                              std::uint32_t version = 1) {
  GmonDescription description;
  description.format = format;
  description.layout = layout;
  description.version = version;
  description.histograms = {{0x1000, 0x1010, {7, 0xfffe}, 250, "seconds", 's', {}}};
  description.arcs = {{0x1002, 0x1008, 3}, {0x1004, 0x1008, 0x10203}, {0x1002, 0x1008, 4}};
  if (format == GmonFormat::gnu) description.blocks = {{{{0x1002, 5}, {0x1006, 0x1234}}, {}}};
  return description;
}

// One description per format, version and layout.
inline std::vector<GmonDescription> all_samples() {
  std::vector<GmonDescription> samples;
  for (const GmonLayout& layout : all_layouts()) {
    samples.push_back(sample(GmonFormat::gnu, layout, 0));
    samples.push_back(sample(GmonFormat::gnu, layout, 1));
    samples.push_back(sample(GmonFormat::bsd, layout));
    samples.push_back(sample(GmonFormat::bsd44, layout));
  }
  return samples;
}

}  // namespace gprof::test
