// `npm start`: builds the page if anything it is made of is newer than the last build, then serves the built page. Arguments go
// to the server (`npm start -- --port 8080 --host`). `npm run dev` is the development server: slower to open, quicker to change.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const built = join(root, "dist/site/index.html");
const madeOf = [
  "src",
  "public",
  "index.html",
  "vite.config.ts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];

/** Latest change under `path`, ms; a folder's own time tells of files that went. */
function newest(path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), mtimeMs);
}

/** Runs vite in the foreground; its progress is shown. Ends this process where vite fails. */
function vite(...words) {
  const { status } = spawnSync(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), ...words], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}

const changed = madeOf.some((path) => existsSync(join(root, path)) && newest(join(root, path)) > lastBuild());

function lastBuild() {
  return existsSync(built) ? statSync(built).mtimeMs : 0;
}

if (changed) {
  console.log("Building the page (the sources are newer than dist/site) …");
  const began = new Date();
  vite("build");
  // What is saved while it builds is newer than the build.
  utimesSync(built, began, began);
} else console.log("dist/site is up to date.");
vite("preview", ...process.argv.slice(2));
