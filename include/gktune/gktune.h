/* gktune for C, and for languages that call C.
 *
 * A function that can fail returns a gktune_code. The message of a failure is gktune_message(), for the
 * thread that called. Objects are opaque; each has one owner, who destroys it once and does not use it
 * afterwards; destroying null does nothing. After a failure the place for a new object holds null. A function
 * that returns no code returns null or 0 for a null object, and gktune_message() says so. Texts that
 * functions return belong to the object and live as long as it does. Streams and addresses are integers: what
 * cudaStream_t and pointers hold. Addresses of DLPack tensors and of
 * __cuda_array_interface__ are such integers.
 *
 * libgktune_runtime has all functions; libgktune_launch has those that need a bundle only (marked "bundles").
 * Names and numbers stay as they are within a version of the symbols (GKTUNE_0.1).
 */
#ifndef GKTUNE_H
#define GKTUNE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t gktune_code;
enum {
  GKTUNE_OK = 0,
  GKTUNE_INVALID = 1,          /* a wrong argument: null, an unknown key, another type or number than expected */
  GKTUNE_FAILED = 2,           /* none of the others */
  GKTUNE_NO_CONFIGURATION = 3, /* none answers, or none works; the message says why */
  GKTUNE_OUT_OF_MEMORY = 4,
  GKTUNE_NOT_FOUND = 5, /* a file, a kernel */
  GKTUNE_DAMAGED = 6,   /* a file that is cut or foreign */
  GKTUNE_NO_DEVICE = 7,
  GKTUNE_COMPILE_FAILED = 8,
  GKTUNE_LAUNCH_FAILED = 9,
  GKTUNE_CONTEXT_LOST = 10 /* of CUDA: only a new process has another */
};

/* bundles. "0.1.0" */
const char* gktune_version(void);
/* bundles. Why the last function failed in this thread; empty if none did. Valid until the next call in this
 * thread. */
const char* gktune_message(void);
/* bundles. The code of CUDA (CUresult) or of the system (errno) behind the message; 0: there is none. */
int32_t gktune_native(void);

/* The value of a problem's axis or of a parameter. */
enum { GKTUNE_INTEGER = 0, GKTUNE_REAL = 1, GKTUNE_BOOLEAN = 2, GKTUNE_TEXT = 3 };
typedef struct gktune_value {
  int32_t kind;
  int32_t reserved; /* 0 */
  int64_t integer;  /* of an integer; of a boolean 0 or 1 */
  double real;
  const char* text; /* ends with a zero byte */
} gktune_value;

/* Types of elements and scalars. */
enum {
  GKTUNE_ANY_TYPE = 0, /* of memory whose elements have an unknown type */
  GKTUNE_INT8 = 1,
  GKTUNE_INT16 = 2,
  GKTUNE_INT32 = 3,
  GKTUNE_INT64 = 4,
  GKTUNE_UINT8 = 5,
  GKTUNE_UINT16 = 6,
  GKTUNE_UINT32 = 7,
  GKTUNE_UINT64 = 8,
  GKTUNE_FLOAT16 = 9,
  GKTUNE_BFLOAT16 = 10,
  GKTUNE_FLOAT32 = 11,
  GKTUNE_FLOAT64 = 12,
  GKTUNE_FLOAT8_E4M3 = 13,
  GKTUNE_FLOAT8_E5M2 = 14,
  GKTUNE_COMPLEX64 = 15, /* not of scalars */
  GKTUNE_COMPLEX128 = 16 /* not of scalars */
};

/* A value that a launch passes. */
enum { GKTUNE_SCALAR = 0, GKTUNE_POINTER = 1, GKTUNE_CONST_POINTER = 2 };
typedef struct gktune_argument {
  int32_t kind;
  int32_t type;
  /* The address of memory on the device; the bytes of a scalar from the first byte of `bits` on. */
  uint64_t bits;
} gktune_argument;

/* An argument that a launch takes. */
typedef struct gktune_parameter {
  const char* name;
  int32_t type;
  int32_t is_scalar;
  uint64_t count; /* elements of a buffer */
  int32_t is_written;
  int32_t reserved;
} gktune_parameter;

/* clang-format off */
/* bundles. Settings of kernels and lookups. Keys:
 *   bundle, database   a file; each may be given several times, the preferred first
 *   device             auto, host, cuda, cuda:N
 *   argument           the name of an argument that launches pass; several times, in their order. By default all
 *                      that no axis, parameter or device determines: buffers but scratch memory, and scalars with a
 *                      constant value, in the order of the space file
 *   alias              "NVIDIA H100 NVL=NVIDIA H100": questions about the first are answered as for the second
 *   cache              the folder for compiled code
 *   compilation        at_first_use, in_background
 *   follow_ms          how often databases are looked at; 0: once. By default kernels look once a second, and
 *                      lookups once
 *   worst              the worst acceptable match: exact, nearest, architecture, portfolio, default
 *   frozen             yes: nothing is tuned, followed or compiled at run time; no
 *   most_problems      the number of problems whose launches stay prepared
 *   driver, runtime    versions: winners that were measured with another major version do not count
 *   cxx, cuda_home     the C++ compiler; the CUDA toolkit's folder
 *   worker             a word of the command that starts a worker for gktune_kernel_autotune(); several times
 */
