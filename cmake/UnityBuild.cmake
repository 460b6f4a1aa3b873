# Compiles several sources as one, so that headers and template instantiations are paid for once. Off
# in the debug build, where files are edited and compiled one at a time, and which so verifies that
# every file includes what it uses.
option(GPROF_LSP_UNITY "Compile the sources of a folder, and a dozen unit tests, as one" OFF)

# gprof_lsp_unity(TARGET [ALONE SOURCE...] [APART SOURCE...]): each folder's sources are compiled as one, so
# that a new file does not affect other folders, and names in anonymous namespaces must differ only within
# a folder. The ALONE sources, as paths relative to the target's folder, are compiled separately. The
# APART sources are compiled as one, but not with their folders: a change of a neighbour does not affect
# the code that is generated for them.
function(gprof_lsp_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 unity "" "" "ALONE;APART")
  if(NOT GPROF_LSP_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME group)
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  foreach(source ${unity_APART})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP apart)
  endforeach()
  foreach(source ${unity_ALONE})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# gprof_lsp_unity_of_tests(TARGET SIZE [ALONE SOURCE...]): tests name their helpers freely, so each file
# gets its own namespace. That requires all headers to be included before it: they are collected here
# from the #include lines.
function(gprof_lsp_unity_of_tests target size)
  cmake_parse_arguments(PARSE_ARGV 2 unity "" "" "ALONE")
  if(NOT GPROF_LSP_UNITY)
    return()
  endif()
  list(TRANSFORM unity_ALONE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  get_target_property(sources ${target} SOURCES)
  set(headers "")
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE
               OUTPUT_VARIABLE path)
    # Files that are not tests use the product's namespaces.
    if(path IN_LIST unity_ALONE OR NOT path MATCHES "_test\\.cc$")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(STRINGS ${path} includes REGEX "^#include [<\"]")
    cmake_path(GET path PARENT_PATH folder)
    foreach(include ${includes})
      string(REGEX REPLACE "^#include [<\"]([^>\"]+).*" "\\1" header ${include})
      # A program's text within a test may have lines that look the same.
      if(include MATCHES "<" OR EXISTS ${CMAKE_SOURCE_DIR}/${header})
        list(APPEND headers ${include})
      elseif(EXISTS ${folder}/${header})
        list(APPEND headers "#include \"${folder}/${header}\"")
      endif()
    endforeach()
  endforeach()
  list(SORT headers)
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" text)
  set(gathered ${CMAKE_CURRENT_BINARY_DIR}/include/${target}_headers.h)
  file(CONFIGURE OUTPUT ${gathered} CONTENT "#pragma once\n${text}\n" @ONLY)
  if(GPROF_LSP_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${gathered})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size}
    UNITY_BUILD_UNIQUE_ID UNITY_NAMESPACE
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#include \"${gathered}\"\nnamespace UNITY_NAMESPACE {"
    UNITY_BUILD_CODE_AFTER_INCLUDE "}  // namespace")
endfunction()
