# Writes a .pc file as it is installed below OUT:
#   cmake -DCMAKE_INSTALL_LIBDIR=… -DOUT=… -DSOURCE=… -P configure_pc.cmake
include(${SOURCE}/cmake/pkg_config.cmake)
set(CMAKE_INSTALL_INCLUDEDIR include)
set(PROJECT_VERSION 1)
set(pc_name gktune-test)
set(pc_about "A test")
gktune_pkg_config(${OUT}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/gktune-test.pc)
