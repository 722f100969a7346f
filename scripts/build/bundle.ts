import { mkdir, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { rolldown } from "rolldown";
import { licencesOf } from "./licences.ts";
import { rewriteImportMeta } from "./rewrite-import-meta.ts";

const root = path.join(import.meta.dirname, "../..");

interface Sources {
  /** The folder of the packages; places that are named in them are kept true. */
  readonly packages: string;
  /** What can be started, by the name of its script. What is loaded late is a file of its own beside it. */
  readonly entries: Readonly<Record<string, string>>;
}

const packages = path.join(root, "packages");
const ours: Sources = { packages, entries: { landline: path.join(packages, "cli/src/start.ts") } };

/** Emscripten's way to run script that is written inside C, which no grammar of ours has. */
function isKnown({ code, message }: { code?: string; message: string }): boolean {
  return code === "EVAL" && message.includes("web-tree-sitter.js");
}

/**
 * Writes all that runs into one folder, as plain JavaScript that needs no package beside it. It is CommonJS,
 * because the modules of Node cost half as much to load that way: as ES modules, everything that they offer is
 * looked at, and `node:http` offers a whole client.
 */
export async function writeBundle(folder: string, sources: Sources = ours): Promise<void> {
  const files: string[] = [];
  const bundle = await rolldown({
    input: sources.entries,
    cwd: root,
    platform: "node",
    resolve: {
      conditionNames: ["@landline/source", "node", "import", "default"],
      // The other form of some packages hides from bundlers what it needs.
      mainFields: ["module", "main"],
    },
    plugins: [rewriteImportMeta(sources.packages, folder, (file) => files.push(file))],
    onLog: (level, log) => {
      if (level === "warn" && !isKnown(log)) throw new Error(log.message);
    },
  });
  await using _closed = { [Symbol.asyncDispose]: () => bundle.close() };
  await mkdir(folder, { recursive: true });
  // The maps are read by nobody unless Node is told to: --enable-source-maps.
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
