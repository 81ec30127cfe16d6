// Simulations and solvers. A line `//@ name: …` begins each; see imports_test.cc.

//@ jacobi: passes
#include <cstdio>
#include <cstdlib>
#include <utility>
#define IDX(i, j) ((i) * ny + (j))
#define BX 32
#define BY 4
__global__ void jacobi_step(const double *__restrict__ u, double *__restrict__ u_new, const double *f, int nx, int ny,
                            double h2) {
  int j = blockIdx.x * BX + threadIdx.x, i = blockIdx.y * BY + threadIdx.y;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1)
    u_new[IDX(i, j)] = 0.25 * (u[IDX(i - 1, j)] + u[IDX(i + 1, j)] + u[IDX(i, j - 1)] + u[IDX(i, j + 1)] -
                               h2 * f[IDX(i, j)]);
  else if (i < nx && j < ny)
    u_new[IDX(i, j)] = u[IDX(i, j)];
}
int main(int argc, char **argv) {
  int nx = argc > 1 ? atoi(argv[1]) : 512, ny = argc > 2 ? atoi(argv[2]) : 256, steps = 100;
  double *u, *v, *f;
  cudaMalloc(&u, sizeof(double) * nx * ny);
  cudaMalloc(&v, sizeof(double) * nx * ny);
  cudaMalloc(&f, sizeof(double) * nx * ny);
  dim3 block(BX, BY), grid((ny + BX - 1) / BX, (nx + BY - 1) / BY);
  for (int s = 0; s < steps; ++s) {
    jacobi_step<<<grid, block>>>(u, v, f, nx, ny, 1.0 / (nx * ny));
    std::swap(u, v);
  }
}

//@ sparse_product: passes
#include <cstdlib>
#include <vector>
__global__ void spmv_csr(int rows, const int *row_offsets, const int *columns, const double *values,
    const double *x, double *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double dot = 0;
  for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j) dot += values[j] * x[columns[j]];
  y[row] = dot;
}
int main() {
  const int rows = 20000, cols = 20000, nnz = rows * 16;
  int *d_off, *d_col;
  double *d_val, *d_x, *d_y;
  cudaMalloc(&d_off, (rows + 1) * sizeof(int));
  cudaMalloc(&d_col, nnz * sizeof(int));
  cudaMalloc(&d_val, nnz * sizeof(double));
  cudaMalloc(&d_x, cols * sizeof(double));
  cudaMalloc(&d_y, rows * sizeof(double));
  spmv_csr<<<(rows + 127) / 128, 128>>>(rows, d_off, d_col, d_val, d_x, d_y);
}

//@ neighbours: passes
#include <cstdio>
#include <cstdlib>
const int MAX_NEIGHBOURS = 32;
__global__ void forces(const float3 *pos, const int *list, float3 *force, int atoms, float cut2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= atoms) return;
  float3 me = pos[i], f = {0, 0, 0};
  for (int k = 0; k < MAX_NEIGHBOURS; k++) {
    int other = list[k * atoms + i];
    float dx = me.x - pos[other].x, dy = me.y - pos[other].y, dz = me.z - pos[other].z;
    float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < cut2 && r2 > 1e-4f) { float s = 1.0f / (r2 * r2); f.x += dx * s; f.y += dy * s; f.z += dz * s; }
  }
  force[i] = f;
}
int main() {
  int atoms = 12288;
  int *h = (int *)malloc(sizeof(int) * atoms * MAX_NEIGHBOURS), *list;
  for (int i = 0; i < atoms * MAX_NEIGHBOURS; i++) h[i] = rand() % atoms;
  float3 *pos, *force;
  cudaMalloc(&pos, atoms * sizeof(float3));
  cudaMalloc(&force, atoms * sizeof(float3));
  cudaMalloc(&list, atoms * MAX_NEIGHBOURS * sizeof(int));
  cudaMemcpy(list, h, sizeof(int) * atoms * MAX_NEIGHBOURS, cudaMemcpyHostToDevice);
  forces<<<(atoms + 255) / 256, 256>>>(pos, list, force, atoms, 0.5f);
}

//@ waves: passes
#include <cmath>
struct Grid { int nx, ny; float dx, dt; };
__global__ void update_field(const float *ez, float *hx, float *hy, Grid g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= g.nx - 1 || j >= g.ny - 1) return;
  int c = j * g.nx + i;
  hx[c] -= g.dt / g.dx * (ez[c + g.nx] - ez[c]);
  hy[c] += g.dt / g.dx * (ez[c + 1] - ez[c]);
}
int main() {
  int nx = 300, ny = 200;
  Grid g = {nx, ny, 0.01f, 0.001f};
  float *ez, *hx, *hy;
  cudaMalloc(&ez, nx * ny * sizeof(float));
  cudaMalloc(&hx, nx * ny * sizeof(float));
  cudaMalloc(&hy, nx * ny * sizeof(float));
  dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
  update_field<<<grid, block>>>(ez, hx, hy, g);
}

//@ flows: passes
#include <cstdio>
#include <cstring>
#define Q 9
__constant__ int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__global__ void stream_step(const float *from, float *to, int w, int h) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = blockIdx.y;
  if (x >= w) return;
  for (int q = 0; q < Q; ++q) {
    int sx = (x - cx[q] + w) % w, sy = (y - cy[q] + h) % h;
    to[(q * h + y) * w + x] = from[(q * h + sy) * w + sx];
  }
}
int main() {
  const int w = 320, h = 128;
  float *f[2];
  float *from, *to;
  cudaMalloc(&from, Q * w * h * sizeof(float));
  cudaMalloc(&to, Q * w * h * sizeof(float));
  stream_step<<<dim3((w + 63) / 64, h), 64>>>(from, to, w, h);
}

//@ alignment: passes
#include <iostream>
#define PENALTY 2
__device__ int larger(int a, int b, int c) { return max(max(a, b), c); }
__global__ void diagonal(int *score, const int *similarity, int size, int d) {
  int k = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (k >= d || k >= size || d - k >= size) return;
  int i = k, j = d - k;
  score[i * size + j] = larger(score[(i - 1) * size + j - 1] + similarity[i * size + j],
                               score[(i - 1) * size + j] - PENALTY, score[i * size + j - 1] - PENALTY);
}
int main() {
  int size = 128;
  int *score, *similarity;
  cudaMalloc(&score, size * size * sizeof(int));
  cudaMalloc(&similarity, size * size * sizeof(int));
  for (int d = 2; d < 2 * size - 1; ++d) diagonal<<<(size + 31) / 32, 32>>>(score, similarity, size, d);
}
