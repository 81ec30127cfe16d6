# cmake -DFOLDER=… -DOUTPUT=… -P embed_headers.cmake: writes every file below the folder into a C++ source.
file(GLOB_RECURSE paths LIST_DIRECTORIES false RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT paths)
set(entries "")
foreach(path IN LISTS paths)
  file(READ ${FOLDER}/${path} text)
  string(APPEND entries "    {\"${path}\", R\"gktune(${text})gktune\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"tuner/device/host/kernel_headers.h\"

namespace gktune {

std::span<const KernelHeader> kernel_headers() {
  static constexpr KernelHeader kHeaders[] = {
${entries}  };
  return kHeaders;
}

}  // namespace gktune
")
