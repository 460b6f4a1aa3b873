#include "engine/support/digest.h"

#include <cstdint>

#include <md5.h>

namespace gprof {

static_assert(sizeof(SourceDigest) == MD5_DIGEST_LENGTH);

SourceDigest md5(std::span<const std::byte> bytes) {
  MD5_CTX context;
  MD5Init(&context);
  MD5Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  SourceDigest digest;
  MD5Final(reinterpret_cast<std::uint8_t*>(digest.data()), &context);
  return digest;
}

}  // namespace gprof
