// Host code that needs a GPU.
void twice(float* out) { cudaMemset(out, 0, 32); }
