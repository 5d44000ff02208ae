// Blocks by call and address: each tensor for as long as it lives, hatched where its storage holds bytes that
// it does not use. Blocks too narrow to tell apart become one area of live bytes.
import { memo, useMemo, type ReactNode } from "react";
import type { MemoryBlockView, MemoryView, PlanView } from "../../../../protocol/views.ts";
import { advance, formatCount } from "../../kit/labels.ts";
import { Swatched } from "../../kit/swatched.tsx";
import { primitiveStyle } from "../../kit/primitive-style.tsx";
import { address, addressTicks, liveArea, placeOf, shortBytes, writerLabel } from "./model.ts";
import type { Scale } from "./scale.ts";
import { Slack } from "./slack.tsx";

interface PlotProps {
  readonly plan: PlanView;
  readonly memory: MemoryView;
  readonly scale: Scale;
  readonly step: number;
  /** The step is pinned, not only looked at. */
  readonly stepPinned: boolean;
  readonly lit: (block: MemoryBlockView) => boolean;
  readonly hover: (block: MemoryBlockView) => boolean;
  readonly deviceOf: (device: number) => string;
}

/** Narrower columns than this show the sum only. */
const leastColumn = 1;
const mostDetailed = 160;
const thinnest = 2.5;
const lead = 24;

