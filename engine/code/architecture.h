// Which instruction set an image's code is in, and where it changes.
//
// Thread contract: pure functions; CodeRegions is immutable. Errors: none; anything unknown is
// nullopt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/object/image.h"
#include "engine/support/units.h"

namespace gprof {

enum class Architecture : std::uint8_t {
  x86_64,  // including x32
  i386,
  aarch64,
  arm,
  thumb,
  powerpc,
  mips,
  sparc,
  s390x,
  riscv,
};

[[nodiscard]] std::optional<Architecture> architecture_of(const Image& image);

// "Xtensa": of an image without a known architecture, for messages; "machine 251" if it has no
// name here.
[[nodiscard]] std::string machine_name(const Image& image);

// The byte order of instructions, which is not always that of data (ARM's BE8, AArch64).
[[nodiscard]] ByteOrder code_byte_order(const Image& image);

// Splits code into ranges of ARM, Thumb, AArch64 and RISC-V instructions and of data, using the
// mapping symbols that assemblers write; without them (a stripped file) the lowest bit of ARM
// function symbols; without those, everything is the image's main instruction set.
class CodeRegions {
 public:
  explicit CodeRegions(const Image& image);

  struct Region {
    AddressRange range;
    std::optional<Architecture> architecture;  // none for data
  };
  // The parts of `range`, ascending and without gaps.
  [[nodiscard]] std::vector<Region> parts_of(AddressRange range) const;

 private:
  struct Mark {
    Address address;
    std::optional<Architecture> architecture;
  };
  void add_marks(const Image& image, std::uint32_t section_type);
  std::optional<Architecture> main_;
  std::vector<Mark> marks_;  // by address
};

}  // namespace gprof
