/* Two versions of the library in one process, as of two plugins: two_versions_test LIBRARY COPY SPACE_FILE.
   A copy of the file stands for the other version: the loader takes it for another library. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gktune/gktune.h"

static void require(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

enum { kElements = 4096 };
static float in[kElements];

typedef struct {
  void* handle;
  gktune_kernel* kernel;
} Library;

/* FUNCTION(library, name) has the type of the function in the header. */
#define FUNCTION(library, name) ((__typeof__(&(name)))dlsym((library)->handle, #name))

static Library open_library(const char* path, const char* space_file) {
  Library library = {dlopen(path, RTLD_NOW | RTLD_LOCAL), NULL};
  require(library.handle != NULL, "dlopen failed");
  gktune_settings* settings = NULL;
  require(FUNCTION(&library, gktune_settings_create)(&settings) == GKTUNE_OK, "no settings");
  require(FUNCTION(&library, gktune_settings_set)(settings, "device", "host") == GKTUNE_OK, "no device");
  require(FUNCTION(&library, gktune_kernel_open)(space_file, settings, &library.kernel) == GKTUNE_OK,
          FUNCTION(&library, gktune_message)());
  FUNCTION(&library, gktune_settings_destroy)(settings);
  return library;
}

static gktune_code launch_sum(const Library* library, int64_t count, float* out) {
  const gktune_value n = {GKTUNE_INTEGER, 0, count, 0, NULL};
  const gktune_argument arguments[2] = {{GKTUNE_CONST_POINTER, GKTUNE_FLOAT32, (uint64_t)(uintptr_t)in},
                                        {GKTUNE_POINTER, GKTUNE_FLOAT32, (uint64_t)(uintptr_t)out}};
  return FUNCTION(library, gktune_kernel_launch)(library->kernel, &n, 1, arguments, 2, 0);
}

static void expect_sum(const Library* library, int64_t count) {
  float out = -1;
  require(launch_sum(library, count, &out) == GKTUNE_OK, FUNCTION(library, gktune_message)());
  require(out == (float)count, "the sum is wrong");
}

int main(int argc, char** argv) {
  require(argc == 4, "usage: two_versions_test LIBRARY COPY SPACE_FILE");
  for (int i = 0; i < kElements; ++i) in[i] = 1;
  Library first = open_library(argv[1], argv[3]);
  Library second = open_library(argv[2], argv[3]);
  require(FUNCTION(&first, gktune_kernel_launch) != FUNCTION(&second, gktune_kernel_launch),
          "loaded once only");
  expect_sum(&first, 1000);
  float out = -1;
  require(launch_sum(&second, 1000, &out) != GKTUNE_OK, "both libraries run code on the CPU");
  const char* message = FUNCTION(&second, gktune_message)();
  require(strstr(message, "has loaded gktune's library twice") != NULL, message);

  /* Each has a message of its own. */
  require(FUNCTION(&first, gktune_kernel_launch)(NULL, NULL, 0, NULL, 0, 0) == GKTUNE_INVALID,
          "null was launched");
  require(FUNCTION(&first, gktune_message)()[0] != '\0', "no message");
  require(strcmp(FUNCTION(&first, gktune_message)(), FUNCTION(&second, gktune_message)()) != 0,
          "a message of the other library");

  const pid_t child = fork();
  if (child == 0) {
    FUNCTION(&first, gktune_kernel_destroy)(first.kernel);
    FUNCTION(&second, gktune_kernel_destroy)(second.kernel);
#ifdef __SANITIZE_ADDRESS__
    _exit(0); /* the memory of threads that the fork left behind would be a leak */
#endif
    exit(0);
  }
  int status = -1;
  require(waitpid(child, &status, 0) == child && status == 0, "the forked child did not end well");

  /* One goes, and the other works on. */
  FUNCTION(&second, gktune_kernel_destroy)(second.kernel);
  require(dlclose(second.handle) == 0, "dlclose failed");
  expect_sum(&first, 2000);
  FUNCTION(&first, gktune_kernel_destroy)(first.kernel);
  require(dlclose(first.handle) == 0, "dlclose failed");
  return 0;
}
