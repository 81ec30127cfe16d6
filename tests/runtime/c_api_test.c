/* The C functions from C, on the host device: c_api_test SPACE_FILE DATABASE. Prints what is wrong. */
#include "gktune/gktune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(int is_right, const char* what, int line) {
  if (is_right) return;
  fprintf(stderr, "line %d: %s; the message is \"%s\"\n", line, what, gktune_message());
  ++failures;
}
#define EXPECT(condition) expect((condition) ? 1 : 0, #condition, __LINE__)
#define EXPECT_MESSAGE(text) \
  expect(strstr(gktune_message(), text) != NULL, "the message has " #text, __LINE__)

static void test_settings(void) {
  gktune_settings* settings = NULL;
  EXPECT(gktune_settings_create(NULL) == GKTUNE_INVALID);
  EXPECT(gktune_settings_create(&settings) == GKTUNE_OK);
  EXPECT(strcmp(gktune_message(), "") == 0);
  EXPECT(gktune_settings_set(settings, "colour", "red") == GKTUNE_INVALID);
  EXPECT_MESSAGE("there is no setting 'colour'");
  EXPECT(gktune_settings_set(settings, "follow_ms", "soon") == GKTUNE_INVALID);
  EXPECT_MESSAGE("it is a number of milliseconds, not soon");
  EXPECT(gktune_settings_set(settings, "compilation", "later") == GKTUNE_INVALID);
  EXPECT_MESSAGE("at_first_use or in_background");
  EXPECT(gktune_settings_set(settings, "alias", "one") == GKTUNE_INVALID);
  EXPECT_MESSAGE("NAME=NAME");
  EXPECT(gktune_settings_set(settings, NULL, "x") == GKTUNE_INVALID);
  EXPECT(gktune_settings_set(settings, "device", NULL) == GKTUNE_INVALID);
  EXPECT(gktune_settings_set(NULL, "device", "host") == GKTUNE_INVALID);
  EXPECT_MESSAGE("settings, key or value is null");
  EXPECT(gktune_settings_set(settings, "", "x") == GKTUNE_INVALID);
  EXPECT_MESSAGE("there is no setting ''");
  EXPECT(gktune_settings_on_notice(NULL, NULL, NULL) == GKTUNE_INVALID);
  EXPECT_MESSAGE("the settings are null");
  const char* keys[] = {"bundle", "database", "device", "argument", "worker"};
  for (int i = 0; i < 5; ++i) {
    EXPECT(gktune_settings_set(settings, keys[i], "") == GKTUNE_INVALID);
    EXPECT_MESSAGE(keys[i]);
    EXPECT_MESSAGE("the value is empty");
  }
  EXPECT(gktune_settings_set(settings, "alias", "=b") == GKTUNE_INVALID);
  EXPECT(gktune_settings_set(settings, "alias", "a=") == GKTUNE_INVALID);
  EXPECT(gktune_settings_set(settings, "follow_ms", "-1") == GKTUNE_INVALID);
  EXPECT(gktune_settings_set(settings, "follow_ms", "") == GKTUNE_INVALID);
  EXPECT(gktune_settings_set(settings, "follow_ms", "99999999999") == GKTUNE_INVALID);
  EXPECT(gktune_settings_set(settings, "alias", "a=b") == GKTUNE_OK);
  EXPECT(gktune_settings_set(settings, "follow_ms", "0") == GKTUNE_OK);
  EXPECT(gktune_settings_set(settings, "bundle", "/no/kernels.gkt") == GKTUNE_OK);
  gktune_kernel* kernel = NULL;
  EXPECT(gktune_kernel_open_bundled("sum", settings, &kernel) == GKTUNE_NOT_FOUND);
  EXPECT_MESSAGE("/no/kernels.gkt: no such file");
  EXPECT(gktune_kernel_open_bundled(NULL, settings, &kernel) == GKTUNE_INVALID);
  EXPECT(gktune_kernel_open_bundled("sum", NULL, &kernel) == GKTUNE_INVALID);
  EXPECT(gktune_kernel_open_bundled("sum", settings, NULL) == GKTUNE_INVALID);
  EXPECT_MESSAGE("the place for the kernel is null");
  EXPECT(gktune_kernel_open(NULL, settings, &kernel) == GKTUNE_INVALID);
  EXPECT(gktune_kernel_open("sum.yaml", settings, NULL) == GKTUNE_INVALID);
  EXPECT(gktune_kernel_open("", NULL, &kernel) == GKTUNE_NOT_FOUND);
  EXPECT(strlen(gktune_message()) > 0);
  gktune_settings_destroy(settings);
  gktune_settings_destroy(NULL);
}

/* All that reads an object, of null. */
static void test_null_objects(void) {
  gktune_value value = {GKTUNE_INTEGER, 0, 1, 0, NULL};
  gktune_parameter parameter;
  gktune_answer* answer = NULL;
#define EXPECT_NULL(call) (EXPECT(gktune_version() != NULL), EXPECT(!(call)), EXPECT_MESSAGE("the object is null"))
  EXPECT_NULL(gktune_answer_match(NULL));
  EXPECT_NULL(gktune_answer_config(NULL));
  EXPECT_NULL(gktune_answer_reason(NULL));
  EXPECT_NULL(gktune_answer_stale(NULL));
  EXPECT_NULL(gktune_answer_time_us(NULL) != 0);
  EXPECT_NULL(gktune_answer_parameter_count(NULL));
  EXPECT_NULL(gktune_kernel_axis_count(NULL));
  EXPECT_NULL(gktune_kernel_axis(NULL, 0));
  EXPECT(gktune_answer_value(NULL, "BLOCK", &value) == GKTUNE_INVALID);
  EXPECT_MESSAGE("answer, name or value is null");
  EXPECT(gktune_answer_parameter(NULL, 0, &parameter) == GKTUNE_INVALID);
  EXPECT_MESSAGE("the answer or the place for the parameter is null");
  EXPECT(gktune_kernel_launch(NULL, &value, 1, NULL, 0, 0) == GKTUNE_INVALID);
  EXPECT(gktune_kernel_prepare(NULL, &value, 1, &answer) == GKTUNE_INVALID);
  EXPECT_MESSAGE("the kernel or the place for the answer is null");
  EXPECT(gktune_kernel_autotune(NULL, &value, 1, NULL, 0, 1, &answer) == GKTUNE_INVALID);
  EXPECT_MESSAGE("the kernel is null");
  EXPECT(gktune_lookup_best(NULL, "sum", NULL, NULL, 0, NULL, &answer) == GKTUNE_INVALID);
  EXPECT_MESSAGE("the lookup, the kernel's name");
  EXPECT(answer == NULL);
  gktune_settings_destroy(NULL);
  gktune_answer_destroy(NULL);
  gktune_kernel_destroy(NULL);
  gktune_lookup_destroy(NULL);
}

/* The database has winners of 1024 and 4096 rows and columns on an H200. */
static void test_lookup(const char* database) {
  gktune_lookup* lookup = NULL;
  gktune_answer* answer = NULL;
  const char* path = "/no/gktune.db";
  EXPECT(gktune_lookup_open(&path, 1, &lookup) == GKTUNE_NOT_FOUND);
  EXPECT_MESSAGE("no such file");
  EXPECT(gktune_lookup_open(&path, 0, &lookup) == GKTUNE_INVALID);
  EXPECT(gktune_lookup_open(NULL, 1, &lookup) == GKTUNE_INVALID);
  EXPECT(gktune_lookup_open(&path, 1, NULL) == GKTUNE_INVALID);
  const char* none[] = {database, NULL};
  EXPECT(gktune_lookup_open(none, 2, &lookup) == GKTUNE_INVALID);
  EXPECT_MESSAGE("path 2 is null");
  const char* bad[] = {database, ""};
  EXPECT(gktune_lookup_open(bad, 2, &lookup) == GKTUNE_FAILED);
  EXPECT(strlen(gktune_message()) > 0);
  EXPECT(lookup == NULL);

  EXPECT(gktune_lookup_open(&database, 1, &lookup) == GKTUNE_OK);
  if (lookup == NULL) return;
  const char* axes[] = {"rows", "columns"};
  gktune_value problem[] = {{GKTUNE_INTEGER, 0, 4096, 0, NULL}, {GKTUNE_INTEGER, 0, 4096, 0, NULL}};
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, problem, 2, NULL, &answer) == GKTUNE_OK);
  if (answer != NULL) {
    gktune_value tile;
    EXPECT(strcmp(gktune_answer_match(answer), "exact") == 0);
    EXPECT(strcmp(gktune_answer_reason(answer), "") == 0);
    EXPECT(gktune_answer_time_us(answer) > 36 && gktune_answer_time_us(answer) < 37);
    EXPECT(gktune_answer_value(answer, "TILE", &tile) == GKTUNE_OK && tile.integer == 64);
    EXPECT(gktune_answer_value(answer, NULL, &tile) == GKTUNE_INVALID);
    EXPECT(gktune_answer_value(answer, "TILE", NULL) == GKTUNE_INVALID);
    EXPECT(gktune_answer_parameter_count(answer) == 0);
  }
  gktune_answer_destroy(answer);
  problem[0].integer = 4000;
  const gktune_device h200 = {"cuda", "NVIDIA H200", "sm_90", 132},
                      h100 = {"cuda", "NVIDIA H100", "sm_90", 114},
                      a100 = {"cuda", "NVIDIA A100", "sm_80", 108};
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, problem, 2, &h200, &answer) == GKTUNE_OK);
  EXPECT(strcmp(gktune_answer_match(answer), "nearest problem") == 0);
  gktune_answer_destroy(answer);
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, problem, 2, &h100, &answer) == GKTUNE_OK);
  EXPECT(strcmp(gktune_answer_match(answer), "same architecture") == 0);
  gktune_answer_destroy(answer);
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, problem, 2, &a100, &answer) == GKTUNE_NO_CONFIGURATION);
  EXPECT_MESSAGE("'transpose' was not tuned on NVIDIA A100, sm_80; it was tuned on NVIDIA H200, sm_90");

  EXPECT(gktune_lookup_best(lookup, "transpos", axes, problem, 2, NULL, &answer) == GKTUNE_NO_CONFIGURATION);
  EXPECT_MESSAGE("has no winner of kernel 'transpos', did you mean 'transpose'?");
  EXPECT(answer == NULL);
  EXPECT(gktune_lookup_best(lookup, "", axes, problem, 2, NULL, &answer) == GKTUNE_NO_CONFIGURATION);
  EXPECT_MESSAGE("has no winner of kernel ''");
  EXPECT(gktune_lookup_best(lookup, NULL, axes, problem, 2, NULL, &answer) == GKTUNE_INVALID);
  EXPECT(gktune_lookup_best(lookup, "transpose", NULL, problem, 2, NULL, &answer) == GKTUNE_INVALID);
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, NULL, 2, NULL, &answer) == GKTUNE_INVALID);
  EXPECT_MESSAGE("the values of the axes are null");
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, problem, 2, NULL, NULL) == GKTUNE_INVALID);
  problem[1].kind = GKTUNE_TEXT;
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, problem, 2, NULL, &answer) == GKTUNE_INVALID);
  EXPECT_MESSAGE("the text of axis 2 is null");
  problem[1].kind = 4;
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, problem, 2, NULL, &answer) == GKTUNE_INVALID);
  EXPECT_MESSAGE("there is no kind of value 4");
  problem[1].kind = GKTUNE_INTEGER;
  problem[1].reserved = 1;
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, problem, 2, NULL, &answer) == GKTUNE_INVALID);
  EXPECT_MESSAGE("the reserved member of axis 2 is not 0");
  problem[1].reserved = 0;
  axes[1] = NULL;
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, problem, 2, NULL, &answer) == GKTUNE_INVALID);
  EXPECT_MESSAGE("the name of axis 2 is null");
  axes[1] = "colums";
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, problem, 2, NULL, &answer) == GKTUNE_NO_CONFIGURATION);
  EXPECT_MESSAGE("'transpose' has no axis 'colums'; it has columns, rows");
  gktune_lookup_destroy(lookup);
}

