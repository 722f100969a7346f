import { resolve } from "node:path";
import { realPath } from "@landline/shell";
import { protectedAmong } from "./protected-paths.ts";
import type { PermissionRequest } from "./rule.ts";

/** Longer strings are contents, not paths. */
const pathCharacters = 4_096;

/** Maximum strings whose links are resolved. */
const textsFollowed = 500;

/**
 * Credentials and protected places in the input of a custom or MCP tool, directly or through a link. Which
 * strings are paths is not known, so all are checked.
 */
export async function protectedInput(
  input: unknown,
  access: "read" | "edit",
  cwd: string,
): Promise<Pick<PermissionRequest, "mustAsk">> {
  const paths = textsIn(input)
    .filter((text) => text.length <= pathCharacters && !/[\n\0]/.test(text))
    .map(withoutScheme);
  const followed = paths.slice(0, textsFollowed).map((path) => realPath(resolve(cwd, path)));
  const named = protectedAmong(paths, access);
  const mustAsk = named.length > 0 ? named : protectedAmong(await Promise.all(followed), access);
  return mustAsk.length === 0 ? {} : { mustAsk };
}

/** Includes field names: some tools use paths as keys. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(textsIn)];
}

/** A query or fragment would hide the file name. */
function withoutScheme(text: string): string {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? URL.parse(text) : null;
  return url ? decodedPath(url.pathname) : text;
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
