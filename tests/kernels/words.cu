// Bytes, bits and texts.
constexpr int kThreads = 64;

__constant__ char kDigits[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes become four digits.
__global__ void base64(const uchar3* in, uchar4* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  const unsigned bits = in[i].x << 16 | in[i].y << 8 | in[i].z;
  const auto digit = [&](int k) { return static_cast<unsigned char>(kDigits[bits >> (18 - 6 * k) & 63]); };
  out[i] = make_uchar4(digit(0), digit(1), digit(2), digit(3));
}
__global__ void base64_reference(const unsigned char* in, unsigned char* out, int n) {
  for (int i = 0; i < 4 * n; ++i) {
    const int bit = 6 * (i % 4), at = 3 * (i / 4) + bit / 8;
    const int next = at + 1 < 3 * n ? in[at + 1] : 0;
    out[i] = static_cast<unsigned char>(kDigits[(in[at] << 8 | next) >> (10 - bit % 8) & 63]);
  }
}

// The other byte order, sixteen bytes at a time.
__global__ void other_order(const uint4* in, uint4* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  const uint4 words = in[i];
  out[i] = make_uint4(__byte_perm(words.x, 0, 0x0123), __byte_perm(words.y, 0, 0x0123),
                      __byte_perm(words.z, 0, 0x0123), __byte_perm(words.w, 0, 0x0123));
}
__global__ void other_order_reference(const unsigned char* in, unsigned char* out, int n) {
  for (int i = 0; i < 16 * n; ++i) out[i] = in[i / 4 * 4 + 3 - i % 4];
}

// How many letters differ, are missing or too many: anti-diagonals of a table, of which three are kept.
__global__ void edit_distance(const char* a, const char* b, int* out, int length) {
  extern __shared__ int diagonals[];
  const char* own_a = a + blockIdx.x * length;
  const char* own_b = b + blockIdx.x * length;
  for (int sum = 0; sum <= 2 * length; ++sum) {
    int* now = diagonals + sum % 3 * (length + 1);
    const int* last = diagonals + (sum + 2) % 3 * (length + 1);
    const int* before = diagonals + (sum + 1) % 3 * (length + 1);
    for (int i = threadIdx.x; i <= length; i += kThreads) {
      const int j = sum - i;
      if (j < 0 || j > length) continue;
      if (i == 0 || j == 0) {
        now[i] = sum;
      } else {
        now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (own_a[i - 1] != own_b[j - 1]));
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = diagonals[2 * length % 3 * (length + 1) + length];
}
__global__ void edit_distance_reference(const char* a, const char* b, int* out, int length, int count) {
  for (int pair = 0; pair < count; ++pair) {
    int row[64];
    for (int j = 0; j <= length; ++j) row[j] = j;
    for (int i = 1; i <= length; ++i) {
      int corner = row[0];
      row[0] = i;
      for (int j = 1; j <= length; ++j) {
        int best = corner + (a[pair * length + i - 1] != b[pair * length + j - 1]);
        corner = row[j];
        best = best < row[j] + 1 ? best : row[j] + 1;
        row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
      }
    }
    out[pair] = row[length];
  }
}
