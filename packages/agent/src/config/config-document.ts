import { isRecord } from "@landline/system/json";
import { errorMessage } from "@landline/system/error-message";
import {
  printParseErrorCode,
  parseTree,
  findNodeAtLocation,
  type Node,
  type ParseError,
} from "jsonc-parser";
import type { Problems } from "./config-problems.ts";

export type Path = (string | number)[];

/** A parsed configuration file that is not validated yet. */
export interface ConfigDocument {
  /** Its name in messages. */
  file: string;
  /** The base of `{file:…}`. */
  folder: string;
  /** The folder that it configures, the base of `instructions`. */
  base: string;
  owner: "person" | "project";
  dialect: "landline" | "opencode";
  data: Record<string, unknown>;
  /** The line of a value, counted from 1. */
  lineOf(path: Path): number | undefined;
}

/** Null when the text is not a JSON object; a problem is added. */
export function parseDocument(
  text: string,
  about: Omit<ConfigDocument, "data" | "lineOf">,
  problems: Problems,
): ConfigDocument | null {
  const tree = parse(text, about.file, problems);
  if (tree === null) return null;
  const data = toValue(tree);
  if (!isRecord(data)) {
    problems.add({ file: about.file, line: 1 }, "must be an object: { … }. The file was left out.");
    return null;
  }
  const lineOf = (path: Path): number | undefined => {
    const node = findNodeAtLocation(tree, path);
    return node === undefined ? undefined : lineAt(text, node.offset);
  };
  return { ...about, data, lineOf };
}

function parse(text: string, file: string, problems: Problems): Node | null {
  const errors: ParseError[] = [];
  try {
    const tree = parseTree(text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first === undefined) return tree ?? null;
    const what = printParseErrorCode(first.error);
    problems.add(
      { file, line: lineAt(text, first.offset) },
      `is not valid JSON (${what}). Correct this place; the file was left out.`,
    );
  } catch (error) {
    // The parser is recursive, so deep nesting overflows the stack.
    problems.add({ file }, `could not be parsed (${errorMessage(error)}). The file was left out.`);
  }
  return null;
}

/** jsonc-parser's own conversion lets a key `__proto__` set the prototype. */
function toValue(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(toValue);
  if (node.type !== "object") return node.value as unknown;
  const value: Record<string, unknown> = {};
  for (const property of node.children ?? []) {
    const [key, content] = property.children ?? [];
    if (key === undefined || content === undefined || key.value === "__proto__") continue;
    value[String(key.value)] = toValue(content);
  }
  return value;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
  }
  return line;
}
