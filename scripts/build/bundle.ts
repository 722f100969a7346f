import { mkdir, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { rolldown } from "rolldown";
import { licencesOf } from "./licences.ts";
import { rewriteImportMeta } from "./rewrite-import-meta.ts";

const root = path.join(import.meta.dirname, "../..");

interface Sources {
  /** The folder of the packages. URLs relative to their files are rewritten. */
  readonly packages: string;
  /** Entry points, by the name of their script. Dynamic imports become separate files beside it. */
  readonly entries: Readonly<Record<string, string>>;
}

const packages = path.join(root, "packages");
const ours: Sources = { packages, entries: { landline: path.join(packages, "cli/src/start.ts") } };

/** Emscripten's inline JavaScript in C, which none of the bundled grammars use. */
function isKnown({ code, message }: { code?: string; message: string }): boolean {
  return code === "EVAL" && message.includes("web-tree-sitter.js");
}

/**
 * Bundles the program into one folder of plain JavaScript without dependencies. CommonJS halves the load time of Node's
 * built-in modules, because an ES import evaluates all their exports.
 */
export async function writeBundle(folder: string, sources: Sources = ours): Promise<void> {
  const files: string[] = [];
  const bundle = await rolldown({
    input: sources.entries,
    cwd: root,
    platform: "node",
    resolve: {
      conditionNames: ["@landline/source", "node", "import", "default"],
      // The UMD form of some packages hides their dependencies from bundlers.
      mainFields: ["module", "main"],
    },
    plugins: [rewriteImportMeta(sources.packages, folder, (file) => files.push(file))],
    onLog: (level, log) => {
      if (level === "warn" && !isKnown(log)) throw new Error(log.message);
    },
  });
  await using _closed = { [Symbol.asyncDispose]: () => bundle.close() };
  await mkdir(folder, { recursive: true });
  // Node reads source maps only with --enable-source-maps.
  const { output } = await bundle.write({
    dir: folder,
    format: "cjs",
    sourcemap: true,
    chunkFileNames: "[name]-[hash].js",
  });
  const modules = output.flatMap((file) =>
    file.type === "chunk" ? Object.keys(file.modules) : [],
  );
  await writeFile(path.join(folder, "LICENSES.txt"), await licencesOf([...modules, ...files]));
  await writeFile(path.join(folder, "package.json"), `{"type":"commonjs"}\n`);
}
