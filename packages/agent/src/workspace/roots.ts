import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isWithin, realPath } from "@landline/shell";
import { loadOnce } from "@landline/system/load-once";
import { expandPath } from "./expand-path.ts";
import type { LocatedPath } from "./workspace.ts";

/** The folders of a session. */
export class Roots {
  readonly cwd: string;
  readonly all: readonly string[];
  readonly #real = loadOnce(() => Promise.all(this.all.map((root) => realPath(root))));

  constructor(cwd: string, directories: readonly string[]) {
    this.cwd = resolve(cwd);
    this.all = [...new Set([this.cwd, ...directories.map((folder) => resolve(this.cwd, folder))])];
  }

  resolve(path: string): string {
    return resolve(this.cwd, expandPath(path));
  }

  display(path: string): string {
    const absolute = this.resolve(path);
    const inside = isWithin(this.cwd, absolute);
    const shown = inside ? relative(this.cwd, absolute) || "." : absolute;
    return sep === "/" ? shown : shown.replaceAll(sep, "/");
  }

  async locate(name: string): Promise<LocatedPath> {
    const path = this.resolve(name);
    const real = await realPath(path);
    const entry = join(await realPath(dirname(path)), basename(path));
    return { path, real, entry, isOutside: !(await this.contains(real)) };
  }

  /** Takes a real path. */
  async contains(real: string): Promise<boolean> {
    const roots = await this.#real();
    return roots.some((root) => isWithin(root, real));
  }
}
