// Benches run in one Chromium: a page on this machine's own server, our module and onnxruntime-web in turn,
// one thread each.
import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { chromium, type Page } from "playwright-core";

const chromiumArgs = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const types: Readonly<Record<string, string>> = {
  mjs: "text/javascript",
  js: "text/javascript",
  wasm: "application/wasm",
  html: "text/html",
};

export interface Peer {
  /** Paths on the server: what our module needs, and the peer's model. */
  readonly wasm: string;
  readonly onnx: string;
  readonly input: {
    readonly name: string;
    readonly shape: readonly number[];
    readonly data: string;
    readonly offset: number;
  };
  readonly output: { readonly offset: number; readonly count: number };
  /** Rounds; each runs both sides for about `roundMs`. */
  readonly rounds: number;
  readonly roundMs: number;
}

export interface Measured {
  /** Milliseconds of one run: the best round's mean. */
  readonly ours: number;
  readonly peer: number;
  /** Median over rounds of peer time / our time: above 1, ours is faster. */
  readonly ratio: number;
  /** Largest difference of outputs, relative to the largest output. */
  readonly difference: number;
}

export interface BenchBrowser {
  readonly page: Page;
  /** Serves `bytes` at the path that it returns. */
  readonly serve: (name: string, bytes: Uint8Array) => string;
  readonly measure: (peer: Peer) => Promise<Measured>;
  readonly close: () => Promise<void>;
}

/** The Chromium to use: CHROMIUM_PATH, or Debian's; null if there is none. */
export function findChromium(): string | null {
  return (
    [process.env["CHROMIUM_PATH"], "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
      (path) => path !== undefined && existsSync(path),
    ) ?? null
  );
}

export async function openBrowser(): Promise<BenchBrowser> {
  const executablePath = findChromium();
  if (executablePath === null)
    throw new Error("no Chromium: install it (apt-get install chromium) or set CHROMIUM_PATH");
  const files = new Map<string, Uint8Array>();
  const peerFolder = dirname(createRequire(import.meta.url).resolve("onnxruntime-web/wasm"));
  const server = createServer((request, response) => {
    void answer(request.url ?? "/", files, peerFolder).then(({ status, type, body }) => {
      response.writeHead(status, {
        "content-type": type,
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
      });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the bench server has no port");
  const browser = await chromium.launch({ executablePath, args: chromiumArgs });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${address.port}/`);
  return {
    page,
    serve: (name, bytes) => {
      files.set(`/${name}`, bytes);
      return `/${name}`;
    },
    measure: (peer) => page.evaluate(measureInPage, peer),
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Uint8Array | string;
}

async function answer(
  url: string,
  files: ReadonlyMap<string, Uint8Array>,
  peerFolder: string,
): Promise<Answer> {
  const type = types[url.slice(url.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  if (url === "/") return { status: 200, type: "text/html", body: "<!doctype html><title>bench</title>" };
  const made = files.get(url);
  if (made !== undefined) return { status: 200, type, body: made };
  if (/^\/ort\/[\w.-]+$/.test(url))
    return { status: 200, type, body: await readFile(join(peerFolder, url.slice("/ort/".length))) };
  return { status: 404, type: "text/plain", body: "not here" };
}

interface OrtTensor {
  readonly data: Float32Array;
}
interface Ort {
  readonly env: { readonly wasm: { numThreads: number; wasmPaths: string } };
  readonly InferenceSession: {
    readonly create: (
      url: string,
      options: object,
    ) => Promise<{ readonly run: (feeds: object) => Promise<Readonly<Record<string, OrtTensor>>> }>;
  };
  readonly Tensor: new (type: string, data: Float32Array, shape: readonly number[]) => OrtTensor;
}

/** Runs in the page: it may use nothing from outside of itself. */
async function measureInPage(peer: Peer): Promise<Measured> {
  const bytesOf = async (url: string): Promise<ArrayBuffer> => (await fetch(url)).arrayBuffer();
  const url = "/ort/ort.wasm.min.mjs";
  const ort = (await import(/* @vite-ignore */ url)) as Ort;
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = "/ort/";
  const session = await ort.InferenceSession.create(peer.onnx, { executionProviders: ["wasm"] });
  const input = new Float32Array(await bytesOf(peer.input.data));
  const feeds = { [peer.input.name]: new ort.Tensor("float32", input, peer.input.shape) };
  const { instance } = await WebAssembly.instantiate(await bytesOf(peer.wasm), {
    env: Math as unknown as WebAssembly.ModuleImports,
  });
  const memory = instance.exports["memory"] as WebAssembly.Memory;
  const run = instance.exports["run_model"] as () => void;
  new Float32Array(memory.buffer, peer.input.offset, input.length).set(input);
  const ours = (): Promise<void> => {
    run();
    return Promise.resolve();
  };
  let last: Float32Array = input;
  const theirs = async (): Promise<void> => {
    last = Object.values(await session.run(feeds))[0]!.data;
  };
  const time = async (once: () => Promise<void>, count: number): Promise<number> => {
    const start = performance.now();
    for (let i = 0; i < count; i++) await once();
    return (performance.now() - start) / count;
  };
  /** Enough runs for the engine's optimising tier, then how many fill a round. */
  const calibrate = async (once: () => Promise<void>): Promise<number> => {
    let spent = 0;
    let least = Infinity;
    while (spent < peer.roundMs * 3) {
      const ms = await time(once, 1);
      spent += ms;
      least = Math.min(least, ms);
    }
    return Math.max(1, Math.round(peer.roundMs / Math.max(least, 0.001)));
  };
  const [ourCount, theirCount] = [await calibrate(ours), await calibrate(theirs)];
  const pairs: [number, number][] = [];
  for (let round = 0; round < peer.rounds; round++)
    pairs.push([await time(ours, ourCount), await time(theirs, theirCount)]);
  const output = new Float32Array(memory.buffer, peer.output.offset, peer.output.count);
  let [greatest, difference] = [0, 0];
  for (let i = 0; i < output.length; i++) {
    greatest = Math.max(greatest, Math.abs(last[i]!));
    difference = Math.max(difference, Math.abs(last[i]! - output[i]!));
  }
  const ratios = pairs.map(([a, b]) => b / a).sort((a, b) => a - b);
  return {
    ours: Math.min(...pairs.map(([a]) => a)),
    peer: Math.min(...pairs.map(([, b]) => b)),
    ratio: ratios[ratios.length >> 1]!,
    difference: difference / greatest,
  };
}
