/** Shows a path below the session's folder relative to it. */
export function shownPath(path: string, cwd: string): string {
  const folder = cwd.replace(/[/\\]+$/u, "");
  if (folder === "" || !path.startsWith(folder)) return path;
  const rest = path.slice(folder.length);
  if (rest === "") return ".";
  return /^[/\\]./u.test(rest) ? rest.slice(1) : path;
}

/** Null if it is not a path, or can't be resolved. */
export function absolutePath(path: string, cwd: string): string | null {
  const plain = fromFileUri(path);
  if (plain === null || plain === "" || hasControls(plain)) return null;
  if (isAbsolute(plain)) return plain;
  if (!isAbsolute(cwd) || plain.startsWith("~") || /^[a-z][a-z\d+.-]+:/iu.test(plain)) return null;
  return `${cwd.replace(/[/\\]+$/u, "")}/${plain.replace(/^\.[/\\]/u, "")}`;
}

export function fileName(path: string): string {
  return path.split(/[/\\]/u).findLast((part) => part !== "") ?? path;
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[a-z]:[/\\]/iu.test(path);
}

function fromFileUri(path: string): string | null {
  if (!path.startsWith("file:")) return path;
  const address = URL.parse(path);
  if (address === null || address.host !== "") return null;
  try {
    return decodeURIComponent(address.pathname);
  } catch {
    return null;
  }
}

function hasControls(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) < 32) return true;
  return false;
}
