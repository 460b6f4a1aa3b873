# Flags of every target: warnings as errors, and the sanitizers that a preset asks for.
add_library(gprof_lsp_settings INTERFACE)
target_compile_options(gprof_lsp_settings INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual)
if(GPROF_LSP_SANITIZE)
  add_compile_options(-fsanitize=${GPROF_LSP_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GPROF_LSP_SANITIZE})
  if(GPROF_LSP_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # asio orders its queues by fences, which GCC's thread sanitizer does not follow: it warns of
    # each. What they order is locked as well, so that no false report comes of it.
    add_compile_options(-Wno-tsan)
  endif()
  if(GPROF_LSP_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
if(GPROF_LSP_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# gprof_lsp_precompile(TARGET HEADER...): these and the usual headers of the standard library.
function(gprof_lsp_precompile target)
  if(GPROF_LSP_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <filesystem> <functional> <map> <memory>
                              <mutex> <optional> <string> <vector> ${ARGN})
  endif()
endfunction()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  if(GPROF_LSP_PRECOMPILE)
    # Without these ccache does not believe in precompiled headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${CCACHE})
  endif()
endif()
