#include "server/sources/source_text.h"

namespace gprof::lsp {

std::string_view SourceFile::text() const {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (all.starts_with(byte_order_mark)) all.remove_prefix(byte_order_mark.size());
  return all;
}

Expected<SourceFile> read_source(const std::filesystem::path& path) {
  TRY_ASSIGN(const auto file, InputFile::open(path));
  if (file.size() > largest_source) {
    return Error{ErrorCode::unsupported,
                 "too large for a source file: annotations are shown in files of up to 64 MiB",
                 path.string(),
                 {}};
  }
  TRY_ASSIGN(auto bytes, file.read_all());
  if (file.written_since()) {
    return Error{
        ErrorCode::stale, "the file was written while it was read: ask again", path.string(), {}};
  }
  return SourceFile{std::move(bytes), file.stamp()};
}

}  // namespace gprof::lsp
