#include "server/documents/line_hash.h"

namespace gprof::lsp {

LineHash hash_line(std::string_view line_without_its_end) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : line_without_its_end) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x00000100000001B3;
  }
  // Short lines differ in few bits so far; MurmurHash3's finalizer spreads them.
  hash ^= hash >> 33;
  hash *= 0xFF51AFD7ED558CCD;
  hash ^= hash >> 33;
  hash *= 0xC4CEB9FE1A85EC53;
  hash ^= hash >> 33;
  return hash;
}

LineHashes hash_lines(std::string_view text, const LineTable& lines) {
  LineHashes hashes;
  hashes.reserve(lines.line_count());
  for (std::size_t i = 0; i < lines.line_count(); ++i) {
    hashes.push_back(hash_line(lines.line(text, i)));
  }
  return hashes;
}

}  // namespace gprof::lsp
