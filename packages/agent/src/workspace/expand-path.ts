import { homedir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expandHome } from "@landline/system/expand-home";
import { FileProblem } from "./workspace.ts";

/** Expands `~` and `file:` in a path. The file system would treat them as names. Throws FileProblem. */
export function expandPath(given: string): string {
  if (/^file:/iu.test(given)) return pathOfAddress(given);
  if (!given.startsWith("~")) return given;
  const expanded = expandHome(given, homedir());
  if (expanded !== given) return resolve(expanded);
  throw invalid(
    given,
    `${given} begins with ~, and only ~ and ~/ are understood, as your own home. Write the path out. For a file of this name write ./${given}.`,
  );
}

function pathOfAddress(given: string): string {
  if (!/^file:\//iu.test(given)) {
    throw invalid(given, `${given} is not a complete file URL. Use file:///… or a path.`);
  }
  const url = URL.parse(given);
  if (url && url.host !== "") {
    throw invalid(given, `${given} is on another machine. Only local files can be read.`);
  }
  const isPlain = url?.search === "" && /^(?:#L[\d:L-]+)?$/u.test(url.hash);
  const path = isPlain ? decoded(url) : null;
  if (path !== null) return path;
  throw invalid(
    given,
    `${given} can't be read as the address of a file. Write the path instead, without file: and without percent signs for other characters.`,
  );
}

function decoded(url: URL): string | null {
  try {
    const path = fileURLToPath(url);
    return path.includes("\0") ? null : path;
  } catch {
    return null;
  }
}

function invalid(path: string, message: string): FileProblem {
  return new FileProblem("invalid-input", path, message);
}