/* clang-format on */
typedef struct gktune_settings gktune_settings;
gktune_code gktune_settings_create(gktune_settings** settings);
gktune_code gktune_settings_set(gktune_settings* settings, const char* key, const char* value);
/* Told of each configuration that failed, once; from the thread that launches or compiles. */
gktune_code gktune_settings_on_notice(gktune_settings* settings, void (*notice)(const char* text, void* data),
                                      void* data);
/* A file in memory: where settings name this path, its bytes are read instead of a file. They are copied. */
gktune_code gktune_settings_file(gktune_settings* settings, const char* path, const void* bytes, size_t size);
void gktune_settings_destroy(gktune_settings* settings);

/* A device model. In a question null members and 0 match any, and a null device is the one on which the kernel was
 * tuned last. */
typedef struct gktune_device {
  const char *kind, *name, *architecture;
  int64_t multiprocessors;
} gktune_device;

/* How well an answer matches its question, best first. */
enum {
  GKTUNE_EXACT = 0,
  GKTUNE_NEAREST_PROBLEM = 1,
  GKTUNE_SAME_ARCHITECTURE = 2,
  GKTUNE_PORTFOLIO = 3,
  GKTUNE_SPACE_DEFAULT = 4,
  GKTUNE_FALLBACK = 5,
  GKTUNE_NO_MATCH = 6
};

/* bundles. A configuration, with its origin. */
typedef struct gktune_answer gktune_answer;
const char* gktune_answer_match(const gktune_answer* answer);       /* "exact", "nearest problem", … */
int32_t gktune_answer_match_code(const gktune_answer* answer);      /* GKTUNE_EXACT …; GKTUNE_NO_MATCH for null */
const char* gktune_answer_config(const gktune_answer* answer);      /* a JSON object */
const char* gktune_answer_reason(const gktune_answer* answer);      /* why it is no winner; may be empty */
/* What has changed since it was measured: source, driver, CUDA version, compiler; empty if nothing that is
 * known. */
const char* gktune_answer_stale(const gktune_answer* answer);
/* What was measured: the time in microseconds (0: none), the problem (a JSON object), the device. */
double gktune_answer_time_us(const gktune_answer* answer);
const char* gktune_answer_problem(const gktune_answer* answer);
gktune_code gktune_answer_device(const gktune_answer* answer, gktune_device* device);
gktune_code gktune_answer_value(const gktune_answer* answer, const char* parameter, gktune_value* value);
/* The arguments that launches pass; answers of a lookup have none. */
size_t gktune_answer_parameter_count(const gktune_answer* answer);
gktune_code gktune_answer_parameter(const gktune_answer* answer, size_t index, gktune_parameter* parameter);
void gktune_answer_destroy(gktune_answer* answer);

/* bundles. A tuned kernel. Several threads may launch it. */
typedef struct gktune_kernel gktune_kernel;
gktune_code gktune_kernel_open_bundled(const char* kernel, const gktune_settings* settings,
                                       gktune_kernel** opened);
size_t gktune_kernel_axis_count(const gktune_kernel* kernel);
const char* gktune_kernel_axis(const gktune_kernel* kernel, size_t index); /* null: there are not so many */
gktune_code gktune_kernel_launch(gktune_kernel* kernel, const gktune_value* problem, size_t axes,
                                 const gktune_argument* arguments, size_t count, uintptr_t stream);
/* Compiles and loads what a launch would run, and describes it. */
gktune_code gktune_kernel_prepare(gktune_kernel* kernel, const gktune_value* problem, size_t axes,
                                  gktune_answer** answer);
/* Tunes for a problem that has no exact answer, and stores the result in the first database. */
gktune_code gktune_kernel_autotune(gktune_kernel* kernel, const gktune_value* problem, size_t axes,
                                   const gktune_argument* arguments, size_t count, double seconds,
                                   gktune_answer** answer);
/* Launches must have been waited for. */
void gktune_kernel_destroy(gktune_kernel* kernel);

/* From a space file, with the databases and bundles of the settings. The settings may be null. */
gktune_code gktune_kernel_open(const char* space_file, const gktune_settings* settings,
                               gktune_kernel** opened);

/* Answers from databases and bundles, without launches. Safe from any thread. */
typedef struct gktune_lookup gktune_lookup;
gktune_code gktune_lookup_open(const char* const* paths, size_t count, gktune_lookup** opened);
/* The same with the bundles, databases, aliases, follow_ms, versions, worst and files of the settings. */
gktune_code gktune_lookup_open_with(const gktune_settings* settings, gktune_lookup** opened);
/* Two lookups with equal digests answer equally. Valid until the next call of this function in this thread. */
const char* gktune_lookup_digest(const gktune_lookup* lookup);
gktune_code gktune_lookup_best(const gktune_lookup* lookup, const char* kernel, const char* const* axes,
                               const gktune_value* problem, size_t count, const gktune_device* device,
                               gktune_answer** answer);
void gktune_lookup_destroy(gktune_lookup* lookup);

/* A prepared question: many problems of one kernel with these axes. For one thread at a time. */
typedef struct gktune_question gktune_question;
gktune_code gktune_question_prepare(const gktune_lookup* lookup, const char* kernel, const char* const* axes,
                                    size_t count, const gktune_device* device, gktune_question** prepared);
/* The answer belongs to the question, and is valid until the next one. */
gktune_code gktune_question_ask(gktune_question* question, const gktune_value* problem, size_t count,
                                const gktune_answer** answer);
void gktune_question_destroy(gktune_question* question);

#ifdef __cplusplus
}
#endif

#endif
