// Names of lowered functions, character for character as TVM 0.8 on 64-bit Linux makes them.
// TVM: src/relay/backend/te_compiler_cache.cc (ScheduleBuilder::Create, GetUniqueName),
// src/runtime/meta_data.h (get_name_mangled), and std::hash<std::string> of libstdc++.

/** Longest name before it is cut and hashed; TVM's C runtime sizes its buffers by it. */
const maxNameLength = 80;

/**
 * `fused_` and the operator names in order, dots kept; longer than 80 characters: cut, then `_<hash of the
 * whole>_`.
 */
export function candidateName(opNames: readonly string[], prefix = "fused"): string {
  const whole = [prefix, ...opNames].join("_");
  return whole.length > maxNameLength ? `${whole.slice(0, maxNameLength)}_${libstdcxxHash(whole)}_` : whole;
}

/** A module's name as a part of C names and file names: what is neither a letter, a digit nor `_` is `_`. */
export function safeModName(modName: string): string {
  return modName.replaceAll(/[^A-Za-z0-9_]/g, "_");
}

/** The name inside a module: `tvmgen_<mod>_<name>`, `tvmgen_<name>` where the module has no name. */
export function mangledName(modName: string, name: string): string {
  return modName === "" ? `tvmgen_${name}` : `tvmgen_${safeModName(modName)}_${name}`;
}

/** Which names a module has, and the number that the next clash of each gets. */
export interface UniqueNames {
  readonly next: Map<string, number>;
}

export function uniqueNames(): UniqueNames {
  return { next: new Map() };
}

/**
 * `name` with dots as `_`; a clash appends `_1`, `_2`, … and tries that name in turn, exactly as TVM's
 * GetUniqueName.
 */
export function uniqueName(names: UniqueNames, name: string): string {
  let candidate = name.replaceAll(".", "_");
  for (;;) {
    const clashes = names.next.get(candidate);
    if (clashes === undefined) {
      names.next.set(candidate, 1);
      return candidate;
    }
    names.next.set(candidate, clashes + 1);
    candidate = `${candidate}_${clashes}`;
  }
}

const mask = (1n << 64n) - 1n;
const multiplier = 0xc6a4a7935bd1e995n;

/** libstdc++'s 64-bit string hash (Murmur with seed 0xc70f6907) of the UTF-8 bytes of `text`, in decimal. */
export function libstdcxxHash(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const whole = bytes.length - (bytes.length % 8);
  let hash = 0xc70f6907n ^ ((BigInt(bytes.length) * multiplier) & mask);
  for (let at = 0; at < whole; at += 8) {
    const word = (shiftMix((littleEndian(bytes, at, 8) * multiplier) & mask) * multiplier) & mask;
    hash = ((hash ^ word) * multiplier) & mask;
  }
  if (whole < bytes.length)
    hash = ((hash ^ littleEndian(bytes, whole, bytes.length - whole)) * multiplier) & mask;
  return shiftMix((shiftMix(hash) * multiplier) & mask).toString();
}

function shiftMix(value: bigint): bigint {
  return value ^ (value >> 47n);
}

function littleEndian(bytes: Uint8Array, at: number, count: number): bigint {
  let value = 0n;
  for (let i = count - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i]!);
  return value;
}
