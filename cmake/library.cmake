# gktune_library(NAME SOURCES … LINKS …): a static library of this project with the project's own flags.
add_library(gktune_flags INTERFACE)
target_include_directories(gktune_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
# Designated initialisers leave members at their defaults on purpose.
target_compile_options(gktune_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-missing-field-initializers)
# GCC 12 reports overlapping copies inside std::string (its bug 105651) and reads of inactive std::variant members
# where there are none.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(gktune_flags INTERFACE -Wno-restrict)
  if(GKTUNE_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(gktune_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
# A unity batch shares its sources' anonymous namespaces.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(gktune_flags INTERFACE -Wno-subobject-linkage)
endif()
if(GKTUNE_SANITIZE)
  target_compile_options(gktune_flags INTERFACE
    -fsanitize=${GKTUNE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(gktune_flags INTERFACE -fsanitize=${GKTUNE_SANITIZE})
  # AddressSanitizer finds null pointers too, and these checks of each access take a third of a build's time.
  target_compile_options(gktune_flags INTERFACE -fno-sanitize=null,alignment)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # As GCC defines them. Clang's check of calls does not know functions that dlsym() found, and programs in C have no part of the
    # runtime that vptr needs. Warnings are left to GCC.
    string(REGEX MATCH "address|thread" sanitizer ${GKTUNE_SANITIZE})
    string(TOUPPER ${sanitizer} sanitizer)
    target_compile_definitions(gktune_flags INTERFACE __SANITIZE_${sanitizer}__)
    target_compile_options(gktune_flags INTERFACE -fno-sanitize=function,vptr -w)
  endif()
endif()

function(gktune_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE $<BUILD_INTERFACE:gktune_flags>)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
endfunction()
