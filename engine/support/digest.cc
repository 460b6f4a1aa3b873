#include "engine/support/digest.h"

#include <algorithm>
#include <cstdint>

#include <md5.h>

namespace gprof {

static_assert(sizeof(SourceDigest) == MD5_DIGEST_LENGTH);

namespace {

constexpr std::uint64_t part_bytes = std::uint64_t{1} << 20;

void add(std::span<const std::byte> bytes, MD5_CTX& context) {
  MD5Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

SourceDigest finished(MD5_CTX& context) {
  SourceDigest digest;
  MD5Final(reinterpret_cast<std::uint8_t*>(digest.data()), &context);
  return digest;
}

}  // namespace

SourceDigest md5(std::span<const std::byte> bytes) {
  MD5_CTX context;
  MD5Init(&context);
  add(bytes, context);
  return finished(context);
}

Expected<SourceDigest> md5(const InputFile& file) {
  MD5_CTX context;
  MD5Init(&context);
  for (std::uint64_t at = 0; at < file.size(); at += part_bytes) {
    TRY_ASSIGN(const auto part, file.read_at(at, std::min(part_bytes, file.size() - at)));
    add(part, context);
  }
  return finished(context);
}

}  // namespace gprof
