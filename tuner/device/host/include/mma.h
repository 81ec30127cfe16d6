#error "tensor-core kernels (<mma.h>) cannot run on the host device"
