/** "/home/me/code/app" as people say it: "~/code/app". */
export function shortFolder(path: string, home: string | null): string {
  if (home === null || home === "/" || home === "") return path;
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The last part of it. */
export function folderName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

export function fullFolder(typed: string, home: string | null): string {
  const text = typed.trim();
  if (home === null) return text;
  if (text === "~") return home;
  return text.startsWith("~/") ? `${home}${text.slice(1)}` : text;
}

/** What is being typed: the folder to look into, and how the next name begins. */
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
