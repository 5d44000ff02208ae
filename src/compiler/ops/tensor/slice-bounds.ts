// What begin, end and stride of a slice mean for an axis of a given extent.
// TVM: include/tvm/topi/detail/strided_slice.h (ConvertToVec, CanonicalizeIndex)

export interface SliceAttrs {
  readonly begin: readonly number[] | null;
  readonly end: readonly number[] | null;
  readonly strides: readonly number[] | null;
  readonly slice_mode: string;
  readonly axes: readonly number[] | null;
}

export interface SliceBounds {
  readonly axis: number;
  /** As written, or the default; may be out of range. */
  readonly begin: number;
  readonly end: number;
  /** Elements from `begin` on where the slice is told by its size, `end` then has no part; else null. */
  readonly size: number | null;
  readonly stride: number;
  /** Nothing is cut, whatever the extent. */
  readonly whole: boolean;
  /**
   * First element and number of elements in an axis of `extent`; count is negative where the slice ends
   * before it begins.
   */
  readonly in: (extent: number) => { readonly begin: number; readonly count: number };
}

/** The bounds of entry `i` of the lists; entries that are left out take everything. */
export function sliceOf(
  axis: number,
  i: number,
  attrs: SliceAttrs & {
    readonly begin: readonly number[];
    readonly end: readonly number[];
    readonly strides: readonly number[];
  },
): SliceBounds {
  const bySize = attrs.slice_mode === "size";
  const stride = bySize ? 1 : Number(attrs.strides[i] ?? 1);
  const begin = Number(attrs.begin[i] ?? (stride > 0 ? 0 : Infinity));
  const given = attrs.end[i];
  const toTheEnd = stride < 0 ? 0 : Infinity;
  const size = bySize && given !== undefined && Number(given) >= 0 ? Number(given) : null;
  const end = given === undefined || bySize ? toTheEnd : Number(given);
  return {
    axis,
    begin,
    end,
    size,
    stride,
    whole: begin === 0 && end === Infinity && stride === 1 && size === null,
    in: (extent) => {
      const from = clamp(begin, extent, stride);
      // A size counts from where the slice begins, also where that was told from the end (TVM adds the two as
      // they were written).
      const to = size === null ? clamp(end, extent, stride) : Math.min(from + size, extent);
      if (stride < 0 ? to > from : from > to) return { begin: from, count: -1 };
      return { begin: from, count: Math.ceil(Math.abs(to - from) / Math.abs(stride)) };
    },
  };
}

function clamp(position: number, extent: number, stride: number): number {
  const [least, greatest] = stride < 0 ? [-1, extent - 1] : [0, extent];
  return Math.min(Math.max(position < 0 ? position + extent : position, least), greatest);
}
