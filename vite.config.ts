import { defineConfig } from "vitest/config";
import react from "@vitejs/plugin-react";

const headers = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

// `--mode cli` bundles the command line (and the tools that run on it) for Node; otherwise the page.
export default defineConfig(({ mode }) =>
  mode === "cli"
    ? {
        publicDir: false,
        build: {
          ssr: true,
          target: "node20",
          outDir: "dist/cli",
          minify: false,
          rolldownOptions: {
            input: {
              relayscope: "src/cli/relayscope.ts",
              ...Object.fromEntries(
                ["conformance", "bench", "cases", "fuzz", "onnx-suite", "onnx-folder"].map((name) => [
                  name,
                  `src/tools/${name}.ts`,
                ]),
              ),
            },
            output: { entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" },
          },
        },
        ssr: { noExternal: ["fflate", "modern-tar"] },
      }
    : {
        plugins: [react()],
        base: "./",
        worker: { format: "es" as const },
        server: { headers },
        preview: { headers },
        build: { target: "es2023", outDir: "dist/site", chunkSizeWarningLimit: 5000 },
        // Tests measure nothing: a busy machine must not fail one by its clock.
        test: {
          include: ["src/**/*.test.ts"],
          setupFiles: ["src/testing/fixed-seeds.ts"],
          execArgv: ["--experimental-wasm-relaxed-simd", "--expose-gc"],
          testTimeout: 900_000,
          hookTimeout: 900_000,
        },
      },
);
