# gktune_build_before_install(NAME TARGET…) adds the target NAME, which builds the targets. `cmake --install` builds
# NAME first if a file of a target is missing, so that a build of a part can be installed too.
function(gktune_build_before_install name)
  add_custom_target(${name} DEPENDS ${ARGN})
  list(TRANSFORM ARGN REPLACE "(.+)" "[[$<TARGET_FILE:\\1>]]" OUTPUT_VARIABLE files)
  list(JOIN files " " files)
  install(CODE "
    foreach(file ${files})
      if(NOT EXISTS \"\${file}\")
        execute_process(COMMAND [[${CMAKE_COMMAND}]] --build [[${PROJECT_BINARY_DIR}]] --target ${name}
          COMMAND_ERROR_IS_FATAL ANY)
        break()
      endif()
    endforeach()" ALL_COMPONENTS)
endfunction()
