// relayscope_runtime.h: the few types that generated C needs, laid out as c_runtime_api.h and dlpack.h have
// them, so that the code links with TVM's runtimes too.  TVM: include/tvm/runtime/c_runtime_api.h,
// dlpack/dlpack.h

export const runtimeHeaderName = "relayscope_runtime.h";

export const runtimeHeader = `/* Types of generated code, ABI-compatible with TVM's c_runtime_api.h and dlpack.h. Needs the C library only. */
#ifndef RELAYSCOPE_RUNTIME_H_
#define RELAYSCOPE_RUNTIME_H_

#include <stddef.h>
#include <stdint.h>

#ifdef TVM_RUNTIME_C_RUNTIME_API_H_
/* TVM's own header was included first: its types are used. */
#else

#ifndef TVM_DLL
#define TVM_DLL
#endif

typedef enum { kDLCPU = 1 } DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int device_id;
} DLDevice;

typedef struct {
  uint8_t code; /* 0 int, 1 uint, 2 float, 3 handle, 4 bfloat */
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  int ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides; /* NULL: row-major and dense */
  uint64_t byte_offset;
} DLTensor;

typedef union {
  int64_t v_int64;
  double v_float64;
  void* v_handle;
  const char* v_str;
  DLDataType v_type;
  DLDevice v_device;
} TVMValue;

#define kTVMDLTensorHandle 7 /* type code of a DLTensor* argument */

#endif /* TVM_RUNTIME_C_RUNTIME_API_H_ */

#if defined(__GNUC__)
#define RELAYSCOPE_ALIGNED __attribute__((aligned(16)))
#else
#define RELAYSCOPE_ALIGNED
#endif

#endif /* RELAYSCOPE_RUNTIME_H_ */
`;
