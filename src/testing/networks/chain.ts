// A chain of `length` unary calls on one small tensor: the depth that no part of the compiler may recurse on.

/** `kinds` are operator names used in turn. */
export function chainText(
  length: number,
  kinds: readonly string[] = ["nn.relu", "tanh", "negative", "abs"],
): string {
  const type = "Tensor[(1, 16), float32]";
  const lines: string[] = [];
  for (let i = 0; i < length; i++) {
    const from = i === 0 ? "%x" : `%${i - 1}`;
    const call = `${kinds[i % kinds.length]!}(${from}) /* ty=${type} */`;
    lines.push(i === length - 1 ? `  ${call}` : `  %${i} = ${call};`);
  }
  return `#[version = "0.0.5"]\ndef @main(%x: ${type}) -> ${type} {\n${lines.join("\n")}\n}\n`;
}
