// A kernel to start from: out[i] = scale * in[i] + 1. Put the computation of example in its place, here, in
// example_reference.cu and under `arguments` in example.yaml.
//
// The parameters of example.yaml are macros here. A configuration is one value for each:
//   threadsPerBlock  threads in a block
//   perThread        elements that a thread works on
//   order            strided: a thread's elements lie a block apart, so that neighbouring threads touch neighbouring
//                    elements; adjacent: they lie side by side

enum class Order { strided, adjacent };

// Launch bounds let the compiler use as many registers as the block has room for. Indices are 64-bit: a vector may be
// longer than 2^31. Sizes need not be multiples of anything: every access is guarded.
__global__ void __launch_bounds__(threadsPerBlock) example(const float* in, float* out, float scale, long long n) {
  const long long first = static_cast<long long>(blockIdx.x) * threadsPerBlock * perThread;
#pragma unroll
  for (int k = 0; k < perThread; ++k) {
    const long long i = Order::order == Order::strided ? first + k * threadsPerBlock + threadIdx.x
                                                       : first + threadIdx.x * perThread + k;
    if (i < n) out[i] = scale * in[i] + 1;
  }
}
