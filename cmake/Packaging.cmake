# What `cmake --install` installs, in components: `server`, `portable` (the server that runs on every Linux),
# `runtime` (the collector), `runtime_dev` (to link programs with it) and `engine_dev` (the library). debian/ and
# scripts/release make packages of them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(PublicHeaders)

install(TARGETS gprof-lsp RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT server)
if(TARGET gprof-lsp-static)
  # In the place of the other: on a system of which nothing is known.
  install(PROGRAMS $<TARGET_FILE:gprof-lsp-static> DESTINATION ${CMAKE_INSTALL_BINDIR}
          RENAME gprof-lsp COMPONENT portable EXCLUDE_FROM_ALL)
endif()

install(TARGETS gprof_engine EXPORT gprof-lsp-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT engine_dev)
# gprof::runtime is the archive, for static programs or to ship one file less; everything else uses
# gprof::runtime_shared.
install(TARGETS gprof_runtime gprof_runtime_static EXPORT gprof-lsp-runtime-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime_dev
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT runtime_dev)
install(FILES ${CMAKE_SOURCE_DIR}/runtime/include/gprof/runtime.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gprof COMPONENT runtime_dev)
gprof_lsp_reached_headers(public_headers ${gprof_engine_entry_headers})
foreach(header ${public_headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${CMAKE_SOURCE_DIR}/${header}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gprof-lsp/${folder} COMPONENT engine_dev)
endforeach()

set(package_config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gprof-lsp)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/gprof-lsp-config.cmake.in
  ${CMAKE_BINARY_DIR}/gprof-lsp-config.cmake INSTALL_DESTINATION ${package_config_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/gprof-lsp-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/gprof-lsp-config.cmake
              ${CMAKE_BINARY_DIR}/gprof-lsp-config-version.cmake
        DESTINATION ${package_config_folder} COMPONENT runtime_dev)
install(EXPORT gprof-lsp-runtime-targets NAMESPACE gprof::
        DESTINATION ${package_config_folder} COMPONENT runtime_dev)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/StaticDependencies.cmake
        DESTINATION ${package_config_folder} COMPONENT engine_dev)
install(EXPORT gprof-lsp-targets NAMESPACE gprof::
        DESTINATION ${package_config_folder} COMPONENT engine_dev)

install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/THIRD_PARTY_NOTICES.md
              ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT server)
# How an agent that has a shell uses the tools, where agents are pointed to.
install(FILES ${CMAKE_SOURCE_DIR}/editors/agents/gprof-lsp/SKILL.md
        DESTINATION ${CMAKE_INSTALL_DATADIR}/gprof-lsp/skills/gprof-lsp COMPONENT server)
# Manual pages and completions, from the program's own descriptions of commands and options; the rest
# of the pages comes from docs/*.1.in. Pages are compressed, as Debian requires; -n leaves out the
# time, for reproducible builds.
find_program(GZIP_PROGRAM gzip REQUIRED)
set(manual_pages)
foreach(page gprof-lsp gprof-lsp-report gprof-lsp-record gprof-lsp-check gprof-lsp-export
             gprof-lsp-diff gprof-lsp-query gprof-lsp-mcp)
  set(manual_page ${CMAKE_BINARY_DIR}/${page}.1)
  set(template ${CMAKE_SOURCE_DIR}/docs/${page}.1.in)
  add_custom_command(OUTPUT ${manual_page}.gz
    COMMAND gprof-lsp describe --as=manual < ${template} > ${manual_page}
    COMMAND ${GZIP_PROGRAM} -9nf ${manual_page}
    DEPENDS gprof-lsp ${template} VERBATIM)
  list(APPEND manual_pages ${manual_page}.gz)
endforeach()
set(completions)
foreach(shell bash zsh fish)
  set(completion ${CMAKE_BINARY_DIR}/completions/gprof-lsp.${shell})
  add_custom_command(OUTPUT ${completion}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/completions
    COMMAND gprof-lsp describe --as=${shell} > ${completion}
    DEPENDS gprof-lsp VERBATIM)
  list(APPEND completions ${completion})
endforeach()
add_custom_target(described ALL DEPENDS ${manual_pages} ${completions})
install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT server)
install(FILES ${CMAKE_BINARY_DIR}/completions/gprof-lsp.bash RENAME gprof-lsp
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT server)
install(FILES ${CMAKE_BINARY_DIR}/completions/gprof-lsp.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT server)
# The second is the one that Debian's zsh searches below /usr.
foreach(folder site-functions vendor-completions)
  install(FILES ${CMAKE_BINARY_DIR}/completions/gprof-lsp.zsh RENAME _gprof-lsp
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder} COMPONENT server)
endforeach()

install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT server
        FILES_MATCHING PATTERN "*.md")

# In a folder that Neovim searches for packages; `:packadd gprof` loads it.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/editors/neovim/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/nvim/site/pack/gprof-lsp/opt/gprof COMPONENT server
        FILES_MATCHING PATTERN "*.lua" PATTERN "*.vim" PATTERN "gprof.txt" PATTERN "tags"
        PATTERN "scripts" EXCLUDE)
# Emacs has the folders in site-lisp on its load path.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/editors/emacs/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/emacs/site-lisp/gprof-lsp COMPONENT server
        FILES_MATCHING PATTERN "*.el")
