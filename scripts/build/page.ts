import { readdir, readFile, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build, type Rolldown } from "vite";
import { licencesOf } from "./licences.ts";

const web = path.join(import.meta.dirname, "../../packages/web");

/** Builds the page into a folder, with compressed copies of text files. */
export async function writePage(folder: string, source = web): Promise<void> {
  const built = await build({
    root: source,
    configFile: path.join(source, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir: folder, emptyOutDir: false },
  });
  await writeFile(path.join(folder, "LICENSES.txt"), await licencesOf(modulesOf(built)));
  for (const file of await textFiles(folder)) await compress(file);
}

type Built = Awaited<ReturnType<typeof build>>;

function modulesOf(built: Built): readonly string[] {
  const outputs = [built].flat().filter((one): one is Rolldown.RolldownOutput => "output" in one);
  return outputs.flatMap(({ output }) =>
    output.flatMap((file) => (file.type === "chunk" ? Object.keys(file.modules) : [])),
  );
}

async function textFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && isText.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

const isText = /\.(?:html|js|css|json|webmanifest|svg|txt|wasm)$/;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
/** Smaller files fit into one packet anyway. */
const LEAST_BYTES = 1_024;

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < LEAST_BYTES) return;
  const [brotli, zipped] = await Promise.all([
    toBrotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
    toGzip(bytes, { level: 9 }),
  ]);
  if (brotli.length < bytes.length) await writeFile(`${file}.br`, brotli);
  if (zipped.length < bytes.length) await writeFile(`${file}.gz`, zipped);
}

/** The maximum quality takes twelve times as long and saves 7 % more. */
const BROTLI_QUALITY = 9;
