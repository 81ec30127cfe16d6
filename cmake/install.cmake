# What `cmake --install` puts where, besides the program: the library that applications link, as gktune::lookup, and
# the data and documents.
include(CMakePackageConfigHelpers)

# In the tree headers say where they lie ("db/lookup.h"); installed, they all lie in gktune/ and say so.
set(public_headers
  db/device_identity.h db/lookup.h tuner/core/named_values.h tuner/core/result.h tuner/core/value.h
  tuner/core/version.h)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gktune)
foreach(header IN LISTS public_headers)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  string(REGEX REPLACE "#include \"[a-z_/]+/([a-z_]+\\.h)\"" "#include \"gktune/\\1\"" text "${text}")
  get_filename_component(name ${header} NAME)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/installed/gktune/${name} CONTENT "${text}" @ONLY)
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/installed/gktune DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

target_compile_features(gktune_core PUBLIC cxx_std_20)
foreach(name core database lookup)
  set_target_properties(gktune_${name} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS gktune_core gktune_database gktune_lookup EXPORT gktuneTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT gktuneTargets NAMESPACE gktune:: DESTINATION ${package_dir} COMPONENT development)

configure_package_config_file(cmake/gktuneConfig.cmake.in ${PROJECT_BINARY_DIR}/installed/gktuneConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/installed/gktuneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/installed/gktuneConfig.cmake ${PROJECT_BINARY_DIR}/installed/gktuneConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

install(DIRECTORY templates spaces DESTINATION ${CMAKE_INSTALL_DATADIR}/gktune PATTERN .clang-format EXCLUDE)
# As they lie here: one document names another by its path.
install(FILES README.md ARCHITECTURE.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY bench/results DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)

# What each shell reads of its own accord.
set(completions_bash bash-completion/completions/gktune)
set(completions_zsh zsh/site-functions/_gktune)
set(completions_fish fish/vendor_completions.d/gktune.fish)
foreach(shell bash zsh fish)
  set(script ${PROJECT_BINARY_DIR}/installed/${completions_${shell}})
  get_filename_component(folder ${completions_${shell}} DIRECTORY)
  add_custom_command(OUTPUT ${script} DEPENDS gktune VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/installed/${folder}
    COMMAND gktune completions ${shell} > ${script})
  list(APPEND completion_scripts ${script})
  install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endforeach()
add_custom_target(gktune_completions ALL DEPENDS ${completion_scripts})
