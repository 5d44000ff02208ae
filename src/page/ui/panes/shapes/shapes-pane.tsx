// A program with dynamic dimensions: type extents for its inputs, see the shapes of every call as the shape
// functions give them, or fix the shapes and compile for them.
import { useMemo, useState, type ReactNode } from "react";
import type { CallShapesView, ShapesReply } from "../../../../protocol/shapes.ts";
import type { ListingId } from "../../../../protocol/listing-id.ts";
import type { Summary } from "../../../../protocol/compile.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useApp, useAppObject, useHover, usePinned, useShown } from "../../kit/context.tsx";
import { Swatch } from "../../kit/primitive-style.tsx";
import { dynamicInputs, runsOf, typedShapes } from "../../kit/dynamic-inputs.ts";
import { shapeText } from "../../kit/labels.ts";
import { InputFields } from "../../kit/shape-fields.tsx";
import "./shapes.css";

export function ShapesPane(): ReactNode {
  const run = useShown();
  if (run === null) return <div className="bd" />;
  return <ShapesOfRun key={run.runId} run={run} />;
}

function ShapesOfRun({ run }: { readonly run: ShownRun }): ReactNode {
  const { client } = useAppObject();
  const actions = useActions();
  const typed = useApp((state) => state.layout.shapeDraft);
  const fixed = useApp((state) => state.options.shapes);
  const [reply, setReply] = useState<ShapesReply | null>(null);
  const [asking, setAsking] = useState(false);
  const inputs = useMemo(() => dynamicInputs(run.summary), [run]);
  const isFixed = Object.keys(fixed).length > 0;
  const wanted = typedShapes(inputs, typed, fixed, "relayName");
  const evaluate = (): void => {
    if (wanted === null) return;
    setAsking(true);
    void client.evaluateShapes(run.runId, wanted).then((answer) => {
      setAsking(false);
      setReply(answer);
    });
  };
  const fix = (): void => {
    const shapes = typedShapes(inputs, typed, fixed, "name");
    if (shapes !== null) actions.setOptions({ shapes });
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls: keys must reach it
    <div className="bd scroll shapes" role="region" aria-label="Shapes" tabIndex={0}>
      {inputs.length > 0 && (
        <>
          <p className="lead2">
            {run.summary.dynamic
              ? "The shapes of this program are known only when it runs."
              : "These inputs are dynamic in the model."}
          </p>
          <ul className="dynamiclist" aria-label="Dynamic inputs">
            {inputs.map((input) => (
              <li key={input.name}>
                <span className="mono b">{input.name}</span>
                <InputFields input={input} onEnter={run.summary.dynamic ? evaluate : fix} />
                <span className="q">{input.dtype}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {inputs.length === 0 && run.summary.dynamic && (
        <p className="lead2">No input is dynamic: the values of the inputs decide the shapes.</p>
      )}
      <Fixed />
      <p className="btns">
        {run.summary.dynamic && (
          <button
            type="button"
            className="fix strong"
            disabled={wanted === null || asking}
            onClick={evaluate}
          >
            {asking ? "Evaluating…" : "Evaluate shapes"}
          </button>
        )}
        {inputs.length > 0 && (
          <button
            type="button"
            className="fix"
            disabled={wanted === null}
            title="Compile for these shapes: memory plan, C and WebAssembly"
            onClick={fix}
          >
            {isFixed ? "Compile for these shapes" : "Fix these shapes"}
          </button>
        )}
      </p>
      {wanted === null && <p className="q">Extents are whole numbers.</p>}
      <Answer run={run} reply={reply} />
    </div>
  );
}

/** What options.shapes says, and the way back. */
function Fixed(): ReactNode {
  const shapes = useApp((state) => state.options.shapes);
  const actions = useActions();
  const entries = Object.entries(shapes);
  if (entries.length === 0) return null;
  return (
    <p className="fixedshapes">
      <span className="q">Compiled for</span>
      {entries.map(([name, shape]) => (
        <span key={name} className="mono">
          {name} {shapeText(shape)}
        </span>
      ))}
      <button type="button" className="fix" onClick={() => actions.setOptions({ shapes: {} })}>
        Leave them dynamic
      </button>
    </p>
  );
}

function Answer({ run, reply }: { readonly run: ShownRun; readonly reply: ShapesReply | null }): ReactNode {
  if (reply === null) return run.summary.dynamic ? <ShapeFunctions summary={run.summary} /> : null;
  if (reply.status === "gone")
    return (
      <p className="note" role="alert">
        This compilation is no longer kept. Compile again, then evaluate.
      </p>
    );
  if (reply.status === "failed") {
    const rows = (
      [
        ["expected", reply.expected],
        ["got", reply.got],
        ["hint", reply.hint],
        ...reply.notes.map((note) => ["note", note] as const),
      ] as const
    ).filter(([, text]) => text !== null);
    return (
      <article className="perr error" role="alert" aria-label={`error ${reply.code}`}>
        <div className="phead">
          <span className="mono b">{reply.code}</span>
          <span className="b msg">
            {reply.input === null ? "" : `${reply.input}: `}
            {reply.message}
          </span>
        </div>
        {rows.length > 0 && (
          <dl>
            {rows.map(([term, text], index) => [
              <dt key={`${term}${index}`}>{term}</dt>,
              <dd key={`${term}${index}d`} className={term === "expected" || term === "got" ? "mono" : ""}>
                {text}
              </dd>,
            ])}
          </dl>
        )}
      </article>
    );
  }
  return (
    <>
      <CallTable run={run} calls={reply.calls} />
      <p className="outs" role="status">
        <span className="q">Results</span>
        {reply.outputs.map(({ name, shape, dtype }) => (
          <span key={name} className="mono">
            {name} {shapeText(shape)} {dtype}
          </span>
        ))}
      </p>
    </>
  );
}

function CallTable({
  run,
  calls,
}: {
  readonly run: ShownRun;
  readonly calls: readonly CallShapesView[];
}): ReactNode {
  const pinned = usePinned(run);
  const hover = useHover(run);
  const actions = useActions();
  return (
    <table className="shapetable">
      <caption className="vh">Shapes of every call</caption>
      <thead>
        <tr>
          <th scope="col">call</th>
          <th scope="col">primitive, told by</th>
          <th scope="col">takes</th>
          <th scope="col">gives</th>
        </tr>
      </thead>
      <tbody onPointerLeave={() => actions.hover(null)}>
        {calls.map((call, index) => {
          const entity = { kind: "call", id: call.call } as const;
          const view = run.summary.primitives[call.primitive];
          const lit = pinned?.calls.has(call.call) ?? false;
          return (
            // oxlint-disable-next-line react/no-array-index-key -- calls are told by their place
            <tr
              key={index}
              className={`${lit ? "lit" : ""} ${hover?.calls.has(call.call) ? "under" : ""}`}
              onPointerEnter={() => actions.hover(entity)}
            >
              <td>{index}</td>
              <th scope="row">
                <button
                  type="button"
                  className="pname"
                  aria-pressed={lit}
                  title={call.symbol}
                  onClick={() => actions.togglePin(entity)}
                >
                  <Swatch index={call.primitive} /> <span className="mono b">p{call.primitive}</span>{" "}
                  <span className="mono">{(view?.name ?? call.symbol).replace(/^fused_/, "")}</span>
                </button>
                <span className="told q">
                  {call.shapeFunc === null ? (
                    "its types"
                  ) : (
                    <FunctionLink primitive={call.primitive} name={call.shapeFunc} />
                  )}
                  {call.fromValues.length > 0 && ` and the values of ${call.fromValues.join(", ")}`}
                </span>
              </th>
              <td>
                <ShapeList shapes={call.inputs} />
              </td>
              <td className="b">
                <ShapeList shapes={call.outputs} />
                <ListingLink
                  id={{
                    kind: "kernel",
                    primitive: call.primitive,
                    inputs: call.inputs,
                    outputs: call.outputs,
                  }}
                  title="Show the kernel as it is compiled for these shapes"
                >
                  kernel
                </ListingLink>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** One per line, equal neighbours as one: shapes do not break. */
function ShapeList({ shapes }: { readonly shapes: readonly (readonly number[])[] }): ReactNode {
  // oxlint-disable-next-line react/no-array-index-key -- arguments have no other identity than their place
  return runsOf(shapes.map(shapeText)).map(([word, times], index) => (
    <span key={index} className="shp">
      {word}
      {times > 1 && <span className="q"> {times} times</span>}
    </span>
  ));
}

/** Opens a listing beside this pane. */
function ListingLink({
  id,
  title,
  children,
}: {
  readonly id: ListingId & { readonly primitive: number };
  readonly title: string;
  readonly children: ReactNode;
}): ReactNode {
  const actions = useActions();
  return (
    <button
      type="button"
      className="mono flink"
      title={title}
      onClick={() =>
        actions.setLayout({ tabB: "tir", tirPrimitive: id.primitive, tirListing: id, phoneTab: "code" })
      }
    >
      {children}
    </button>
  );
}

function FunctionLink({ primitive, name }: { readonly primitive: number; readonly name: string }): ReactNode {
  return (
    <ListingLink id={{ kind: "shape", primitive }} title={`Show the shape function ${name}`}>
      {name}
    </ListingLink>
  );
}

/** Before anything is evaluated: which shape functions there are, and what each asks of its parameters. */
function ShapeFunctions({ summary }: { readonly summary: Summary }): ReactNode {
  const own = summary.primitives.flatMap(({ index, name, shapeFunc }) =>
    shapeFunc === null ? [] : [{ index, name, shapeFunc }],
  );
  if (own.length === 0) return null;
  return (
    <table className="shapetable">
      <caption>
        Shape functions <span className="q">what computes the shapes of results whose types are dynamic</span>
      </caption>
      <thead>
        <tr>
          <th scope="col">primitive and function</th>
          <th scope="col">asks of its parameters</th>
        </tr>
      </thead>
      <tbody>
        {own.map(({ index, name, shapeFunc }) => (
          <tr key={index}>
            <th scope="row">
              <span className="pname">
                <Swatch index={index} /> <span className="mono b">p{index}</span>{" "}
                <span className="mono">{name.replace(/^fused_/, "")}</span>
              </span>
              <span className="told">
                <FunctionLink primitive={index} name={shapeFunc.name} />
              </span>
            </th>
            <td>
              {runsOf(shapeFunc.needs)
                .map(([need, times]) => (times > 1 ? `${need} of ${times}` : need))
                .join(", ")}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
