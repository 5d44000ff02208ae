// The `#[metadata]` section for constants: TVM's JSON of a Map from type key to objects.
// TVM: src/node/serialization.cc
import type { Constant } from "../expr.ts";
import { encodeBase64 } from "./base64.ts";
import { encodeNDArray } from "./ndarray.ts";

/** JSON of `constants` in order, laid out as dmlc's writer does; TVM 0.8 and our parser read it. */
export function printMetadata(constants: readonly Constant[]): string {
  const nodes: string[] = [];
  const items: number[] = [];
  const add = (key: string, fields: readonly string[]) =>
    nodes.push(`    {\n      ${[`"type_key": "${key}"`, ...fields].join(", \n      ")}\n    }`);
  const attrs = (fields: Readonly<Record<string, string>>) =>
    `"attrs": {\n        ${Object.entries(fields)
      .map(([k, v]) => `"${k}": "${v}"`)
      .join(", \n        ")}\n      }`;
  constants.forEach(({ data }, i) => {
    // Numbers of the nodes: 0 is null, 1 the map, 2 the list, then each constant with its type.
    const at = nodes.length + 3;
    items.push(at);
    add("relay.Constant", [attrs({ _checked_type_: String(at + 1), data: String(i), span: "0" })]);
    add("relay.TensorType", [attrs({ dtype: data.dtype.name, shape: String(at + 2), span: "0" })]);
    add("Array", data.shape.length === 0 ? [] : [`"data": ${list(data.shape.map((_, k) => at + 3 + k))}`]);
    for (const dim of data.shape) add("IntImm", [attrs({ dtype: "int32", span: "0", value: String(dim) })]);
  });
  const head = [
    '    {\n      "type_key": ""\n    }',
    '    {\n      "type_key": "Map", \n      "keys": [\n        "relay.Constant"\n      ], \n      "data": [2]\n    }',
    `    {\n      "type_key": "Array", \n      "data": ${list(items)}\n    }`,
  ];
  const arrays = constants.map(({ data }) => `    "${encodeBase64(encodeNDArray(data))}"`);
  return `{\n  "root": 1, \n  "nodes": [\n${[...head, ...nodes].join(", \n")}\n  ], \n  "b64ndarrays": [\n${arrays.join(", \n")}\n  ], \n  "attrs": {"tvm_version": "0.8.0"}\n}`;
}

/** Up to ten numbers on a line, more one per line. */
function list(values: readonly number[]): string {
  return values.length <= 10
    ? `[${values.join(", ")}]`
    : `[\n        ${values.join(", \n        ")}\n      ]`;
}
