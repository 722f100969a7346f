/** Replaces `~` at the beginning of a path. `~name`, the home folder of another user, is not replaced. */
export function expandHome(path: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? `${home.replace(/\/+$/, "")}${path.slice(1)}` : path;
}
