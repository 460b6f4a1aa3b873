#include "engine/object/code_addresses.h"

#include <elf.h>

#include "engine/support/byte_reader.h"

namespace gprof {

Address without_thumb_bit(const Image& image, const RawSymbol& symbol) {
  const bool may_be_thumb = image.machine() == EM_ARM && symbol.is_function();
  return Address{symbol.value & ~std::uint64_t{may_be_thumb ? 1U : 0U}};
}

CodeAddresses::CodeAddresses(const Image& image) : image_(image) {
  if (image.machine() == EM_PPC64) descriptors_ = image.find_section(".opd");
}

Address CodeAddresses::of(const RawSymbol& symbol) const {
  Address address = without_thumb_bit(image_, symbol);
  if (image_.file_type() == ET_REL && symbol.section < image_.sections().size()) {
    address = image_.sections()[symbol.section].address + symbol.value;
  }
  return descriptors_ != nullptr ? through_descriptor(address) : address;
}

// PowerPC's first 64-bit ABI: a function's symbol is that of its descriptor in .opd, whose first
// word is the address of the code.
Address CodeAddresses::through_descriptor(Address address) const {
  if (!descriptors_->range().contains(address)) return address;
  const auto bytes = image_.section_bytes(*descriptors_);
  const std::uint64_t offset = address - descriptors_->address;
  if (!bytes || offset >= bytes->size()) return address;
  ByteReader reader(bytes->subspan(offset), image_.byte_order(), image_.path());
  const auto code = reader.read_u64("function descriptor");
  return code ? Address{*code} : address;
}

}  // namespace gprof
