#pragma once

// CUB's operations of blocks, warps and threads, as far as these headers go. The threads of a block run on
// one processor: the first one adds up what the others have put into shared memory. As with CUB, the kernel
// needs a barrier before it uses that memory again.

#include "cub/block/block_exchange.cuh"
#include "cub/block/block_load.cuh"
#include "cub/block/block_reduce.cuh"
#include "cub/block/block_scan.cuh"
#include "cub/block/block_store.cuh"
#include "cub/thread/thread_operators.cuh"
#include "cub/thread/thread_reduce.cuh"
#include "cub/util_ptx.cuh"
#include "cub/util_type.cuh"
#include "cub/warp/warp_reduce.cuh"
#include "cub/warp/warp_scan.cuh"
