import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Node } from "web-tree-sitter";

export type ReadTree = <Value>(line: string, read: (root: Node) => Value) => Value | null;

/** A line that takes longer to parse is unreadable. */
const parseMsMax = 500;

let opening: Promise<ReadTree | null> | null = null;

/** The bash grammar, loaded on first use. Null if it cannot be loaded; the next call tries again. */
export function openParser(): Promise<ReadTree | null> {
  opening ??= open().catch(() => {
    opening = null;
    return null;
  });
  return opening;
}

async function open(): Promise<ReadTree> {
  const { Parser, Language } = await import("web-tree-sitter");
  const [runtime, grammar] = await Promise.all([
    readFile(fileURLToPath(import.meta.resolve("web-tree-sitter/web-tree-sitter.wasm"))),
    readFile(
      fileURLToPath(import.meta.resolve("@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm")),
    ),
  ]);
  await Parser.init({ wasmBinary: new Uint8Array(runtime).buffer });
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammar));
  return (line, read) => {
    const deadline = performance.now() + parseMsMax;
    const progressCallback = () => performance.now() > deadline;
    const tree = parser.parse(line, null, { progressCallback });
    if (tree === null) {
      // Without a reset, the next parse would resume this one.
      parser.reset();
      return null;
    }
    try {
      return read(tree.rootNode);
    } finally {
      tree.delete();
    }
  };
}
