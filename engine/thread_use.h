// Whether a program may run several threads, as far as its symbols tell. The C library's collector
// drops the calls that a thread makes while another is being counted, and leaves no trace of it.
//
// Thread contract: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "engine/object/image.h"
#include "engine/object/symbol_table.h"

namespace gprof {

// What it starts threads with, as its author knows it: "pthread_create", "std::thread", "OpenMP";
// none if it calls nothing that does. Threads that a library starts of its own are not seen.
[[nodiscard]] std::optional<std::string_view> thread_start_of(const Image& image,
                                                              const SymbolTable& symbols);

}  // namespace gprof