/* The bytes of a file; the caller frees them. */
static char* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char* bytes = malloc(*size + 1);
  if (bytes != NULL && fread(bytes, 1, *size, file) != *size) *size = 0;
  fclose(file);
  return bytes;
}

/* Settings, prepared questions, and a database from memory. */
static void test_questions(const char* database) {
  gktune_settings* settings = NULL;
  gktune_lookup *lookup = NULL, *same = NULL;
  gktune_question* question = NULL;
  const gktune_answer* answer = NULL;
  size_t size = 0;
  char* bytes = read_file(database, &size);
  EXPECT(gktune_settings_create(&settings) == GKTUNE_OK);
  EXPECT(gktune_settings_set(settings, "worst", "good") == GKTUNE_INVALID);
  EXPECT_MESSAGE("worst: it is exact, nearest, architecture, portfolio or default, not good");
  EXPECT(gktune_settings_set(settings, "frozen", "maybe") == GKTUNE_INVALID);
  EXPECT_MESSAGE("frozen: it is no or yes, not maybe");
  EXPECT(gktune_settings_set(settings, "most_problems", "-3") == GKTUNE_INVALID);
  EXPECT(gktune_settings_set(settings, "most_problems", "100") == GKTUNE_OK);
  EXPECT(gktune_lookup_open_with(settings, &lookup) == GKTUNE_INVALID);
  EXPECT_MESSAGE("no database was given");
  EXPECT(gktune_settings_set(settings, "worst", "nearest") == GKTUNE_OK);
  EXPECT(gktune_settings_set(settings, "frozen", "yes") == GKTUNE_OK);
  EXPECT(gktune_settings_set(settings, "database", "embedded.db") == GKTUNE_OK);
  EXPECT(gktune_settings_file(settings, "embedded.db", NULL, 1) == GKTUNE_INVALID);
  EXPECT(gktune_settings_file(settings, "embedded.db", bytes, size) == GKTUNE_OK);
  free(bytes);
  EXPECT(gktune_lookup_open_with(NULL, &lookup) == GKTUNE_INVALID);
  EXPECT(gktune_lookup_open_with(settings, NULL) == GKTUNE_INVALID);
  EXPECT(gktune_lookup_open_with(settings, &lookup) == GKTUNE_OK);
  EXPECT(gktune_lookup_open(&database, 1, &same) == GKTUNE_OK);
  if (lookup == NULL || same == NULL) return;
  char digest[64] = "";
  strncpy(digest, gktune_lookup_digest(lookup), sizeof digest - 1);
  EXPECT(strlen(digest) == 32 && strcmp(digest, gktune_lookup_digest(same)) == 0);
  EXPECT(gktune_lookup_digest(NULL) == NULL);

  const char* axes[] = {"rows", "columns"};
  gktune_value problem[] = {{GKTUNE_INTEGER, 0, 4096, 0, NULL}, {GKTUNE_INTEGER, 0, 4096, 0, NULL}};
  EXPECT(gktune_question_prepare(NULL, "transpose", axes, 2, NULL, &question) == GKTUNE_INVALID);
  EXPECT(gktune_question_prepare(lookup, "transpose", axes, 2, NULL, NULL) == GKTUNE_INVALID);
  EXPECT(gktune_question_prepare(lookup, "transpose", axes, 2, NULL, &question) == GKTUNE_OK);
  if (question == NULL) return;
  EXPECT(gktune_question_ask(question, problem, 2, &answer) == GKTUNE_OK);
  EXPECT(gktune_answer_match_code(answer) == GKTUNE_EXACT);
  problem[0].integer = 4000;
  EXPECT(gktune_question_ask(question, problem, 2, &answer) == GKTUNE_OK);
  EXPECT(gktune_answer_match_code(answer) == GKTUNE_NEAREST_PROBLEM);
  EXPECT(strcmp(gktune_answer_problem(answer), "{\"columns\":4096,\"rows\":4096}") == 0);
  EXPECT(gktune_answer_time_us(answer) > 36);
  gktune_device device = {NULL, NULL, NULL, 0};
  EXPECT(gktune_answer_device(answer, &device) == GKTUNE_OK);
  EXPECT(strcmp(device.name, "NVIDIA H200") == 0 && device.multiprocessors == 132);
  EXPECT(gktune_answer_device(answer, NULL) == GKTUNE_INVALID);
  EXPECT(gktune_answer_match_code(NULL) == GKTUNE_NO_MATCH);
  EXPECT(gktune_question_ask(question, problem, 1, &answer) == GKTUNE_NO_CONFIGURATION);
  EXPECT_MESSAGE("has a value for each axis");
  EXPECT(answer == NULL && gktune_native() == 0);
  EXPECT(gktune_question_ask(question, NULL, 2, &answer) == GKTUNE_INVALID);
  EXPECT(gktune_question_ask(NULL, problem, 2, &answer) == GKTUNE_INVALID);
  EXPECT(gktune_question_ask(question, problem, 2, NULL) == GKTUNE_INVALID);
  gktune_question_destroy(question);
  gktune_question_destroy(NULL);
  /* Another device of the architecture is worse than the settings accept. */
  const gktune_device h100 = {"cuda", "NVIDIA H100", "sm_90", 114};
  gktune_answer* other = NULL;
  EXPECT(gktune_lookup_best(lookup, "transpose", axes, problem, 2, &h100, &other) == GKTUNE_NO_CONFIGURATION);
  EXPECT_MESSAGE("accepts nothing worse than nearest problem");
  gktune_lookup_destroy(lookup);
  gktune_lookup_destroy(same);
  gktune_settings_destroy(settings);
}

