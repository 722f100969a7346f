import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Node } from "web-tree-sitter";
import { scanLimits } from "../limits.ts";

export type ReadTree = <Value>(line: string, read: (root: Node) => Value) => Value | null;

let opening: Promise<ReadTree | null> | null = null;

/**
 * The grammar of bash, loaded when the first line is looked at. Null where it can't be loaded: then no line is
 * taken apart, and a person is asked about each.
 */
export function openBashParser(): Promise<ReadTree | null> {
  opening ??= open().catch(() => null);
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
    const deadline = performance.now() + scanLimits.parseMs;
    const progressCallback = () => performance.now() > deadline;
    const tree = parser.parse(line, null, { progressCallback });
    if (tree === null) {
      // Otherwise the next line would go on where this one stopped.
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
