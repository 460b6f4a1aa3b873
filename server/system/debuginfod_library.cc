#include "server/system/debuginfod_library.h"

#include <cerrno>
#include <cstdlib>
#include <memory>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace gprof::lsp {

// As <elfutils/debuginfod.h> declares them; the library's number stands for this interface.
struct DebuginfodLibrary::Functions {
  struct Client;
  using ProgressFunction = int (*)(Client*, long, long);

  Client* (*begin)() = nullptr;
  void (*end)(Client*) = nullptr;
  void (*set_progress)(Client*, ProgressFunction) = nullptr;
  void (*set_data)(Client*, void*) = nullptr;
  void* (*data)(Client*) = nullptr;
  int (*find)(Client*, const unsigned char*, int, char**) = nullptr;
};

namespace {

constexpr const char* library_name = "libdebuginfod.so.1";

Error not_usable(std::string reason) {
  return Error{ErrorCode::not_found, std::move(reason), library_name, std::nullopt};
}

template <typename Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

// A program that is linked statically can load only libraries of the very libc that it was linked
// with, and not all that they need of it.
bool has_loader() { return ::getauxval(AT_BASE) != 0; }

struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

Expected<DebuginfodLibrary> DebuginfodLibrary::open() {
  void* library = has_loader() ? ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) {
    return not_usable("cannot be loaded: install it (Debian's package libdebuginfod1)");
  }
  static Functions functions;
  const bool complete =
      find_function(library, "debuginfod_begin", functions.begin) &&
      find_function(library, "debuginfod_end", functions.end) &&
      find_function(library, "debuginfod_set_progressfn", functions.set_progress) &&
      find_function(library, "debuginfod_set_user_data", functions.set_data) &&
      find_function(library, "debuginfod_get_user_data", functions.data) &&
      find_function(library, "debuginfod_find_debuginfo", functions.find);
  if (!complete) return not_usable("is too old: version 0.180 or newer is needed");
  return DebuginfodLibrary(functions);
}

Expected<const DebuginfodLibrary*> DebuginfodLibrary::load() {
  static const Expected<DebuginfodLibrary> library = open();
  if (!library) return library.error();
  return &*library;
}

DebuginfodLibrary::Fetched DebuginfodLibrary::find_debug_information(
    const std::string& build_id_hex, const Progress& progress) const {
  const std::unique_ptr<Functions::Client, void (*)(Functions::Client*)> client(functions_.begin(),
                                                                                functions_.end);
  if (client == nullptr) return {ENOMEM, {}};
  struct Watched {
    const Progress& progress;
    const Functions& functions;
  } watched{progress, functions_};
  static const Functions* all = &functions_;
  functions_.set_data(client.get(), &watched);
  functions_.set_progress(client.get(), [](Functions::Client* one, long done, long total) {
    const auto* of_client = static_cast<const Watched*>(all->data(one));
    return of_client->progress(done, total) ? 0 : 1;
  });
  char* text = nullptr;
  // A length of zero: the id is text.
  const int file = functions_.find(
      client.get(), reinterpret_cast<const unsigned char*>(build_id_hex.c_str()), 0, &text);
  const std::unique_ptr<char, FreeText> path(text);
  if (file < 0) return {-file, {}};
  ::close(file);
  if (path == nullptr) return {ENOENT, {}};
  return {0, path.get()};
}

}  // namespace gprof::lsp
