# `cpack` in the build folder makes Debian packages: the program, the shared libraries, and what applications are built
# with. The preset packages uses Debian's folders.
set(GKTUNE_MAINTAINER "The gktune authors <noreply@gktune.invalid>" CACHE STRING "Who maintains the packages")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "${GKTUNE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/complete_packages.cmake)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

# gktune_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION): the package of the files of an installed component.
macro(gktune_package component name section summary description)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}")
endmacro()

set(CPACK_COMPONENTS_ALL)
gktune_package(program gktune devel "finds the fastest configuration of a GPU kernel and stores it"
"gktune compiles the configurations that a space file lists, compares each
output with a plain reference, times each one, and stores every trial in
SQLite. Without a GPU the same files run on the CPU.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "g++, man-db")  # the host device compiles with g++
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS nvidia-cuda-toolkit)

gktune_package(development libgktune-dev libdevel "tuned GPU kernels in applications: development files"
"Headers, libraries, and files for CMake and pkg-config. Applications ask a
database for the fastest configuration of a kernel, or launch the kernel.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS libsqlite3-dev)  # gktune::lookup is static
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS gktune)

if(TARGET gktune_runtime_shared)
  set(name libgktune${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  gktune_package(libraries ${name} libs "tuned GPU kernels in applications: shared libraries"
"Applications that link these libraries choose, compile and launch the
fastest known configuration of a kernel.")
  set(CPACK_DEBIAN_LIBRARIES_PACKAGE_RECOMMENDS g++)
  file(WRITE ${PROJECT_BINARY_DIR}/installed/triggers "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/installed/triggers)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", ${name} (= ${PROJECT_VERSION})")
endif()
include(CPack)
