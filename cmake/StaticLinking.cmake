# gprof_lsp_link_statically(TARGET): links a program of the server that needs nothing of the system but
# the kernel. It stays position-independent, and is compiled as any other.
include(CheckLinkerFlag)

function(gprof_lsp_link_statically target)
  target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/server/static_lookups.cc)
  target_link_options(${target} PRIVATE -static-pie)
  # ld warns of functions that load libraries: static_lookups.cc sees to it that getaddrinfo() does not,
  # and dlopen() is not called.
  check_linker_flag(CXX LINKER:--no-warnings GPROF_LSP_LINKER_CAN_BE_QUIET)
  if(GPROF_LSP_LINKER_CAN_BE_QUIET)
    target_link_options(${target} PRIVATE LINKER:--no-warnings)
  endif()
endfunction()
