// The module gktune._core: lookups and launches by the C functions of the launch library. It is built against
// Python's stable ABI, so that one module serves all versions from 3.10 on.
#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#include "gktune/gktune.h"

namespace {

// Owns a reference.
struct Release {
  void operator()(PyObject* object) const { Py_XDECREF(object); }
};
using Owned = std::unique_ptr<PyObject, Release>;

// Python's global lock is released during the lifetime of this object: other threads run.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() { PyEval_RestoreThread(state_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

PyObject* error_types = nullptr;  // dict: code -> exception
PyObject* kind_of = nullptr;      // callable: the kind of an array
PyObject* dtypes =
    nullptr;  // dict: dtype of torch and numpy, or typestr -> gktune_… code, which `code_of` finds
PyObject* code_of = nullptr;    // callable
PyObject* stream_of = nullptr;  // callable of a kind: a callable of a GPU, which returns its current stream
PyObject* streams = nullptr;    // dict: kind -> what `stream_of` returned

PyObject* fail(int code, const std::string& message, int native = 0) {
  const Owned key(PyLong_FromLong(code));
  PyObject* type = PyDict_GetItemWithError(error_types, key.get());
  const Owned arguments(Py_BuildValue("(si)", message.c_str(), native));
  if (arguments) PyErr_SetObject(type != nullptr ? type : PyExc_RuntimeError, arguments.get());
  return nullptr;
}

PyObject* fail_with_last(int code) {
  const std::string message = gktune_message();
  return fail(code, message, gktune_native());
}

bool refuse(const std::string& message) {
  fail(GKTUNE_INVALID, message);
  return false;
}

Owned attribute(PyObject* object, const char* name) { return Owned(PyObject_GetAttrString(object, name)); }
Owned attribute(PyObject* object, PyObject* interned) { return Owned(PyObject_GetAttr(object, interned)); }

std::string text_of(PyObject* object) {
  const Owned text(PyObject_Str(object));
  const char* utf8 = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
  PyErr_Clear();
  return utf8 != nullptr ? utf8 : "?";
}

// Names of attributes, interned once.
struct Names {
  PyObject *data = PyUnicode_InternFromString("data"), *ptr = PyUnicode_InternFromString("ptr"),
           *dtype = PyUnicode_InternFromString("dtype"), *size = PyUnicode_InternFromString("size"),
           *numel = PyUnicode_InternFromString("numel"), *flags = PyUnicode_InternFromString("flags"),
           *data_ptr = PyUnicode_InternFromString("data_ptr"),
           *device_id = PyUnicode_InternFromString("device_id"),
           *get_device = PyUnicode_InternFromString("get_device"),
           *c_contiguous = PyUnicode_InternFromString("c_contiguous"),
           *is_contiguous = PyUnicode_InternFromString("is_contiguous");
};
const Names& names() {
  static const Names all;
  return all;
}

// The properties of an array that a launch checks and passes.
struct Array {
  std::uint64_t address = 0;
  std::int64_t count = 0;
  std::int32_t type = GKTUNE_ANY_TYPE;
  int gpu = -1;  // -1: memory of the CPU
  bool is_contiguous = true, is_read_only = false;
};

enum Kind : long { kTorch = 1, kCupy = 2, kCudaInterface = 3, kArrayInterface = 4, kDlpack = 5 };

template <class Integer>
bool take(const Owned& object, Integer& to) {
  if (!object) return false;
  if constexpr (std::is_unsigned_v<Integer>) {
    to = PyLong_AsUnsignedLongLong(object.get());
  } else {
    to = static_cast<Integer>(PyLong_AsLongLong(object.get()));
  }
  return PyErr_Occurred() == nullptr;
}

bool take_type(PyObject* dtype, std::int32_t& to) {
  if (PyObject* code = PyDict_GetItemWithError(dtypes, dtype))
    return to = static_cast<std::int32_t>(PyLong_AsLong(code)), true;
  return PyErr_Occurred() == nullptr &&
         take(Owned(PyObject_CallFunctionObjArgs(code_of, dtype, nullptr)), to);
}

Owned call(PyObject* object, PyObject* method) {
  return Owned(PyObject_CallMethodObjArgs(object, method, nullptr));
}

bool read_torch(PyObject* tensor, Array& array) {
  const Names& name = names();
  const Owned dtype = attribute(tensor, name.dtype), contiguous = call(tensor, name.is_contiguous);
  if (!dtype || !contiguous || !take_type(dtype.get(), array.type)) return false;
  array.is_contiguous = contiguous.get() == Py_True;
  return take(call(tensor, name.numel), array.count) && take(call(tensor, name.get_device), array.gpu) &&
         take(call(tensor, name.data_ptr), array.address);
}

bool read_cupy(PyObject* object, Array& array) {
  const Names& name = names();
  const Owned dtype = attribute(object, name.dtype), data = attribute(object, name.data),
              flags = attribute(object, name.flags);
  if (!dtype || !data || !flags || !take_type(dtype.get(), array.type)) return false;
  const Owned contiguous = attribute(flags.get(), name.c_contiguous);
  array.is_contiguous = contiguous.get() == Py_True;
  return contiguous && take(attribute(object, name.size), array.count) &&
         take(attribute(data.get(), name.ptr), array.address) &&
         take(attribute(data.get(), name.device_id), array.gpu);
}

// Keeps the attributes of an array of CuPy. They do not change as long as the array lives.
struct KnownArray {
  Owned reference;  // weak; another array may get the address of one that is gone
  Array array;
};

bool read_known_cupy(PyObject* object, Array& array) {
  static auto& all = *new std::array<KnownArray, 256>;  // Python is gone when variables are destroyed
  KnownArray& known = all[(reinterpret_cast<std::uintptr_t>(object) >> 4) % all.size()];
  if (known.reference && PyWeakref_GetObject(known.reference.get()) == object)
    return array = known.array, true;
  if (!read_cupy(object, array)) return false;
  Owned reference(PyWeakref_NewRef(object, nullptr));
  if (!reference) PyErr_Clear();  // a class without weak references
  known = {std::move(reference), array};
  return true;
}

// __array_interface__ and __cuda_array_interface__ have the same form.
bool read_interface(PyObject* object, const char* protocol, Array& array) {
  const Owned interface = attribute(object, protocol);
  if (!interface) return false;
  if (!PyDict_Check(interface.get())) return refuse(std::string(protocol) + " is no dict");
  PyObject* type = PyDict_GetItemString(interface.get(), "typestr");
  PyObject* data = PyDict_GetItemString(interface.get(), "data");
  PyObject* shape = PyDict_GetItemString(interface.get(), "shape");
  PyObject* strides = PyDict_GetItemString(interface.get(), "strides");
  if (type == nullptr || data == nullptr || shape == nullptr || !PyTuple_Check(data) ||
      !PyTuple_Check(shape) || PyTuple_Size(data) < 2)
    return refuse(std::string(protocol) + " lacks typestr, data or shape");
  if (!take_type(type, array.type)) return false;
  array.address = PyLong_AsUnsignedLongLong(PyTuple_GetItem(data, 0));
  array.is_read_only = PyObject_IsTrue(PyTuple_GetItem(data, 1)) == 1;
  const std::string typestr = text_of(type);
  std::int64_t stride = std::atoll(typestr.c_str() + 2);
  array.count = 1;
  for (Py_ssize_t i = PyTuple_Size(shape) - 1; i >= 0; --i) {
    const std::int64_t extent = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    if (strides != nullptr && PyTuple_Check(strides) && extent > 1 &&
        PyLong_AsLongLong(PyTuple_GetItem(strides, i)) != stride)
      array.is_contiguous = false;
    array.count *= extent;
    stride *= extent;
  }
  return PyErr_Occurred() == nullptr;
}

// The structures of DLPack.
struct DlTensor {
  void* data;
  std::int32_t device_type, device_id, dimensions;
  std::uint8_t type_code, type_bits;
  std::uint16_t type_lanes;
  const std::int64_t* shape;
  const std::int64_t* strides;
  std::uint64_t byte_offset;
};
// A type of arrays offers these functions to C as __dlpack_c_exchange_api__. They describe an array without a
// call of Python.
struct DlExchange {
  std::uint32_t major, minor;
  const DlExchange* earlier;
  void *allocate, *take, *give;
  int (*describe)(void* object, DlTensor* tensor);
  int (*current_stream)(std::int32_t device_type, std::int32_t device_id, void** stream);
};
constexpr std::int32_t kDlCpu = 1, kDlCuda = 2, kDlCudaHost = 3, kDlCudaManaged = 13;

struct DlManagedTensor {
  DlTensor tensor;
  void* context;
  void (*destroy)(DlManagedTensor*);
};

// The code of a type in gktune.h; 0 if it has none.
std::int32_t element_type(const DlTensor& tensor) {
  if (tensor.type_lanes != 1) return 0;
  const auto of_bits = [&](std::int32_t code8, std::int32_t code16, std::int32_t code32,
                           std::int32_t code64) {
    switch (tensor.type_bits) {
      case 8:
        return code8;
      case 16:
        return code16;
      case 32:
        return code32;
      case 64:
        return code64;
      default:
        return 0;
    }
  };
  switch (tensor.type_code) {
    case 0:
      return of_bits(GKTUNE_INT8, GKTUNE_INT16, GKTUNE_INT32, GKTUNE_INT64);
    case 1:
      return of_bits(GKTUNE_UINT8, GKTUNE_UINT16, GKTUNE_UINT32, GKTUNE_UINT64);
    case 2:
      return of_bits(0, GKTUNE_FLOAT16, GKTUNE_FLOAT32, GKTUNE_FLOAT64);
    case 4:
      return of_bits(0, GKTUNE_BFLOAT16, 0, 0);
    case 5:
      return tensor.type_bits == 128 ? GKTUNE_COMPLEX128 : of_bits(0, 0, 0, GKTUNE_COMPLEX64);
    case 6:  // a truth value
      return of_bits(GKTUNE_UINT8, 0, 0, 0);
    case 10:
      return of_bits(GKTUNE_FLOAT8_E4M3, 0, 0, 0);
    case 12:
      return of_bits(GKTUNE_FLOAT8_E5M2, 0, 0, 0);
    default:
      return 0;
  }
}

bool take_tensor(const DlTensor& tensor, Array& array) {
  const bool is_cuda = tensor.device_type == kDlCuda || tensor.device_type == kDlCudaManaged;
  if (!is_cuda && tensor.device_type != kDlCpu && tensor.device_type != kDlCudaHost)
    return refuse("the array is on no CPU and no CUDA GPU");
  array.type = element_type(tensor);
  if (array.type == 0) {
    return refuse("arrays of the type " + std::to_string(tensor.type_code) + " of DLPack with " +
                  std::to_string(tensor.type_bits) + " bits cannot be passed");
  }
  array.address = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  array.gpu = is_cuda ? tensor.device_id : -1;
  array.count = 1;
  for (std::int32_t i = tensor.dimensions - 1; i >= 0; --i) {
    if (tensor.strides != nullptr && tensor.shape[i] > 1 && tensor.strides[i] != array.count)
      array.is_contiguous = false;
    array.count *= tensor.shape[i];
  }
  return true;
}

bool read_dlpack(PyObject* object, Array& array) {
  // Stream -1: the producer does not wait, because the launch follows in the caller's stream.
  const Owned method = attribute(object, "__dlpack__"),
              device = call(object, PyUnicode_InternFromString("__dlpack_device__"));
  if (!method || !device || !PyTuple_Check(device.get())) return false;
  const long kind = PyLong_AsLong(PyTuple_GetItem(device.get(), 0));
  const bool is_cuda = kind == kDlCuda || kind == kDlCudaManaged;
  const Owned none(PyTuple_New(0)), options(is_cuda ? Py_BuildValue("{s:i}", "stream", -1) : PyDict_New());
  const Owned capsule(PyObject_Call(method.get(), none.get(), options.get()));
  if (!capsule) return false;
  auto* managed = static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
  if (managed == nullptr) return false;
  return take_tensor(managed->tensor, array);  // the caller's object keeps the memory
}

// How arrays of a type are read.
struct ArrayType {
  long kind = 0;
  const DlExchange* exchange = nullptr;
};
std::unordered_map<PyTypeObject*, ArrayType> array_types;  // holds a reference to each type

const DlExchange* exchange_of(PyTypeObject* type) {
  const Owned capsule = attribute(reinterpret_cast<PyObject*>(type), "__dlpack_c_exchange_api__");
  constexpr const char* kName = "dlpack_exchange_api";
  const DlExchange* exchange =
      capsule && PyCapsule_IsValid(capsule.get(), kName) != 0
          ? static_cast<const DlExchange*>(PyCapsule_GetPointer(capsule.get(), kName))
          : nullptr;
  PyErr_Clear();
  const bool is_known = exchange != nullptr && exchange->major == 1 && exchange->describe != nullptr &&
                        exchange->current_stream != nullptr;
  return is_known ? exchange : nullptr;
}

const ArrayType* type_of(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (const auto found = array_types.find(type); found != array_types.end()) return &found->second;
  const Owned kind(PyObject_CallFunctionObjArgs(kind_of, object, nullptr));
  if (!kind) return nullptr;
  Py_INCREF(type);
  return &(array_types[type] = {PyLong_AsLong(kind.get()), exchange_of(type)});
}

bool read_array(PyObject* object, Array& array, const ArrayType& type) {
  if (type.exchange != nullptr) {
    DlTensor tensor = {};
    if (type.exchange->describe(object, &tensor) == 0) return take_tensor(tensor, array);
    PyErr_Clear();  // an array that has another way
  }
  switch (type.kind) {
    case kTorch:
      return read_torch(object, array);
    case kCupy:
      return read_known_cupy(object, array);
    case kCudaInterface:
      array.gpu = -2;  // any: the protocol does not name it
      return read_interface(object, "__cuda_array_interface__", array);
    case kArrayInterface:
      return read_interface(object, "__array_interface__", array);
    default:
      return read_dlpack(object, array);
  }
}

// The value of an axis.
bool take_value(const std::string& axis, PyObject* object, gktune_value& value) {
  value = {};
  if (PyBool_Check(object)) {
    value.kind = GKTUNE_BOOLEAN;
    value.integer = object == Py_True;
  } else if (PyUnicode_Check(object)) {
    value.kind = GKTUNE_TEXT;
    value.text = PyUnicode_AsUTF8AndSize(object, nullptr);
  } else if (PyFloat_Check(object)) {
    value.kind = GKTUNE_REAL;
    value.real = PyFloat_AsDouble(object);
  } else {
    const Owned integer(PyNumber_Index(object));
    if (integer) value.integer = PyLong_AsLongLong(integer.get());
  }
  if (PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  return refuse(axis + ": the value of an axis is a number of 64 bits, a truth value or a text, not " +
                text_of(object));
}

template <class T>
bool store(T number, std::uint64_t& bits) {
  bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  return true;
}

template <class T>
bool store_integer(PyObject* object, std::uint64_t& bits) {
  const Owned integer(PyNumber_Index(object));
  if (!integer) return false;
  if constexpr (std::is_same_v<T, std::uint64_t>)
    return store<T>(PyLong_AsUnsignedLongLong(integer.get()), bits);
  const long long number = PyLong_AsLongLong(integer.get());
  if (PyErr_Occurred() != nullptr) return false;
  if (number < static_cast<long long>(std::numeric_limits<T>::min()) ||
      number > static_cast<long long>(std::numeric_limits<T>::max()))
    return refuse(std::to_string(number) + " does not fit");
  return store(static_cast<T>(number), bits);
}

bool take_scalar(PyObject* object, std::int32_t type, std::uint64_t& bits) {
  switch (type) {
    case GKTUNE_INT8:
      return store_integer<std::int8_t>(object, bits);
    case GKTUNE_INT16:
      return store_integer<std::int16_t>(object, bits);
    case GKTUNE_INT32:
      return store_integer<std::int32_t>(object, bits);
    case GKTUNE_INT64:
      return store_integer<std::int64_t>(object, bits);
    case GKTUNE_UINT8:
      return store_integer<std::uint8_t>(object, bits);
    case GKTUNE_UINT16:
      return store_integer<std::uint16_t>(object, bits);
    case GKTUNE_UINT32:
      return store_integer<std::uint32_t>(object, bits);
    case GKTUNE_UINT64:
      return store_integer<std::uint64_t>(object, bits);
    case GKTUNE_FLOAT32:
      return store(static_cast<float>(PyFloat_AsDouble(object)), bits);
    case GKTUNE_FLOAT64:
      return store(PyFloat_AsDouble(object), bits);
    default:
      return refuse("a scalar of this type cannot be passed from Python");
  }
}

// An argument of a launch, copied from a prepared answer.
struct Parameter {
  std::string name, type_name;
  std::int32_t type;
  bool is_scalar, is_written;
  std::int64_t count;
};
using Parameters = std::vector<Parameter>;
using SharedParameters = std::shared_ptr<const Parameters>;

struct Kernel {
  PyObject_HEAD gktune_kernel* kernel;
  PyObject* notice;
  PyObject* expect;  // called with the arguments of a launch before a problem is tuned; None: nothing is
  int gpu;  // -1: the host device; -2: not known
  double
      autotune_s;  // for which a problem without an exact answer is tuned at its first launch; 0: not at all
  std::vector<int>* slots;  // of each positional argument: the axis, or ~ the place among the arguments
  std::unordered_map<std::string, SharedParameters>* prepared;  // by the values of the axes
  std::pair<std::string, SharedParameters>* latest;             // of them
};

Kernel& self_of(PyObject* self) { return *reinterpret_cast<Kernel*>(self); }

void on_notice(const char* text, void* data) {
  const PyGILState_STATE state = PyGILState_Ensure();
  const Owned done(PyObject_CallFunction(static_cast<PyObject*>(data), "s", text));
  if (!done) PyErr_WriteUnraisable(static_cast<PyObject*>(data));
  PyGILState_Release(state);
}

struct DestroySettings {
  void operator()(gktune_settings* settings) const { gktune_settings_destroy(settings); }
};
using Settings = std::unique_ptr<gktune_settings, DestroySettings>;

// Settings of (key, value) pairs.
Settings settings_of(PyObject* pairs) {
  gktune_settings* created = nullptr;
  gktune_settings_create(&created);
  Settings settings(created);
  const Owned iterator(PyObject_GetIter(pairs));
  if (!iterator) return nullptr;
  while (const Owned pair{PyIter_Next(iterator.get())}) {
    const char *key = nullptr, *value = nullptr;
    if (!PyArg_ParseTuple(pair.get(), "ss", &key, &value)) return nullptr;
    if (const gktune_code code = gktune_settings_set(settings.get(), key, value)) {
      fail_with_last(code);
      return nullptr;
    }
  }
  return PyErr_Occurred() == nullptr ? std::move(settings) : nullptr;
}

// Kernel(path or name, is_bundled, settings, gpu, notice, seconds of autotuning, expect)
PyObject* open_kernel(PyTypeObject* type, PyObject* arguments, PyObject*) {
  const char* name = nullptr;
  int is_bundled = 0, gpu = -2;
  double autotune_s = 0;
  PyObject *pairs = nullptr, *notice = nullptr, *expect = nullptr;
  if (!PyArg_ParseTuple(arguments, "spOiOdO", &name, &is_bundled, &pairs, &gpu, &notice, &autotune_s,
                        &expect))
    return nullptr;
  const Settings settings = settings_of(pairs);
  if (!settings) return nullptr;
  gktune_settings_on_notice(settings.get(), on_notice, notice);
  gktune_kernel* opened = nullptr;
  gktune_code code = GKTUNE_OK;
  {
    const Unlocked unlocked;
    code = is_bundled ? gktune_kernel_open_bundled(name, settings.get(), &opened)
                      : gktune_kernel_open(name, settings.get(), &opened);
  }
  if (code != GKTUNE_OK) return fail_with_last(code);
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* object = allocate(type, 0);
  if (object == nullptr) return nullptr;
  Kernel& self = self_of(object);
  Py_INCREF(notice);
  Py_INCREF(expect);
  self.kernel = opened, self.notice = notice, self.expect = expect, self.gpu = gpu,
  self.autotune_s = autotune_s;
  self.prepared = new std::unordered_map<std::string, SharedParameters>;
  self.latest = new std::pair<std::string, SharedParameters>;
  self.slots = new std::vector<int>;
  return object;
}

void destroy_kernel(PyObject* object) {
  Kernel& self = self_of(object);
  {
    const Unlocked unlocked;  // its thread may be waiting to tell of a new winner
    gktune_kernel_destroy(self.kernel);
  }
  delete self.prepared;
  delete self.latest;
  delete self.slots;
  Py_XDECREF(self.notice);
  Py_XDECREF(self.expect);
  PyTypeObject* type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyObject* axes_of(PyObject* object, PyObject*) {
  const gktune_kernel* kernel = self_of(object).kernel;
  PyObject* list = PyList_New(0);
  for (std::size_t i = 0; i < gktune_kernel_axis_count(kernel); ++i) {
    const Owned name(PyUnicode_FromString(gktune_kernel_axis(kernel, i)));
    PyList_Append(list, name.get());
  }
  return list;
}

PyObject* set_slots(PyObject* object, PyObject* slots) {
  std::vector<int>& to = *self_of(object).slots;
  to.clear();
  for (Py_ssize_t i = 0; i < PySequence_Size(slots); ++i) {
    const Owned slot(PySequence_GetItem(slots, i));
    to.push_back(static_cast<int>(PyLong_AsLong(slot.get())));
  }
  if (PyErr_Occurred() != nullptr) return nullptr;
  Py_RETURN_NONE;
}

PyObject* dict_of(const gktune_answer* answer) {
  gktune_device device = {};
  gktune_answer_device(answer, &device);
  return Py_BuildValue("{s:s,s:s,s:s,s:s,s:d,s:s,s:s}", "match", gktune_answer_match(answer), "config",
                       gktune_answer_config(answer), "problem", gktune_answer_problem(answer), "device",
                       device.name, "time_us", gktune_answer_time_us(answer), "reason",
                       gktune_answer_reason(answer), "stale", gktune_answer_stale(answer));
}

const char* type_name(std::int32_t type) {
  static constexpr const char* kNames[] = {"any",       "int8",      "int16",   "int32",       "int64",
                                           "uint8",     "uint16",    "uint32",  "uint64",      "float16",
                                           "bfloat16",  "float32",   "float64", "float8_e4m3", "float8_e5m2",
                                           "complex64", "complex128"};
  return type >= 0 && type <= GKTUNE_COMPLEX128 ? kNames[type] : "?";
}

// A call: the values of the axes, in a key too, and the arguments. Calls of the usual length allocate
// nothing.
class Call {
  std::byte room_[4096];
  std::pmr::monotonic_buffer_resource memory_{room_, sizeof room_};

 public:
  Call() { key.reserve(256); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::pmr::vector<gktune_value> axes{&memory_};
  std::pmr::vector<PyObject*> rest{&memory_};
  std::pmr::vector<gktune_argument> arguments{&memory_};
  std::pmr::string key{&memory_};
};

bool take_call(const Kernel& self, PyObject* arguments, Call& call) {
  const std::size_t count = gktune_kernel_axis_count(self.kernel),
                    given = static_cast<std::size_t>(PyTuple_Size(arguments));
  call.axes.resize(count);
  const std::vector<int>& slots = *self.slots;
  call.rest.reserve(given);
  if (slots.empty() ? given < count : given != slots.size()) {
    return refuse("the kernel takes " + std::to_string(slots.empty() ? count : slots.size()) + " arguments" +
                  (slots.empty() ? " at least" : "") + ", not " + std::to_string(given));
  }
  if (!slots.empty()) call.rest.resize(given - count);
  for (std::size_t i = 0; i < given; ++i) {
    PyObject* object = PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(i));
    const int slot =
        slots.empty() ? (i < count ? static_cast<int>(i) : ~static_cast<int>(i - count)) : slots[i];
    if (slot >= 0) {
      const auto axis = static_cast<std::size_t>(slot);
      if (!take_value(gktune_kernel_axis(self.kernel, axis), object, call.axes[axis])) return false;
    } else if (slots.empty()) {
      call.rest.push_back(object);
    } else {
      call.rest[static_cast<std::size_t>(~slot)] = object;
    }
  }
  for (const gktune_value& value : call.axes) {
    call.key.append(reinterpret_cast<const char*>(&value.kind), sizeof value.kind);
    call.key.append(reinterpret_cast<const char*>(&value.integer), sizeof value.integer);
    call.key.append(reinterpret_cast<const char*>(&value.real), sizeof value.real);
    if (value.text != nullptr) call.key.append(value.text).push_back('\0');
  }
  return true;
}

struct DestroyAnswer {
  void operator()(gktune_answer* answer) const { gktune_answer_destroy(answer); }
};
using Answer = std::unique_ptr<gktune_answer, DestroyAnswer>;

Answer prepare_call(const Kernel& self, const Call& call) {
  gktune_answer* answer = nullptr;
  gktune_code code = GKTUNE_OK;
  {
    const Unlocked unlocked;
    code = gktune_kernel_prepare(self.kernel, call.axes.data(), call.axes.size(), &answer);
  }
  if (code != GKTUNE_OK) fail_with_last(code);
  return Answer(answer);
}

// The arguments that the call takes; null with an exception.
SharedParameters parameters_of(const Kernel& self, const Call& call, bool* is_exact) {
  auto& prepared = *self.prepared;
  auto& latest = *self.latest;
  if (latest.second && latest.first == std::string_view(call.key)) return latest.second;
  const std::string key(call.key);
  if (const auto found = prepared.find(key); found != prepared.end()) return (latest = *found).second;
  const Answer answer = prepare_call(self, call);
  if (!answer) return nullptr;
  *is_exact = gktune_answer_match_code(answer.get()) == GKTUNE_EXACT;
  Parameters parameters(gktune_answer_parameter_count(answer.get()));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    gktune_parameter each = {};
    gktune_answer_parameter(answer.get(), i, &each);
    parameters[i] = {each.name,           type_name(each.type), each.type,
                     each.is_scalar != 0, each.is_written != 0, static_cast<std::int64_t>(each.count)};
  }
  constexpr std::size_t kMostPrepared = 4096;
  if (prepared.size() >= kMostPrepared) prepared.clear();
  latest = {key, std::make_shared<const Parameters>(std::move(parameters))};
  return prepared[key] = latest.second;
}

std::string place_of(int gpu) { return gpu < 0 ? "the CPU" : "cuda:" + std::to_string(gpu); }

// The reason why the array cannot be this argument; empty: it can.
std::string refusal_of(const Array& array, const Parameter& parameter, int gpu) {
  const bool has_type = array.type == parameter.type || parameter.type == GKTUNE_ANY_TYPE ||
                        (array.type == GKTUNE_UINT8 && parameter.type == GKTUNE_INT8);
  if (!has_type)
    return std::string("its elements are ") + type_name(array.type) + ", the kernel takes " +
           parameter.type_name;
  if (gpu != -2 && array.gpu != -2 && array.gpu != gpu)
    return "it is on " + place_of(array.gpu) + ", but the kernel was opened on " + place_of(gpu);
  if (array.gpu == -2 && gpu == -1) return "it is on a GPU, but the kernel was opened on the CPU";
  if (!array.is_contiguous) return "it has gaps or another order; pass a contiguous copy";
  if (array.count < parameter.count)
    return "it has " + std::to_string(array.count) + " elements, the launch needs " +
           std::to_string(parameter.count);
  if (array.is_read_only && parameter.is_written) return "it is read-only, but the kernel writes it";
  if (array.address == 0 && array.count > 0) return "its memory was freed";
  return "";
}

bool take_stream(PyObject* object, std::uintptr_t& stream) {
  Owned given;
  if (PyLong_Check(object)) return take(Owned(PyNumber_Index(object)), stream);
  for (const char* name : {"cuda_stream", "ptr"}) {
    given = attribute(object, name);
    if (given) return take(given, stream);
    PyErr_Clear();
  }
  return refuse("the stream is no integer and no stream of torch or CuPy, but " + text_of(object));
}

bool take_current_stream(const ArrayType& type, int gpu, std::uintptr_t& stream) {
  void* of_library = nullptr;
  if (type.exchange != nullptr && type.exchange->current_stream(kDlCuda, gpu, &of_library) == 0)
    return stream = reinterpret_cast<std::uintptr_t>(of_library), true;
  PyErr_Clear();
  const Owned key(PyLong_FromLong(type.kind)), device(PyLong_FromLong(gpu));
  PyObject* known = PyDict_GetItemWithError(streams, key.get());
  if (known == nullptr) {
    const Owned found(PyObject_CallFunctionObjArgs(stream_of, key.get(), nullptr));
    if (!found || PyDict_SetItem(streams, key.get(), found.get()) != 0) return false;
    known = PyDict_GetItemWithError(streams, key.get());
  }
  Owned current(PyObject_CallFunctionObjArgs(known, device.get(), nullptr));
  if (current && type.kind == kCupy) current = attribute(current.get(), names().ptr);
  return take(current, stream);
}

// Converts the arguments; `current` is set to the current stream of the library that an array comes from.
bool take_arguments(const Kernel& self, Call& call, const Parameters& parameters, bool asks_for_stream,
                    std::uintptr_t& stream) {
  call.arguments.reserve(parameters.size());
  if (call.rest.size() != parameters.size()) {
    std::string message =
        "the kernel takes " + std::to_string(parameters.size()) + " arguments behind its axes (";
    for (const Parameter& each : parameters) message += (&each == parameters.data() ? "" : ", ") + each.name;
    return refuse(message + "), not " + std::to_string(call.rest.size()));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    gktune_argument argument = {GKTUNE_SCALAR, parameter.type, 0};
    if (parameter.is_scalar) {
      if (!take_scalar(call.rest[i], parameter.type, argument.bits) || PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        return refuse(parameter.name + ": " + text_of(call.rest[i]) + " is no " + parameter.type_name);
      }
    } else {
      Array array;
      const ArrayType* const type_of_array = type_of(call.rest[i]);
      if (type_of_array == nullptr || !read_array(call.rest[i], array, *type_of_array)) {
        PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        const std::string reason = value != nullptr ? text_of(value) : "";
        for (PyObject* each : {type, value, trace}) Py_XDECREF(each);
        return refuse(parameter.name + ": " + reason);
      }
      if (const std::string reason = refusal_of(array, parameter, self.gpu); !reason.empty())
        return refuse(parameter.name + ": " + reason);
      if (asks_for_stream && array.gpu != -1) {
        if (!take_current_stream(*type_of_array, std::max(array.gpu, 0), stream)) return false;
        asks_for_stream = false;
      }
      argument.kind = array.is_read_only ? GKTUNE_CONST_POINTER : GKTUNE_POINTER;
      argument.bits = array.address;
    }
    call.arguments.push_back(argument);
  }
  return true;
}

// launch(arguments, stream)
PyObject* launch(PyObject* object, PyObject* const* given, Py_ssize_t count) {
  const Kernel& self = self_of(object);
  if (count != 2 || !PyTuple_Check(given[0]))
    return fail(GKTUNE_INVALID, "launch takes a tuple and a stream");
  Call call;
  if (!take_call(self, given[0], call)) return nullptr;
  bool is_exact = true;
  const SharedParameters parameters = parameters_of(self, call, &is_exact);
  if (!parameters) return nullptr;
  std::uintptr_t stream = 0;
  if (given[1] != Py_None && !take_stream(given[1], stream)) return nullptr;
  if (!take_arguments(self, call, *parameters, given[1] == Py_None, stream)) return nullptr;
  const bool is_tuned = !is_exact && self.autotune_s > 0;
  if (is_tuned && self.expect != Py_None) {
    const Owned done(PyObject_CallFunctionObjArgs(self.expect, given[0], nullptr));
    if (!done) return nullptr;
  }
  gktune_code code = GKTUNE_OK;
  {
    const Unlocked unlocked;
    if (is_tuned) {
      code = gktune_kernel_autotune(self.kernel, call.axes.data(), call.axes.size(), call.arguments.data(),
                                    call.arguments.size(), self.autotune_s, nullptr);
    }
    if (code == GKTUNE_OK)
      code = gktune_kernel_launch(self.kernel, call.axes.data(), call.axes.size(), call.arguments.data(),
                                  call.arguments.size(), stream);
  }
  if (code != GKTUNE_OK) return fail_with_last(code);
  Py_RETURN_NONE;
}

// prepare(arguments): what a launch would run, as a dict.
PyObject* prepare(PyObject* object, PyObject* arguments) {
  const Kernel& self = self_of(object);
  Call call;
  if (!take_call(self, arguments, call)) return nullptr;
  const Answer answer = prepare_call(self, call);
  return answer ? dict_of(answer.get()) : nullptr;
}

// lookup(settings) -> capsule; ask(capsule, kernel, axes, values, device kind, name, architecture)
PyObject* open_lookup(PyObject*, PyObject* pairs) {
  const Settings settings = settings_of(pairs);
  if (!settings) return nullptr;
  gktune_lookup* opened = nullptr;
  if (const gktune_code code = gktune_lookup_open_with(settings.get(), &opened)) return fail_with_last(code);
  return PyCapsule_New(opened, "gktune.lookup", [](PyObject* capsule) {
    gktune_lookup_destroy(static_cast<gktune_lookup*>(PyCapsule_GetPointer(capsule, "gktune.lookup")));
  });
}

PyObject* ask(PyObject*, PyObject* arguments) {
  PyObject *capsule = nullptr, *problem = nullptr;
  const char *kernel = nullptr, *device_name = nullptr;
  if (!PyArg_ParseTuple(arguments, "OsO!z", &capsule, &kernel, &PyDict_Type, &problem, &device_name))
    return nullptr;
  auto* lookup = static_cast<gktune_lookup*>(PyCapsule_GetPointer(capsule, "gktune.lookup"));
  if (lookup == nullptr) return nullptr;
  std::vector<const char*> axes;
  std::vector<gktune_value> values;
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(problem, &at, &name, &value);) {
    axes.push_back(PyUnicode_AsUTF8AndSize(name, nullptr));
    values.emplace_back();
    if (axes.back() == nullptr || !take_value(axes.back(), value, values.back())) return nullptr;
  }
  const gktune_device device = {nullptr, device_name, nullptr, 0};
  gktune_answer* found = nullptr;
  const gktune_code code = gktune_lookup_best(lookup, kernel, axes.data(), values.data(), axes.size(),
                                              device_name != nullptr ? &device : nullptr, &found);
  const Answer answer(found);
  return code == GKTUNE_OK ? dict_of(answer.get()) : fail_with_last(code);
}

// connect(error types, kind_of, dtypes, code_of, stream_of): what the module needs of Python.
PyObject* connect(PyObject*, PyObject* arguments) {
  if (!PyArg_ParseTuple(arguments, "OOOOO", &error_types, &kind_of, &dtypes, &code_of, &stream_of))
    return nullptr;
  for (PyObject* each : {error_types, kind_of, dtypes, code_of, stream_of}) Py_INCREF(each);
  streams = PyDict_New();
  Py_RETURN_NONE;
}

PyMethodDef kernel_methods[] = {
    {"launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(launch)), METH_FASTCALL, nullptr},
    {"prepare", prepare, METH_O, nullptr},
    {"set_slots", set_slots, METH_O, nullptr},
    {"axes", axes_of, METH_NOARGS, nullptr},
    {}};
PyType_Slot kernel_slots[] = {{Py_tp_new, reinterpret_cast<void*>(open_kernel)},
                              {Py_tp_dealloc, reinterpret_cast<void*>(destroy_kernel)},
                              {Py_tp_methods, kernel_methods},
                              {}};
PyType_Spec kernel_spec = {"gktune._core.Kernel", sizeof(Kernel), 0, Py_TPFLAGS_DEFAULT, kernel_slots};
PyMethodDef functions[] = {{"connect", connect, METH_VARARGS, nullptr},
                           {"open_lookup", open_lookup, METH_O, nullptr},
                           {"ask", ask, METH_VARARGS, nullptr},
                           {}};
PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "gktune._core", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__core() {
  Owned created(PyModule_Create(&module));
  Owned type(PyType_FromSpec(&kernel_spec));
  if (!created || !type || PyModule_AddObject(created.get(), "Kernel", type.get()) != 0) return nullptr;
  type.release();
  return created.release();
}
