import { isAbsolute, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { LandlineError } from "@landline/protocol";
import type { SessionContext } from "../session-context.ts";
import { refusal } from "./refusal.ts";

/**
 * The absolute path that an agent means. Text that would become an odd file name, such as `~/x` or a URL, is
 * refused: an agent that sends it means another file.
 */
export function absolutePath(context: SessionContext, given: string): string {
  if (given === "") throw invalid("The path is empty.");
  if (given.length > context.limits.pathLength) throw refusal("too-long");
  const path = /^file:/i.test(given) ? decodedUrl(given) : given;
  if (path.includes("\0")) throw invalid("The path contains a NUL character.");
  if (!path.isWellFormed()) throw invalid("The path is not valid Unicode.");
  if (isAbsolute(path)) return path;
  if (path.startsWith("~")) {
    throw invalid("The path begins with a tilde. Send the absolute path of the home folder.");
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) {
    throw invalid("The path is a URL. Send an absolute path.");
  }
  if (context.takesRelativePaths !== true) {
    throw invalid(
      "The path is not absolute. Send an absolute path. For an agent that can't, a person can add the quirk relativePaths to its entry in the gateway's config.",
    );
  }
  // Not joined: that would remove `..` before the links in front of it are resolved.
  return `${context.cwd}${sep}${path}`;
}

/** The path of a file for an editor: as the agent wrote it, because an editor may know a folder by a link to it. */
export function editorPath(context: SessionContext, given: string, real: string): string {
  const absolute = absolutePath(context, given);
  // `..` after a link means another folder than the text says.
  return absolute.split(sep).includes("..") ? real : normalize(absolute);
}

/** URLs drop or rewrite some characters that are not encoded, and would then name another file. */
function decodedUrl(given: string): string {
  try {
    if (/^file:\/\//i.test(given) && !/[\s\\?#]/.test(given)) return fileURLToPath(given);
  } catch {
    // Another host, or an escape that is no part of a path.
  }
  throw invalid(
    "The file URL does not name a local file. Send an absolute path, or a file URL without a host in which special characters are encoded.",
  );
}

/** Names that come from joining a folder with a home or a URL. They are never created. */
export function checkNewNames(names: readonly string[]): void {
  if (names.some((name) => name === "~" || /^file:$/i.test(name))) {
    throw invalid(
      "The path would create a folder or file named ~ or file:. Send the absolute path of the file itself.",
    );
  }
}

/** The advice is part of the message, because an agent gets nothing else of the error. */
function invalid(message: string): LandlineError {
  return new LandlineError("invalid-params", { message });
}
