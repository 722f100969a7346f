import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";
import type { Plugin } from "rolldown";

const places = /new URL\(\s*"([^"]+)",\s*import\.meta\.url,?\s*\)/g;
const lateLoads = /createRequire\(import\.meta\.url\)\("([^"]+)"\)/g;
const packagedFiles = /import\.meta\.resolve\(\s*"([^"]+)",?\s*\)/g;
const otherPlaces = /import\.meta\.(?:dirname|filename)/;

/**
 * Rewrites paths that depend on the location of a source file. In the bundle:
 * - `new URL("./x.ts", import.meta.url)`, used for workers, becomes a script of the bundle; other URLs keep their file.
 * - `createRequire(import.meta.url)("x")` loads the package from the bundle.
 * - `import.meta.resolve("x/y.wasm")` copies the file into the bundle and reports it to `onFile`.
 */
export function rewriteImportMeta(
  packages: string,
  folder: string,
  onFile: (file: string) => void,
): Plugin {
  return {
    name: "rewrite-import-meta",
    transform(code, id) {
      if (!id.startsWith(packages + path.sep) || !id.endsWith(".ts")) return null;
      if (otherPlaces.test(code))
        throw new Error(`${id}: use new URL("…", import.meta.url), which the bundler can rewrite.`);
      const changed = code
        .replaceAll(places, (text, place: string) => {
          const file = path.resolve(path.dirname(id), place);
          if (!file.endsWith(".ts")) return urlOf(path.relative(folder, file)) + lineEndsOf(text);
          const fileName = scriptName(path.relative(packages, file));
          this.emitFile({ type: "chunk", id: file, fileName });
          return urlOf(fileName) + lineEndsOf(text);
        })
        .replaceAll(packagedFiles, (text, name: string) => {
          const file = createRequire(id).resolve(name);
          onFile(file);
          const fileName = path.basename(file);
          this.emitFile({ type: "asset", fileName, source: readFileSync(file) });
          return `${urlOf(fileName)}.href${lineEndsOf(text)}`;
        })
        .replaceAll(lateLoads, (_, name: string) => `require(${JSON.stringify(name)})`);
      // Line numbers do not change, and the source maps have line precision only.
      return changed === code ? null : { code: changed, map: null };
    },
  };
}

function urlOf(file: string): string {
  const address = file.split(path.sep).join("/");
  return `new URL(${JSON.stringify(`./${address}`)}, import.meta.url)`;
}

function lineEndsOf(text: string): string {
  return text.replaceAll(/[^\n]/g, "");
}

/** "gateway/src/index/worker.ts" becomes "gateway.index.worker.js", because all scripts are in one folder. */
function scriptName(file: string): string {
  const [name, , ...rest] = file.replace(/\.ts$/, ".js").split(path.sep);
  return [name, ...rest].join(".");
}
