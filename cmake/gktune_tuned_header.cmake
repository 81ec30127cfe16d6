# gktune_tuned_header(TARGET target SPACE file DATABASE file [DEVICE name]) writes tuned/KERNEL.h at build time from a
# committed database, where the target finds it: #include "tuned/KERNEL.h". The build fails if the database has no exact
# winner for a problem that the space file lists, on each of its devices or on the one that is named. It never tunes.
# `cmake --build … --target tune_KERNEL` tunes what is missing, into the database.
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
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/gktune_headers)
  set(header ${folder}/tuned/${kernel}.h)
  set(device)
  if(ARG_DEVICE)
    set(device --device ${ARG_DEVICE})
  endif()
  file(MAKE_DIRECTORY ${folder}/tuned)
  add_custom_command(OUTPUT ${header}
    COMMAND ${GKTUNE_PROGRAM} best --coverage ${space} --require exact ${device} --db ${database}
    COMMAND ${GKTUNE_PROGRAM} db export ${kernel} --format header --db ${database} -o ${header}
    DEPENDS ${space} ${database} COMMENT "Writing the header of the tuned kernel ${kernel}" VERBATIM)
  target_sources(${ARG_TARGET} PRIVATE ${header})
  target_include_directories(${ARG_TARGET} PRIVATE ${folder})
  if(NOT TARGET tune_${kernel})
    add_custom_target(tune_${kernel} COMMAND ${GKTUNE_PROGRAM} run ${space} --db ${database} VERBATIM)
  endif()
endfunction()
