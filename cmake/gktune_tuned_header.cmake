# gktune_tuned_header(TARGET target SPACE file DATABASE file [DEVICE name]) writes tuned/KERNEL.h at build time from a
# committed database, where the target finds it: #include "tuned/KERNEL.h". Every build asks whether the database has an
# exact winner of the present sources for each problem that the space file lists, and fails if it lacks one. DEVICE is a
# device's name in the database or a part of it; a database with winners of several devices needs it. It never tunes.
# `cmake --build … --target tune_KERNEL` tunes what is missing, into the database, on the device that `gktune run` finds;
# it fails if DEVICE still lacks winners then.
function(gktune_tuned_header)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "TARGET;SPACE;DATABASE;DEVICE" "")
  foreach(name TARGET SPACE DATABASE)
    if(NOT ARG_${name})
      message(FATAL_ERROR "gktune_tuned_header: ${name} is missing")
    endif()
  endforeach()
  find_program(GKTUNE_PROGRAM gktune HINTS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../bin
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../../bin REQUIRED)
  get_filename_component(space ${ARG_SPACE} ABSOLUTE)
  get_filename_component(database ${ARG_DATABASE} ABSOLUTE)
  file(STRINGS ${space} lines REGEX "^kernel:")
  if(NOT lines MATCHES "^kernel:[ \t]*([A-Za-z_0-9]+)")
    message(FATAL_ERROR "gktune_tuned_header: ${space} names no kernel")
  endif()
  set(kernel ${CMAKE_MATCH_1})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/gktune_headers/${ARG_TARGET})
  set(header ${folder}/tuned/${kernel}.h)
  set(device)
  if(ARG_DEVICE)
    set(device --device ${ARG_DEVICE})
  endif()
  set(require_winners ${GKTUNE_PROGRAM} best --coverage ${space} --require exact ${device} --db ${database})
  file(MAKE_DIRECTORY ${folder}/tuned)
  # A target and not a command with DEPENDS: only the program knows which files the kernel's source includes.
  add_custom_target(tuned_header_${ARG_TARGET}_${kernel}
    COMMAND ${require_winners}
    COMMAND ${GKTUNE_PROGRAM} db export ${kernel} --format header ${device} --db ${database} -o ${header}.new
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${header}.new ${header}
    BYPRODUCTS ${header} COMMENT "Checking the header of the tuned kernel ${kernel}" VERBATIM)
  add_dependencies(${ARG_TARGET} tuned_header_${ARG_TARGET}_${kernel})
  target_include_directories(${ARG_TARGET} PRIVATE ${folder})
  if(NOT TARGET tune_${kernel})
    add_custom_target(tune_${kernel} COMMAND ${GKTUNE_PROGRAM} run ${space} --db ${database}
      COMMAND ${require_winners} VERBATIM)
  endif()
endfunction()
