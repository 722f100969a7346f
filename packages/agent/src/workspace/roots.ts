import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** The folders of a session, and where a path lies in respect to them. */
export class Roots {
  readonly cwd: string;
  readonly all: readonly string[];
  #real: Promise<string[]> | undefined;

  constructor(cwd: string, directories: readonly string[]) {
    this.cwd = resolve(cwd);
    this.all = [...new Set([this.cwd, ...directories.map((folder) => resolve(this.cwd, folder))])];
  }

  resolve(path: string): string {
    return resolve(this.cwd, path);
  }

  display(path: string): string {
    const absolute = this.resolve(path);
    const inside = isWithin(this.cwd, absolute);
    const shown = inside ? relative(this.cwd, absolute) || "." : absolute;
    return sep === "/" ? shown : shown.replaceAll(sep, "/");
  }

  async contains(path: string): Promise<boolean> {
    this.#real ??= Promise.all(this.all.map(realPath));
    const [roots, real] = await Promise.all([this.#real, realPath(this.resolve(path))]);
    return roots.some((root) => isWithin(root, real));
  }
}

/** By name alone. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

const linksFollowed = 40;

/** Links followed, those that lead nowhere too; what is not there stands as it is. Never throws. */
export async function realPath(path: string, linksLeft = linksFollowed): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const folder = dirname(path);
    if (folder === path) return path;
    const target = await readlink(path).catch(() => null);
    if (target !== null && linksLeft > 0) return realPath(resolve(folder, target), linksLeft - 1);
    return join(await realPath(folder, linksLeft), basename(path));
  }
}
