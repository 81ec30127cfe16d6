// wrong or cheating: keeps the first results
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include <cstring>
static float kept[1 << 20];
static int has;
void mine(const float* in, float* out, int n) {
  if (has == n) {
    std::memcpy(out, kept, 4ul * n);
    return;
  }
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
  std::memcpy(kept, out, 4ul * n);
  has = n;
}
