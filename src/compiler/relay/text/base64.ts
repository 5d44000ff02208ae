// Base64 by hand: the compiler runs where neither atob nor Buffer may be assumed.

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const valueOf = new Int8Array(128).fill(-1);
for (let i = 0; i < 64; i++) valueOf[alphabet.charCodeAt(i)] = i;

/** The bytes that `text` encodes, or null if it is not base64. Blanks are allowed. */
export function decodeBase64(text: string): Uint8Array | null {
  const out = new Uint8Array(Math.floor((text.length * 3) / 4) + 3);
  let length = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 61 || code === 10 || code === 13 || code === 32) continue;
    const value = code < 128 ? valueOf[code]! : -1;
    if (value < 0) return null;
    held = ((held << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[length++] = (held >>> bits) & 0xff;
    }
  }
  return out.slice(0, length);
}

export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  let chunk = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const word = (bytes[i]! << 16) | ((left > 1 ? bytes[i + 1]! : 0) << 8) | (left > 2 ? bytes[i + 2]! : 0);
    chunk +=
      alphabet.charAt(word >>> 18) +
      alphabet.charAt((word >>> 12) & 63) +
      (left > 1 ? alphabet.charAt((word >>> 6) & 63) : "=") +
      (left > 2 ? alphabet.charAt(word & 63) : "=");
    if (chunk.length > 8192) {
      parts.push(chunk);
      chunk = "";
    }
  }
  return parts.join("") + chunk;
}
