// The start page: an editor, a drop zone and the examples as drawings of their primitives.
import type { ReactNode } from "react";
import { SourcePane } from "../panes/editor/source-pane.tsx";
import { examples, exampleSource, type Example } from "../examples/examples.ts";
import { primitiveStyle, Swatch } from "../kit/primitive-style.tsx";
import { useActions, useAppObject } from "../kit/context.tsx";
import { Icon } from "../kit/icons.tsx";
import { Notices } from "./notices.tsx";
import { chooseFile } from "./open-file.ts";
import { TopBar } from "./top-bar.tsx";
import type { Width } from "./use-width.ts";

export function EmptyPage({ width }: { readonly width: Width }): ReactNode {
  return (
    <div className={`app start ${width}`}>
      <TopBar onDrawer={null} />
      <Notices />
      <main id="main" className="two" tabIndex={-1}>
        <div className="pane">
          <SourcePane narrow={width === "phone"} />
          <DropZone />
        </div>
        <section className="pane scroll" aria-label="Examples" tabIndex={-1}>
          <div className="intro">
            <p className="lead">See what a compiler does to your model.</p>
            <p className="q">
              Types, passes, fusion, memory plan, C and WebAssembly, side by side. Pin anything and follow it
              through all of them.
            </p>
          </div>
          <div className="hd line">
            <h2>Examples</h2>
            <span className="qq">a block is one primitive, a cell is one operator inside it</span>
          </div>
          <ul className="plate">
            {examples.slice(1).map((example) => (
              <li key={example.id}>
                <Card example={example} />
              </li>
            ))}
          </ul>
          <div className="hd line">
            <h2>How to read it</h2>
            <span className="qq">one selection, seven places; the same number marks it in every pane</span>
          </div>
          <ol className="how">
            {["Relay", "Primitive", "AOT call", "Storage", "C", "WASM", "Time"].map((title, index) => (
              <li key={title}>
                <b className="co">{index + 1}</b>
                <b>{title}</b>
                <span className="mono">
                  {index === 1 ? (
                    <>
                      <Swatch index={2} /> p2
                    </>
                  ) : (
                    ["lines 19–22", "", "call 2", "sid_16", "its lines", "its function", "its µs"][index]
                  )}
                </span>
              </li>
            ))}
          </ol>
        </section>
      </main>
      <footer className="foot">
        <Icon name="lock" />
        <span>Everything runs in this browser tab: your text, files and weights never leave it.</span>
      </footer>
    </div>
  );
}

function DropZone(): ReactNode {
  const app = useAppObject();
  return (
    <section className="drop" aria-label="Open a file">
      <svg width={72} height={56} viewBox="0 0 72 56" fill="none" stroke="currentColor" aria-hidden="true">
        <path d="M.5 39.5V55.5H71.5V39.5" />
        <path d="M36 2V42M26 32 36 42 46 32" strokeWidth={1.5} />
      </svg>
      <div>
        <p className="b">Drop an .onnx, .tflite or .relay file</p>
        <p className="q">a model with its data files, what TVM's print(mod) gave you, or a .repro.zip</p>
        <p className="pt">
          <button type="button" className="fix" onClick={() => chooseFile(app)}>
            Choose a file…
          </button>
          <span className="qq"> Ctrl+O</span>
        </p>
      </div>
    </section>
  );
}

function Card({ example }: { readonly example: Example }): ReactNode {
  const actions = useActions();
  const { title, about, blocks } = example;
  const operators = blocks.reduce((sum, cells) => sum + cells, 0);
  return (
    <button
      type="button"
      className="card"
      onClick={() => actions.replaceSource(exampleSource(example), "The example")}
    >
      <span className="th">
        <Thumbnail example={example} />
      </span>
      <span className="ct">{title}</span>
      <span className="q cd">{about}</span>
      <span className="cf mono">
        {blocks.length === 0 ? (
          <>
            <span>stops at Types</span>
            <span className="bad">error</span>
          </>
        ) : (
          <>
            <span>{operators} operators</span>
            <span>
              {blocks.length} primitive{blocks.length === 1 ? "" : "s"}
            </span>
          </>
        )}
      </span>
    </button>
  );
}

