// What a file is, by its first bytes and its name: what can be opened, and the name of what cannot. Pure.

type FileKind = "onnx" | "tflite" | "zip" | "text" | "unknown";

export interface LookedAt {
  readonly kind: FileKind;
  /** "a PNG image" where the bytes are of a format that is no model, null where they are not known. */
  readonly format: string | null;
}

/** Bytes that formats start with, at an offset. */
const magics: readonly (readonly [format: string, offset: number, bytes: string])[] = [
  ["a PNG image", 0, "\u0089PNG"],
  ["a JPEG image", 0, "\u00ff\u00d8\u00ff"],
  ["a GIF image", 0, "GIF8"],
  ["a WebP image or WAV sound", 0, "RIFF"],
  ["a PDF document", 0, "%PDF"],
  ["a gzip archive", 0, "\u001f\u008b"],
  ["a bzip2 archive", 0, "BZh"],
  ["an xz archive", 0, "\u00fd7zXZ"],
  ["a 7-Zip archive", 0, "7z\u00bc\u00af"],
  ["a tar archive", 257, "ustar"],
  ["an HDF5 file (Keras)", 0, "\u0089HDF"],
  ["a NumPy array", 0, "\u0093NUMPY"],
  ["a GGUF model", 0, "GGUF"],
  ["a WebAssembly module", 0, "\u0000asm"],
  ["a program", 0, "\u007fELF"],
];

function startsWith(head: Uint8Array, offset: number, text: string): boolean {
  return (
    head.length >= offset + text.length &&
    Array.from(text, (char) => char.charCodeAt(0)).every((byte, i) => head[offset + i] === byte)
  );
}

/** `head`: the first 512 bytes or fewer. */
export function lookAt(name: string, head: Uint8Array): LookedAt {
  if (startsWith(head, 4, "TFL3")) return { kind: "tflite", format: null };
  if (startsWith(head, 0, "PK\u0003\u0004")) return { kind: "zip", format: "a zip archive" };
  const format = magics.find(([, offset, text]) => startsWith(head, offset, text))?.[0] ?? null;
  if (format !== null) return { kind: "unknown", format };
  if (/\.onnx$/i.test(name)) return { kind: "onnx", format: null };
  if (/\.(tflite|lite)$/i.test(name)) return { kind: "tflite", format: null };
  return { kind: head.includes(0) ? "unknown" : "text", format: null };
}

/** Why a file is not opened, for the notice; null where it can be tried. */
export function refusal(name: string, size: number, { kind, format }: LookedAt): string | null {
  const wanted =
    "Models are opened from .onnx and .tflite files, from Relay text (.relay, .txt) and from .repro.zip.";
  if (size === 0) return `${name} is empty: it has 0 bytes.`;
  if (kind === "unknown")
    return format === null
      ? `${name} is neither text nor a model file by its name. ${wanted}`
      : `${name} is ${format}. ${wanted}`;
  return null;
}
