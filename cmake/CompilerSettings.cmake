# Flags for every target: warnings as errors, and the sanitizers that a preset requests.
add_library(gprof_lsp_settings INTERFACE)
target_compile_options(gprof_lsp_settings INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  # Sums are rounded as on x86-64, where no instruction multiplies and adds: figures are the same everywhere.
  add_compile_options(-ffp-contract=off)
endif()
if(GPROF_LSP_SANITIZE)
  add_compile_options(-fsanitize=${GPROF_LSP_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GPROF_LSP_SANITIZE})
  if(GPROF_LSP_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
if(GPROF_LSP_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# gprof_lsp_precompile(TARGET HEADER...): precompiles these and common standard headers.
function(gprof_lsp_precompile target)
  if(GPROF_LSP_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <filesystem> <functional> <map> <memory>
                              <mutex> <optional> <string> <vector> ${ARGN})
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
      # With the times of the headers in it, ccache found nothing that another clone had compiled.
      target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
  endif()
endfunction()

# gprof_lsp_sections(TARGET): a program that is linked with it holds only what it uses, although each folder's
# sources are compiled as one.
function(gprof_lsp_sections target)
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
endfunction()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  if(GPROF_LSP_PRECOMPILE)
    # ccache needs these to cache with precompiled headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${CCACHE})
  endif()
endif()
