# cmake -DFUNCTION=… -DROOT=… -DPATHS=… -DOUTPUT=… -P write_embedded.cmake: what gktune_embed builds.
set(entries "")
foreach(path IN LISTS PATHS)
  file(READ ${ROOT}/${path} text)
  string(APPEND entries "    {\"${path}\", R\"gktune(${text})gktune\"sv},\n")
endforeach()
# clang limits the length of literals in pedantic mode.
file(WRITE ${OUTPUT} "#if defined(__clang__)
#pragma clang diagnostic ignored \"-Woverlength-strings\"
#endif
#include \"tuner/core/embedded_file.h\"

namespace gktune {

std::span<const EmbeddedFile> ${FUNCTION}() {
  using namespace std::literals;
  static constexpr EmbeddedFile kFiles[] = {
${entries}  };
  return kFiles;
}

}  // namespace gktune
")
