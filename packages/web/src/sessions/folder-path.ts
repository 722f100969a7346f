import { expandHome } from "@landline/system/expand-home";

/** Shortens "/home/me/code/app" to "~/code/app". */
export function shortFolder(path: string, home: string | null): string {
  if (home === null || home === "/" || home === "") return path;
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The last segment of a path. */
export function folderName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

export function fullFolder(typed: string, home: string | null): string {
  const text = typed.trim();
  return home === null ? text : expandHome(text, home);
}

/** Splits a typed path into the folder to list and the prefix of the next name. */
export function splitTyped(path: string): { readonly folder: string; readonly start: string } {
  const cut = path.lastIndexOf("/");
  if (cut < 0) return { folder: "", start: path };
  return { folder: cut === 0 ? "/" : path.slice(0, cut), start: path.slice(cut + 1) };
}

export function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

export function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, "");
}