interface Box {
  readonly block: MemoryBlockView;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function Plot(props: PlotProps): ReactNode {
  const { plan, memory, scale, step, stepPinned, lit, hover } = props;
  const boxes = useMemo(() => (scale.column < leastColumn ? [] : boxesShown(plan, scale)), [plan, scale]);
  const flagged = boxes.filter((b) => lit(b.block));
  return (
    <g>
      <clipPath id="mapclip">
        <rect x={scale.left - 4} y={0} width={scale.right - scale.left + 8} height={scale.bottom + 4} />
      </clipPath>
      <rect
        className={stepPinned ? "washf" : "sunkf"}
        x={scale.x(step) + 0.5}
        y={10}
        width={Math.max(1, scale.column - 0.5)}
        height={scale.bottom - 10}
        clipPath="url(#mapclip)"
      />
      <Graticule total={plan.totalBytes} steps={memory.steps} scale={scale} />
      <g clipPath="url(#mapclip)">
        {scale.column >= leastColumn ? (
          <Holds plan={plan} scale={scale} />
        ) : (
          <Area memory={memory} scale={scale} />
        )}
        {boxes.length > mostDetailed ? (
          <Batched boxes={boxes} />
        ) : (
          boxes.map((b) => <Block key={`${b.block.from}-${b.block.offset}-${b.block.primitive}`} box={b} />)
        )}
        {boxes
          .filter((b) => hover(b.block))
          .map((b) => (
            <rect
              key={`h${b.block.from}-${b.block.offset}`}
              className="edge"
              x={b.x}
              y={b.y}
              width={b.width}
              height={b.height}
            />
          ))}
        {flagged.map((b) => (
          <g key={`l${b.block.from}-${b.block.offset}`}>
            <rect className="halo" x={b.x} y={b.y} width={b.width} height={b.height} />
            <rect className="edge" x={b.x} y={b.y} width={b.width} height={b.height} />
          </g>
        ))}
        {boxes.length <= mostDetailed && <Labels boxes={boxes} scale={scale} deviceOf={props.deviceOf} />}
      </g>
      <path d={`M${scale.left} ${scale.top}V${scale.bottom}H${scale.right}`} className="hair" />
      <path d={`M${scale.left} ${scale.top + 0.5}H${scale.right}`} className="peakline" />
      <text className="m t10 e" x={scale.left - 7} y={scale.top + 4}>
        {plan.totalBytes < 1e7 ? formatCount(plan.totalBytes) : shortBytes(plan.totalBytes)}
      </text>
      {flagged[0] && <Flag4 box={flagged[0]} scale={scale} />}
    </g>
  );
}

function Flag4({ box, scale }: { readonly box: Box; readonly scale: Scale }): ReactNode {
  const x = Math.min(scale.right, box.x + box.width);
  return (
    <g>
      <circle className="coc" cx={x} cy={box.y} r={7} />
      <text className="onacc c" x={x} y={box.y + 3.5}>
        4
      </text>
    </g>
  );
}

function boxesShown(plan: PlanView, scale: Scale): Box[] {
  const boxes: Box[] = [];
  for (const block of plan.blocks) {
    if (block.to < scale.range.from || block.from > scale.range.to) continue;
    const top = scale.y(block.offset + block.bytes);
    const exact = scale.y(block.offset) - top;
    // What is thinner than a line is drawn as thick as one, upwards, so that it does not hide what lies
    // below.
    const height = Math.max(thinnest, exact - 1);
    boxes.push({
      block,
      x: scale.x(block.from) + 0.5,
      y: exact - 1 < thinnest ? scale.y(block.offset) - thinnest : top + 0.5,
      width: Math.max(0.8, scale.column * (block.to - block.from + 1) - 1),
      height,
    });
  }
  return boxes;
}

const Graticule = memo(function Graticule({
  total,
  steps,
  scale,
}: {
  readonly total: number;
  readonly steps: number;
  readonly scale: Scale;
}): ReactNode {
  const height = scale.bottom - scale.top;
  const ticks = addressTicks(total, height, Math.max(22, height / 9));
  const [first, last] = [Math.ceil(scale.range.from), Math.floor(scale.range.to)];
  const stride = Math.max(1, Math.ceil(8 / scale.column));
  let columns = "";
  for (let s = first; s <= Math.min(last, steps); s += stride)
    columns += `M${scale.x(s)} ${scale.top}V${scale.bottom}`;
  return (
    <g>
      <path d={columns} className="grat" />
      {ticks.map((at) => (
        <g key={at}>
          <text className="m t10 e f3" x={scale.left - 7} y={scale.y(at) + 3.5}>
            {address(at)}
          </text>
          <path d={`M${scale.left} ${scale.y(at)}H${scale.right}`} className="grat" />
          <path d={`M${scale.left - 4} ${scale.y(at)}h4`} className="hair" />
        </g>
      ))}
    </g>
  );
});

const Holds = memo(function Holds({
  plan,
  scale,
}: {
  readonly plan: PlanView;
  readonly scale: Scale;
}): ReactNode {
  const starts = [...new Set(plan.holds.map((h) => h.offset))].filter((offset) => offset > 0);
  return (
    <g>
      <Slack holds={plan.holds} scale={scale} />
      {starts.length <= 24 &&
        starts.map((offset) => (
          <path
            key={offset}
            d={`M${scale.left} ${scale.y(offset)}H${scale.right}`}
            className="hair sidline"
          />
        ))}
    </g>
  );
});

const Area = memo(function Area({
  memory,
  scale,
}: {
  readonly memory: MemoryView;
  readonly scale: Scale;
}): ReactNode {
  const columns = Math.max(1, Math.floor(scale.right - scale.left));
  const area = liveArea(memory.liveBytes, scale.range, columns);
  let d = `M${scale.left} ${scale.bottom}`;
  for (const bytes of area) d += `V${scale.y(bytes).toFixed(1)}h1`;
  return (
    <>
      <path d={`${d}V${scale.bottom}Z`} className="livearea" />
      <text className="t10 f2 e out" x={scale.right - 8} y={scale.top + 14}>
        live bytes; zoom in for tensors
      </text>
    </>
  );
});

const Block = memo(function Block({ box }: { readonly box: Box }): ReactNode {
  const { block, x, y, width, height } = box;
  if (height <= thinnest + 0.1 || width < 5) {
    const style = block.primitive >= 0 ? primitiveStyle(block.primitive) : null;
    return (
      <g data-block={block.from}>
        <rect x={x} y={y} width={width} height={height} className="paperf" />
        <rect
          x={x}
          y={y}
          width={width}
          height={height}
          style={{ fill: style?.tint ?? "var(--sunk)", stroke: style?.color ?? "var(--rule2)" }}
        />
      </g>
    );
  }
  return (
    <g data-block={block.from}>
      <Swatched
        x={x - 0.5}
        y={y - 0.5}
        width={width + 1}
        height={height + 1}
        block={Math.min(lead, width)}
        primitive={block.primitive}
        filled
      />
    </g>
  );
});

/** Very many blocks: one path a hue. */
const Batched = memo(function Batched({ boxes }: { readonly boxes: readonly Box[] }): ReactNode {
  const paths = new Map<number, string>();
  for (const { block, x, y, width, height } of boxes) {
    const hue = block.primitive < 0 ? -1 : primitiveStyle(block.primitive).hue;
    paths.set(
      hue,
      `${paths.get(hue) ?? ""}M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}Z`,
    );
  }
  return [...paths].map(([hue, d]) => (
    <g key={hue}>
      <path d={d} className="paperf" />
      <path
        d={d}
        style={
          hue < 0
            ? { fill: "var(--sunk)" }
            : { fill: primitiveStyle(hue).tint, stroke: primitiveStyle(hue).color, strokeWidth: 0.5 }
        }
      />
    </g>
  ));
});

interface PlacedLabel {
  readonly box: Box;
  readonly parts: readonly string[];
  readonly inside: boolean;
  readonly x: number;
  readonly y: number;
  readonly left: number;
  readonly right: number;
  readonly where: string | null;
}

/** Labels that do not touch each other: large blocks first, others go without. */
function placeLabels(boxes: readonly Box[], scale: Scale, deviceOf: PlotProps["deviceOf"]): PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  for (const box of boxes.toSorted((a, b) => b.width * b.height - a.width * a.height)) {
    const label = labelOf(box, scale, deviceOf(box.block.device));
    const free =
      label !== null &&
      placed.every((p) => label.left > p.right || label.right < p.left || Math.abs(label.y - p.y) >= 12);
    if (free) placed.push(label);
  }
  return placed;
}