/** Blocks in a row, one cell an operator, a skip edge above. */
function Thumbnail({ example }: { readonly example: Example }): ReactNode {
  const { blocks, skipTo, framed, dynamic } = example;
  if (blocks.length === 0) return <FailingThumbnail />;
  const cells = blocks.reduce((sum, count) => sum + count, 0);
  const gap = 12;
  const cell = Math.min(24, (240 - 24 - gap * (blocks.length + 1)) / cells);
  const width = cells * cell + gap * (blocks.length + 1) + 12;
  const left = (248 - width) / 2;
  const drawn = blocks.reduce<{ x: number; parts: { x: number; width: number; index: number }[] }>(
    ({ x, parts }, count, index) => ({
      x: x + count * cell + gap,
      parts: [...parts, { x, width: count * cell, index }],
    }),
    { x: left + 6 + gap, parts: [] },
  );
  const skip = skipTo === undefined ? undefined : drawn.parts[skipTo];
  return (
    <svg width={248} height={88} viewBox="0 20 248 88" aria-hidden="true">
      <circle cx={left + 3} cy={64} r={3} className="hair" />
      {dynamic === true && (
        <text className="m t12 c" x={left + 3} y={84}>
          ?
        </text>
      )}
      <path d={`M${left + 6} 64H${left + width - 6}`} className="wire" />
      {skip && (
        <path
          d={`M${left + 12} 64V32H${skip.x + skip.width / 2}V50`}
          className="wire"
          markerEnd="url(#arrow)"
        />
      )}
      {drawn.parts.map(({ x, width: wide, index }) => {
        const { color, tint, patternFill } = primitiveStyle(index);
        return (
          <g key={index}>
            <rect x={x} y={52.5} width={wide} height={23} className="paperf" />
            <rect x={x} y={52.5} width={wide} height={23} style={{ fill: tint }} />
            <rect x={x} y={52.5} width={wide} height={23} fill={patternFill} />
            {Array.from({ length: (blocks[index] ?? 1) - 1 }, (_, at) => (
              <path key={at} d={`M${x + (at + 1) * cell} 52V76`} style={{ stroke: color }} opacity={0.7} />
            ))}
            <rect x={x} y={52.5} width={wide} height={23} fill="none" style={{ stroke: color }} />
          </g>
        );
      })}
      {drawn.parts
        .filter(({ index }) => framed?.includes(index))
        .map(({ x, width: wide, index }) => (
          <rect
            key={`f${index}`}
            className="region"
            x={x - 4.5}
            y={47.5}
            width={wide + 9}
            height={33}
            strokeDasharray="5 3"
            fill="none"
            style={{ stroke: "var(--ink2)" }}
          />
        ))}
      <circle cx={left + width - 3} cy={64} r={3} style={{ fill: "var(--ink3)" }} />
    </svg>
  );
}

function FailingThumbnail(): ReactNode {
  return (
    <svg width={248} height={88} viewBox="0 20 248 88" aria-hidden="true">
      <text className="m t10 e" x={70} y={60}>
        %x 6
      </text>
      <text className="m t10 e" x={70} y={76}>
        %w 8
      </text>
      <path d="M74 56H92M74 72H92" className="wire" />
      <rect
        x={92.5}
        y={48.5}
        width={64}
        height={31}
        fill="none"
        style={{ stroke: "var(--p0)" }}
        strokeDasharray="4 3"
      />
      <text className="m c" x={124} y={68}>
        conv2d
      </text>
      <path d="M157 64H176" className="wire" />
      <path d="M178 55 196 73M196 55 178 73" style={{ stroke: "var(--err)" }} strokeWidth={2} />
    </svg>
  );
}
