# Installs, besides the program: the libraries that applications link (gktune::lookup, gktune::launch, gktune::runtime),
# templates, spaces, documents, manual pages and completions. The components are those of the packages: program (what
# names none), libraries and development.
include(CMakePackageConfigHelpers)
include(cmake/build_before_install.cmake)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)

set(installed_targets gktune gktune_answers gktune_core gktune_database gktune_expression gktune_lookup)
if(TARGET gktune_runtime_shared)
  list(APPEND installed_targets gktune_launch_shared gktune_runtime_shared)
endif()
gktune_build_before_install(installable ${installed_targets})
install(TARGETS gktune RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gktune)
install(DIRECTORY include/gktune DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

target_compile_features(gktune_core PUBLIC cxx_std_20)
foreach(name answers core database expression lookup)
  set_target_properties(gktune_${name} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS gktune_answers gktune_core gktune_database gktune_expression gktune_lookup EXPORT gktuneTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET gktune_runtime_shared)
  foreach(target gktune_launch_shared gktune_runtime_shared)
    target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_compile_features(${target} INTERFACE cxx_std_20)
  endforeach()
  install(TARGETS gktune_launch_shared gktune_runtime_shared EXPORT gktuneTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries NAMELINK_COMPONENT development)
endif()
# Headers that `gktune db export --format header` writes need no library.
add_library(gktune_header_only INTERFACE)
target_compile_features(gktune_header_only INTERFACE cxx_std_17)
set_target_properties(gktune_header_only PROPERTIES EXPORT_NAME header_only)
install(TARGETS gktune_header_only EXPORT gktuneTargets COMPONENT development)
install(EXPORT gktuneTargets NAMESPACE gktune:: DESTINATION ${package_dir} COMPONENT development)

configure_package_config_file(cmake/gktuneConfig.cmake.in ${PROJECT_BINARY_DIR}/installed/gktuneConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/installed/gktuneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  cmake/gktune_tuned_header.cmake ${PROJECT_BINARY_DIR}/installed/gktuneConfig.cmake ${PROJECT_BINARY_DIR}/installed/gktuneConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

# For builds without CMake.
include(cmake/pkg_config.cmake)
set(pc_lookup_libs "-lgktune_lookup -lgktune_database -lgktune_answers -lgktune_expression -lgktune_core -lsqlite3 -pthread")
set(pc_launch_libs -lgktune_launch)
set(pc_runtime_libs -lgktune_runtime)
set(pc_lookup_about "Answers which configuration of a kernel is the fastest")
set(pc_launch_about "Launches tuned kernels from bundles")
set(pc_runtime_about "Launches tuned kernels from sources, databases and bundles")
foreach(part lookup launch runtime)
  if(part STREQUAL lookup OR TARGET gktune_${part}_shared)
    set(pc_name gktune-${part})
    set(pc_libs "${pc_${part}_libs}")
    set(pc_about "${pc_${part}_about}")
    gktune_pkg_config(${PROJECT_BINARY_DIR}/installed/${pc_name}.pc)
    install(FILES ${PROJECT_BINARY_DIR}/installed/${pc_name}.pc
      DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
  endif()
endforeach()

install(DIRECTORY templates spaces DESTINATION ${CMAKE_INSTALL_DATADIR}/gktune PATTERN .clang-format EXCLUDE)
# Documents link to each other by path: keep the folders.
install(FILES README.md ARCHITECTURE.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The program contains this library.
install(FILES third_party/echarts/LICENSE third_party/echarts/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR}/echarts)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY bench/results DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)

# Completions, where each shell looks for them, and manual pages. The program writes both at installation, so that
# installing asks for nothing but the program to be built.
foreach(script bash:bash-completion/completions/gktune zsh:zsh/site-functions/_gktune
    fish:fish/vendor_completions.d/gktune.fish)
  string(REPLACE ":" ";" script ${script})
  list(GET script 0 shell)
  list(GET script 1 path)
  set(written ${PROJECT_BINARY_DIR}/installed/${path})
  get_filename_component(source_folder ${written} DIRECTORY)
  get_filename_component(folder ${path} DIRECTORY)
  install(CODE "
    file(MAKE_DIRECTORY [[${source_folder}]])
    execute_process(COMMAND [[$<TARGET_FILE:gktune>]] completions ${shell}
      OUTPUT_FILE [[${written}]] COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${written} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endforeach()
set(written ${PROJECT_BINARY_DIR}/installed/man1)
install(CODE "
  string(TIMESTAMP today %Y-%m-%d UTC)
  file(MAKE_DIRECTORY [[${written}]])
  execute_process(COMMAND [[$<TARGET_FILE:gktune>]] man [[${written}]] \${today} COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${written} DESTINATION ${CMAKE_INSTALL_MANDIR})
