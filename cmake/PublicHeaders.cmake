# The public headers of the engine: the entry points and what they include. The other headers are
# internal and may need the libraries below the engine.
set(gprof_engine_entry_headers
  engine/analysis.h engine/gmon/reader.h engine/gmon/sum.h engine/gmon/writer.h
  engine/object/debug_file.h engine/object/demangle.h engine/object/symbol_table.h)

# Sets OUTPUT to the headers reachable from the given ones by #include "engine/..." or "formats/...", as
# paths relative to the repository's root.
function(gprof_lsp_reached_headers output)
  set(waiting ${ARGN})
  set(reached "")
  while(waiting)
    list(POP_FRONT waiting header)
    if(header IN_LIST reached)
      continue()
    endif()
    list(APPEND reached ${header})
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY
                 CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${header})
    file(STRINGS ${CMAKE_SOURCE_DIR}/${header} includes REGEX "^#include \"(engine|formats)/[^\"]+\"")
    list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "\\1")
    list(APPEND waiting ${includes})
  endwhile()
  set(${output} ${reached} PARENT_SCOPE)
endfunction()
