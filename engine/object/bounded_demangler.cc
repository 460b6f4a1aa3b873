#include "engine/object/bounded_demangler.h"

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <memory>

// libiberty declares its own basename() unless told that the C library has one.
#define HAVE_DECL_BASENAME 1
#include <demangle.h>

namespace gprof {
namespace {

using CallbackDemangler = int (*)(const char*, int, demangle_callbackref, void*);

// Plain data: longjmp leaves it behind.
struct BoundedOutput {
  std::jmp_buf overflow;
  char* text;
  std::size_t used;
};

void append_bounded(const char* piece, std::size_t size, void* context) {
  auto* output = static_cast<BoundedOutput*>(context);
  if (size > longest_demangled_name - output->used) {
    std::longjmp(output->overflow, 1);  // NOLINT(cert-err52-cpp): see run_bounded()
  }
  std::memcpy(output->text + output->used, piece, size);
  output->used += size;
}

// The only way to stop a C library that writes without end is to jump out of it. Its callback
// interface keeps everything on the stack, so nothing leaks; no destructors in this frame.
bool run_bounded(CallbackDemangler demangler, const char* name, int options,
                 BoundedOutput* output) {
  if (setjmp(output->overflow) != 0) return false;  // NOLINT(cert-err52-cpp): as said above
  return demangler(name, options, append_bounded, output) != 0;
}

std::optional<std::string> demangle_bounded(CallbackDemangler demangler, std::string_view name,
                                            int options) {
  if (name.size() > longest_linkage_name || name.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string terminated(name);
  // Clearing a buffer of that size takes longer than demangling most names.
  const auto text = std::make_unique_for_overwrite<char[]>(longest_demangled_name);
  BoundedOutput output = {};
  output.text = text.get();
  if (!run_bounded(demangler, terminated.c_str(), options, &output)) return std::nullopt;
  return std::string(text.get(), output.used);
}

int itanium_options(NameStyle style) {
  switch (style) {
    case NameStyle::name:
      return DMGL_ANSI;
    case NameStyle::signature:
      return DMGL_ANSI | DMGL_PARAMS | DMGL_RET_DROP;
    case NameStyle::full:
      break;
  }
  return DMGL_ANSI | DMGL_PARAMS;
}

struct Free {
  void operator()(char* text) const { std::free(text); }
};

std::optional<std::string> taken(char* allocated) {
  const std::unique_ptr<char, Free> owner(allocated);
  if (owner == nullptr) return std::nullopt;
  return std::string(owner.get());
}

// D's scheme has back references to types, which may double at each step, and recurses once per
// letter. Real names stay far below both bounds.
bool is_harmless_d_name(std::string_view name) {
  static constexpr std::size_t longest_d_name = 4096;
  static constexpr int most_type_references = 32;
  if (name.size() > longest_d_name) return false;
  int references = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != 'Q') continue;
    // The distance back: base 26, upper case, the last digit in lower case.
    std::size_t back = 0;
    std::size_t at = i + 1;
    while (at < name.size() && name[at] >= 'A' && name[at] <= 'Z' && back < name.size()) {
      back = back * 26 + static_cast<std::size_t>(name[at++] - 'A');
    }
    if (at >= name.size() || name[at] < 'a' || name[at] > 'z') continue;
    back = back * 26 + static_cast<std::size_t>(name[at] - 'a');
    if (back > i) continue;
    const char target = name[i - back];
    const bool is_identifier = target >= '0' && target <= '9';
    if (!is_identifier && ++references > most_type_references) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> demangle_itanium(std::string_view name, NameStyle style) {
  if (!name.starts_with("_Z") && !name.starts_with("_GLOBAL_")) return std::nullopt;
  return demangle_bounded(&::cplus_demangle_v3_callback, name, itanium_options(style));
}

std::optional<std::string> demangle_java(std::string_view name) {
  const auto demangler = [](const char* text, int, demangle_callbackref callback, void* context) {
    return ::java_demangle_v3_callback(text, callback, context);
  };
  return demangle_bounded(demangler, name, 0);
}

std::optional<std::string> demangle_rust(std::string_view name) {
  if (!name.starts_with("_R") && !name.starts_with("_ZN")) return std::nullopt;
  return demangle_bounded(&::rust_demangle_callback, name, DMGL_ANSI | DMGL_PARAMS);
}

std::optional<std::string> demangle_d(std::string_view name) {
  if (!is_harmless_d_name(name) || name.find('\0') != std::string_view::npos) return std::nullopt;
  return taken(::dlang_demangle(std::string(name).c_str(), DMGL_PARAMS | DMGL_ANSI));
}

std::optional<std::string> demangle_gnat(std::string_view name) {
  if (name.size() > longest_linkage_name || name.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  auto text = taken(::ada_demangle(std::string(name).c_str(), DMGL_PARAMS | DMGL_ANSI));
  // A name that is not GNAT's comes back in angle brackets.
  if (text && text->starts_with('<')) return std::nullopt;
  return text;
}

}  // namespace gprof
