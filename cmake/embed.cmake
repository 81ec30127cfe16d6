# gktune_embed(TARGET FUNCTION ROOT PATH…): embeds files below ROOT in TARGET;
# std::span<const EmbeddedFile> FUNCTION() returns them. Changing a file rebuilds one source.
function(gktune_embed target function root)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${function}.cc)
  list(TRANSFORM ARGN PREPEND ${root}/ OUTPUT_VARIABLE files)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFUNCTION=${function} -DROOT=${root} "-DPATHS=${ARGN}" -DOUTPUT=${output}
            -P ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    COMMENT "Embedding the files of ${function}()"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
