# The libraries that the engine uses, each an imported target dependency::NAME, linked statically:
# installed programs then need only the C and C++ runtime. This file serves the build and, installed
# beside the package config, every project that links libgprof_engine.a.
# To link another build of one, name it: -DNAME_ARCHIVE=/path/to/libNAME.a (see THIRD_PARTY_NOTICES.md).
function(gprof_lsp_static_dependency name archive header suffix)
  if(TARGET dependency::${name})
    return()
  endif()
  find_library(${name}_ARCHIVE NAMES ${archive} REQUIRED)
  find_path(${name}_INCLUDE NAMES ${header} PATH_SUFFIXES ${suffix} REQUIRED)
  mark_as_advanced(${name}_ARCHIVE ${name}_INCLUDE)
  add_library(dependency::${name} STATIC IMPORTED GLOBAL)
  set_target_properties(dependency::${name} PROPERTIES IMPORTED_LOCATION ${${name}_ARCHIVE})
  target_include_directories(dependency::${name} SYSTEM INTERFACE ${${name}_INCLUDE})
endfunction()

gprof_lsp_static_dependency(zlib libz.a zlib.h "")
gprof_lsp_static_dependency(zstd libzstd.a zstd.h "")
gprof_lsp_static_dependency(lzma liblzma.a lzma.h "")
gprof_lsp_static_dependency(elf libelf.a libelf.h "")
gprof_lsp_static_dependency(dwarf libdwarf.a libdwarf.h libdwarf)
gprof_lsp_static_dependency(iberty libiberty.a demangle.h libiberty)
gprof_lsp_static_dependency(capstone libcapstone.a capstone.h capstone)
gprof_lsp_static_dependency(md libmd.a md5.h "")
target_link_libraries(dependency::elf INTERFACE dependency::zlib)
target_link_libraries(dependency::dwarf INTERFACE dependency::elf dependency::zlib)

# What engine/code does not read is left out of capstone, which takes such an architecture for one that it was
# built without. The table of M68K alone is a megabyte of pointers, which the dynamic linker would adjust at
# every start.
foreach(architecture EVM M680X M68K TMS320C64x XCore)
  target_link_options(dependency::capstone INTERFACE
    LINKER:--defsym=${architecture}_global_init=0 LINKER:--defsym=${architecture}_option=0)
endforeach()
