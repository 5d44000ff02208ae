// The compile cache as the TE compiler keeps it (TVM's ListItems): one entry a structure and target, how
// often it is used, by which calls. A row pins its primitive.
import type { ReactNode } from "react";
import type { CacheItemView } from "../../../../protocol/compile.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useHover, usePinned } from "../../kit/context.tsx";
import { Flag, Swatch } from "../../kit/primitive-style.tsx";
import { CallSites } from "./call-sites.tsx";

export function CacheTable({ run }: { readonly run: ShownRun }): ReactNode {
  const actions = useActions();
  const { cache, currentKey } = run.summary;
  return (
    <>
      <p className="cachewords q">
        {cache.length.toLocaleString("en")} {cache.length === 1 ? "entry" : "entries"}. The key is the
        structural hash of the function; calls of equal functions share an entry.
      </p>
      <table>
        <thead>
          <tr>
            {["#", "entry", "kind", "target", "uses", "calls", "key"].map((title) => (
              <th key={title} scope="col" className={title === "uses" ? "r pad" : "pad"}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody onPointerLeave={() => actions.hover(null)}>
          {cache.map((item) => (
            <Item key={`${item.kind}${item.name}`} run={run} item={item} current={item.key === currentKey} />
          ))}
        </tbody>
      </table>
    </>
  );
}

const kinds: Readonly<Record<CacheItemView["kind"], string>> = {
  function: "lowered",
  external: "external",
  "shape function": "shape function",
};

function Item({
  run,
  item,
  current,
}: {
  readonly run: ShownRun;
  readonly item: CacheItemView;
  readonly current: boolean;
}): ReactNode {
  const actions = useActions();
  const pinned = usePinned(run);
  const hover = useHover(run);
  const { primitive } = item;
  const view = run.summary.primitives[primitive];
  const lit = pinned?.primitives.has(primitive) ?? false;
  const entity = { kind: "primitive", id: primitive } as const;
  const sites = item.kind === "shape function" ? [] : (view?.callSites ?? []);
  const external = item.kind === "external" ? (view?.external ?? null) : null;
  return (
    <tr
      className={`${lit ? "lit" : ""} ${hover?.primitives.has(primitive) ? "under" : ""}`}
      onPointerEnter={() => actions.hover(entity)}
      onClick={() => primitive >= 0 && actions.togglePin(entity)}
    >
      <td className="id">
        <span className="idline">
          <Swatch index={primitive} /> <span className="mono b">{primitive >= 0 ? `p${primitive}` : ""}</span>
          {pinned?.primary.kind === "primitive" &&
            pinned.primary.id === primitive &&
            item.kind !== "shape function" && <Flag number={2} />}
        </span>
      </td>
      <th scope="row">
        <button
          type="button"
          className="mono"
          aria-pressed={lit}
          title={item.name}
          onClick={(event) => {
            event.stopPropagation();
            if (primitive >= 0) actions.togglePin(entity);
          }}
        >
          {view === undefined || item.kind === "shape function" ? item.name : view.name}
        </button>
      </th>
      <td className="l">
        {kinds[item.kind]}
        {external !== null && (
          <>
            {" "}
            <span className="b">{external}</span>
          </>
        )}
      </td>
      <td className="l">{item.target}</td>
      <td>{item.useCount}</td>
      <td className="l">
        <CallSites calls={sites} onCall={(call) => actions.pin({ kind: "call", id: call })} />
      </td>
      <td className="l key">
        {item.key}
        {current && <span className="q"> current</span>}
      </td>
    </tr>
  );
}
