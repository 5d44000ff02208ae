// The only platform globals that the compiler may use; both Node 20 and every browser have them.
declare class TextEncoder {
  encode(text: string): Uint8Array;
}
declare class TextDecoder {
  decode(bytes: Uint8Array): string;
}
/** Named by the protocol only: the compiler gets bytes. */
declare class Blob {
  readonly size: number;
}
