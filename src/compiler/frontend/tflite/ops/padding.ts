// SAME padding.  TVM: python/tvm/relay/frontend/tflite.py (get_pad_value)

/** Elements before and after so that ceil(extent / stride) windows fit; the odd one goes behind. */
export function samePadding(extent: number, window: number, stride: number): readonly [number, number] {
  const count = Math.ceil(extent / stride);
  const pad = Math.max(0, (count - 1) * stride + window - extent);
  return [Math.floor(pad / 2), pad - Math.floor(pad / 2)];
}
