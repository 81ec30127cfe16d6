// Short vectors, and loads and stores with hints.

template <class T>
__device__ void add_layout(int* out, int at) {
  out[2 * at] = sizeof(T);
  out[2 * at + 1] = alignof(T);
}

__global__ void layouts(int* out) {
  add_layout<char2>(out, 0);
  add_layout<char3>(out, 1);
  add_layout<uchar4>(out, 2);
  add_layout<short2>(out, 3);
  add_layout<ushort4>(out, 4);
  add_layout<int2>(out, 5);
  add_layout<int3>(out, 6);
  add_layout<uint4>(out, 7);
  add_layout<long2>(out, 8);
  add_layout<float1>(out, 9);
  add_layout<float2>(out, 10);
  add_layout<float3>(out, 11);
  add_layout<float4>(out, 12);
  add_layout<double2>(out, 13);
  add_layout<longlong2>(out, 14);
  add_layout<dim3>(out, 15);
  add_layout<long>(out, 16);
  add_layout<wchar_t>(out, 17);
}

__global__ void vectors(const float* in, float* out) {
  const unsigned i = threadIdx.x;
  const float4 x = reinterpret_cast<const float4*>(in)[i];
  const float4 y = make_float4(x.w, x.z, x.y, x.x);
  reinterpret_cast<float4*>(out)[i] = y;
  const int2 pair = make_int2(static_cast<int>(x.x), 3);
  const double2 wide = make_double2(pair.x, pair.y);
  const uchar4 bytes = make_uchar4(1, 2, 3, 4);
  out[4 * blockDim.x + i] = static_cast<float>(wide.x * wide.y + bytes.w);
}

__global__ void hints(const int* in, int* out) {
  const unsigned i = threadIdx.x;
  int* row = out + i * 8;
  __stcs(row + 0, __ldg(in + i));
  __stcg(row + 1, __ldcg(in + i));
  __stwt(row + 2, __ldcs(in + i));
  __stwb(row + 3, __ldca(in + i));
  row[4] = __ldlu(in + i);
  row[5] = __ldcv(in + i);
  const int4 four = __ldg(reinterpret_cast<const int4*>(in) + i / 4);
  row[6] = four.x + four.y + four.z + four.w;
  const int2 two = __ldcs(reinterpret_cast<const int2*>(in) + i / 2);
  row[7] = two.x - two.y;
}

// A list that each thread makes of memory of the heap, which every source has.
__global__ void heap(const int* in, int* out) {
  struct Node {
    Node* next;
    int value;
  };
  const unsigned i = threadIdx.x;
  Node* first = nullptr;
  for (int k = 0; k < 4; ++k) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    *node = {first, in[i] + k};
    first = node;
  }
  int* sum = new int(0);
  while (first != nullptr) {
    *sum = *sum * 10 + first->value;
    Node* next = first->next;
    free(first);
    first = next;
  }
  out[i] = *sum;
  delete sum;
}
