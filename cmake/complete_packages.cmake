# cpack runs this before it packs the files of its folder: compresses the manual pages, and adds the copyright and the
# change log to each package.
set(source ${CMAKE_CURRENT_LIST_DIR}/..)
file(READ ${source}/LICENSE license)
file(READ ${source}/third_party/echarts/NOTICE notice)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(share ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
  set(documents ${share}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(WRITE ${documents}/copyright "${license}
The program contains Apache ECharts, under the Apache License 2.0 (/usr/share/common-licenses/Apache-2.0). Its parts by
others and their licenses are in /usr/share/doc/gktune/echarts/LICENSE.

${notice}")
  file(WRITE ${documents}/changelog "gktune (${CPACK_PACKAGE_VERSION}) stable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(GLOB pages ${share}/man/man1/*.1)
  execute_process(COMMAND gzip -9n ${documents}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
