#pragma once

#include "gktune/cuda.h"
