import { resolve } from "node:path";
import { realPath } from "@landline/shell";
import { protectedAmong } from "./protected-paths.ts";
import type { PermissionRequest } from "./rule.ts";

/** Longer texts are contents, not names. */
const pathCharacters = 4_096;

/** Texts of which it is looked up where they lead. */
const textsFollowed = 500;

/**
 * Why only a person may allow a call of a tool that is not ours: credentials and protected places that its input names,
 * by themselves or by a link. Nobody knows which of its texts are paths, so each one counts.
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

/** The names of fields too: some tools name files by them. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(textsIn)];
}

/** A query or fragment would hide the name of the file. */
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
