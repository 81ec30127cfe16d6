# cmake -DFUNCTION=… -DROOT=… -DPATHS=… -DOUTPUT=… -P write_embedded.cmake: what gktune_embed builds.
set(entries "")
foreach(path IN LISTS PATHS)
  file(READ ${ROOT}/${path} text)
  string(APPEND entries "    {\"${path}\", R\"gktune(${text})gktune\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"tuner/core/embedded_file.h\"

namespace gktune {

std::span<const EmbeddedFile> ${FUNCTION}() {
  static constexpr EmbeddedFile kFiles[] = {
${entries}  };
  return kFiles;
}

}  // namespace gktune
")
