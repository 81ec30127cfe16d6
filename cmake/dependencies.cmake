# Finds every package that the project needs. ./dev lists Debian's names.
if(GKTUNE_STATIC_DEPS)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a ${CMAKE_FIND_LIBRARY_SUFFIXES})
  set(Boost_USE_STATIC_LIBS ON)
endif()

find_package(Threads REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(SQLite3 3.38 REQUIRED)
# CMake 4.3 deprecates the earlier name of the target.
set(GKTUNE_SQLITE SQLite::SQLite3)
if(TARGET SQLite3::SQLite3)
  set(GKTUNE_SQLITE SQLite3::SQLite3)
endif()
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(ZLIB REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
find_path(GKTUNE_XXHASH_INCLUDE xxhash.h REQUIRED)

# Debian's yaml-cpp package exports the shared library; the static one lies beside it.
if(GKTUNE_STATIC_DEPS)
  find_library(GKTUNE_YAML_CPP libyaml-cpp.a REQUIRED)
  add_library(gktune_yaml INTERFACE)
  target_link_libraries(gktune_yaml INTERFACE ${GKTUNE_YAML_CPP})
else()
  add_library(gktune_yaml INTERFACE)
  target_link_libraries(gktune_yaml INTERFACE yaml-cpp)
endif()

# Debian has no static fmt: its headers then bring all of it. A Python wheel brings it too.
add_library(gktune_fmt INTERFACE)
target_link_libraries(gktune_fmt INTERFACE
  $<IF:$<OR:$<BOOL:${GKTUNE_STATIC_DEPS}>,$<BOOL:${SKBUILD}>>,fmt::fmt-header-only,fmt::fmt>)

# Only the headers of the CUDA toolkit are needed: its libraries are opened at run time.
find_package(CUDAToolkit QUIET)
if(CUDAToolkit_FOUND)
  message(STATUS "CUDA toolkit ${CUDAToolkit_VERSION}: building the cuda device")
else()
  message(STATUS "No CUDA toolkit found: everything but the cuda device is built")
endif()

# The CUDA compiler is needed only for the benchmarks against CUB and cuBLAS.
if(GKTUNE_BENCH AND CUDAToolkit_FOUND)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80 90)
    endif()
    enable_language(CUDA)
  endif()
endif()
