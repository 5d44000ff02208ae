// Options that are typed: names, shapes, values, configuration. Each is read as it is typed and takes effect
// once it is valid.
import type { ReactNode } from "react";
import type { Options } from "../../../../compiler/options.ts";
import {
  configText,
  listText,
  partitionText,
  readConfig,
  readNames,
  readPartition,
  readShapes,
  readValues,
  shapesText,
  valuesText,
} from "../../kit/option-text.ts";
import { Row, TextField } from "./option-fields.tsx";

const maxDepth = "relay.FuseOps.max_depth";

interface TextOption {
  readonly label: string;
  readonly hint: string;
  /** Full name for assistive tech where the label is short. */
  readonly name?: string;
  readonly text: (options: Options) => string;
  /** null: the text is not one. */
  readonly read: (text: string, options: Options) => Partial<Options> | null;
}

/** An option that is read as a value of its own. */
function read<K extends keyof Options>(
  key: K,
  parse: (text: string) => Options[K] | null,
): (text: string) => Partial<Options> | null {
  return (text) => {
    const value = parse(text);
    return value === null ? null : { [key]: value };
  };
}

const textOptions: readonly TextOption[] = [
  {
    label: "Module name",
    hint: "letters, digits, _; symbols start tvmgen_NAME_",
    text: ({ modName }) => modName,
    read: read("modName", (text) => (/^[A-Za-z_]\w*$/.test(text) ? text : null)),
  },
  {
    label: "Bind parameters",
    hint: "names of main's parameters to make constants, by the fill rule; comma between",
    text: ({ bindFill }) => listText(bindFill),
    read: read("bindFill", readNames),
  },
  {
    label: "Bind values",
    hint: "inputs that are constants with these values, as sr=16000; a semicolon between inputs",
    text: ({ bindValues }) => valuesText(bindValues),
    read: read("bindValues", readValues),
  },
  {
    label: "Shapes",
    hint: "fix dynamic dimensions, as x=1x3x224x224; a semicolon between inputs",
    text: ({ shapes }) => shapesText(shapes),
    read: read("shapes", readShapes),
  },
  {
    label: "Partition",
    hint: "external code generators: ccompiler, or NAME=op,op to choose their operators; semicolon between",
    text: ({ partition }) => partitionText(partition),
    read: read("partition", readPartition),
  },
  {
    label: "Required passes",
    hint: "run whatever the level is; comma between",
    text: ({ requiredPasses }) => listText(requiredPasses),
    read: read("requiredPasses", readNames),
  },
  {
    label: "FuseOps max_depth",
    hint: "operators in one primitive at most; empty = 256",
    name: "FuseOps max depth",
    text: ({ config }) => config[maxDepth] ?? "",
    read: (text, { config }) => {
      if (text !== "" && !/^[1-9]\d{0,5}$/.test(text)) return null;
      const { [maxDepth]: _old, ...rest } = config;
      return { config: text === "" ? rest : { ...rest, [maxDepth]: text } };
    },
  },
  {
    label: "Other configuration",
    hint: "PassContext's, as relay.fallback_device_type=4; semicolon between",
    text: ({ config }) => configText(config, [maxDepth]),
    read: (text, { config }) => {
      const others = readConfig(text);
      const depth = config[maxDepth];
      if (others === null) return null;
      return { config: depth === undefined ? others : { ...others, [maxDepth]: depth } };
    },
  },
];

export interface OptionsProps {
  readonly options: Options;
  readonly set: (patch: Partial<Options>) => void;
}

export function TextOptions({ options, set }: OptionsProps): ReactNode {
  return textOptions.map(({ label, hint, name = label, text, read: readText }) => (
    <Row key={label} label={label} hint={hint}>
      <TextField
        label={name}
        value={text(options)}
        valid={(typed) => readText(typed, options) !== null}
        onChange={(typed) => {
          const patch = readText(typed, options);
          if (patch !== null) set(patch);
        }}
      />
    </Row>
  ));
}
