// DLDeviceType: what the numbers mean.  TVM: 3rdparty/dlpack/include/dlpack/dlpack.h,
// include/tvm/runtime/device_api.h

export const deviceNames: Readonly<Record<number, string>> = {
  1: "cpu",
  2: "cuda",
  3: "cuda_host",
  4: "opencl",
  5: "aocl",
  6: "sdaccel",
  7: "vulkan",
  8: "metal",
  9: "vpi",
  10: "rocm",
  11: "rocm_host",
  12: "ext_dev",
  13: "cuda_managed",
  14: "hexagon",
  15: "webgpu",
};
