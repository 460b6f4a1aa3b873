#include "engine/dwarf/qualified_name.h"

#include <algorithm>
#include <vector>

#include "engine/object/demangle.h"

namespace gprof::dwarf {
namespace {

constexpr std::size_t most_scopes = 256;

bool has_lambdas(Language language) {
  return language == Language::cpp || language == Language::unknown;
}

// GCC names the class of a lambda "<lambda(int)>"; Clang leaves it unnamed.
bool is_closure(const DieNode& scope, std::string_view scope_name, Language language) {
  if (scope.kind != DieKind::class_type || !has_lambdas(language)) return false;
  return scope_name.empty() || scope_name.starts_with("<lambda");
}

// "<lambda(int)>" to "{lambda(int)}".
std::string closure_name(std::string_view scope_name) {
  if (scope_name.size() < 2) return "{lambda}";
  return "{" + std::string(scope_name.substr(1, scope_name.size() - 2)) + "}";
}

std::string scope_part(const DieNode& scope, std::string_view name, Language language) {
  if (!name.empty()) {
    const bool is_function =
        scope.kind == DieKind::subprogram || scope.kind == DieKind::inlined_call;
    return std::string(name) + (is_function && language == Language::cpp ? "()" : "");
  }
  switch (scope.kind) {
    case DieKind::name_space:
      return "(anonymous namespace)";
    case DieKind::class_type:
      return "(anonymous class)";
    default:
      return {};
  }
}

std::string joined(const std::vector<std::string>& innermost_first) {
  std::string name;
  for (auto part = innermost_first.rbegin(); part != innermost_first.rend(); ++part) {
    if (part->empty()) continue;
    if (!name.empty()) name += "::";
    name += *part;
    if (name.size() > longest_name) break;
  }
  if (name.size() > longest_name) name.resize(longest_name);
  return name;
}

}  // namespace

std::string qualified_name(DieGraph& graph, const std::vector<DieReference>& origins) {
  const std::string_view own_name = name_of(origins);
  if (own_name.empty()) return {};
  const Language language = origins.back().tree->language;
  // GNAT includes the packages in the name itself.
  if (language == Language::ada) return demangle(own_name, Language::ada).name;

  std::vector<std::string> parts = {std::string(own_name)};
  bool ends_in_call_operator = own_name == "operator()";
  DieReference scope = graph.parent(origins.back());
  while (scope && parts.size() < most_scopes) {
    const auto scope_origins = graph.origins(scope);
    const std::string_view name = name_of(scope_origins);
    const DieNode& declared = scope_origins.back().node();
    if (ends_in_call_operator && is_closure(declared, name, language)) {
      parts.back() = closure_name(name);
    } else {
      parts.push_back(scope_part(declared, name, language));
    }
    ends_in_call_operator = declared.kind == DieKind::subprogram && name == "operator()";
    scope = graph.parent(scope_origins.back());
  }
  return joined(parts);
}

}  // namespace gprof::dwarf
