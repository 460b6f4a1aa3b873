#include "server/session/configuration_file.h"

#include <cstdint>

#include "engine/support/input_file.h"

namespace gprof::lsp {
namespace {

// A larger file is not a settings file.
constexpr std::uint64_t largest_configuration = 16 << 20;

}  // namespace

Expected<SettingsLayer> read_configuration_file(const std::string& path) {
  TRY_ASSIGN(const auto file, InputFile::open(path, FileUse::own));
  if (file.size() > largest_configuration) {
    return Error{ErrorCode::wrong_format, "too large for a file of settings", path, {}};
  }
  TRY_ASSIGN(const auto bytes, file.read_all());
  return parse_settings_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace gprof::lsp
