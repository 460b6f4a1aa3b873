#include "server/features/external_names.h"

#include <fmt/format.h>

#include "engine/object/demangle.h"

namespace gprof::lsp {

std::string external_code_name(const ExternalCode& code, bool demangled) {
  if (code.function.empty()) return fmt::format("[{}]", code.module);
  return demangled ? demangle(code.function).signature : code.function;
}

std::string external_name_with_module(const ExternalCode& code, bool demangled) {
  const std::string name = external_code_name(code, demangled);
  return code.function.empty() ? name : fmt::format("{} [{}]", name, code.module);
}

std::string_view library_name(std::string_view file_name) {
  const std::size_t end = file_name.find(".so");
  const bool is_suffix = end != std::string_view::npos && end > 0 &&
                         (end + 3 == file_name.size() || file_name[end + 3] == '.');
  return is_suffix ? file_name.substr(0, end) : file_name;
}

}  // namespace gprof::lsp