static void test_kernel(const char* space_file) {
  gktune_settings* settings = NULL;
  gktune_kernel* kernel = NULL;
  gktune_answer* answer = NULL;
  EXPECT(gktune_kernel_open("/no/space.yaml", NULL, &kernel) == GKTUNE_NOT_FOUND);
  EXPECT_MESSAGE("/no/space.yaml");
  EXPECT(gktune_settings_create(&settings) == GKTUNE_OK);
  EXPECT(gktune_settings_set(settings, "device", "host") == GKTUNE_OK);
  EXPECT(gktune_kernel_open(space_file, settings, &kernel) == GKTUNE_OK);
  gktune_settings_destroy(settings);
  if (kernel == NULL) return;
  EXPECT(gktune_kernel_axis_count(kernel) == 1);
  EXPECT(strcmp(gktune_kernel_axis(kernel, 0), "n") == 0);
  EXPECT(gktune_kernel_axis(kernel, 1) == NULL);

  enum { kCount = 1000 };
  float in[kCount], out = 0;
  for (int i = 0; i < kCount; ++i) in[i] = 2;
  gktune_value n = {GKTUNE_INTEGER, 0, kCount, 0, NULL};
  gktune_argument arguments[2] = {{GKTUNE_CONST_POINTER, GKTUNE_FLOAT32, (uint64_t)(uintptr_t)in},
                                  {GKTUNE_POINTER, GKTUNE_FLOAT32, (uint64_t)(uintptr_t)&out}};
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 2, 0) == GKTUNE_OK);
  EXPECT(out == 2 * kCount);

  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 1, 0) == GKTUNE_INVALID);
  EXPECT_MESSAGE("takes 2 arguments");
  EXPECT(gktune_kernel_launch(kernel, &n, 0, arguments, 2, 0) == GKTUNE_INVALID);
  EXPECT(gktune_kernel_launch(kernel, NULL, 1, arguments, 2, 0) == GKTUNE_INVALID);
  EXPECT(gktune_kernel_launch(kernel, &n, 1, NULL, 2, 0) == GKTUNE_INVALID);
  EXPECT(gktune_kernel_launch(NULL, &n, 1, arguments, 2, 0) == GKTUNE_INVALID);
  arguments[1].bits = 0;
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 2, 0) == GKTUNE_INVALID);
  EXPECT_MESSAGE("argument 2 of sum, 'out', is null");
  arguments[1].bits = (uint64_t)(uintptr_t)&out;
  n.integer = -1;
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 2, 0) == GKTUNE_NO_CONFIGURATION);
  EXPECT_MESSAGE("no configuration of sum works for n=-1");
  n.integer = kCount;
  arguments[1].kind = GKTUNE_CONST_POINTER;
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 2, 0) == GKTUNE_INVALID);
  EXPECT_MESSAGE("'out', is float32*, not const float32*");
  arguments[1].kind = GKTUNE_POINTER;
  arguments[1].type = GKTUNE_FLOAT64;
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 2, 0) == GKTUNE_INVALID);
  EXPECT_MESSAGE("not float64*");
  arguments[1].type = GKTUNE_FLOAT8_E4M3;
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 2, 0) == GKTUNE_INVALID);
  EXPECT_MESSAGE("not float8_e4m3*");
  arguments[1].type = GKTUNE_COMPLEX128;
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 2, 0) == GKTUNE_INVALID);
  EXPECT_MESSAGE("not complex128*");
  arguments[1].kind = GKTUNE_SCALAR;
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 2, 0) == GKTUNE_INVALID);
  EXPECT_MESSAGE("a scalar has a type that is not complex");
  arguments[1].kind = GKTUNE_POINTER;
  arguments[1].type = 99;
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 2, 0) == GKTUNE_INVALID);
  EXPECT_MESSAGE("there is no type 99");
  arguments[1].type = GKTUNE_ANY_TYPE;
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 2, 0) == GKTUNE_OK);
  arguments[1].kind = 7;
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 2, 0) == GKTUNE_INVALID);
  n.kind = GKTUNE_TEXT;
  EXPECT(gktune_kernel_prepare(kernel, &n, 1, &answer) == GKTUNE_INVALID);
  n.text = "many";
  EXPECT(gktune_kernel_prepare(kernel, &n, 1, &answer) == GKTUNE_INVALID);
  EXPECT_MESSAGE("the axis n");
  n.kind = 9;
  EXPECT(gktune_kernel_prepare(kernel, &n, 1, &answer) == GKTUNE_INVALID);
  n.kind = GKTUNE_INTEGER;

  EXPECT(gktune_kernel_prepare(kernel, &n, 1, &answer) == GKTUNE_OK);
  if (answer != NULL) {
    gktune_value block;
    gktune_parameter parameter;
    EXPECT(strcmp(gktune_answer_match(answer), "default of the space") == 0);
    EXPECT(strcmp(gktune_answer_config(answer), "{\"BLOCK\":256,\"PER_THREAD\":4}") == 0);
    EXPECT(strcmp(gktune_answer_reason(answer), "no database was given") == 0);
    EXPECT(strcmp(gktune_answer_stale(answer), "") == 0);
    EXPECT(gktune_answer_time_us(answer) == 0);
    EXPECT(gktune_answer_value(answer, "BLOCK", &block) == GKTUNE_OK);
    EXPECT(block.kind == GKTUNE_INTEGER && block.integer == 256);
    EXPECT(gktune_answer_value(answer, "TILE", &block) == GKTUNE_INVALID);
    EXPECT(gktune_answer_parameter_count(answer) == 2);
    EXPECT(gktune_answer_parameter(answer, 0, &parameter) == GKTUNE_OK);
    EXPECT(strcmp(parameter.name, "in") == 0 && parameter.type == GKTUNE_FLOAT32);
    EXPECT(parameter.count == kCount && !parameter.is_written && !parameter.is_scalar);
    EXPECT(gktune_answer_parameter(answer, 2, &parameter) == GKTUNE_INVALID);
    EXPECT(gktune_answer_parameter(answer, 0, NULL) == GKTUNE_INVALID);
  }
  gktune_answer_destroy(answer);
  arguments[1].kind = GKTUNE_POINTER;
  answer = NULL;
  EXPECT(gktune_kernel_autotune(kernel, &n, 1, arguments, 2, 1, &answer) == GKTUNE_INVALID);
  EXPECT_MESSAGE("autotune needs a database");
  EXPECT(gktune_kernel_autotune(kernel, NULL, 1, arguments, 2, 1, &answer) == GKTUNE_INVALID);
  EXPECT(gktune_kernel_autotune(kernel, &n, 1, NULL, 2, 1, &answer) == GKTUNE_INVALID);
  EXPECT(gktune_kernel_prepare(kernel, &n, 1, NULL) == GKTUNE_INVALID);
  EXPECT(answer == NULL);
  gktune_kernel_destroy(kernel);
}

