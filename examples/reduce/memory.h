/* Memory that the processor and the chosen device share. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WITH_CUDA
#include <cuda_runtime_api.h>
#endif

static int is_gpu(const char* device) { return strncmp(device, "cuda", 4) == 0; }

static void* new_memory(const char* device, size_t bytes) {
  void* memory = NULL;
  if (!is_gpu(device)) {
    memory = malloc(bytes);
  } else {
#ifdef WITH_CUDA
    if (cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal) != cudaSuccess) memory = NULL;
#endif
  }
  if (memory == NULL) {
    fprintf(stderr, "no memory on %s\n", device);
    exit(1);
  }
  return memory;
}

/* On the host a launch has run when it returns. */
static void wait_for(const char* device) {
#ifdef WITH_CUDA
  if (is_gpu(device) && cudaDeviceSynchronize() != cudaSuccess) exit(1);
#endif
  (void)device;
}

static void free_memory(const char* device, void* memory) {
#ifdef WITH_CUDA
  if (is_gpu(device)) {
    cudaFree(memory);
    return;
  }
#endif
  (void)device;
  free(memory);
}

#endif
