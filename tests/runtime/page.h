/* The surroundings of the code in documents. */
#ifndef PAGE_H
#define PAGE_H

#include <stdint.h>

#ifdef __cplusplus
#include <filesystem>
#include <string>
#include <vector>

inline int fail(const std::string& message) { return message.empty() ? 1 : 2; }
inline void launch(std::int64_t threads, const std::string& way) { (void)threads, (void)way; }
struct Properties {  // as cudaDeviceProp has them
  const char* name;
  int major, minor, multiProcessorCount;
};
inline const std::filesystem::path cache_folder;
inline const std::vector<char> bytes;
inline const Properties p{"GPU", 9, 0, 132};
extern "C" {
#else
static inline int fail(const char* message) { return message[0] == 0 ? 1 : 2; }
#endif
int page(const float* in, float* out, void* stream, int64_t n);
#ifdef __cplusplus
}
#endif

#endif