/* The scalar `a` of y = a x + y, which no axis determines. */
static void test_scalars(const char* space_file) {
  gktune_settings* settings = NULL;
  gktune_kernel* kernel = NULL;
  EXPECT(gktune_settings_create(&settings) == GKTUNE_OK);
  EXPECT(gktune_settings_set(settings, "device", "host") == GKTUNE_OK);
  EXPECT(gktune_kernel_open(space_file, settings, &kernel) == GKTUNE_OK);
  gktune_settings_destroy(settings);
  if (kernel == NULL) return;
  const float three = 3, x[2] = {1, 2};
  float y[2] = {10, 20};
  const gktune_value n = {GKTUNE_INTEGER, 0, 2, 0, NULL};
  gktune_argument arguments[3] = {{GKTUNE_SCALAR, GKTUNE_FLOAT32, 0},
                                  {GKTUNE_CONST_POINTER, GKTUNE_FLOAT32, (uint64_t)(uintptr_t)x},
                                  {GKTUNE_POINTER, GKTUNE_FLOAT32, (uint64_t)(uintptr_t)y}};
  memcpy(&arguments[0].bits, &three, sizeof three);
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments, 3, 0) == GKTUNE_OK);
  EXPECT(y[0] == 13 && y[1] == 26);
  EXPECT(gktune_kernel_launch(kernel, &n, 1, arguments + 1, 2, 0) == GKTUNE_INVALID);
  EXPECT_MESSAGE("takes 3 arguments (a, x, y)");
  gktune_kernel_destroy(kernel);
}

int main(int count, char** words) {
  if (count != 4) return 2;
  EXPECT(strlen(gktune_version()) >= 5);
  test_settings();
  test_null_objects();
  test_lookup(words[2]);
  test_questions(words[2]);
  test_kernel(words[1]);
  test_scalars(words[3]);
  return failures == 0 ? 0 : 1;
}
