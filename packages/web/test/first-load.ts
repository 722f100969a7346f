import * as fs from "node:fs/promises";
import * as path from "node:path";
import { gzipSync } from "node:zlib";
import { parseAst } from "rolldown/parseAst";
import { page } from "../../../scripts/bundle.cjs";

interface LoadedFile {
  readonly name: string;
  readonly content: Buffer;
}

export interface FirstLoad {
  readonly files: readonly LoadedFile[];
  /** The total size with gzip. */
  readonly bytes: number;
}

/** What the built page loads initially: the files in its HTML and their static imports. */
export async function firstLoad(): Promise<FirstLoad> {
  const [folder] = page.folders();
  if (folder === undefined) throw new Error("The page is not built. Run: npm run build");
  const read = async (name: string) => ({
    name,
    content: await fs.readFile(path.join(folder, name)),
  });
  const html = await read("index.html");
  const files = new Map([[html.name, html]]);
  const waiting = namedIn(html.content.toString());
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (files.has(name)) continue;
    const file = await read(name);
    files.set(name, file);
    if (name.endsWith(".js")) waiting.push(...importsOf(file));
  }
  const all = [...files.values()];
  const bytes = all.reduce((sum, { content }) => sum + gzipSync(content).length, 0);
  return { files: all, bytes };
}

function namedIn(html: string): string[] {
  const found = html.matchAll(/<(?:script|link)\b[^>]*?(?:src|href)="\.\/([^"]+\.(?:js|css))"/g);
  return [...found].flatMap(([, name]) => name ?? []);
}

/** Static imports only; dynamic imports are not part of the initial load. */
function importsOf({ name, content }: LoadedFile): string[] {
  const { body } = parseAst(content.toString());
  return body.flatMap((statement) => {
    const source = "source" in statement ? statement.source : null;
    return source ? [path.posix.join(path.posix.dirname(name), source.value)] : [];
  });
}
