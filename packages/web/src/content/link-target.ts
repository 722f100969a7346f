/** The allowed targets of a link. */
export type LinkTarget =
  | { readonly kind: "web"; readonly href: string }
  | { readonly kind: "file"; readonly path: string; readonly line: number | null }
  | { readonly kind: "none" };

const web = new Set(["http:", "https:", "mailto:"]);
const none: LinkTarget = { kind: "none" };

/** Allows http, https, mailto and files. A path is used as the agent wrote it. */
export function linkTarget(url: string): LinkTarget {
  const text = url.trim();
  // "main.ts:12" would parse as a URL with the scheme "main.ts".
  if (fileWithLine.test(text)) return fileTarget(text);
  const address = URL.parse(text);
  if (address === null) return fileTarget(text);
  if (web.has(address.protocol)) return { kind: "web", href: address.href };
  if (address.protocol !== "file:" || address.host !== "") return none;
  return fileTarget(address.pathname + address.hash);
}

const fileWithLine = /^[\w-]+(?:\.[\w-]+)+:\d+(?::\d+)?$/u;
const place = /(?::(\d{1,7})(?::\d+)?(?:-\d+)?|#L(\d{1,7})(?:[-–]L?\d+)?)$/u;

function fileTarget(text: string): LinkTarget {
  const path = decoded(text);
  const found = place.exec(path);
  const name = found ? path.slice(0, found.index) : path.replace(/#.*$/u, "");
  if (name === "" || name.startsWith("//") || name.startsWith("?")) return none;
  const line = found ? Number(found[1] ?? found[2]) : null;
  return { kind: "file", path: name, line };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
