import type { Preferences } from "../state/preferences.ts";
import { absolutePath } from "./paths.ts";

export interface FilePlace {
  readonly path: string;
  readonly line?: number | null;
}

/** The URL that opens a file in the preferred editor; null if none is chosen or the path is unknown. */
export function editorLink(
  editor: Preferences["editor"],
  { path, line }: FilePlace,
  cwd: string,
): string | null {
  const whole = absolutePath(path, cwd);
  if (whole === null || editor === "none") return null;
  const at = typeof line === "number" && Number.isSafeInteger(line) && line > 0 ? line : null;
  if (editor === "idea") {
    const query = new URLSearchParams({ file: whole, ...(at === null ? {} : { line: `${at}` }) });
    return `idea://open?${query}`;
  }
  const encoded = whole.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  // Keep the colon of a Windows drive.
  const rooted = encoded.startsWith("/") ? encoded : `/${encoded.replace(/^([a-z])%3A/iu, "$1:")}`;
  return `${editor}://file${rooted}${at === null ? "" : `:${at}`}`;
}
