// The names of the functions at a few addresses of an image: of a library in which samples were
// taken, whose symbols would be many to sort for a few of them.
//
// A function covers its own size and nothing else: between the functions that a stripped library
// exports there are others, and an address that no symbol covers has no name. Of the names of one
// function the public one is chosen, then the shortest (write, not __write); a part that the
// compiler split off (f.cold) has its function's name.
//
// Units: link-time addresses. Ownership: the result owns its names. Thread contract: a pure
// function. Errors: none; damaged tables name nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/object/image.h"
#include "engine/support/units.h"

namespace gprof {

class NamesAtAddresses {
 public:
  // From .symtab of the image or of its separate debug file (may be null), else .gnu_debugdata; and
  // from .dynsym. `addresses` ascend.
  NamesAtAddresses(const Image& image, const Image* debug_image,
                   std::span<const Address> addresses);

  // The linkage name at addresses[index], without @VERSION; empty if no function covers it.
  [[nodiscard]] std::string_view at(std::size_t index) const { return names_[numbers_[index]]; }

 private:
  std::vector<std::string> names_ = {""};
  std::vector<std::uint32_t> numbers_;  // by address
};

}  // namespace gprof
