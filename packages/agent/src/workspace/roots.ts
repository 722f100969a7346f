import { relative, resolve, sep } from "node:path";
import { isWithin, realPath } from "@landline/shell";
import { loadOnce } from "@landline/system/load-once";
import { expandPath } from "./expand-path.ts";

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

  async contains(path: string): Promise<boolean> {
    const [roots, real] = await Promise.all([this.#real(), realPath(this.resolve(path))]);
    return roots.some((root) => isWithin(root, real));
  }
}
