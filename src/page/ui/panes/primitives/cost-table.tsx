// What each primitive costs: sortable columns, a row a primitive that opens to its operators, remarks and
// calls.
import { Fragment, useMemo, useState, type ReactNode } from "react";
import { shownCallMicros } from "../../../store/selectors.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useApp, useHover, usePinned } from "../../kit/context.tsx";
import { deviceLabel } from "../../kit/device-names.ts";
import { formatCount, formatMicros, kindWord, shortOp } from "../../kit/labels.ts";
import { Flag, Swatch } from "../../kit/primitive-style.tsx";
import { CallSites } from "./call-sites.tsx";
import { cLineCount, primitiveRows, sortRows, type PrimitiveRow, type Sort, type SortKey } from "./rows.ts";

interface Column {
  readonly key: SortKey;
  readonly title: string;
  readonly hint: string;
  readonly text: boolean;
}
const columns: readonly Column[] = [
  { key: "index", title: "#", hint: "order of first call", text: true },
  { key: "name", title: "primitive", hint: "name, without the prefix of its symbol", text: true },
  { key: "ops", title: "ops", hint: "operators inside", text: false },
  { key: "calls", title: "calls", hint: "call sites in the runner", text: false },
  { key: "hits", title: "hits", hint: "call sites that the compile cache served", text: false },
  { key: "workspace", title: "workspace B", hint: "scratch inside the primitive", text: false },
  { key: "operations", title: "operations", hint: "of one call; multiply and add count 1 each", text: false },
  { key: "c", title: "C lines", hint: "in lib1", text: false },
  { key: "wasm", title: "WASM B", hint: "body of its function", text: false },
  { key: "time", title: "µs", hint: "all calls, least of the repeats", text: false },
];

/** `flagged`: the primitive that bears the flag of the chain, -1 for none. */
export function CostTable({ run, flagged }: { readonly run: ShownRun; readonly flagged: number }): ReactNode {
  const pinned = usePinned(run);
  const hover = useHover(run);
  const callMicros = useApp(shownCallMicros);
  const actions = useActions();
  const [sort, setSort] = useState<Sort>({ key: "index", descending: false });
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => sortRows(primitiveRows(run.summary, callMicros), sort), [run, callMicros, sort]);
  const toggle = (index: number): void => {
    const next = new Set(open);
    if (!next.delete(index)) next.add(index);
    setOpen(next);
  };
  return (
    <table>
      <thead>
        <tr>
          {columns.map((c) => (
            <Head key={c.key} column={c} sort={sort} onSort={setSort} />
          ))}
        </tr>
      </thead>
      <tbody onPointerLeave={() => actions.hover(null)}>
        {rows.map((row) => {
          const { index } = row.primitive;
          return (
            <Fragment key={index}>
              <Row
                row={row}
                open={open.has(index)}
                lit={pinned?.primitives.has(index) ?? false}
                flagged={index === flagged}
                under={hover?.primitives.has(index) ?? false}
                onHover={() => actions.hover({ kind: "primitive", id: index })}
                onPin={() => actions.togglePin({ kind: "primitive", id: index })}
                onToggle={() => toggle(index)}
              />
              {open.has(index) && (
                <Details run={run} row={row} onCall={(call) => actions.pin({ kind: "call", id: call })} />
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

function Head({
  column,
  sort,
  onSort,
}: {
  readonly column: Column;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
}): ReactNode {
  const current = sort.key === column.key;
  // Names and order read upwards first, amounts largest first.
  const first = !column.text;
  return (
    <th
      scope="col"
      className={column.text ? "" : "r"}
      aria-sort={current ? (sort.descending ? "descending" : "ascending") : "none"}
    >
      <button
        type="button"
        title={column.hint}
        onClick={() => onSort({ key: column.key, descending: current ? !sort.descending : first })}
      >
        {column.title}
        <span aria-hidden="true">{current ? (sort.descending ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

interface RowProps {
  readonly row: PrimitiveRow;
  readonly open: boolean;
  readonly lit: boolean;
  readonly flagged: boolean;
  readonly under: boolean;
  readonly onHover: () => void;
  readonly onPin: () => void;
  readonly onToggle: () => void;
}

function Row({ row, open, lit, flagged, under, onHover, onPin, onToggle }: RowProps): ReactNode {
  const { primitive, micros } = row;
  return (
    <tr
      className={`${lit ? "lit" : ""} ${under ? "under" : ""}`}
      data-primitive={primitive.index}
      onPointerEnter={onHover}
      onClick={onPin}
    >
      <td className="id">
        <span className="idline">
          <button
            type="button"
            className="twist"
            aria-expanded={open}
            aria-label={`Details of p${primitive.index}`}
            onClick={(event) => {
              event.stopPropagation();
              onToggle();
            }}
          >
            <svg width={8} height={8} viewBox="0 0 8 8" aria-hidden="true">
              <path
                d={open ? "M1 2.5 4 5.5 7 2.5" : "M2.5 1 5.5 4 2.5 7"}
                fill="none"
                stroke="currentColor"
                strokeWidth={1.3}
              />
            </svg>
          </button>
          <Swatch index={primitive.index} /> <span className="mono b">p{primitive.index}</span>
          {flagged && <Flag number={2} />}
        </span>
      </td>
      <th scope="row">
        <button
          type="button"
          className="mono"
          aria-pressed={lit}
          onClick={(event) => {
            event.stopPropagation();
            onPin();
          }}
        >
          {primitive.name}
        </button>
      </th>
      <td title={primitive.ops.map((op) => op.name).join(", ")}>{primitive.ops.length}</td>
      <td>{primitive.callSites.length}</td>
      <td>{primitive.cacheHits}</td>
      <td>{formatCount(primitive.workspaceBytes)}</td>
      <td>{formatCount(primitive.operations)}</td>
      <td>{cLineCount(primitive)}</td>
      <td>{formatCount(primitive.wasmBytes)}</td>
      <td>{micros === null ? "" : formatMicros(micros).replace(" µs", "")}</td>
    </tr>
  );
}

function Details({
  run,
  row,
  onCall,
}: {
  readonly run: ShownRun;
  readonly row: PrimitiveRow;
  readonly onCall: (call: number) => void;
}): ReactNode {
  const { primitive, remarks } = row;
  return (
    <tr className="more">
      <td />
      <td colSpan={columns.length - 1}>
        <ol className="oplist">
          {primitive.ops.map((op, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- only the place tells operators apart
            <li key={i}>
              <span className="mono">{shortOp(op.name)}</span>{" "}
              <span className="q">{kindWord(op.pattern)}</span>
            </li>
          ))}
        </ol>
        {remarks.length > 0 && (
          <ul className="why">
            {remarks.map((remark) => (
              <li key={`${remark.kind}${remark.text}`}>
                <span className="mono qq">{remark.pass}</span> {remark.text}
              </li>
            ))}
          </ul>
        )}
        <dl>
          <dt>symbol</dt>
          <dd className="mono">{primitive.symbol}</dd>
          {primitive.external !== null && (
            <>
              <dt>made by</dt>
              <dd>{primitive.external}, an external code generator</dd>
            </>
          )}
          {run.options.targets.length > 1 && (
            <>
              <dt>device</dt>
              <dd className="mono">{deviceLabel(run.options, primitive.device)}</dd>
            </>
          )}
          <dt>cache key</dt>
          <dd className="mono">{primitive.cacheKey}</dd>
          <dt>calls</dt>
          <dd>
            <CallSites calls={primitive.callSites} onCall={onCall} />
          </dd>
        </dl>
      </td>
    </tr>
  );
}
