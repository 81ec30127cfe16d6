/* The same in C, from sources or from a bundle:
 *   reduce_c sum.yaml gktune.db host|cuda N
 *   reduce_c sum kernels.gkt host|cuda N
 */
#include <gktune/gktune.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static int fail(void) {
  fprintf(stderr, "error: %s\n", gktune_message());
  return 1;
}

int main(int count, char** words) {
  gktune_settings* settings = NULL;
  gktune_kernel* sum = NULL;
  gktune_answer* answer = NULL;
  if (count != 5) {
    fprintf(stderr, "usage: reduce_c SPACE DATABASE host|cuda N, or KERNEL BUNDLE host|cuda N\n");
    return 1;
  }
  const char* device = words[3];
  const int is_bundle = strstr(words[2], ".gkt") != NULL;
  if (gktune_settings_create(&settings) || gktune_settings_set(settings, "device", device) ||
      gktune_settings_set(settings, is_bundle ? "bundle" : "database", words[2]))
    return fail();
  if (is_bundle ? gktune_kernel_open_bundled(words[1], settings, &sum)
                : gktune_kernel_open(words[1], settings, &sum))
    return fail();
  gktune_settings_destroy(settings);

  const gktune_value n = {.kind = GKTUNE_INTEGER, .integer = strtoll(words[4], NULL, 10)};
  float* in = new_memory(device, (size_t)n.integer * sizeof(float));
  float* out = new_memory(device, sizeof(float));
  for (int64_t i = 0; i < n.integer; ++i) in[i] = 1;

  const gktune_argument arguments[] = {
      {GKTUNE_CONST_POINTER, GKTUNE_FLOAT32, (uint64_t)(uintptr_t)in},
      {GKTUNE_POINTER, GKTUNE_FLOAT32, (uint64_t)(uintptr_t)out},
  };
  if (gktune_kernel_launch(sum, &n, 1, arguments, 2, 0)) return fail();
  wait_for(device);

  if (gktune_kernel_prepare(sum, &n, 1, &answer)) return fail();
  printf("the sum of %lld ones is %.0f: %s (%s)\n", (long long)n.integer, *out, gktune_answer_config(answer),
         gktune_answer_match(answer));
  gktune_answer_destroy(answer);
  gktune_kernel_destroy(sum);
  free_memory(device, in);
  free_memory(device, out);
  return 0;
}
