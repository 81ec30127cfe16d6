#pragma once

// Types that the rest of CUB uses.

namespace cub {

template <class K, class V>
struct KeyValuePair {
  using Key = K;
  using Value = V;
  K key;
  V value;
};

}  // namespace cub

namespace gktune::kernel {

// Memory for values whose type may have a constructor, in shared memory or a union.
template <class T, int N>
struct SharedItems {
  alignas(T) unsigned char bytes[N * sizeof(T)];
  T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};

// Shared memory for operations to which the kernel gives none.
template <class Storage>
Storage& own_storage() {
  static thread_local Storage storage;
  return storage;
}

}  // namespace gktune::kernel