/**
 * Inside where it fits, above the block (or below at the top) where the block is flat, shortened where it is
 * narrow.
 */
function labelOf(box: Box, scale: Scale, device: string): PlacedLabel | null {
  const { block } = box;
  const x = Math.max(box.x, scale.left);
  const width = Math.min(box.x + box.width, scale.right) - x;
  const name = writerLabel(block.primitive);
  const bytes = `${formatCount(block.bytes)} B`;
  const inside = box.height >= 18;
  const start = inside ? x + Math.min(lead, width) + 8 : x;
  const room = x + width - start - 8;
  const letter = inside ? advance.mono11 : advance.mono10;
  const extent = (texts: readonly string[]): number =>
    texts.join("").length * letter + 14 * (texts.length - 1);
  const parts = [[name, block.shape, bytes], [name, bytes], [name]].find((texts) => extent(texts) <= room);
  if (parts === undefined) return null;
  const above = box.y - 4 >= scale.top + 8 || box.y > scale.top + 10;
  const y = inside ? box.y + 15.5 : above ? box.y - 4 : box.y + box.height + 11;
  const place = placeOf(block, device);
  const where = inside && box.height >= 36 && place.length * advance.mono10 <= room ? place : null;
  const anchor = inside ? start : x + width - 8;
  return {
    box,
    parts,
    inside,
    x: anchor,
    y,
    left: inside ? start : anchor - extent(parts),
    right: inside ? start + extent(parts) : anchor,
    where,
  };
}

const Labels = memo(function Labels({
  boxes,
  scale,
  deviceOf,
}: {
  readonly boxes: readonly Box[];
  readonly scale: Scale;
  readonly deviceOf: PlotProps["deviceOf"];
}): ReactNode {
  return placeLabels(boxes, scale, deviceOf).map(({ box, parts, inside, x, y, where }) => (
    <g key={`${box.block.from}-${box.block.offset}`}>
      <text className={inside ? "" : "out e t10"} x={x} y={y}>
        <tspan className="m bo">{parts[0]}</tspan>
        {parts.length === 3 && (
          <tspan dx={6} className="m">
            {parts[1]}
          </tspan>
        )}
        {parts.length > 1 && (
          <tspan dx={8} className="m f2">
            {parts.at(-1)}
          </tspan>
        )}
      </text>
      {where !== null && (
        <text className="m t10 f2" x={x} y={y + 14}>
          {where}
        </text>
      )}
    </g>
  ));
});
